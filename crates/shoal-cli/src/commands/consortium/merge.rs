//! `shoal consortium merge`: one model of what several custodians released. It asks for no budget and no records.

use std::path::{Path, PathBuf};

use shoal::consortium::Merge;
use shoal_files::Source;

use crate::arguments::Shown;
use crate::arguments::consortium::merge::MergeArgs;
use crate::commands::predict::read_model;
use crate::failure::Failure;
use crate::library::failed;
use crate::outputs::{Asked, OutputFiles, Release};
use crate::show::bars::Bars;
use crate::table;

/// Merges the releases.
pub fn run(args: &MergeArgs, shown: &Shown) -> Result<(), Failure> {
    let sources: Vec<Source> = args.files.iter().map(|file| table::source(file, shown)).collect();
    let inputs: Vec<PathBuf> = sources.iter().filter_map(path_of).chain(args.earlier.clone()).collect();
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    let asked = Asked { out: args.out.as_deref(), report: args.report.as_deref(), synopsis: None };
    let files = OutputFiles::claim(&asked, &inputs)?;
    let mut job = set_up(args, shown).map_err(failed)?;
    if let Some(path) = &args.earlier {
        job = job.match_with(read_model(path)?);
    }
    let model = job.run(sources).map_err(failed)?;
    let name = format!("{} custodians", args.files.len());
    files.release(&Release { model: &model, synopsis: None, source: &name, balance: None }, shown)
}

/// The merge that the command line asks for.
fn set_up(args: &MergeArgs, shown: &Shown) -> Result<Merge, shoal::Error> {
    let mut job = Merge::new(args.k)?.watch(Bars::new(shown));
    if let Some(restarts) = args.inits {
        job = job.restarts(restarts as usize);
    }
    if let Some(iterations) = args.iterations {
        job = job.iterations(iterations as usize);
    }
    if args.sampling {
        job = job.sampling();
    }
    if let Some(seed) = args.seed {
        job = job.seed(seed);
    }
    if let Some(threads) = shown.threads {
        job = job.threads(threads.get());
    }
    Ok(job)
}

fn path_of(source: &Source) -> Option<PathBuf> {
    match source {
        Source::Path(path) => Some(path.clone()),
        _ => None,
    }
}
