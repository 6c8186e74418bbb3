//! `shoal consortium compare`: Table III of SZY19 on any table with known groups.
//!
//! The job is in `shoal-reproduce`, which the library does not know, so the command is part of the feature `reproduce`.

use serde_json::json;
use shoal::Error;
use shoal_curator::Step;
use shoal_files::BoundsSpec;
use shoal_page::text::plural;
use shoal_privacy::ThisIsNotPrivate;
use shoal_reproduce::comparators::{Compared, Comparison, ComparisonError, Spread};

use crate::arguments::consortium::compare::CompareArgs;
use crate::arguments::{Format, Shown};
use crate::failure::Failure;
use crate::library::{BOUNDS_NEEDED, failed};
use crate::show::output::{self, Table};
use crate::show::progress::Bar;
use crate::table;

/// Runs every way many times.
pub fn run(args: &CompareArgs, shown: &Shown) -> Result<(), Failure> {
    let spec = args.bounds.as_deref().ok_or_else(|| Failure::usage(BOUNDS_NEEDED))?;
    let bounds = BoundsSpec::parse(spec).map_err(Failure::usage)?;
    let job = Comparison {
        columns: args.table.columns.clone(),
        missing: args.table.missing,
        no_header: args.table.no_header,
        multiline: args.table.multiline,
        format: args.table.written.to_library(),
        memory: args.table.memory,
        epsilon: args.epsilon.clone(),
        bits: args.bits,
        window: args.window,
        sigma: args.sigma.clone(),
        kept: args.kept.clone(),
        runs: args.runs,
        starts: args.starts,
        most_records: args.most_records,
        seed: args.seed,
        ..Comparison::new(args.k, &args.labels, bounds)
    };
    crate::threads::start(shown)?;
    let (reading, bar) = (Bar::reading("reading", shown), Bar::steps(shown));
    let step = |done, of| bar.show(Step { what: "comparing", done, of });
    let compared = job.run(table::source(&args.data, shown), &reading, &step).map_err(refused)?;
    drop((reading, bar));
    show(&compared.reveal(ThisIsNotPrivate), args, shown)
}

fn refused(error: ComparisonError) -> Failure {
    match error {
        ComparisonError::NotATable { path, kind } => failed(Error::NotATable { path, kind }),
        error if error.is_usage() => {
            let code = error.code();
            Failure::usage(error).with_code(code)
        }
        error => {
            let code = error.code();
            Failure::refused(error).with_code(code)
        }
    }
}

fn percent(spread: &Spread, runs: u32) -> String {
    let mean = format!("{:.2}", 100.0 * spread.mean);
    if runs > 1 { format!("{mean} ± {:.2}", 100.0 * spread.sd) } else { mean }
}

fn show(compared: &Compared, args: &CompareArgs, shown: &Shown) -> Result<(), Failure> {
    let rows = compared.rows;
    if shown.format == Format::Json {
        return output::json(&json!({
            "private": false,
            "rows": rows,
            "k": args.k,
            "runs": args.runs,
            "starts": args.starts,
            "bits": args.bits,
            "window": args.window,
            "seed": args.seed,
            "nmi": compared.lines,
        }));
    }
    let best = format!("best of {}", args.starts);
    let mut table = Table::new(&["method", "records", "one start", &best, "guarantees"]);
    for line in &compared.lines {
        let guarantees = line.epsilon_of_a_record.map_or("nothing".into(), |epsilon| format!("ε = {epsilon} a record"));
        let (one, best) = (percent(&line.single, args.runs), percent(&line.best, args.runs));
        table.row([line.method.into(), line.level.clone(), one, best, guarantees]);
    }
    output::print(&output::wrapped(&format!(
        "NOT PRIVATE: computed from the {rows} raw rows and their known groups. For your eyes only.\n\n{table}\n\
         Normalised mutual information with the known groups in % (100 is full, 0 is none), mean{} of {}. Best: the start \
         with the lowest objective, which needs no groups. Guarantees: the loss for any two records; `shoal consortium \
         price` shows more. ADP adds noise and RSP projects, and neither guarantees anything.\n",
        if args.runs > 1 { " ± standard deviation" } else { "" },
        plural(args.runs as usize, "run")
    )))
}
