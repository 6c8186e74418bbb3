//! `shoal bounds`

use std::path::Path;

use serde_json::json;
use shoal_curator::{EstimatedBounds, PrivateBounds};
use shoal_files::{FileKind, Source};
use shoal_lattice::Interval;
use shoal_privacy::ledger::Balance;
use shoal_privacy::{Accountant, Assumption, Guarantee};
use shoal_scan::TableScan;

use super::bought_bounds::{count, guess_warning};
use super::fit::noise_source;
use super::open_ledger::{self, OpenLedger};
use crate::arguments::bounds::BoundsArgs;
use crate::arguments::{Format, MissingArg, Shown};
use crate::failure::Failure;
use crate::place::ClaimedPlace;
use crate::show::output::{self, Table, printable};
use crate::show::progress::ReadingBar;
use crate::show::summary::plural;
use crate::table::{self, Input};

/// Estimates bounds: check everything, read everything, pay, and only then let anything out.
pub fn run(args: &BoundsArgs, shown: &Shown) -> Result<(), Failure> {
    let input = Input::from(table::source(&args.data, shown));
    if input.kind == FileKind::Synopsis {
        let name = table::short_name(&args.data);
        return Err(Failure::refused(format!(
            "{name} holds released cells, whose bounds are known; use `shoal cluster {name} -k K`"
        )));
    }
    let place = args.out.as_deref().map(|out| claim_place(out, args, &input.source)).transpose()?;
    let open = |path: &Path| OpenLedger::open(path, &args.data, args.dataset.as_deref());
    let mut ledger = args.ledger.as_deref().map(open).transpose()?;
    let table = table::open(input, (&args.table).into())?;
    let estimate = PrivateBounds::new(&args.epsilon, table.dims())?;
    let counted = count(&estimate, &table, shown)?;
    if args.seed.is_some() && !shown.quiet {
        eprintln!("NO PRIVACY: --seed makes the noise repeatable. Leave it out for anything that is released.");
    }
    // Whatever can still fail comes before the debit.
    let mut noise = noise_source(args.seed)?;
    let purpose = format!("bounds of {}", plural(table.dims(), "column"));
    let allowance = open_ledger::allow(&mut ledger, &purpose, estimate.claim())?;
    let bar = ReadingBar::new("finding bounds", shown);
    let mut accountant = Accountant::new(allowance);
    let found = estimate.run(counted, &TableScan::new(&table, &bar), &mut accountant, &mut *noise)?;
    bar.finish();

    let mut claim = accountant.spent().clone();
    claim.assumes.insert(match args.table.missing {
        MissingArg::Refuse => Assumption::RowsComplete,
        MissingArg::Drop => Assumption::RowsReadable,
    });
    let result = Estimate {
        names: table.columns(),
        found: &found,
        guarantee: Guarantee::of(claim, args.seed.is_some()),
        // The result is paid for: a ledger that cannot be read again must not swallow it.
        balance: ledger.and_then(|ledger| ledger.balance().ok()),
        args,
    };
    let written = place.map(|place| place.write(result.file().as_bytes()));
    match shown.format {
        Format::Json => output::json(&result.json())?,
        Format::Table => output::print(&output::wrapped(&result.text(shown)))?,
    }
    if let Some(path) = written.transpose()?
        && !shown.quiet
    {
        eprintln!("written: {}", path.display());
    }
    Ok(())
}

fn claim_place(out: &Path, args: &BoundsArgs, source: &Source) -> Result<ClaimedPlace, Failure> {
    let mut inputs: Vec<&Path> = args.ledger.as_deref().into_iter().collect();
    if let Source::Path(data) = source {
        inputs.push(data);
    }
    if out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml")) {
        return Err(Failure::usage("bounds are written as JSON; choose a name such as b.json"));
    }
    ClaimedPlace::new(out, &inputs)
}

/// What goes out.
struct Estimate<'a> {
    names: &'a [String],
    found: &'a EstimatedBounds,
    guarantee: Guarantee,
    balance: Option<(String, Balance)>,
    args: &'a BoundsArgs,
}

impl Estimate<'_> {
    fn intervals(&self) -> impl Iterator<Item = (&String, Interval)> {
        self.names.iter().zip(self.found.columns.iter().map(|column| column.interval))
    }

    /// What `--bounds FILE` reads: a line a column, in the table's order.
    fn file(&self) -> String {
        let line = |(name, interval): (&String, Interval)| {
            // Unwrap safety: a text and two finite numbers have a JSON form.
            let quoted = serde_json::to_string(name).unwrap();
            format!("  {quoted}: {}", serde_json::to_string(&interval).unwrap())
        };
        format!("{{\n{}\n}}\n", self.intervals().map(line).collect::<Vec<_>>().join(",\n"))
    }

    fn json(&self) -> serde_json::Value {
        let columns = self.names.iter().zip(&self.found.columns).map(|(name, column)| {
            json!({ "column": name, "bounds": column.interval, "guess": column.is_guess(),
                "most_rows_below": column.rows_outside.map(|rows| rows[0]),
                "most_rows_above": column.rows_outside.map(|rows| rows[1]) })
        });
        json!({ "columns": columns.collect::<Vec<_>>(), "confidence": EstimatedBounds::CONFIDENCE,
            "farthest": EstimatedBounds::FARTHEST, "guarantee": self.guarantee,
            "sentence": self.guarantee.sentence(), "seeded": self.args.seed.is_some(),
            "spent": self.guarantee.claim().map(|_| json!({ "epsilon": self.args.epsilon })) })
    }

    fn text(&self, shown: &Shown) -> String {
        let source = table::short_name(&self.args.data);
        let mut text = format!("Bounds of {} of {source}\n\n", plural(self.names.len(), "column"));
        let mut table = Table::new(&["column", "from", "to", "rows below", "rows above"]);
        for (name, column) in self.names.iter().zip(&self.found.columns) {
            let rows =
                |side: usize| column.rows_outside.map_or("? (a guess)".into(), |rows| format!("≤ {}", rows[side]));
            let (lo, hi) = (column.interval.lo().to_string(), column.interval.hi().to_string());
            table.row([printable(name), lo, hi, rows(0), rows(1)]);
        }
        text.push_str(&table.to_string());
        if !shown.quiet {
            text.push_str(&format!("\n{}\n", outside_words()));
        }
        if let Some(warning) = guess_warning(self.found, self.names) {
            text.push_str(&format!("{warning}\n"));
        }
        text.push_str(&format!("\n{}\n", self.guarantee.sentence()));
        if let Some(claim) = self.guarantee.claim() {
            text.push_str(&crate::show::summary::in_practice(claim));
            text.push_str(&format!("Spent: ε = {}", self.args.epsilon));
            match &self.balance {
                Some((dataset, balance)) => text.push_str(&format!(
                    "; ε = {} of {} is left for {dataset}.\n",
                    balance.epsilon_left().amount().display_down(),
                    balance.epsilon_total
                )),
                None if shown.quiet => text.push_str(".\n"),
                None => text.push_str(". No ledger keeps count; see `shoal ledger --help`.\n"),
            }
        }
        if !shown.quiet {
            text.push_str("A fit within these bounds is a release of its own: its ε adds to this one.\n");
        }
        text
    }
}

/// What the numbers beside the intervals mean.
fn outside_words() -> String {
    format!(
        "In {:.0} of 1000 runs, no more rows than stated lie outside the intervals, usually far fewer, and no end is more than {} times as far from zero as the column's farthest value. Values outside are moved to the nearest end.",
        EstimatedBounds::CONFIDENCE * 1000.0,
        EstimatedBounds::FARTHEST
    )
}
