//! `shoal cluster`: clusters what has been released already, so it asks for no budget and no records.

use std::io::Read;
use std::path::PathBuf;

use shoal::model::Model;
use shoal_crowd::report_file::{ReportFileError, Reports};
use shoal_curator::SynopsisKMeans;
use shoal_curator::auto::MOST_CHOSEN;
use shoal_curator::synopsis_file::{SynopsisFile, SynopsisFileError};
use shoal_files::{FileKind, Source};
use shoal_noise::{NoiseSource, OsNoise, SeededNoise};

use super::fit::start_threads;
use super::outputs::{Asked, OutputFiles, Release};
use super::server;
use crate::arguments::Number;
use crate::arguments::Shown;
use crate::arguments::cluster::ClusterArgs;
use crate::failure::Failure;
use crate::place::is_same_place;
use crate::show::progress::WorkBar;
use crate::table;

/// What can be clustered, told from the files themselves.
enum Released {
    /// Noisy cells of a grid.
    Synopsis(Box<SynopsisFile>),
    /// Reports of a crowd.
    Reports(Box<Reports>),
}

impl Released {
    fn read(mut sources: Vec<Source>) -> Result<Self, Failure> {
        let paths: Vec<PathBuf> = sources.iter().filter_map(path_of).collect();
        let kinds: Vec<FileKind> = paths.iter().map(|path| FileKind::of_path(path)).collect();
        if let Some(codes) = kinds.iter().position(|kind| *kind == FileKind::Codes) {
            return Err(table::codes(&paths[codes]));
        }
        if sources.len() > 1 || kinds.contains(&FileKind::Reports) {
            return Ok(Self::Reports(Reports::read(sources)?.into()));
        }
        // Unwrap safety: the command line asks for at least one file.
        let source = sources.pop().unwrap();
        if paths.iter().any(|path| path.is_file() || path.is_dir() || !path.exists()) {
            return Self::synopsis(source);
        }
        // What comes through a pipe can be read only once, so it is kept until it is known what it is.
        let bytes = match &source {
            Source::Path(path) => {
                std::fs::read(path).map_err(|error| unreadable(&path.display().to_string(), &error))?
            }
            Source::Stdin => {
                let mut bytes = Vec::new();
                let read = std::io::stdin().lock().read_to_end(&mut bytes);
                read.map_err(|error| unreadable("standard input", &error))?;
                bytes
            }
            Source::Memory(bytes) => bytes.clone(),
        };
        match Reports::read(vec![Source::Memory(bytes.clone())]) {
            Err(ReportFileError::NotReports { .. }) => Self::synopsis(Source::Memory(bytes)),
            reports => Ok(Self::Reports(reports?.into())),
        }
    }

    fn synopsis(source: Source) -> Result<Self, Failure> {
        match SynopsisFile::read(source) {
            Err(SynopsisFileError::NotASynopsis { name, .. }) => Err(Failure::refused(format!(
                "{name} holds neither reports nor noisy cells; give a file that `shoal perturb --out` or `shoal fit --synopsis` wrote. A table of people goes through one of them first"
            ))),
            file => Ok(Self::Synopsis(file?.into())),
        }
    }
}

fn path_of(source: &Source) -> Option<PathBuf> {
    match source {
        Source::Path(path) => Some(path.clone()),
        _ => None,
    }
}

fn unreadable(name: &str, error: &std::io::Error) -> Failure {
    Failure::refused(format!("{name} cannot be read ({error}); check the name and its permissions"))
}

/// Clusters released files.
pub fn run(args: &ClusterArgs, shown: &Shown) -> Result<(), Failure> {
    if args.files.len() > 1 && args.files.iter().any(|file| file == "-") {
        return Err(Failure::usage("standard input (-) cannot be joined with files; give it alone"));
    }
    let sources: Vec<Source> = args.files.iter().map(|file| table::source(file, shown)).collect();
    let inputs: Vec<PathBuf> = sources.iter().filter_map(path_of).collect();
    for (i, path) in inputs.iter().enumerate() {
        if inputs[..i].iter().any(|other| is_same_place(path, other)) {
            let name = path.display();
            return Err(Failure::usage(format!(
                "{name} is named twice, and its reports would count twice; name it once"
            )));
        }
    }
    let inputs: Vec<_> = inputs.iter().map(PathBuf::as_path).collect();
    let asked = Asked { out: args.out.as_deref(), report: args.report.as_deref(), synopsis: None };
    let files = OutputFiles::claim(&asked, &inputs)?;
    let released = Released::read(sources)?;
    start_threads(shown)?;
    // Only starts are drawn: no promise rests on them, so a seed takes none away.
    let mut random: Box<dyn NoiseSource> = match args.seed {
        Some(seed) => Box::new(SeededNoise::new(seed)),
        None => Box::new(OsNoise::new()?),
    };
    let model = match &released {
        Released::Synopsis(file) => {
            check_for_synopsis(args)?;
            let (inits, rounds) = (args.inits.unwrap_or(30) as usize, args.iterations.unwrap_or(50) as usize);
            let work = WorkBar::new(shown);
            let mut how = SynopsisKMeans { k: args.k.most(MOST_CHOSEN), inits, rounds };
            let mut told = None;
            if let Number::Auto { .. } = args.k {
                let (k, why) = file.synopsis.choose_k(&how, how.k, &mut *random);
                (how.k, told) = (k, Some(why));
            }
            let found = file.synopsis.cluster_watched(&how, &mut *random, &|step| work.show(step));
            let mut model = Model::of_synopsis(file, &found);
            model.decisions.extend(told);
            model
        }
        Released::Reports(reports) => server::cluster(reports, args, &mut *random, shown)?,
    };
    let name = match args.files.as_slice() {
        [file] => table::short_name(file),
        files => format!("{} files", files.len()),
    };
    files.release(&Release { model: &model, synopsis: None, source: &name, balance: None }, shown)
}

/// Noisy cells know k-means only.
fn check_for_synopsis(args: &ClusterArgs) -> Result<(), Failure> {
    if args.method.is_some() {
        return Err(Failure::usage("--method is for reports; these are noisy cells, which are clustered by k-means"));
    }
    if let Some(option) = args.knobs.given().first() {
        return Err(Failure::usage(format!("--{option} is for reports, and these are noisy cells; leave it out")));
    }
    Ok(())
}
