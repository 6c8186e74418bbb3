//! `shoal fit`

use std::path::Path;

use shoal::{Error, Fit, Fitted, Ledger, Model};
use shoal_files::{FileKind, Source};

use super::predict::read_model;
use crate::arguments::{FitArgs, Shown};
use crate::failure::Failure;
use crate::interrupt::{self, Interruptible};
use crate::library::{BOUNDS_FOR_SALE, BOUNDS_NEEDED, failed};
use crate::outputs::{Asked, OutputFiles, Release};
use crate::show::bars::Bars;
use crate::table;

/// Clusters a table.
pub fn run(args: &FitArgs, shown: &Shown) -> Result<(), Failure> {
    run_on(table::source(&args.data, shown), args, shown).map(|_| ())
}

/// [`run`] on a table that need not be a file.
pub fn run_on(source: Source, args: &FitArgs, shown: &Shown) -> Result<Model, Failure> {
    let path = match &source {
        Source::Path(path) => Some(path.clone()),
        _ => None,
    };
    run_with(args, shown, path.as_deref(), |fit| fit.run_fully(source).map_err(failed_on(args)))
}

/// [`run`] on rows from anywhere; `data` is their file, where there is one.
pub fn run_with(
    args: &FitArgs,
    shown: &Shown,
    data: Option<&Path>,
    run: impl FnOnce(&Fit) -> Result<Fitted, Failure>,
) -> Result<Model, Failure> {
    let failed = |error| failed_fit(error, args);
    let mut fit = set_up(args, shown).map_err(failed)?;
    fit.check().map_err(failed)?;
    if args.sampling {
        fit = fit.sampling();
    }
    if let Some(path) = &args.earlier {
        fit = fit.match_with(read_model(path)?);
    }
    let files = claim_files(args, data)?;
    if let Some(path) = ledger_of(args.ledger.as_deref(), args.seed) {
        fit = match &args.people {
            Some(people) => fit.population(path, people),
            None => fit.ledger(path, &dataset(&args.data, args.dataset.as_deref())?),
        }
        .map_err(failed)?;
    }
    interrupt::listen(shown.format);
    let mut fitted = run(&fit.finish_later())?;
    let source = table::short_name(&args.data);
    let Fitted { model, synopsis, left, .. } = &fitted;
    let result = Release { model, synopsis: synopsis.as_ref(), source: &source, balance: left.as_ref() };
    interrupt::writing();
    files.release(&result, shown)?;
    let finished = fitted.finish();
    interrupt::written();
    finished.map_err(not_marked)?;
    Ok(fitted.model)
}

/// Errors of a fit with these options.
pub fn failed_on(args: &FitArgs) -> impl Fn(Error) -> Failure {
    |error| failed_fit(error, args)
}

/// The failure of a release that is out, and whose entry in the ledger could not be finished.
pub fn not_marked(error: Error) -> Failure {
    let code = error.code();
    Failure::refused(format!("the release is written, and its entry in the ledger still counts as unfinished: {error}"))
        .with_code(code)
}

/// The fit that the command line asks for.
fn set_up(args: &FitArgs, shown: &Shown) -> Result<Fit, Error> {
    let mut fit = Fit::new(args.k, &args.epsilon)?
        .delta(&args.delta)?
        .method(&args.method)?
        .knobs(args.knobs.to_library())
        .missing(args.table.missing)
        .memory(args.table.memory)
        .person(&args.persons.person)
        .watch(Interruptible(Bars::new(shown)));
    if let Some(way) = &args.persons.per_person {
        fit = fit.per_person(&way.to_string())?;
    }
    if let Some(bounds) = &args.bounds {
        fit = fit.bounds(bounds)?;
    }
    if let Some(categories) = &args.categories {
        fit = fit.categories(categories)?;
    }
    if let Some(scale) = &args.scale {
        fit = fit.scale(scale)?;
    }
    if let Some(weight) = &args.weight {
        fit = fit.weight(weight)?;
    }
    if let Some(share) = &args.knobs.count_share {
        fit = fit.count_share(share.clone());
    }
    if let Some(rows) = args.rows {
        fit = fit.rows(rows);
    }
    if args.rows_public {
        fit = fit.rows_public();
    }
    if args.synopsis.is_some() {
        fit = fit.keep_cells();
    }
    if let Some(seed) = args.seed {
        fit = fit.seed(seed);
    }
    if let Some(columns) = &args.table.columns {
        fit = fit.columns(columns);
    }
    if args.table.no_header {
        fit = fit.no_header();
    }
    fit = fit.format(args.table.written.to_library());
    if args.table.multiline {
        fit = fit.multiline();
    }
    if let Some(threads) = shown.threads {
        fit = fit.threads(threads.get());
    }
    Ok(fit)
}

/// The ledger to debit. One that the environment names is meant for releases, and a seeded run is none.
pub fn ledger_of(given: Option<&Path>, seed: Option<u64>) -> Option<&Path> {
    let from_environment = std::env::var_os("SHOAL_LEDGER");
    given.filter(|path| {
        !path.as_os_str().is_empty() && (seed.is_none() || from_environment.as_deref() != Some(path.as_os_str()))
    })
}

/// The data set's name in the ledger: the one given, or that of the table.
pub fn dataset(data: &str, given: Option<&str>) -> Result<String, Failure> {
    match given {
        Some(name) => Ok(name.into()),
        None if data == "-" => {
            Err(Failure::usage("standard input has no name; say which data set it is with --dataset NAME"))
        }
        None => Ok(Ledger::name_of(data)),
    }
}

fn failed_fit(error: Error, args: &FitArgs) -> Failure {
    match error {
        Error::BoundsNeeded => Failure::usage(format!("{BOUNDS_NEEDED}\n{BOUNDS_FOR_SALE}")),
        Error::NotATable { kind: FileKind::Synopsis, .. } => {
            let name = table::short_name(&args.data);
            Failure::refused(format!(
                "{name} holds released cells, not rows of people: nothing more needs to be spent on them; use `shoal cluster {name} -k {}`",
                args.k
            ))
        }
        error => failed(error),
    }
}

/// Claims the places of all files to write.
fn claim_files(args: &FitArgs, data: Option<&Path>) -> Result<OutputFiles, Failure> {
    let mut inputs: Vec<&Path> = args.ledger.as_deref().into_iter().chain(data).collect();
    inputs.extend(args.earlier.as_deref());
    inputs.extend(args.bounds.as_deref().map(Path::new).filter(|path| path.is_file()));
    let (out, report, synopsis) = (args.out.as_deref(), args.report.as_deref(), args.synopsis.as_deref());
    OutputFiles::claim(&Asked { out, report, synopsis }, &inputs)
}
