//! `shoal bounds`

use std::path::Path;

use serde_json::json;
use shoal::{Error, EstimateBounds, FoundBounds};
use shoal_curator::EstimatedBounds;
use shoal_files::{FileKind, Source};
use shoal_lattice::Interval;
use shoal_page::text::{Rounding, first_few, plural, printable, significant};

use super::fit::{dataset, ledger_of, not_marked};
use crate::arguments::BoundsArgs;
use crate::arguments::{Format, Shown};
use crate::failure::Failure;
use crate::interrupt::{self, Interruptible};
use crate::library::failed;
use crate::place::ClaimedPlace;
use crate::show::bars::Bars;
use crate::show::output::{self, Table};
use crate::show::summary::weak;
use crate::table;

/// Columns that a warning names.
const MOST_NAMED: usize = 12;

/// Estimates bounds.
pub fn run(args: &BoundsArgs, shown: &Shown) -> Result<(), Failure> {
    let source = table::source(&args.data, shown);
    let path = match &source {
        Source::Path(path) => Some(path.clone()),
        _ => None,
    };
    run_with(args, shown, path.as_deref(), |job| job.run(source).map_err(|error| failed_bounds(error, args)))
}

/// [`run`] on rows from anywhere; `data` is their file, where there is one.
pub fn run_with(
    args: &BoundsArgs,
    shown: &Shown,
    data: Option<&Path>,
    run: impl FnOnce(&EstimateBounds) -> Result<FoundBounds, Failure>,
) -> Result<(), Failure> {
    let failed = |error| failed_bounds(error, args);
    let mut job = EstimateBounds::new(&args.epsilon)
        .map_err(failed)?
        .missing(args.table.missing)
        .memory(args.table.memory)
        .person(&args.persons.person)
        .watch(Interruptible(Bars::new(shown)))
        .finish_later();
    if let Some(way) = &args.persons.per_person {
        job = job.per_person(&way.to_string()).map_err(failed)?;
    }
    if let Some(columns) = &args.table.columns {
        job = job.columns(columns);
    }
    if args.table.no_header {
        job = job.no_header();
    }
    job = job.format(args.table.written.to_library());
    if args.table.multiline {
        job = job.multiline();
    }
    if let Some(seed) = args.seed {
        job = job.seed(seed);
    }
    let place = args.out.as_deref().map(|out| claim_place(out, args, data)).transpose()?;
    if let Some(path) = ledger_of(args.ledger.as_deref(), args.seed) {
        job = match &args.people {
            Some(people) => job.population(path, people),
            None => job.ledger(path, &dataset(&args.data, args.dataset.as_deref())?),
        }
        .map_err(failed)?;
    }
    interrupt::listen(shown.format);
    let mut result = Estimate { found: run(&job)?, args };
    interrupt::writing();
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
    let finished = result.found.finish();
    interrupt::written();
    finished.map_err(not_marked)
}

fn failed_bounds(error: Error, args: &BoundsArgs) -> Failure {
    match error {
        Error::NotATable { kind: FileKind::Synopsis, .. } => {
            let name = table::short_name(&args.data);
            Failure::refused(format!(
                "{name} holds released cells, whose bounds are known; use `shoal cluster {name} -k K`"
            ))
        }
        error => failed(error),
    }
}

fn claim_place(out: &Path, args: &BoundsArgs, data: Option<&Path>) -> Result<ClaimedPlace, Failure> {
    let inputs: Vec<&Path> = args.ledger.as_deref().into_iter().chain(data).collect();
    if out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml")) {
        return Err(Failure::usage("bounds are written as JSON; choose a name such as b.json"));
    }
    ClaimedPlace::new(out, &inputs)
}

/// What goes out.
struct Estimate<'a> {
    found: FoundBounds,
    args: &'a BoundsArgs,
}

impl Estimate<'_> {
    fn names(&self) -> &[String] {
        self.found.bounds.columns()
    }

    fn intervals(&self) -> impl Iterator<Item = (&String, Interval)> {
        self.names().iter().zip(self.found.bounds.intervals().iter().copied())
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
        let columns = self.names().iter().zip(&self.found.estimate.columns).map(|(name, column)| {
            json!({ "column": name, "bounds": column.interval, "guess": column.is_guess(),
                "most_rows_below": column.rows_outside.map(|rows| rows[0]),
                "most_rows_above": column.rows_outside.map(|rows| rows[1]), "rows": column.rows })
        });
        json!({ "columns": columns.collect::<Vec<_>>(), "confidence": EstimatedBounds::CONFIDENCE,
            "outside_confidence": EstimatedBounds::OUTSIDE_CONFIDENCE,
            "farthest": EstimatedBounds::FARTHEST, "guarantee": self.found.guarantee,
            "sentence": self.found.guarantee.sentence(), "seeded": self.args.seed.is_some(),
            "spent": self.found.guarantee.claim().map(|_| json!({ "epsilon": self.args.epsilon })) })
    }

    fn text(&self, shown: &Shown) -> String {
        let source = table::short_name(&self.args.data);
        let mut text = format!("Bounds of {} of {source}\n\n", plural(self.names().len(), "column"));
        let mut table = Table::new(&["column", "from", "to", "rows below", "rows above"]);
        for (name, column) in self.names().iter().zip(&self.found.estimate.columns) {
            let rows =
                |side: usize| column.rows_outside.map_or("? (a guess)".into(), |most| share(most[side], column.rows));
            let (lo, hi) = (column.interval.lo().to_string(), column.interval.hi().to_string());
            table.row([printable(name), lo, hi, rows(0), rows(1)]);
        }
        text.push_str(&table.to_string());
        if !shown.quiet {
            text.push_str(&format!("\n{}\n", outside_words()));
        }
        if let Some(warning) = guess_warning(&self.found.estimate, self.names()) {
            text.push_str(&format!("{warning}\n"));
        }
        text.push_str(&format!("\n{}\n", self.found.guarantee.sentence()));
        if let Some(claim) = self.found.guarantee.claim() {
            text.push_str(&weak(claim));
            text.push_str(&format!("Spent: ε = {}", self.args.epsilon));
            match &self.found.left {
                Some((dataset, balance)) => text.push_str(&format!(
                    "; ε = {} of {} is left for {}.\n",
                    balance.epsilon_left().amount().display_down(),
                    balance.epsilon_total,
                    printable(dataset)
                )),
                None if shown.quiet => text.push_str(".\n"),
                None => text.push_str(". No ledger keeps count: this adds to whatever else is released about these people (`shoal ledger --help`).\n"),
            }
        }
        if !shown.quiet {
            text.push_str("A fit within these bounds is a release of its own: its ε adds to this one.\n");
        }
        text
    }
}

/// Rows outside as a share of all, where the noise leaves a statement that anyone can act on.
fn share(most: u64, rows: u64) -> String {
    let share = most as f64 / rows.max(1) as f64;
    match share {
        0.0 => "none".into(),
        share if share > 0.5 => "not known".into(),
        share if share < 0.001 => "< 0.1 %".into(),
        share => format!("≤ {} %", significant(100.0 * share, 2, Rounding::Up)),
    }
}

/// What the numbers next to the intervals mean.
fn outside_words() -> String {
    format!(
        "In {:.0} of 100 runs, no column has a larger share of its rows outside its interval than stated; usually it is far smaller. \"not known\" means that the noise could hide more than half of the rows: give more ε for bounds, or use fewer columns. In {:.0} of 1000 runs, no end is more than {} times as far from zero as the column's farthest value. Values outside are moved to the nearest end.",
        EstimatedBounds::OUTSIDE_CONFIDENCE * 100.0,
        EstimatedBounds::CONFIDENCE * 1000.0,
        EstimatedBounds::FARTHEST
    )
}

/// Warns of intervals that are guesses.
fn guess_warning(found: &EstimatedBounds, names: &[String]) -> Option<String> {
    let guesses: Vec<String> = found.guesses(names).into_iter().map(Into::into).collect();
    (!guesses.is_empty()).then(|| {
        format!(
            "WARNING: the noise hid where the values of {} lie, so those bounds are guesses and may be far off. Give more ε for bounds, use fewer columns or more rows, or give public limits.",
            first_few(&guesses, MOST_NAMED)
        )
    })
}
