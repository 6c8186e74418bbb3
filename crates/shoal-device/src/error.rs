//! Why a design, a value or a limit was refused.

use shoal_lattice::BoundsError;
use shoal_lattice::names::listed;
use shoal_noise::NoiseError;
use shoal_privacy::Epsilon;

use crate::wire::WireError;

/// Why a design was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DesignError {
    /// A parameter outside its range.
    #[error("{what} is {given}; {advice}")]
    Parameter {
        /// What it is.
        what: &'static str,
        /// Its value.
        given: String,
        /// What to give instead.
        advice: String,
    },
    /// A mechanism without any guarantee, which the caller did not ask for as such.
    #[error("{reason}")]
    Unsound {
        /// Why, and what to use instead.
        reason: String,
    },
    /// The noise cannot be drawn.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// No columns.
    #[error("the design has no columns; give at least one, with its bounds")]
    NoColumns,
    /// Two columns of one name.
    #[error("two columns are called `{name}`; rename one of them, so that every value has a place of its own")]
    DuplicateColumn {
        /// The name.
        name: String,
    },
    /// A name with control characters, which may not reach a terminal.
    #[error(
        "{what} is {text:?}, with control characters or marks of writing direction in it; leave them out, line breaks included"
    )]
    ControlCharacters {
        /// What is called so.
        what: &'static str,
        /// The name.
        text: String,
    },
    /// Bounds that are no intervals.
    #[error(transparent)]
    Bounds(#[from] BoundsError),
    /// A text that is not a design of this version.
    #[error("this is not a design that can be read: {why}. Ask the collector for the design as it was published")]
    Json {
        /// What does not fit.
        why: String,
    },
    /// A design of another version.
    #[error(
        "the design has version {found}, and this program reads version {known}; update the program, or ask the \
         collector for a design of version {known}"
    )]
    Version {
        /// The version of the design.
        found: u64,
        /// The version that can be read.
        known: u64,
    },
    /// The digest written in a design is not the digest of its content.
    #[error(
        "the design has the digest {computed}, and {written} is written in it: it was changed after it was published. \
         Ask the collector for the original"
    )]
    Digest {
        /// As written.
        written: String,
        /// As computed.
        computed: String,
    },
    /// Columns of words, for a program that handles numbers only.
    #[error(
        "the design has columns of words ({}), and {reader} handles numbers only. Leave the categories out of the design, or \
         use the Rust library or the command line (`shoal perturb`, `shoal cluster`) for it", listed(.columns)
    )]
    WordsNotHandled {
        /// The columns of words.
        columns: Vec<String>,
        /// Who would have used the design.
        reader: &'static str,
    },
}

impl DesignError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Parameter { .. } => "parameter",
            Self::Unsound { .. } => "unsound-mechanism",
            Self::Noise(_) => "noise",
            Self::NoColumns => "no-columns",
            Self::DuplicateColumn { .. } => "duplicate-column",
            Self::ControlCharacters { .. } => "control-characters",
            Self::Bounds(_) => "bounds",
            Self::Json { .. } => "design-unreadable",
            Self::Version { .. } => "design-version",
            Self::Digest { .. } => "design-digest",
            Self::WordsNotHandled { .. } => "design-words",
        }
    }
}

/// Why a device does not report. No variant repeats a value of the record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The design itself.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// The operating system gives no randomness.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// More or fewer values than columns.
    #[error(
        "{given} values for {} columns ({}); give one value for each column, in this order", .columns.len(),
        listed(.columns)
    )]
    Length {
        /// The columns of the design.
        columns: Vec<String>,
        /// Number of values.
        given: usize,
    },
    /// More or fewer words than columns of words.
    #[error(
        "{given} words for {} columns of words ({}); give the word of each of them, in this order, or none where there is \
         none. Nothing was reported", .columns.len(), listed(.columns)
    )]
    Words {
        /// The columns of words of the design.
        columns: Vec<String>,
        /// Number of words.
        given: usize,
    },
    /// A value that is not a number.
    #[error(
        "the value of column `{column}` is not a number (NaN); nothing was reported. A record needs all its values"
    )]
    NotANumber {
        /// The column.
        column: String,
    },
    /// An infinite value.
    #[error(
        "the value of column `{column}` is infinite; nothing was reported. Give a finite number: those outside the \
         bounds are moved to the nearest bound"
    )]
    Infinite {
        /// The column.
        column: String,
    },
    /// The design may reveal more than the person allows.
    #[error(
        "this design may reveal ε = {design} {}, and your limit is {limit}; nothing was reported. Ask the collector \
         for a smaller ε, or raise your limit", .over.words()
    )]
    OverLimit {
        /// Over which records.
        over: Over,
        /// The ε of the design.
        design: Box<Epsilon>,
        /// The ε allowed.
        limit: Box<Epsilon>,
    },
    /// The design guarantees nothing, so it exceeds every limit.
    #[error(
        "this design uses {mechanism}, whose reports protect nobody, so no limit can hold; nothing was reported. Ask \
         the collector for bpm or nd-laplace instead"
    )]
    NoGuarantee {
        /// The mechanism.
        mechanism: &'static str,
    },
    /// The noise of the design is drawn through doubles, and the limit allows exact noise only.
    #[error(
        "this design draws its noise in floating point, so its guarantee holds for ideal real numbers only, and your \
         limit demands exact noise; nothing was reported. Ask the collector for the exact sampler"
    )]
    NotExact,
    /// Another design than the expected one.
    #[error(
        "the design has the digest {found}, and {expected} was expected: it is another design than the one agreed on. \
         Nothing was reported or shown; get the design again from a source you trust"
    )]
    OtherDesign {
        /// The digest expected.
        expected: String,
        /// The digest of the design.
        found: String,
    },
    /// The same collection has another design than when it was answered before.
    #[error(
        "the collection `{collection}` had the design {expected} when you answered it, and now has {found}; nothing was \
         reported. A collector who changes the design needs a new identifier and your consent"
    )]
    DesignChanged {
        /// The collection.
        collection: String,
        /// The digest of the design that was answered.
        expected: String,
        /// The digest of the design now.
        found: String,
    },
    /// The collection was answered as often as it may be.
    #[error(
        "the collection `{collection}` has {reports} {} from this device already; nothing was reported. Send the same \
         report again if it may not have arrived, or allow more reports", if *.reports == 1 { "report" } else { "reports" }
    )]
    AlreadyAnswered {
        /// The collection.
        collection: String,
        /// Reports made so far.
        reports: u32,
    },
    /// All reports together would reveal more than the person allows.
    #[error(
        "your reports so far may reveal ε = {spent} about which of any two records you have, this one {design} more, and \
         your total is {total}; nothing was reported. Raise your total, or leave this collection out"
    )]
    OverTotal {
        /// Spent before.
        spent: Box<Epsilon>,
        /// What this report costs.
        design: Box<Epsilon>,
        /// The most allowed.
        total: Box<Epsilon>,
    },
    /// The stored ledger cannot be read.
    #[error(
        "the record of what this device has sent cannot be read: {why}. Nothing was reported; restore it, because without it \
         earlier reports would be forgotten"
    )]
    LedgerUnreadable {
        /// What does not fit.
        why: String,
    },
    /// The report does not fit the wire format.
    #[error(transparent)]
    Wire(#[from] WireError),
}

/// Over which records a limit holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Over {
    /// For each unit of distance, where the range of every column counts as one.
    UnitOfDistance,
    /// Between any two records.
    AnyTwoRecords,
}

impl Over {
    fn words(self) -> &'static str {
        match self {
            Self::UnitOfDistance => "per unit of distance",
            Self::AnyTwoRecords => "about which of any two records you have",
        }
    }
}

impl DeviceError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Design(error) => error.code(),
            Self::Noise(_) => "noise",
            Self::Length { .. } => "wrong-length",
            Self::Words { .. } => "wrong-words",
            Self::NotANumber { .. } => "not-a-number",
            Self::Infinite { .. } => "infinite",
            Self::OverLimit { .. } => "over-limit",
            Self::NoGuarantee { .. } => "no-guarantee",
            Self::NotExact => "not-exact",
            Self::OtherDesign { .. } => "other-design",
            Self::DesignChanged { .. } => "design-changed",
            Self::AlreadyAnswered { .. } => "already-answered",
            Self::OverTotal { .. } => "over-total",
            Self::LedgerUnreadable { .. } => "device-ledger-unreadable",
            Self::Wire(error) => error.code(),
        }
    }
}
