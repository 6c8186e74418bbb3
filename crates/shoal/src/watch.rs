//! What a caller can watch while a job runs: how far it has come, and what it should know before anything is spent.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use shoal_curator::{Decision, ExpectedError, Step};
use shoal_files::Progress;
use shoal_privacy::{Delta, Epsilon};

/// A part of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// Every row is read once, before anything is paid.
    Reading,
    /// Bounds are estimated.
    FindingBounds,
    /// Rows that do not fit in memory are read again to answer a question.
    Scanning,
    /// Clusters are computed.
    Clustering,
    /// Records become reports.
    Perturbing,
    /// Rows get the label of their nearest centre.
    Labelling,
    /// A model is measured on rows.
    Scoring,
    /// Records become codes.
    Encoding,
    /// Codes become distances.
    Decoding,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reading => "reading",
            Self::FindingBounds => "finding bounds",
            Self::Scanning => "scanning",
            Self::Clustering => "clustering",
            Self::Perturbing => "perturbing",
            Self::Labelling => "labelling",
            Self::Scoring => "scoring",
            Self::Encoding => "encoding",
            Self::Decoding => "decoding",
        })
    }
}

/// Something to know before anything is spent.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Notice {
    /// The noise comes from a seed, so there will be no privacy.
    Seeded,
    /// The true number of rows is disclosed at the caller's wish.
    RowsDisclosed {
        /// The number, which is public from here on.
        rows: u64,
    },
    /// δ is so large that the guarantee would allow a whole row to get out.
    LargeDelta {
        /// δ.
        delta: Delta,
        /// The public number of rows.
        rows: u64,
    },
    /// The error to expect for a public number of rows.
    Expected {
        /// The number.
        rows: u64,
        /// How far noise is expected to move a centre.
        error: ExpectedError,
        /// What the method will decide for so many rows.
        plan: Vec<Decision>,
    },
    /// Columns look, by their names, as if they named persons, and rows are not grouped by person: if someone has several rows,
    /// the guarantee is not about persons.
    LooksLikeKey {
        /// The columns.
        columns: Vec<String>,
        /// Those of them that are used as values.
        clustered: Vec<String>,
    },
    /// Pairs of records are coded, which take space.
    Pairs {
        /// Records.
        records: u64,
        /// Bytes of all pairs.
        bytes: u64,
    },
}

/// A debit that is on record: what a job costs from here on, also when it does not end well.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Debited {
    /// The ledger's file.
    pub ledger: PathBuf,
    /// The data set.
    pub dataset: String,
    /// The number of the entry.
    pub entry: u64,
    /// ε that was debited.
    pub epsilon: Epsilon,
    /// δ that was debited.
    pub delta: Delta,
}

/// Listens to a running job. Every method does nothing by default; they are called from any thread. None of them ever
/// hears anything about a record.
pub trait Watch: Send + Sync {
    /// A phase begins.
    fn begin(&self, _phase: Phase) {}

    /// So many of all bytes of a file have been read in this pass.
    fn bytes(&self, _phase: Phase, _done: u64, _total: u64) {}

    /// A step of the clustering is done.
    fn step(&self, _step: Step) {}

    /// A phase ends.
    fn end(&self, _phase: Phase) {}

    /// There is something to know before anything is spent.
    fn notice(&self, _notice: &Notice) {}

    /// A ledger is about to be debited. Until [`Watch::debited`] is called, or the job fails, it is open whether it was.
    fn paying(&self) {}

    /// A ledger was debited. The entry is begun, and unfinished unless the job comes to its end.
    fn debited(&self, _debited: &Debited) {}
}

/// Listens to nothing.
pub(crate) struct NoWatch;

impl Watch for NoWatch {}

/// The shared listener of a job.
#[derive(Clone)]
pub(crate) struct Watcher(Arc<dyn Watch>);

impl Default for Watcher {
    fn default() -> Self {
        Self(Arc::new(NoWatch))
    }
}

impl Watcher {
    pub(crate) fn new(watch: impl Watch + 'static) -> Self {
        Self(Arc::new(watch))
    }

    pub(crate) fn notice(&self, notice: &Notice) {
        self.0.notice(notice);
    }

    pub(crate) fn paying(&self) {
        self.0.paying();
    }

    pub(crate) fn debited(&self, debited: &Debited) {
        self.0.debited(debited);
    }

    pub(crate) fn step(&self, step: Step) {
        self.0.step(step);
    }

    /// A phase that ends when the returned guard is dropped, also by an error.
    pub(crate) fn phase(&self, phase: Phase) -> Running {
        self.0.begin(phase);
        Running { watch: Arc::clone(&self.0), phase }
    }
}

/// A phase that runs; as [`Progress`] it passes on how much of a file has been read.
pub(crate) struct Running {
    watch: Arc<dyn Watch>,
    phase: Phase,
}

impl Progress for Running {
    fn bytes(&self, done: u64, total: u64) {
        self.watch.bytes(self.phase, done, total);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.watch.end(self.phase);
    }
}
