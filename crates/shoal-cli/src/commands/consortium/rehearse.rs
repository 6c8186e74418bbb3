//! `shoal consortium rehearse`: split trust with all parties in one process. Not private, and says so.

use std::path::{Path, PathBuf};

use shoal::consortium::{Rehearsed, SplitRehearsal};
use shoal_files::Source;
use shoal_page::text::plural;

use crate::arguments::consortium::rehearse::RehearseArgs;
use crate::arguments::{Format, Shown};
use crate::failure::Failure;
use crate::library::failed;
use crate::outputs::{Asked, OutputFiles, Release};
use crate::place::ClaimedPlace;
use crate::show::output;
use crate::table;

/// Runs all roles.
pub fn run(args: &RehearseArgs, shown: &Shown) -> Result<(), Failure> {
    let sources: Vec<Source> = args.tables.iter().map(|table| table::source(table, shown)).collect();
    let inputs: Vec<PathBuf> = sources.iter().filter_map(path_of).collect();
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    let asked = Asked { out: args.out.as_deref(), report: args.report.as_deref(), synopsis: None };
    let files = OutputFiles::claim(&asked, &inputs)?;
    let claim = |path: &Option<PathBuf>| path.as_deref().map(|path| ClaimedPlace::new(path, &inputs)).transpose();
    let (transcript, charter) = (claim(&args.transcript)?, claim(&args.charter)?);
    let rehearsed = rehearsed(args, sources).map_err(failed)?;
    let model = &rehearsed.fitted.model;
    if let Some(place) = charter {
        place.write(rehearsed.charter.to_toml().as_bytes())?;
    }
    if let Some(place) = transcript {
        place.write_with(|out| rehearsed.fitted.transcript.write(out))?;
    }
    let name = format!("{} custodians, rehearsed", args.tables.len());
    files.release(&Release { model, synopsis: None, source: &name, balance: None }, shown)?;
    if shown.format == Format::Table && !shown.quiet {
        output::print(&output::wrapped(&summary(&rehearsed)))?;
    }
    Ok(())
}

fn rehearsed(args: &RehearseArgs, sources: Vec<Source>) -> Result<Rehearsed, shoal::Error> {
    let mut job = SplitRehearsal::new(&args.bounds, sources.len(), usize::from(args.helpers))?;
    if let Some(rows) = args.rows {
        job = job.rows(rows);
    }
    if let Some(seed) = args.seed {
        job = job.seed(seed);
    }
    job.run(args.k, &args.epsilon, sources)
}

fn summary(rehearsed: &Rehearsed) -> String {
    let (messages, bytes) = rehearsed.messages;
    let rounds = rehearsed.fitted.transcript.rounds.len();
    format!(
        "\nA rehearsal: {} asked of {} through {}, {messages} messages, {} kB in all. One process held all tables and all shares, so nothing is promised; a real run keeps each party's part on its own machine.\n",
        plural(rounds, "question"),
        plural(rehearsed.charter.custodians(), "custodian"),
        plural(rehearsed.charter.helpers(), "helper"),
        bytes.div_ceil(1000),
    )
}

fn path_of(source: &Source) -> Option<PathBuf> {
    match source {
        Source::Path(path) => Some(path.clone()),
        _ => None,
    }
}
