//! `shoal fit`

use std::path::Path;

use shoal::model::Model;
use shoal_curator::auto::MOST_CHOSEN;
use shoal_curator::synopsis_file::SynopsisFile;
use shoal_curator::{DesignSize, ExpectedError, FitError, Method, Outcome, Settings, System, find_method, methods};
use shoal_files::{BoundsSpec, FileKind, LoadOptions, PointStore, Source, Table, load_points};
use shoal_lattice::{Bounds, LatticeMap};
use shoal_noise::{NoiseSource, OsNoise, SeededNoise};
use shoal_privacy::{Allowance, Amount, Assumption, Epsilon, MethodInfo, Sensitive, ThisIsNotPrivate};
use shoal_scan::{LocalScan, Scan};

use super::bought_bounds::{self, BoundsAsked};
use super::open_ledger::{self, OpenLedger};
use super::outputs::{Asked, OutputFiles, Release};
use crate::arguments::Number;
use crate::arguments::{FitArgs, MissingArg, Shown};
use crate::failure::Failure;
use crate::show::output;
use crate::show::progress::{ReadingBar, WorkBar};
use crate::show::summary;
use crate::table::{self, Input};

/// Said when there are no bounds.
pub const BOUNDS_NEEDED: &str = "\
public bounds are needed: limits of each column, chosen without looking at the data (limits taken from the data \
would give away its extremes). Give them in one of these ways:
  --bounds 0,100                   the same for all columns
  --bounds age=17:90,hours=1:99    column by column
  --bounds bounds.json             a file with {\"age\": [17, 90], \"hours\": [1, 99]}
Values outside are moved to the nearest limit.";

/// Said besides by a fit, which can find bounds itself.
const BOUNDS_FOR_SALE: &str = "\
Where you know no limits, buy them with a part of ε:
  --bounds auto:0.1                limits estimated from the data under differential privacy, for 0.1 of --epsilon";

/// Rows of a table that is read piece by piece get at least this many bytes at a time.
const LEAST_CHUNK: usize = 1 << 20;

/// Clusters a table: check everything, read everything, pay, and only then ask about the rows (but for their number,
/// where the user says that it is public).
pub fn run(args: &FitArgs, shown: &Shown) -> Result<(), Failure> {
    run_on(table::source(&args.data, shown), args, shown).map(|_| ())
}

/// [`run`] on a table that need not be a file.
pub fn run_on(source: Source, args: &FitArgs, shown: &Shown) -> Result<Model, Failure> {
    check_options(args)?;
    let needed = || Failure::usage(format!("{BOUNDS_NEEDED}\n{BOUNDS_FOR_SALE}"));
    let asked = args.bounds.as_deref().ok_or_else(needed)?;
    let asked = BoundsAsked::parse(asked, &args.epsilon)?;
    let input = Input::from(source);
    if input.kind == FileKind::Synopsis {
        let name = table::short_name(&args.data);
        return Err(Failure::refused(format!(
            "{name} holds released cells, not rows of people: nothing more needs to be spent on them; use `shoal cluster {name} -k {}`",
            args.k
        )));
    }
    let files = claim_files(args, &input.source)?;
    let open = |path: &Path| OpenLedger::open(path, &args.data, args.dataset.as_deref());
    let mut ledger = args.ledger.as_deref().map(open).transpose()?;
    let (mut outcome, bounds) = match &asked {
        BoundsAsked::Public(spec) => within_public_bounds(input, args, spec, &mut ledger, shown)?,
        BoundsAsked::Bought(purchase) => bought_bounds::fit_within(input, args, purchase, &mut ledger, shown)?,
    };

    // On the outcome, so that the model and the synopsis promise the same things.
    outcome = match args.table.missing {
        MissingArg::Refuse => outcome.assuming(Assumption::RowsComplete),
        MissingArg::Drop => outcome.assuming(Assumption::RowsReadable),
    };
    if args.rows_public && args.table.missing == MissingArg::Drop {
        // The number that is told is that of the rows without gaps.
        outcome = outcome.assuming(Assumption::GapsPublic);
    }
    if args.rows_public {
        outcome = outcome.with_public_row_count();
    }
    let mut model = Model::of(&outcome, &bounds, &args.method, named(args)?.info.published());
    if let Number::Given(k) = args.k {
        model = model.with_asked_k(k);
    }
    // The result is paid for: a ledger that cannot be read again must not swallow it.
    let balance = ledger.and_then(|ledger| ledger.balance().ok());
    let synopsis = SynopsisFile::of(outcome, &bounds, &args.method, named(args)?.info.published());
    let source = table::short_name(&args.data);
    let result = Release { model: &model, synopsis: synopsis.as_ref(), source: &source, balance: balance.as_ref() };
    files.release(&result, shown)?;
    Ok(model)
}

/// Clusters within bounds that anyone may know.
fn within_public_bounds(
    input: Input,
    args: &FitArgs,
    spec: &BoundsSpec,
    ledger: &mut Option<OpenLedger>,
    shown: &Shown,
) -> Result<(Outcome, Bounds), Failure> {
    let (table, bounds) = table::open_with_bounds(input, &args.table, spec)?;
    let store = read(table, args, &bounds, shown)?;
    start_threads(shown)?;
    let scan = scan_of(store, args, shown);
    let rows = public_rows(args, || Ok(scan.row_count()?), shown)?;
    let method = method(args, &args.epsilon, rows, bounds.dims())?;
    announce(args, &*method, rows, shown);
    // Whatever can still fail comes before the debit.
    let mut noise = noise_source(args.seed)?;
    let allowance = open_ledger::allow(ledger, &purpose(args), method.claim())?;
    let outcome = cluster(&*method, scan, allowance, &mut *noise, shown)?;
    Ok((outcome, bounds))
}

/// What the ledger says about this run.
pub fn purpose(args: &FitArgs) -> String {
    match args.k {
        Number::Given(k) => format!("{} by {}", summary::plural(k, "cluster"), args.method),
        auto => format!("up to {} clusters, to be chosen, by {}", auto.most(MOST_CHOSEN), args.method),
    }
}

/// The machine's noise, or a seed's.
pub fn noise_source(seed: Option<u64>) -> Result<Box<dyn NoiseSource>, Failure> {
    Ok(match seed {
        Some(seed) => Box::new(SeededNoise::new(seed)),
        None => Box::new(OsNoise::new()?),
    })
}

/// Scans of the rows, with a bar for those that are read again.
pub fn scan_of(store: PointStore, args: &FitArgs, shown: &Shown) -> LocalScan {
    let bar = ReadingBar::new("scanning", shown);
    LocalScan::new(store).with_memory(args.table.memory).with_progress(bar)
}

/// The method of this run.
pub fn method(args: &FitArgs, epsilon: &Epsilon, rows: Option<u64>, dims: usize) -> Result<Box<dyn System>, Failure> {
    named(args)?.build(&settings(args, epsilon, rows), dims).map_err(of_parameters)
}

/// Runs the method. Takes the scan, whose progress bar must be off the screen before the result goes there.
pub fn cluster(
    method: &dyn System,
    scan: LocalScan,
    allowance: Allowance,
    noise: &mut dyn NoiseSource,
    shown: &Shown,
) -> Result<Outcome, Failure> {
    let work = WorkBar::new(shown);
    Ok(method.run_watched(&scan, allowance, noise, &|step| work.show(step))?)
}

/// Starts the threads for scans. After reading, which is when memory is scarcest.
pub fn start_threads(shown: &Shown) -> Result<(), Failure> {
    let Some(threads) = shown.threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.get())
        .build_global()
        .map_err(|error| Failure::refused(format!("{threads} threads cannot be started ({error}); try fewer")))
}

/// Reads every row once, so that bad input costs nothing.
pub fn read(table: Table, args: &FitArgs, bounds: &Bounds, shown: &Shown) -> Result<PointStore, Failure> {
    let bar = ReadingBar::new("reading", shown);
    let one_thread = shown.threads.is_some_and(|threads| threads.get() == 1);
    let options = LoadOptions { memory: args.table.memory, chunk_rows: None, two_readers: !one_thread };
    let reading = table.pass_memory();
    let store = load_points(table, LatticeMap::new(bounds), &options, &bar)?;
    bar.finish();
    if matches!(store, PointStore::Streaming(_)) {
        check_chunk_memory(reading, args)?;
    }
    Ok(store)
}

/// Refuses when rows that are read piece by piece have no room beside what `reading` takes.
pub fn check_chunk_memory(reading: usize, args: &FitArgs) -> Result<(), Failure> {
    if args.table.memory >= reading + LEAST_CHUNK {
        return Ok(());
    }
    let least = (reading + LEAST_CHUNK).div_ceil(1 << 20);
    Err(Failure::refused(format!(
        "the table does not fit in --memory, and reading it piece by piece takes more, too: give --memory {least}M or more"
    )))
}

fn named(args: &FitArgs) -> Result<&'static Method, Failure> {
    find_method(&args.method).ok_or_else(|| Failure::usage(format!("there is no method {}", args.method)))
}

/// Options that the chosen method does not have are refused rather than ignored.
fn check_options(args: &FitArgs) -> Result<(), Failure> {
    named(args)?.check_delta(&args.delta).map_err(of_parameters)?;
    let method = &named(args)?.info;
    if args.synopsis.is_some() && !method.synopsis {
        let names = names_of(|other| other.synopsis);
        return Err(Failure::usage(format!("{} makes no cells that --synopsis could write; {names} do", method.name)));
    }
    if args.k.is_auto() && !method.chooses_k {
        let names = names_of(|other| other.chooses_k);
        return Err(Failure::usage(format!(
            "{} cannot choose the number of clusters (-k {}); give a number, or choose a method that can ({names})",
            method.name, args.k
        )));
    }
    for option in args.knobs.given() {
        if !method.options.contains(&option) {
            let names = names_of(|other| other.options.contains(&option));
            return Err(Failure::usage(format!(
                "--{option} is no option of {}; leave it out, or choose a method that has it ({names})",
                method.name
            )));
        }
    }
    Ok(())
}

fn names_of(which: impl Fn(&MethodInfo) -> bool) -> String {
    methods().map(|method| &method.info).filter(|info| which(info)).map(|info| info.name).collect::<Vec<_>>().join(", ")
}

/// Parameters that make no sense are the command line's fault.
pub fn of_parameters(error: FitError) -> Failure {
    match error {
        FitError::Parameter { .. } | FitError::Share { .. } | FitError::TooManyCentres { .. } => Failure::usage(error),
        other => Failure::refused(other),
    }
}

/// The method's settings, for a number of rows that anyone may know.
fn settings(args: &FitArgs, epsilon: &Epsilon, rows: Option<u64>) -> Settings {
    let size = match (rows, &args.knobs.count_share) {
        (Some(rows), _) if args.rows_public => DesignSize::Disclosed(rows),
        (Some(rows), _) => DesignSize::Public(rows),
        (None, Some(share)) => DesignSize::Bought { share: share.clone() },
        (None, None) => DesignSize::bought(),
    };
    Settings {
        delta: args.delta.clone(),
        knobs: args.knobs.to_library(),
        choose_k: args.k.is_auto(),
        keep_cells: args.synopsis.is_some(),
        ..Settings::new(args.k.most(MOST_CHOSEN), epsilon.clone(), size)
    }
}

/// The number of rows that anyone may know, if there is one.
pub fn public_rows(
    args: &FitArgs,
    count: impl FnOnce() -> Result<Sensitive<u64>, Failure>,
    shown: &Shown,
) -> Result<Option<u64>, Failure> {
    if !args.rows_public {
        return Ok(args.rows);
    }
    let rows = count()?.without_privacy().reveal(ThisIsNotPrivate);
    if !shown.quiet {
        eprintln!(
            "--rows-public: the number of rows, {rows}, is disclosed, so the promise will be about replacing one row, at twice the ε."
        );
    }
    Ok(Some(rows))
}

/// Tells what can be told before anything is spent.
pub fn announce(args: &FitArgs, method: &dyn System, rows: Option<u64>, shown: &Shown) {
    if shown.quiet {
        return;
    }
    if args.seed.is_some() {
        eprintln!("NO PRIVACY: --seed makes the noise repeatable. Leave it out for anything that is released.");
    }
    if let Some(rows) = rows {
        let expected = method.expected_error(rows as f64);
        if args.delta.amount().times(&Amount::ratio(rows, 1)) >= Amount::ONE {
            let delta = &args.delta;
            eprintln!(
                "WARNING: δ = {delta} is no less than 1 / {rows}, so the promise would allow a whole row to get out; give a δ well below that."
            );
        }
        eprintln!("expected before anything is spent, for {rows} rows: {}", error_words(&expected));
        if let Some(words) = method.plan_words(rows as f64) {
            eprintln!("{words}");
        }
    }
}

/// An expected error in words.
pub fn error_words(expected: &ExpectedError) -> String {
    let percent = expected.center_rmse * 100.0;
    format!("noise moves a centre by about {} % of each column's range", output::number(percent, percent))
}

/// Claims the places of all files to write.
fn claim_files(args: &FitArgs, source: &Source) -> Result<OutputFiles, Failure> {
    let mut inputs: Vec<&Path> = args.ledger.as_deref().into_iter().collect();
    if let Source::Path(data) = source {
        inputs.push(data);
    }
    inputs.extend(args.bounds.as_deref().map(Path::new).filter(|path| path.is_file()));
    let (out, report, synopsis) = (args.out.as_deref(), args.report.as_deref(), args.synopsis.as_deref());
    OutputFiles::claim(&Asked { out, report, synopsis }, &inputs)
}
