//! A job on a thread of its own: the interpreter goes on, Ctrl-C is heard, and what was spent is known.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use shoal::{Debited, Error, Notice, Phase, Watch};
use shoal_curator::Step;
use shoal_privacy::Delta;

use crate::errors::{exception, named, raised};

/// How often signals are looked at.
const TICK: Duration = Duration::from_millis(50);

/// How long an interrupted job may take to come to a place where it can stop. After that it ends by itself, without
/// anybody waiting for it.
const PATIENCE: Duration = Duration::from_millis(600);

/// How long a debit that has begun may take.
const DEBIT: Duration = Duration::from_secs(10);

/// How far the job has come with paying.
#[derive(Default)]
enum Cost {
    #[default]
    Nothing,
    Paying,
    Debited(Debited),
}

#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    cost: Cost,
    phase: Option<Phase>,
    done: u64,
    total: u64,
    notices: Vec<Notice>,
}

/// What unwinds a job that is to stop.
struct Stopped;

/// Hears of a job, and stops it.
#[derive(Clone)]
pub(crate) struct JobWatch(Arc<Shared>);

impl JobWatch {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the job here if it was interrupted. Unwinding gives back memory and files as an error would.
    fn stop_here(&self) {
        if self.is_stopped() {
            resume_unwind(Box::new(Stopped));
        }
    }

    /// Whether the job is to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.0.stop.load(Ordering::SeqCst)
    }

    /// What an interruption costs, in words.
    fn sentence(&self) -> String {
        match &self.state().cost {
            Cost::Nothing => "interrupted: nothing was released and nothing was debited".into(),
            Cost::Paying => {
                "interrupted while a ledger was being debited: Ledger.entries shows what is on record".into()
            }
            Cost::Debited(Debited { ledger, dataset, entry, epsilon, delta, .. }) => {
                let delta = if *delta == Delta::ZERO { String::new() } else { format!(", δ = {delta}") };
                format!(
                    "interrupted: ε = {epsilon}{delta} was debited from “{dataset}” in {} before the interruption; \
                     entry {entry} is marked unfinished, and the budget is not given back",
                    ledger.display()
                )
            }
        }
    }
}

impl Watch for JobWatch {
    fn begin(&self, phase: Phase) {
        self.stop_here();
        let mut state = self.state();
        (state.phase, state.done, state.total) = (Some(phase), 0, 0);
    }

    fn bytes(&self, _phase: Phase, done: u64, total: u64) {
        self.stop_here();
        let mut state = self.state();
        (state.done, state.total) = (done, total);
    }

    fn step(&self, _step: Step) {
        self.stop_here();
    }

    fn notice(&self, notice: &Notice) {
        self.state().notices.push(notice.clone());
    }

    fn paying(&self) {
        // Under the lock, so that an interruption comes before the debit or sees it.
        let mut state = self.state();
        if self.0.stop.load(Ordering::SeqCst) {
            drop(state);
            resume_unwind(Box::new(Stopped));
        }
        state.cost = Cost::Paying;
    }

    fn debited(&self, debited: &Debited) {
        self.state().cost = Cost::Debited(debited.clone());
    }
}

/// Runs a job on its own threads, without the interpreter's lock. `progress` is called with the name of the phase and how
/// much of how much is done, a few times a second.
///
/// Threads belong to the job and not to the process, so a forked process has its own.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(JobWatch) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    let watch = JobWatch(Arc::default());
    let (sender, receiver) = channel();
    let inside = watch.clone();
    let job = move || {
        let result = catch_unwind(AssertUnwindSafe(|| {
            let count = threads.unwrap_or(0);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
            let pool = pool.map_err(|error| Error::Threads { threads: count, why: error.to_string() })?;
            pool.install(|| work(inside))
        }));
        // Nobody may be waiting any more.
        let _ = sender.send(result);
    };
    let thread = std::thread::Builder::new().name("shoal".into()).spawn(job);
    thread.map_err(|error| raised(py, Error::Threads { threads: 1, why: error.to_string() }))?;
    let receiver = Mutex::new(receiver);
    let wait =
        |time: Duration| py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(time));
    loop {
        match wait(TICK) {
            Ok(result) => {
                warn(py, &watch)?;
                return match result {
                    Ok(result) => result.map_err(|error| raised(py, error)),
                    Err(_) => Err(broken(py)),
                };
            }
            Err(RecvTimeoutError::Disconnected) => return Err(broken(py)),
            Err(RecvTimeoutError::Timeout) => {}
        }
        let went_on = py.check_signals().and_then(|()| show(&watch, progress));
        if let Err(signal) = went_on {
            watch.0.stop.store(true, Ordering::SeqCst);
            let begun = Instant::now();
            while matches!(watch.state().cost, Cost::Paying) && begun.elapsed() < DEBIT {
                let _ = wait(Duration::from_millis(5));
            }
            let _ = wait(PATIENCE);
            if signal.is_instance_of::<PyKeyboardInterrupt>(py) {
                return Err(exception(py, "Interrupted", watch.sentence(), "interrupted"));
            }
            return Err(signal);
        }
    }
}

/// A fault of Shoal itself: the thread of a job panicked.
fn broken(py: Python<'_>) -> PyErr {
    exception(py, "Error", "an internal error of Shoal, which is a bug; please report it", "internal")
}

fn show(watch: &JobWatch, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    let Some(progress) = progress else { return Ok(()) };
    let (phase, done, total) = {
        let state = watch.state();
        (state.phase.map_or_else(String::new, |phase| phase.to_string()), state.done, state.total)
    };
    progress.call1((phase, done, total)).map(|_| ())
}

/// What there was to know before anything was spent, as warnings.
fn warn(py: Python<'_>, watch: &JobWatch) -> PyResult<()> {
    let notices = std::mem::take(&mut watch.state().notices);
    for notice in notices {
        let (class, text) = match &notice {
            Notice::Seeded => (
                "NotPrivateWarning",
                "NO PRIVACY: seed makes the noise repeatable. Leave it out for anything that is released.".into(),
            ),
            Notice::LargeDelta { delta, rows } => (
                "PrivacyWarning",
                format!(
                    "delta = {delta} is no less than 1 / {rows}, so the guarantee would allow a whole row to get out; give \
                     a delta well below that"
                ),
            ),
            Notice::RowsDisclosed { rows } => (
                "PrivacyWarning",
                format!(
                    "rows_public: the number of rows, {rows}, is disclosed, so the guarantee covers replacing one row, at \
                     twice the ε"
                ),
            ),
            Notice::LooksLikeKey { columns, clustered } => {
                let mut text = format!(
                    "{} may say whose row it is. Can a person have several rows? Then give person: without it the \
                     guarantee covers one row, not one person.",
                    columns.join(", ")
                );
                if !clustered.is_empty() {
                    text += &format!(
                        " {} is clustered like other columns, which means little for a key: name the columns to use with columns.",
                        clustered.join(", ")
                    );
                }
                ("PrivacyWarning", text)
            }
            _ => continue,
        };
        let class = py.import("shoal._errors")?.getattr(class)?;
        py.import("warnings")?.call_method1("warn", (named(|| text), class, 4))?;
    }
    Ok(())
}
