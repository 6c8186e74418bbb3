//! `shoal fit --bounds auto:ε`: bounds bought with a part of the budget, and the clustering within them.

use shoal_curator::{EstimatedBounds, Outcome, PrivateBounds};
use shoal_files::{BoundsSpec, Table};
use shoal_lattice::{Bounds, LatticePoints};
use shoal_privacy::{Accountant, Amount, Epsilon, Sensitive};
use shoal_scan::TableScan;

use super::fit;
use super::open_ledger::{self, OpenLedger};
use crate::arguments::{FitArgs, Shown, parse_epsilon};
use crate::failure::Failure;
use crate::show::output::Listed;
use crate::show::progress::ReadingBar;
use crate::table::{self, Input};

/// What `--bounds` asks for.
pub enum BoundsAsked {
    /// Limits that anyone may know.
    Public(BoundsSpec),
    /// Limits estimated from the data.
    Bought(Purchase),
}

/// How the budget is divided.
pub struct Purchase {
    /// For the bounds.
    pub bounds: Epsilon,
    /// For the clustering.
    pub rest: Epsilon,
}

impl BoundsAsked {
    /// Reads the option; a purchase comes out of `total`.
    pub fn parse(text: &str, total: &Epsilon) -> Result<Self, Failure> {
        let trimmed = text.trim();
        let Some(price) = trimmed.strip_prefix("auto") else {
            return Ok(Self::Public(BoundsSpec::parse(text).map_err(Failure::usage)?));
        };
        let form = "write --bounds auto:0.1 to spend 0.1 of --epsilon on them, or auto:10% for a tenth of it";
        let price = match price.strip_prefix(':') {
            Some(price) => price.trim(),
            None if price.is_empty() => return Err(Failure::usage(format!("bounds from the data cost ε: {form}"))),
            // A column or a file may be called so.
            None => return Ok(Self::Public(BoundsSpec::parse(text).map_err(Failure::usage)?)),
        };
        let bounds = match price.strip_suffix('%') {
            Some(percent) => percent.parse::<Amount>().map(|percent| total.times(&percent.split(100))).ok(),
            None => parse_epsilon(price).ok(),
        };
        let bounds = bounds
            .filter(|bounds| !bounds.amount().is_zero())
            .ok_or_else(|| Failure::usage(format!("bounds `{trimmed}` are not understood: {form}")))?;
        match total.amount().checked_sub(bounds.amount()).filter(|rest| !rest.is_zero()) {
            Some(rest) => Ok(Self::Bought(Purchase { bounds, rest: Epsilon::new(rest) })),
            None => Err(Failure::usage(format!(
                "bounds for ε = {bounds} leave nothing of --epsilon {total} for the clusters; give less for the bounds, for example auto:10%"
            ))),
        }
    }
}

/// Clusters within bounds that are bought first. One debit pays for both.
pub fn fit_within(
    input: Input,
    args: &FitArgs,
    purchase: &Purchase,
    ledger: &mut Option<OpenLedger>,
    shown: &Shown,
) -> Result<(Outcome, Bounds), Failure> {
    let table = table::open(input, (&args.table).into())?;
    let estimate = PrivateBounds::new(&purchase.bounds, table.dims())?;
    let counted = count(&estimate, &table, shown)?;
    let row_count = counted.map_ref(|counts| counts[0].iter().sum::<u64>());
    check_memory(&row_count, &table, args)?;
    fit::start_threads(shown)?;
    let rows = fit::public_rows(args, || Ok(row_count), shown)?;
    let method = fit::method(args, &purchase.rest, rows, table.dims())?;
    fit::announce(args, &*method, rows, shown);
    let both = estimate.claim().then_within_its_bounds(&method.claim())?;
    // Whatever can still fail comes before the debit.
    let mut noise = fit::noise_source(args.seed)?;
    let allowance = open_ledger::allow(ledger, &format!("{}, bounds bought", fit::purpose(args)), both)?;
    let (for_bounds, for_clusters) = allowance.split_for_bounds(estimate.claim(), method.claim())?;

    let bar = ReadingBar::new("finding bounds", shown);
    let mut accountant = Accountant::new(for_bounds);
    let found = estimate.run(counted, &TableScan::new(&table, &bar), &mut accountant, &mut *noise)?;
    bar.finish();
    let names = table.columns().to_vec();
    let bounds = found.bounds(&names)?;
    let store = fit::read(table, args, &bounds, shown)?;
    let outcome = fit::cluster(&*method, fit::scan_of(store, args, shown), for_clusters, &mut *noise, shown)?;
    let outcome = outcome.with_bought_bounds(accountant.spent(), told(&found, &names, &purchase.bounds))?;
    Ok((outcome, bounds))
}

/// Counts the magnitudes of all values, which reads every row and finds bad ones.
pub fn count(estimate: &PrivateBounds, table: &Table, shown: &Shown) -> Result<Sensitive<Vec<Vec<u64>>>, Failure> {
    let bar = ReadingBar::new("reading", shown);
    let counted = estimate.count(&TableScan::new(table, &bar))?;
    bar.finish();
    Ok(counted)
}

/// Refuses a table that will not fit while nothing is spent. Like any refusal to read, this tells about the table.
fn check_memory(rows: &Sensitive<u64>, table: &Table, args: &FitArgs) -> Result<(), Failure> {
    let checked = rows.try_map_ref(|rows| {
        let streamed = LatticePoints::bytes_for(table.dims(), *rows as usize) > args.table.memory;
        if streamed { fit::check_chunk_memory(table.pass_memory(), args) } else { Ok(()) }
    });
    checked.map(|_| ())
}

/// What is said about bounds that were bought.
fn told(found: &EstimatedBounds, names: &[String], epsilon: &Epsilon) -> Vec<String> {
    let intervals = names.iter().zip(&found.columns);
    let intervals = intervals.map(|(name, column)| format!("{name} {}", column.interval));
    let mut told = vec![format!(
        "Bounds: estimated from the data under differential privacy, for ε = {epsilon} of the whole: {}.",
        Listed(intervals.collect())
    )];
    told.extend(guess_warning(found, names));
    told
}

/// Warns of intervals that are guesses.
pub fn guess_warning(found: &EstimatedBounds, names: &[String]) -> Option<String> {
    let guesses: Vec<String> = found.guesses(names).into_iter().map(Into::into).collect();
    (!guesses.is_empty()).then(|| {
        format!(
            "WARNING: the noise hid where the values of {} lie, so those bounds are guesses and may be far off. Give more ε for bounds, use fewer columns or more rows, or give public limits.",
            Listed(guesses)
        )
    })
}
