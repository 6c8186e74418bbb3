//! `shoal fit`

use std::path::Path;

use shoal::curator::{DesignSize, ExpectedError, FitError, METHODS, MethodInfo, Settings, System, find_method};
use shoal::data::{Bounds, BoundsSpec, LatticeMap, LoadOptions, PointStore, Source, load_points};
use shoal::model::Model;
use shoal::scan::{LocalScan, Scan};
use shoal::synopsis_file::{SynopsisFile, is_synopsis};
use shoal_ledger::FileLedger;
use shoal_noise::{NoiseSource, OsNoise, SeededNoise};
use shoal_privacy::ledger::{Balance, Debit, Ledger};
use shoal_privacy::{Allowance, Amount, Assumption, Claim, ThisIsNotPrivate};

use super::outputs::{Asked, OutputFiles, Release};
use super::summary;
use crate::arguments::{FitArgs, MissingArg, Shown};
use crate::failure::Failure;
use crate::output;
use crate::progress::{ReadingBar, WorkBar};
use crate::table;

/// Said when there are no bounds.
pub const BOUNDS_NEEDED: &str = "\
public bounds are needed: limits of each column, chosen without looking at the data (limits taken from the data \
would give away its extremes). Give them in one of these ways:
  --bounds 0,100                   the same for all columns
  --bounds age=17:90,hours=1:99    column by column
  --bounds bounds.json             a file with {\"age\": [17, 90], \"hours\": [1, 99]}
Values outside are moved to the nearest limit.";

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
    let spec = args.bounds.as_deref().ok_or_else(|| Failure::usage(BOUNDS_NEEDED))?;
    let spec = BoundsSpec::parse(spec).map_err(Failure::usage)?;
    if let Source::Path(path) = &source
        && is_synopsis(path)
    {
        let name = table::short_name(&args.data);
        return Err(Failure::refused(format!(
            "{name} holds released cells, not rows of people: nothing more needs to be spent on them; use `shoal cluster {name} -k {}`",
            args.k
        )));
    }
    let files = claim_files(args, &source)?;
    let mut ledger = args.ledger.as_deref().map(OpenLedger::open(args)).transpose()?;

    let (bounds, store) = read(source, args, &spec, shown)?;
    start_threads(shown)?;
    let bar = ReadingBar::new("scanning", shown);
    let scan = LocalScan::new(store).with_memory(args.table.memory).with_progress(bar);
    let rows = public_rows(args, &scan, shown)?;
    let method = info(args)?.build(&settings(args, rows), bounds.dims()).map_err(of_parameters)?;
    announce(args, &*method, rows, shown);

    // Whatever can still fail comes before the debit.
    let mut noise: Box<dyn NoiseSource> = match args.seed {
        Some(seed) => Box::new(SeededNoise::new(seed)),
        None => Box::new(OsNoise::new()?),
    };
    let allowance = match &mut ledger {
        Some(ledger) => ledger.debit(args, method.claim())?,
        None => Allowance::without_ledger(method.claim()),
    };
    let work = WorkBar::new(shown);
    let mut outcome = method.run_watched(&scan, allowance, &mut *noise, &|step| work.show(step))?;
    drop(work);
    // Takes the progress bar off the screen before the result goes there.
    drop(scan);

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
    let model = Model::of(&outcome, &bounds, &args.method, info(args)?.published());
    // The result is paid for: a ledger that cannot be read again must not swallow it.
    let balance = ledger.and_then(|ledger| ledger.balance().ok());
    let synopsis = SynopsisFile::of(outcome, &bounds, &args.method, info(args)?.published());
    let source = table::short_name(&args.data);
    let result = Release { model: &model, synopsis: synopsis.as_ref(), source: &source, balance: balance.as_ref() };
    files.release(&result, shown)?;
    Ok(model)
}

/// Starts the threads for scans. After reading, which is when memory is scarcest.
pub fn start_threads(shown: &Shown) -> Result<(), Failure> {
    let Some(threads) = shown.threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.get())
        .build_global()
        .map_err(|error| Failure::refused(format!("{threads} threads cannot be started ({error}); try fewer")))
}

/// Opens the table, settles columns and bounds, and reads every row once, so that bad input costs nothing.
fn read(source: Source, args: &FitArgs, spec: &BoundsSpec, shown: &Shown) -> Result<(Bounds, PointStore), Failure> {
    let (table, bounds) = table::open_with_bounds(source, &args.table, spec)?;
    let bar = ReadingBar::new("reading", shown);
    let one_thread = shown.threads.is_some_and(|threads| threads.get() == 1);
    let options = LoadOptions { memory: args.table.memory, chunk_rows: None, two_readers: !one_thread };
    let reading = table.pass_memory();
    let store = load_points(table, LatticeMap::new(&bounds), &options, &bar)?;
    bar.finish();
    if matches!(store, PointStore::Streaming(_)) && args.table.memory < reading + LEAST_CHUNK {
        let least = (reading + LEAST_CHUNK).div_ceil(1 << 20);
        return Err(Failure::refused(format!(
            "the table does not fit in --memory, and reading it piece by piece takes more, too: give --memory {least}M or more"
        )));
    }
    Ok((bounds, store))
}

fn info(args: &FitArgs) -> Result<&'static MethodInfo, Failure> {
    find_method(&args.method).ok_or_else(|| Failure::usage(format!("there is no method {}", args.method)))
}

/// Options that the chosen method does not have are refused rather than ignored.
fn check_options(args: &FitArgs) -> Result<(), Failure> {
    let method = info(args)?;
    method.check_delta(&args.delta).map_err(of_parameters)?;
    if args.synopsis.is_some() && !method.synopsis {
        let names = names_of(|other| other.synopsis);
        return Err(Failure::usage(format!("{} makes no cells that --synopsis could write; {names} do", method.name)));
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
    METHODS.iter().filter(|method| which(method)).map(|method| method.name).collect::<Vec<_>>().join(", ")
}

/// Parameters that make no sense are the command line's fault.
fn of_parameters(error: FitError) -> Failure {
    match error {
        FitError::Parameter { .. } | FitError::Share { .. } | FitError::TooManyCentres { .. } => Failure::usage(error),
        other => Failure::refused(other),
    }
}

/// The method's settings, for a number of rows that anyone may know.
fn settings(args: &FitArgs, rows: Option<u64>) -> Settings {
    let size = match (rows, &args.knobs.count_share) {
        (Some(rows), _) if args.rows_public => DesignSize::Disclosed(rows),
        (Some(rows), _) => DesignSize::Public(rows),
        (None, Some(share)) => DesignSize::Bought { share: share.clone() },
        (None, None) => DesignSize::bought(),
    };
    Settings {
        k: args.k,
        epsilon: args.epsilon.clone(),
        delta: args.delta.clone(),
        size,
        knobs: args.knobs.to_library(),
    }
}

/// The number of rows that anyone may know, if there is one.
fn public_rows(args: &FitArgs, scan: &LocalScan, shown: &Shown) -> Result<Option<u64>, Failure> {
    if !args.rows_public {
        return Ok(args.rows);
    }
    let rows = scan.row_count()?.without_privacy().reveal(ThisIsNotPrivate);
    if !shown.quiet {
        eprintln!(
            "--rows-public: the number of rows, {rows}, is disclosed, so the promise will be about replacing one row, at twice the ε."
        );
    }
    Ok(Some(rows))
}

/// Tells what can be told before anything is spent.
fn announce(args: &FitArgs, method: &dyn System, rows: Option<u64>, shown: &Shown) {
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
    }
}

/// An expected error in words.
pub fn error_words(expected: &ExpectedError) -> String {
    let percent = expected.center_rmse * 100.0;
    format!("noise moves a centre by about {} % of each column's range", output::number(percent, percent))
}

/// The ledger of this run and the data set's name in it.
struct OpenLedger {
    ledger: FileLedger,
    dataset: String,
}

impl OpenLedger {
    /// Opens the ledger and makes sure that the data set is in it, before any time is spent on reading.
    fn open(args: &FitArgs) -> impl Fn(&Path) -> Result<Self, Failure> + '_ {
        |path| {
            let dataset = match &args.dataset {
                Some(name) => name.clone(),
                None if args.data == "-" => {
                    return Err(Failure::usage(
                        "standard input has no name; say which data set it is with --dataset NAME",
                    ));
                }
                None => table::dataset_name(&args.data),
            };
            let ledger = FileLedger::open(path)?;
            ledger.balance(&dataset)?;
            Ok(Self { ledger, dataset })
        }
    }

    fn debit(&mut self, args: &FitArgs, claim: Claim) -> Result<Allowance, Failure> {
        let purpose = format!("{} by {}", summary::plural(args.k, "cluster"), args.method);
        let debit = Debit::for_loss_up(&self.dataset, &claim.loss, &args.delta, &purpose)
            .ok_or_else(|| Failure::refused("this method's loss cannot be kept in a ledger"))?;
        let receipt = self.ledger.debit(&debit)?;
        Ok(Allowance::debited(claim, receipt)?)
    }

    fn balance(self) -> Result<(String, Balance), Failure> {
        let balance = self.ledger.balance(&self.dataset)?;
        Ok((self.dataset, balance))
    }
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
