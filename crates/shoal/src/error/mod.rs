//! Why a job was refused or failed. Jobs of a consortium have their own reasons, `crate::consortium::ConsortiumError`.

mod cluster;
mod code;
mod usage;
mod words;

use std::path::PathBuf;

use shoal_consortium::TermsError;
use shoal_consortium::aggregator::AggregatorError;
use shoal_consortium::custodian::EncodeError;
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

pub use cluster::ClusterError;
use words::{how_to_buy, kind_words, share};

use crate::consortium::ConsortiumError;
use crate::model::{ModelError, OtherColumns};

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
    /// A guess about the data that makes no sense.
    #[error("{} is {}; give a share {wanted}, for example 5%", Parameter::new(what), share(*given))]
    Guess {
        /// What was guessed.
        what: &'static str,
        /// What was given.
        given: f64,
        /// What would do.
        wanted: &'static str,
    },
    /// An accuracy that cannot be understood or makes no sense.
    #[error("target `{text}`: {why}")]
    Target {
        /// The part of it that is wrong.
        text: String,
        /// Why, and what would do.
        why: String,
    },
    /// A target in the units of a column whose range is not known.
    #[error(
        "target for {column}: its range is needed for its units; add {} {column}=LO:HI, or give a share such as 2%",
        Parameter::BOUNDS
    )]
    TargetNeedsBounds {
        /// The column.
        column: String,
    },
    /// Bounds of more columns than are planned for.
    #[error(
        "there are bounds of {bounds} columns and {} is {columns}; give the number of columns that are clustered",
        Parameter::new("dims")
    )]
    MoreBoundsThanColumns {
        /// Columns with bounds.
        bounds: usize,
        /// Columns that are planned for.
        columns: usize,
    },
    /// There are no bounds.
    #[error(
        "public bounds are needed: limits of each column, chosen without looking at the data (limits taken from the \
         data would reveal its extremes); where none are known, buy some with a part of ε"
    )]
    BoundsNeeded,
    /// Bounds that do not name the columns, where there is no table to name them.
    #[error("the bounds do not name the columns; give each of them by name, such as age=17:90,hours=1:99")]
    BoundsWithoutNames,
    /// Bounds are to be bought for rows that are on a lattice already.
    #[error("the rows of a scan are on the lattice of their bounds already, so none can be bought; leave that out")]
    BoundsOfScan,
    /// Bounds are to be bought for rows of an engine.
    #[error(
        "a fit on an engine buys no bounds; estimate them first, as a release of its own, and give what was found with {}",
        Parameter::BOUNDS
    )]
    BoundsOfEngine,
    /// Rows of an engine are to be grouped by person.
    #[error(
        "rows of an engine cannot be grouped by {} yet: write a table with one row for each person first, and fit that",
        Parameter::PERSON
    )]
    PersonsOfEngine,
    /// A scale, a weight or a category for rows that are on a lattice already.
    #[error(
        "the rows of a scan are on the lattice of their bounds already; scales, weights and categories belong to these bounds"
    )]
    ScaleOfScan,
    /// A scale for columns whose bounds are bought.
    #[error(
        "a scale goes with bounds that are known: bounds that are bought may turn out to begin at or below 0, where there is no \
         logarithm, after they are paid for. Give public bounds with {}, or leave {} out",
        Parameter::BOUNDS,
        Parameter::new("scale")
    )]
    ScaleOfBoughtBounds,
    /// Categories together with bounds that are bought.
    #[error(
        "categories go with bounds that are known: bounds are bought for numbers, and here some columns are words. Give public \
         bounds with {}, or buy them in a run of their own first and give what it releases",
        Parameter::BOUNDS
    )]
    CategoriesWithBoughtBounds,
    /// Gaps are to be a level, and there is no category.
    #[error(
        "a gap can be a level of a category, and there is none; name the levels with {}, or give middle, drop or refuse for {}",
        Parameter::new("categories"),
        Parameter::new("missing")
    )]
    GapsWithoutCategories,
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
    /// A way to treat a person's rows that makes no sense.
    #[error(transparent)]
    PerPerson(#[from] shoal_files::PerPersonError),
    /// A way to treat a person's rows, and no person.
    #[error(
        "{} is about the rows of a person; name the column that says whose row it is with {}",
        Parameter::PER_PERSON,
        Parameter::PERSON
    )]
    PerPersonWithoutPerson,
    /// A method that does not know words, for reports that hold some.
    #[error("{method} knows numbers only, and these reports hold words; leave the method out, or give noise-aware")]
    WordsNeedNoiseAware {
        /// The method.
        method: &'static str,
    },
    /// Pooled centres, for reports that hold words.
    #[error("centres are not pooled where reports hold words; leave the estimate out, or give mode")]
    WordsArePooledNever,
    /// Several rows of each person, where each makes one report.
    #[error(
        "a person's device makes one report, and up-to:M takes several rows of a person; give {} mean, first:COLUMN or last:COLUMN",
        Parameter::PER_PERSON
    )]
    SeveralReportsOfAPerson,
    /// The number of rows is to be public where a person may have several.
    #[error(
        "the number of rows cannot be public where a person may have several of them: it would show how many someone has. Use one \
         row for each person ({} mean), or give about how many rows there are with {}",
        Parameter::PER_PERSON,
        Parameter::ROWS
    )]
    CountOfSeveralRows,
    /// A δ that cannot be shared by so many rows.
    #[error(
        "δ cannot be shared by {most} rows of a person for this ε: the guarantee would be void. Give a smaller ε, fewer rows for \
         each person, or δ = 0"
    )]
    DeltaOfSeveralRows {
        /// The most rows of a person.
        most: u64,
    },
    /// Persons of rows that are on a lattice already.
    #[error(
        "the rows of a scan are those of the engine, which has grouped them or not; leave {} out",
        Parameter::PERSON
    )]
    PersonsOfScan,
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
    /// Less memory than reading takes, however few rows there are.
    #[error(
        "reading that many columns piece by piece takes more than {0} allows, however few rows there are: give {0} {1}K or more",
        Parameter::MEMORY,
        least.div_ceil(1 << 10)
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
    #[error(
        "seeded noise gives no privacy, so no budget can pay for it: leave out {} or {}",
        Parameter::SEED,
        Parameter::new("ledger")
    )]
    SeededWithLedger,
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
    /// Labels cannot be written.
    #[error("the labels cannot be written ({source})")]
    WriteLabels {
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A file of labels whose name says nothing about its form.
    #[error(
        "labels are written as CSV or Parquet, by the ending of the file's name, and {} ends in neither; call it .csv or .parquet",
        path.display()
    )]
    LabelsEnding {
        /// The file.
        path: PathBuf,
    },
    /// Other names for a model's columns, too few or too many.
    #[error(
        "the model has {} columns and {} names {given}; give what this table calls them, in the model's order: {}",
        columns.len(), Parameter::COLUMNS, shoal_lattice::names::listed(columns)
    )]
    ColumnsOfModel {
        /// How many were given.
        given: usize,
        /// The model's columns.
        columns: Vec<String>,
    },
    /// A column that the model needs and the table lacks.
    #[error(
        "the model needs a column `{wanted}`, and the table has none.{} If the table calls it otherwise, give its names in the \
         model's order ({}) with {}",
        shoal_lattice::names::known_names(wanted, columns),
        shoal_lattice::names::listed(needed),
        Parameter::COLUMNS
    )]
    ModelColumn {
        /// The column.
        wanted: String,
        /// The table's columns.
        columns: Vec<String>,
        /// The model's columns.
        needed: Vec<String>,
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
    /// Reports or noisy cells cannot be clustered as asked.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// A job of a consortium was refused.
    #[error(transparent)]
    Consortium(#[from] ConsortiumError),
    /// The terms of an agreement were refused.
    #[error(transparent)]
    Terms(#[from] TermsError),
    /// Codes could not be decoded.
    #[error(transparent)]
    Aggregator(#[from] AggregatorError),
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
    /// Two models of different columns.
    #[error(transparent)]
    OtherColumns(#[from] OtherColumns),
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
