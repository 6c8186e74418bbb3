//! Why a job of a consortium was refused.

mod bytes;
mod code;

use std::path::PathBuf;

use shoal_consortium::codes_file::CodesFileError;
use shoal_consortium::{AgreementFileError, Limit, OverLimit, Partition, Promise, TermsError};
use shoal_kernel::{DbscanError, HierarchicalError, KClusterError};
use shoal_privacy::{CompositionError, Epsilon, Parameter};

use super::FileRows;
use crate::Error;
use crate::model::ModelError;

pub use bytes::Bytes;

const ACCEPT_UNSOUND: Parameter = Parameter::ACCEPT_UNSOUND;
const CONSISTENCY: Parameter = Parameter::new("consistency");
const HEIGHT: Parameter = Parameter::new("height");
const ID: Parameter = Parameter::new("id");
const MAX_EPSILON: Parameter = Parameter::new("max-epsilon");
const METRIC: Parameter = Parameter::new("metric");
const OWN: Parameter = Parameter::new("own");
const RADIUS: Parameter = Parameter::new("radius");
const RANGE: Parameter = Parameter::new("range");
const WINDOW: Parameter = Parameter::new("window");

/// What else helps when the distances of all pairs do not fit into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Instead {
    /// Only some pairs.
    SomePairs,
    /// The sum of distances, which needs no table.
    HammingSum,
    /// Fewer records.
    FewerRecords,
}

/// Why a job of a consortium was refused. No message repeats a value of a record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConsortiumError {
    // Split trust.
    /// A job of split trust was refused or ended.
    #[error(transparent)]
    Split(#[from] super::SplitError),
    // Agreements and prices.
    /// No ε of a bit.
    #[error("the ε of each bit is needed: give {0}, for example {0} 0.1", Parameter::EPSILON)]
    EpsilonNeeded,
    /// An ε for bits that are not flipped.
    #[error("{} is for bits that are flipped; leave it out, or flip them", Parameter::EPSILON)]
    FlipsOrNone,
    /// An agreement without a guarantee that nobody accepted.
    #[error(
        "codes whose bits are not flipped (BV) guarantee nothing: give {}, the ε of each bit, or say {ACCEPT_UNSOUND} as \
         well, for research",
        Parameter::EPSILON
    )]
    UnsoundAgreement,
    /// Bounds without names of columns.
    #[error(
        "these bounds name no columns: give {} NAME,… as well, or bounds column by column, for example {} \
         age=17:90,hours=1:99",
        Parameter::COLUMNS,
        Parameter::BOUNDS
    )]
    ColumnsNeeded,
    /// A name that no column can have.
    #[error("{name:?} is no name of a column; name each as in the tables")]
    ColumnName {
        /// As given.
        name: String,
    },
    /// A window that is no share of a range.
    #[error(
        "{WINDOW} {given} is no share of a range; give a number above 0, for example 0.5, whose windows cover the range"
    )]
    Window {
        /// As given.
        given: f64,
    },
    /// A window for a column that is not agreed on.
    #[error("a window is given for {name}, which is none of the columns ({known})")]
    WindowOfUnknownColumn {
        /// As given.
        name: String,
        /// The columns.
        known: String,
    },
    /// One range for attributes that need names.
    #[error(
        "{0} names each attribute here ({0} age=17:90,hours=1:99); for one range of many give {RANGE} LO:HI and the \
         number of attributes, {1}",
        Parameter::BOUNDS,
        Parameter::new("attributes")
    )]
    EachNamed,
    /// Bounds where one range is asked for.
    #[error("{RANGE} is one range for all, LO:HI; for one of each attribute give {}", Parameter::BOUNDS)]
    OneRange,
    /// Something that an agreement has settled.
    #[error("an agreement settles {}; leave it out", Parameter::new(option))]
    AgreedAlready {
        /// What was given.
        option: &'static str,
    },
    /// The price of codes without flips.
    #[error("no bit is flipped by this agreement (BV): there is no guarantee to price")]
    NothingToPrice,
    /// A total below every code.
    #[error("no code fits a total of {total}; give more, or fewer attributes or records")]
    NothingAffordable {
        /// The total.
        total: String,
    },
    /// Terms that cannot be agreed on.
    #[error(transparent)]
    Terms(TermsError),
    /// The agreement was refused.
    #[error(transparent)]
    Agreement(#[from] AgreementFileError),

    // Custodians.
    /// A limit for codes that guarantee nothing.
    #[error(
        "{MAX_EPSILON} is a limit, and codes made with {} promise nothing, so they cannot keep it; leave one of both out",
        Parameter::new(option)
    )]
    LimitOfNothing {
        /// What takes every guarantee away.
        option: &'static str,
    },
    /// Rows are left out, and nothing names the others.
    #[error(
        "leaving rows out would send the codes and labels of rows after them to the wrong people: name the rows with {ID} \
         COLUMN as well, or fill the gaps before"
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
    #[error("{ID} {column} would send a coded column in the clear; name a column that is not coded")]
    CodedColumnInClear {
        /// The column.
        column: String,
    },
    /// Codes whose bits are not flipped.
    #[error(
        "this agreement flips no bits (BV), so its codes promise nothing: agree on an ε per bit, or say {ACCEPT_UNSOUND}, \
         for research"
    )]
    NoFlips,
    /// Nothing unsound to accept.
    #[error(
        "this agreement flips its bits, so there is nothing unsound to accept: leave {ACCEPT_UNSOUND} out and state your \
         limit with {MAX_EPSILON}"
    )]
    NothingUnsound,
    /// A custodian without a limit.
    #[error("state your own limit: the most that a row's code may give away. {}", promise.guarantee.sentence())]
    LimitNeeded {
        /// What the agreement's codes guarantee.
        promise: Box<Promise>,
    },
    /// Codes that give away more than the custodian allows.
    #[error("{over}")]
    OverLimit {
        /// What the codes guarantee.
        promise: Box<Promise>,
        /// What the custodian allows.
        limit: Box<Limit>,
        /// Records or pairs.
        partition: Partition,
        /// The comparison.
        over: Box<OverLimit>,
        /// The ε at [`DEFAULT_DELTA`](super::DEFAULT_DELTA), where the limit has no δ and would be met with that one.
        with_delta: Option<Epsilon>,
    },
    /// Codes cannot be written.
    #[error("the codes cannot be written ({source})")]
    WriteCodes {
        /// Why.
        #[source]
        source: std::io::Error,
    },

    // Aggregators.
    /// Standard input among files.
    #[error("standard input (-) cannot be joined with files; give it alone")]
    StdinAmongFiles,
    /// A file that is named twice.
    #[error("{} is named twice, and its codes would count twice; name it once", path.display())]
    NamedTwice {
        /// The file.
        path: PathBuf,
    },
    /// A file of codes was refused.
    #[error(transparent)]
    Codes(CodesFileError),
    /// Chains of records where there are codes of pairs, or an own table.
    #[error("{CONSISTENCY} is for codes of records, and not with {OWN} or codes of pairs; leave it out")]
    ConsistencyNeedsRecords,
    /// Codes with names beside a table without.
    #[error(
        "the codes have names, so their rows need not be in the order of yours: say which of your columns has the names \
         with {ID} COLUMN"
    )]
    NamesNeeded,
    /// The aggregator's own table was refused.
    #[error(transparent)]
    OwnTable(Box<Error>),
    /// A table of other people.
    #[error("your table has {given} rows and the codes are of {records} records; both must be of the same people")]
    OtherPeople {
        /// Rows of the table.
        given: usize,
        /// Records of the codes.
        records: usize,
    },
    /// Names for codes of pairs.
    #[error("codes of pairs have no names; leave {ID} out, rows are matched by their order")]
    PairsWithoutNames,
    /// A name twice in the own table.
    #[error("two of your rows have the same name in the column of {ID}; each must have its own")]
    SameName,
    /// No names in the codes.
    #[error("the codes have no names to match; encode them with {ID}, or leave it out here")]
    CodesWithoutNames,
    /// A name that only the codes have.
    #[error("row {row} of {file} has a name that none of your rows has, or has twice; both must be of the same people")]
    NameNotFound {
        /// The file of codes.
        file: String,
        /// Its row, from 1.
        row: usize,
    },
    /// More pairs than memory.
    #[error(
        "the distances of all pairs of {records} records and their codes take {} of memory, and {} are allowed: give {} \
         {}M, or {}",
        Bytes(*needed),
        Bytes(*allowed),
        Parameter::MEMORY,
        needed.div_ceil(1 << 20),
        words(*instead)
    )]
    TooManyPairs {
        /// Records.
        records: usize,
        /// Bytes that would do.
        needed: u64,
        /// Bytes that may be used.
        allowed: u64,
        /// What else helps.
        instead: Instead,
    },
    /// Sums of distances that are not all coded.
    #[error("sums of distances need codes of all attributes; with {OWN} or codes of pairs, use eq19")]
    SumsNeedAllCodes,
    /// No excess can be taken off distances that go through other records.
    #[error(
        "eq19-unbiased is for distances as codes alone give them: with {0} it is not known what noise adds; use eq19, or leave {0} out",
        Parameter::new("consistency")
    )]
    UnbiasedThroughOthers,
    /// The distance of a single attribute, asked of several.
    #[error("eq11 is for one attribute, and these codes have {dims}; use eq19 or hamming-sum")]
    OneAttributeNeeded {
        /// Attributes of the codes.
        dims: usize,
    },
    /// A row that belongs to nobody.
    #[error("there is no record in row {row}; rows count from 1 over all files: {}", listed(files))]
    NoSuchRecord {
        /// As given.
        row: usize,
        /// The rows there are.
        files: Vec<FileRows>,
    },
    /// A row beside itself.
    #[error("the distance of row {row} to itself is not asked of codes; name two rows")]
    DistanceToItself {
        /// The row.
        row: usize,
    },
    /// No number of clusters.
    #[error("the number of clusters is needed: give {0}, for example {0} 5", Parameter::K)]
    KNeeded,
    /// No place to cut a tree.
    #[error("where to cut the tree is needed: give {}, or {HEIGHT}, a distance", Parameter::K)]
    CutNeeded,
    /// Two places to cut a tree.
    #[error("{} and {HEIGHT} both cut the tree; give one of them", Parameter::K)]
    TwoCuts,
    /// A number of clusters for a method that finds it.
    #[error("dbscan finds the number of clusters itself; leave {} out", Parameter::K)]
    KNotWanted,
    /// No radius.
    #[error("dbscan needs {RADIUS}, a distance; decode some distances first to see how large they are")]
    RadiusNeeded,
    /// A record's own code counts only where distances are of codes alone.
    #[error(
        "{} as-printed is for distances as codes alone give them; leave {} out",
        Parameter::new("own-record"),
        Parameter::new(beside)
    )]
    OwnRecordAsPrinted {
        /// What changes the distances.
        beside: &'static str,
    },
    /// More clusters than records.
    #[error("{k} clusters cannot be made of {records} records; ask for fewer")]
    TooFewRecords {
        /// Clusters.
        k: usize,
        /// Records.
        records: usize,
    },
    // Merging.
    /// Fewer than two releases.
    #[error("merging takes the releases of two custodians or more; give the model or the synopsis of each")]
    TooFewReleases,
    /// A release that is named twice.
    #[error("{} is named twice, and its rows would count twice; name it once", path.display())]
    ReleaseNamedTwice {
        /// The file.
        path: PathBuf,
    },
    /// Standard input more than once.
    #[error("standard input (-) can be read once; give the other releases as files")]
    OneStdin,
    /// A file that is neither a model nor a synopsis.
    #[error("{name} has {why}, so there is nothing to merge in it; give the model or the synopsis that a fit wrote")]
    NothingToMerge {
        /// The file.
        name: String,
        /// What it has instead.
        why: &'static str,
    },
    /// A model was refused.
    #[error("{name}: {source}")]
    ModelToMerge {
        /// The file.
        name: String,
        /// Why.
        #[source]
        source: ModelError,
    },
    /// Models among synopses.
    #[error(
        "{model} is a model and {synopsis} a synopsis, and what they say cannot be weighed against each other; give \
         models of all custodians, or synopses of all"
    )]
    ModelsAndSynopses {
        /// A model.
        model: String,
        /// A synopsis.
        synopsis: String,
    },
    /// A model that was found in reports.
    #[error(
        "{name} was found in reports of a crowd, whose senders trusted nobody; cluster all reports together instead, and \
         merge only models of tables"
    )]
    ModelOfACrowd {
        /// The model.
        name: String,
    },
    /// A model that is merged already.
    #[error("{name} was merged from releases of several custodians; merge the releases of all custodians in one go")]
    MergedAlready {
        /// The model.
        name: String,
    },
    /// One release in two files.
    #[error(
        "{first} and {second} hold the same release, whose rows would count twice; leave one of them out, or ask the \
         custodian for the right file"
    )]
    ReleasedTwice {
        /// One file.
        first: String,
        /// The other.
        second: String,
    },
    /// Releases of different columns.
    #[error(
        "{first} has the columns {of_first}, and {second} has {of_second}; fit again with the same columns in the same \
         order everywhere"
    )]
    ColumnsDiffer {
        /// One release.
        first: String,
        /// The other.
        second: String,
        /// Columns of the first.
        of_first: String,
        /// Columns of the second.
        of_second: String,
    },
    /// Releases with different bounds.
    #[error(
        "the bounds of {column} are {of_first} in {first} and {of_second} in {second}, so their noise and their cells \
         cannot be compared; agree on public bounds, for example in a file, and fit again with them"
    )]
    BoundsDiffer {
        /// One release.
        first: String,
        /// The other.
        second: String,
        /// The column.
        column: String,
        /// Bounds in the first.
        of_first: String,
        /// Bounds in the second.
        of_second: String,
    },
    /// Releases with different scales, weights or categories.
    #[error(
        "{first} and {second} differ in the scales, the weights or the categories of their columns, so their distances \
         cannot be compared; agree on them and fit again with the same everywhere"
    )]
    ScalesDiffer {
        /// One release.
        first: String,
        /// The other.
        second: String,
    },
    /// Releases that promise different things.
    #[error(
        "{first} and {second} promise different things, which do not add up ({source}); fit again so that all custodians \
         protect the same: rows or persons, with or without a public number of rows"
    )]
    PromisesDiffer {
        /// One release.
        first: String,
        /// The other.
        second: String,
        /// Why they do not compose.
        #[source]
        source: CompositionError,
    },
    /// The number of clusters cannot be chosen from models.
    #[error(
        "the number of clusters cannot be chosen from models, which show centres and no rows between them; give {0}, for \
         example {0} 5, or merge synopses",
        Parameter::K
    )]
    KOfModels,
    /// More clusters than centres or cells.
    #[error("{k} clusters cannot be made of {there} released {what}; ask for {there} at most")]
    TooFewToMerge {
        /// Centres or cells of all releases.
        there: usize,
        /// Clusters.
        k: usize,
        /// Centres or cells.
        what: &'static str,
    },
    /// A number of custodians that makes no sense.
    #[error("{given} custodians are none to plan for; give a number from 2 to {most}")]
    Custodians {
        /// As given.
        given: u64,
        /// The most that is planned for.
        most: u64,
    },
    /// Fewer rows than custodians.
    #[error("{rows} rows cannot be held by {custodians} custodians; give more rows or fewer custodians")]
    FewerRowsThanCustodians {
        /// Rows of all custodians.
        rows: u64,
        /// Custodians.
        custodians: u64,
    },

    /// kcluster refused.
    #[error(transparent)]
    KCluster(KClusterError),
    /// dbscan refused.
    #[error(transparent)]
    Dbscan(DbscanError),
    /// The tree was refused.
    #[error(transparent)]
    Hierarchical(HierarchicalError),
}

fn words(instead: Instead) -> String {
    match instead {
        Instead::SomePairs => format!("ask for some of them with {}", Parameter::PAIRS),
        Instead::HammingSum => format!("cluster with {METRIC} hamming-sum, which keeps no such table"),
        Instead::FewerRecords => "give fewer records".into(),
    }
}

fn listed(files: &[FileRows]) -> String {
    files.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
