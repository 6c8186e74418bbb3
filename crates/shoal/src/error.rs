//! Why a job was refused or failed.

use std::path::PathBuf;

use shoal_consortium::custodian::EncodeError;
use shoal_consortium::{Limit, OverLimit, Partition, Promise, TermsError};
use shoal_crowd::PerturbError;
use shoal_crowd::report_file::ReportFileError;
use shoal_curator::FitError;
use shoal_device::DesignError;
use shoal_files::{DataError, FileKind, SealedError};
use shoal_kernel::score::ScoreError;
use shoal_lattice::BoundsError;
use shoal_ledger::LedgerError;
use shoal_noise::NoiseError;
use shoal_privacy::{ChargeError, CompositionError, Epsilon, Parameter};
use shoal_scan::ScanError;

use crate::model::ModelError;

/// What went wrong. Each message says what happened and what to do; none repeats a value of a record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number of clusters that makes no sense.
    #[error("k is {given}; give {wanted}")]
    K {
        /// What was given.
        given: String,
        /// What would do.
        wanted: String,
    },
    /// An ε that makes no sense.
    #[error("{why}")]
    Epsilon {
        /// What was given.
        given: String,
        /// Why it was refused, and what would do.
        why: String,
    },
    /// A δ that makes no sense.
    #[error("{why}")]
    Delta {
        /// What was given.
        given: String,
        /// Why it was refused.
        why: String,
    },
    /// No rows.
    #[error("give a whole number of rows, 1 or more, for example 50000")]
    Rows,
    /// No columns, or too many.
    #[error("give a whole number of columns from 1 to {most}")]
    Dimensions {
        /// The most that can be planned for.
        most: usize,
    },
    /// There are no bounds.
    #[error(
        "public bounds are needed: limits of each column, chosen without looking at the data (limits taken from the \
         data would reveal its extremes); where none are known, buy some with a part of ε"
    )]
    BoundsNeeded,
    /// Bounds are to be bought for rows that are on a lattice already.
    #[error("the rows of a scan are on the lattice of their bounds already, so none can be bought; leave that out")]
    BoundsOfScan,
    /// Bounds that cannot be understood.
    #[error(transparent)]
    BoundsText(BoundsError),
    /// Bounds from the data without a price.
    #[error("bounds from the data cost ε: {}", how_to_buy())]
    BoundsWithoutPrice,
    /// A price for bounds that cannot be understood.
    #[error("bounds `{text}` are not understood: {}", how_to_buy())]
    BoundsPrice {
        /// What was given.
        text: String,
    },
    /// A price for bounds that leaves nothing for the clusters.
    #[error(
        "bounds for ε = {bounds} leave nothing of {} {total} for the clusters; give less for the bounds, for example auto:10%",
        Parameter::EPSILON
    )]
    NothingLeft {
        /// The price of the bounds.
        bounds: Epsilon,
        /// The whole budget.
        total: Epsilon,
    },
    /// No such method.
    #[error("there is no method `{name}`; choose one of {}", known.join(", "))]
    UnknownMethod {
        /// What was given.
        name: String,
        /// The names there are.
        known: Vec<&'static str>,
    },
    /// A knob that the method does not have.
    #[error("{} is no option of {method}; leave it out, or choose a method that has it ({})", Parameter::new(knob), others.join(", "))]
    UnknownKnob {
        /// The knob.
        knob: &'static str,
        /// The method.
        method: &'static str,
        /// Methods that have it.
        others: Vec<&'static str>,
    },
    /// Noisy cells were asked for, and the method makes none.
    #[error("{method} makes no cells that {} could write; {} do", Parameter::SYNOPSIS, others.join(", "))]
    NoCells {
        /// The method.
        method: &'static str,
        /// Methods that release some.
        others: Vec<&'static str>,
    },
    /// The method cannot choose the number of clusters.
    #[error(
        "{method} cannot choose the number of clusters ({} {k}); give a number, or choose a method that can ({})",
        Parameter::K,
        others.join(", ")
    )]
    CannotChooseK {
        /// The method.
        method: &'static str,
        /// What was asked for.
        k: crate::K,
        /// Methods that can.
        others: Vec<&'static str>,
    },
    /// A released file where a table of people was expected.
    #[error("{} holds {}, not rows of people", path.display(), kind_words(*kind))]
    NotATable {
        /// The file.
        path: PathBuf,
        /// What it holds.
        kind: FileKind,
    },
    /// Rows that do not fit in memory cannot be streamed in it either.
    #[error(
        "the table does not fit in {0}, and reading it piece by piece takes more, too: give {0} {1}M or more",
        Parameter::MEMORY,
        least.div_ceil(1 << 20)
    )]
    TooLittleMemory {
        /// Bytes that would do.
        least: usize,
    },
    /// Threads that cannot be started.
    #[error("{threads} threads cannot be started ({why}); try fewer")]
    Threads {
        /// How many.
        threads: usize,
        /// Why not.
        why: String,
    },
    /// A loss without an (ε, δ) form.
    #[error("the loss of this release has no (ε, δ) form, so a ledger cannot keep it")]
    NotForLedgers,
    /// A seed and a ledger together.
    #[error("seeded noise gives no privacy, so no budget can pay for it: leave out the seed or the ledger")]
    SeededWithLedger,
    /// Reports that do not belong to a model.
    #[error("{why}; give the reports that the model was found in")]
    OtherReports {
        /// What is different.
        why: &'static str,
    },
    /// Reports that were not made of these rows.
    #[error(
        "there are {reports} reports and {rows} rows; give the reports that were made of these very rows, in their order"
    )]
    ReportsOfOtherRows {
        /// Number of reports.
        reports: usize,
        /// Number of rows.
        rows: usize,
    },
    /// A mechanism that keeps no promise.
    #[error("{reason} To run it all the same, for research, say {}", Parameter::new("accept-unsound"))]
    Unsound {
        /// Why it keeps none.
        reason: &'static str,
    },
    /// A file cannot be written.
    #[error("{} cannot be written ({source}); choose another place, or remove what is there", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// Reports cannot be written.
    #[error("the reports cannot be written ({source})")]
    WriteReports {
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A pass over the rows was ended by whoever asked for it.
    #[error("the caller ended the pass over the rows")]
    Stopped,
    /// A file that cannot be read.
    #[error("{name} cannot be read ({source}); check the name and its permissions")]
    Read {
        /// The file.
        name: String,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// Neither reports nor noisy cells.
    #[error(
        "{name} holds neither reports nor noisy cells; a table of people goes through a fit or a perturbation first"
    )]
    NothingReleased {
        /// The file.
        name: String,
    },
    /// Codes of a consortium where reports or noisy cells are clustered.
    #[error("{} holds codes of a consortium, which are clustered by distances", path.display())]
    Codes {
        /// The file.
        path: PathBuf,
    },
    /// No file to cluster.
    #[error("there is no file to cluster; give at least one")]
    NoFiles,
    /// A file that is named twice.
    #[error("{} is named twice, and its reports would count twice; name it once", path.display())]
    NamedTwice {
        /// The file.
        path: PathBuf,
    },
    /// An option for reports, given for noisy cells.
    #[error(
        "{} is for reports, and these are noisy cells, which are clustered by k-means; leave it out",
        Parameter::new(option)
    )]
    OnlyForReports {
        /// The option.
        option: &'static str,
    },
    /// The server method needs to know the distribution of the noise.
    #[error(
        "noise-aware needs raw reports whose noise has a known distribution, and these have none: {why}. Use {} kmeans or \
         tk-means, or collect raw reports",
        Parameter::METHOD
    )]
    NoDensity {
        /// Why there is none.
        why: &'static str,
    },
    /// The number of clusters cannot be chosen without a known distribution of the noise.
    #[error(
        "{} auto needs a known noise distribution; these reports were post-processed (clamped or moved to a grid, or \
         made by bpgm) and have none. Give a number",
        Parameter::K
    )]
    ChoosingKNeedsDensity,
    /// The number of clusters can be chosen by one method only.
    #[error("{} auto needs {} noise-aware, and not {method}; give a number", Parameter::K, Parameter::METHOD)]
    ChoosingKNeedsNoiseAware {
        /// The method that was asked for.
        method: &'static str,
    },
    /// A limit on a number of clusters that is given.
    #[error("{} goes with {} auto; give both or neither", MOST_CLUSTERS, Parameter::K)]
    MostWithoutAuto,
    /// A limit that is given twice.
    #[error("{} {k} and {} {most} mean the same; give one of them", Parameter::K, MOST_CLUSTERS)]
    MostTwice {
        /// One.
        k: crate::K,
        /// The other.
        most: usize,
    },
    /// More clusters than reports.
    #[error("{k} clusters of {reports} reports cannot be found; give a smaller {}", Parameter::K)]
    TooFewReports {
        /// Clusters.
        k: usize,
        /// Reports.
        reports: usize,
    },
    /// A limit for codes that promise nothing.
    #[error(
        "{} is a limit, and codes made with {} promise nothing, so they cannot keep it; leave one of both out",
        Parameter::new("max-epsilon"),
        Parameter::new(option)
    )]
    LimitOfNothing {
        /// What takes every promise away.
        option: &'static str,
    },
    /// Rows are left out, and nothing names the others.
    #[error(
        "leaving rows out would send the codes and labels of rows after them to the wrong people: name the rows with {} \
         COLUMN as well, or fill the gaps before",
        Parameter::new("id")
    )]
    GapsWithoutNames,
    /// Made-up records between those of several columns.
    #[error(
        "{} puts records between those of a single column, and this agreement has {columns}; leave it out",
        Parameter::new("bridge")
    )]
    BridgeAcrossColumns {
        /// Columns of the agreement.
        columns: usize,
    },
    /// A coded column as the column of names.
    #[error(
        "{} {column} would send a coded column in the clear; name a column that is not coded",
        Parameter::new("id")
    )]
    CodedColumnInClear {
        /// The column.
        column: String,
    },
    /// Codes whose bits are not flipped.
    #[error(
        "this agreement flips no bits (BV), so its codes promise nothing: agree on an ε per bit, or say {}, for research",
        Parameter::new("accept-unsound")
    )]
    NoFlips,
    /// Nothing unsound to accept.
    #[error(
        "this agreement flips its bits, so there is nothing unsound to accept: leave {} out and state your limit with {}",
        Parameter::new("accept-unsound"),
        Parameter::new("max-epsilon")
    )]
    NothingUnsound,
    /// A custodian without a limit.
    #[error("state your own limit: the most that a row's code may give away. {}", promise.guarantee.sentence())]
    LimitNeeded {
        /// What the agreement's codes promise.
        promise: Box<Promise>,
    },
    /// Codes that give away more than the custodian allows.
    #[error("{over}")]
    OverLimit {
        /// What the codes promise.
        promise: Box<Promise>,
        /// What the custodian allows.
        limit: Box<Limit>,
        /// Records or pairs.
        partition: Partition,
        /// The comparison.
        over: Box<OverLimit>,
    },
    /// Codes cannot be written.
    #[error("the codes cannot be written ({source})")]
    WriteCodes {
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The terms of an agreement were refused.
    #[error(transparent)]
    Terms(#[from] TermsError),
    /// A table could not be encoded.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The table was refused.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The bounds were refused.
    #[error(transparent)]
    Bounds(#[from] BoundsError),
    /// The clustering was refused or failed.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// The rows could not be scanned.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// The ledger refused.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The accountant refused.
    #[error(transparent)]
    Charge(#[from] ChargeError),
    /// Claims that cannot be composed.
    #[error(transparent)]
    Composition(#[from] CompositionError),
    /// The noise cannot be drawn.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// The model was refused.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The file of noisy cells was refused.
    #[error(transparent)]
    Synopsis(#[from] SealedError),
    /// The file of reports was refused.
    #[error(transparent)]
    Reports(#[from] ReportFileError),
    /// The design of reports was refused.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// The table could not be perturbed.
    #[error(transparent)]
    Perturb(#[from] PerturbError),
    /// A score could not be computed.
    #[error(transparent)]
    Score(#[from] ScoreError),
}

/// How bounds are bought.
fn how_to_buy() -> String {
    let (bounds, epsilon) = (Parameter::BOUNDS, Parameter::EPSILON);
    format!("write {bounds} auto:0.1 to spend 0.1 of {epsilon} on them, or auto:10% for a tenth of it")
}

/// The limit on the number of clusters that is chosen.
const MOST_CLUSTERS: Parameter = Parameter::new("most-clusters");

impl Error {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::K { .. } => "k-out-of-range",
            Self::Epsilon { .. } => "epsilon-out-of-range",
            Self::Delta { .. } => "delta-out-of-range",
            Self::Rows => "rows-out-of-range",
            Self::Dimensions { .. } => "dimensions-out-of-range",
            Self::BoundsNeeded => "bounds-needed",
            Self::BoundsOfScan => "bounds-of-scan",
            Self::BoundsText(error) => error.code(),
            Self::BoundsWithoutPrice => "bounds-without-price",
            Self::BoundsPrice { .. } => "bounds-price",
            Self::NothingLeft { .. } => "nothing-left",
            Self::UnknownMethod { .. } => "unknown-method",
            Self::UnknownKnob { .. } => "unknown-option",
            Self::NoCells { .. } => "no-cells",
            Self::CannotChooseK { .. } => "cannot-choose-k",
            Self::NotATable { .. } => "not-a-table",
            Self::TooLittleMemory { .. } => "too-little-memory",
            Self::Threads { .. } => "threads",
            Self::NotForLedgers => "not-for-ledgers",
            Self::SeededWithLedger => "seed-with-ledger",
            Self::OtherReports { .. } => "other-reports",
            Self::ReportsOfOtherRows { .. } => "reports-of-other-rows",
            Self::Unsound { .. } => "unsound-mechanism",
            Self::Write { .. } => "cannot-write",
            Self::WriteReports { .. } => "cannot-write-reports",
            Self::Stopped => "stopped",
            Self::Read { .. } => "cannot-read",
            Self::NothingReleased { .. } => "nothing-released",
            Self::Codes { .. } => "codes-of-a-consortium",
            Self::NoFiles => "no-files",
            Self::NamedTwice { .. } => "file-named-twice",
            Self::OnlyForReports { .. } => "only-for-reports",
            Self::NoDensity { .. } => "no-density",
            Self::ChoosingKNeedsDensity => "choosing-k-needs-density",
            Self::ChoosingKNeedsNoiseAware { .. } => "choosing-k-needs-noise-aware",
            Self::MostWithoutAuto => "most-clusters-without-auto",
            Self::MostTwice { .. } => "most-clusters-twice",
            Self::TooFewReports { .. } => "too-few-reports",
            Self::LimitOfNothing { .. } => "limit-without-guarantee",
            Self::GapsWithoutNames => "gaps-without-names",
            Self::BridgeAcrossColumns { .. } => "bridge-across-columns",
            Self::CodedColumnInClear { .. } => "coded-column-in-clear",
            Self::NoFlips => "no-flips",
            Self::NothingUnsound => "nothing-unsound",
            Self::LimitNeeded { .. } => "limit-needed",
            Self::OverLimit { over, .. } => over.code(),
            Self::WriteCodes { .. } => "cannot-write-codes",
            Self::Terms(error) => error.code(),
            Self::Encode(error) => error.code(),
            Self::Data(error) => error.code(),
            Self::Bounds(error) => error.code(),
            Self::Fit(error) => error.code(),
            Self::Scan(error) => error.code(),
            Self::Ledger(error) => error.code(),
            Self::Charge(error) => error.code(),
            Self::Composition(error) => error.code(),
            Self::Noise(error) => error.code(),
            Self::Model(error) => error.code(),
            Self::Synopsis(error) => error.code(),
            Self::Reports(error) => error.code(),
            Self::Design(error) => error.code(),
            Self::Perturb(error) => error.code(),
            Self::Score(error) => error.code(),
        }
    }
}

fn kind_words(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Reports => "reports, which are perturbed already",
        FileKind::Codes => "codes of a consortium",
        FileKind::Synopsis => "released cells",
        _ => "something else",
    }
}

impl Error {
    /// True when the request itself makes no sense, whatever the data: wrong parameters, unknown names. Otherwise the
    /// data, a file or a budget stands in the way.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::K { .. }
            | Self::Epsilon { .. }
            | Self::Delta { .. }
            | Self::Rows
            | Self::Dimensions { .. }
            | Self::BoundsNeeded
            | Self::BoundsOfScan
            | Self::BoundsText(_)
            | Self::BoundsWithoutPrice
            | Self::BoundsPrice { .. }
            | Self::NothingLeft { .. }
            | Self::UnknownMethod { .. }
            | Self::UnknownKnob { .. }
            | Self::NoCells { .. }
            | Self::CannotChooseK { .. }
            | Self::NoFiles
            | Self::NamedTwice { .. }
            | Self::OnlyForReports { .. }
            | Self::NoDensity { .. }
            | Self::ChoosingKNeedsDensity
            | Self::ChoosingKNeedsNoiseAware { .. }
            | Self::MostWithoutAuto
            | Self::MostTwice { .. }
            | Self::LimitOfNothing { .. }
            | Self::GapsWithoutNames
            | Self::BridgeAcrossColumns { .. }
            | Self::CodedColumnInClear { .. }
            | Self::NothingUnsound
            | Self::LimitNeeded { .. }
            | Self::SeededWithLedger => true,
            Self::Fit(error) => {
                matches!(error, FitError::Parameter { .. } | FitError::Share { .. } | FitError::TooManyCentres { .. })
            }
            Self::Design(error) => matches!(error, DesignError::Parameter { .. }),
            _ => false,
        }
    }
}
