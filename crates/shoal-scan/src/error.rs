//! Why a query was not answered. No message depends on the contents of a record.

use shoal_files::DataError;

/// Why a scan could not be finished.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScanError {
    /// The table could not be read (again).
    #[error(transparent)]
    Data(#[from] DataError),
    /// The query is about other attributes than the table has.
    #[error("the query is about {asked} attributes, but the table has {has}")]
    Dimensions {
        /// Attributes in the query.
        asked: usize,
        /// Attributes in the table.
        has: usize,
    },
    /// The query has clipping bounds for other centres than it asks about.
    #[error("the query is about {centres} centres, but has clipping bounds for {reaches}")]
    Reaches {
        /// Centres in the query.
        centres: usize,
        /// Centres that the clipping bounds are for.
        reaches: usize,
    },
    /// The query makes no sense for any table.
    #[error("no table can answer the query for {question}: {why}")]
    Senseless {
        /// The kind of query.
        question: &'static str,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The query is of a kind that this scan cannot answer.
    #[error("this scan does not answer a query for {question}: {why}")]
    Unanswerable {
        /// The kind of query.
        question: &'static str,
        /// Why it cannot.
        why: &'static str,
    },
    /// Rows would have to move to where the others of their block are, and this engine does not move rows.
    #[error(
        "a query for {question} needs all rows of a block in one place, and this engine keeps rows where they are; \
         nothing was spent on it. Use a method that does not cluster blocks of rows, or run this one where all rows are"
    )]
    RowsStay {
        /// The kind of query.
        question: &'static str,
    },
    /// An engine answered something else than it was asked.
    #[error("the answer to a query for {question} has the wrong kind or length; the engine that gave it is at fault")]
    WrongAnswer {
        /// The kind of query.
        question: &'static str,
    },
    /// Columns of raw values that do not make a table.
    #[error("column {column} has another number of values than the first, or one that is not a finite number")]
    Columns {
        /// Which column, from zero.
        column: usize,
    },
    /// A worker's answer did not come or cannot be used.
    #[error(
        "worker {worker} gave no usable answer: {source}. No answer was opened and nothing more was spent. Bring the \
         worker back, or give its rows to another one, and ask again: asking twice costs nothing"
    )]
    Engine {
        /// The worker's name.
        worker: String,
        /// What went wrong.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Rows that an engine reads where they are could not be read.
    #[error("{why}")]
    Unread {
        /// What is wrong with them, and what to do.
        why: String,
    },
    /// The rows of an engine changed between two queries.
    #[error(
        "the table changed while it was being read: {what}. Partial results mean nothing then, so the work stops here. Fit a \
         copy that nobody writes to"
    )]
    Changed {
        /// What was noticed. Says nothing about the contents of a record.
        what: String,
    },
    /// Bytes that do not hold what they should.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// Partial answers that do not belong together.
    #[error(transparent)]
    Merge(#[from] MergeError),
}

impl ScanError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Data(error) => error.code(),
            Self::Dimensions { .. } => "query-dimensions",
            Self::Reaches { .. } => "query-clipping-bounds",
            Self::Senseless { .. } => "senseless-query",
            Self::Unanswerable { .. } => "unanswerable-query",
            Self::RowsStay { .. } => "rows-stay",
            Self::WrongAnswer { .. } => "wrong-answer",
            Self::Columns { .. } => "raw-columns",
            Self::Engine { .. } => "lost-worker",
            Self::Unread { .. } => "rows-unread",
            Self::Changed { .. } => "rows-changed",
            Self::Wire(error) => error.code(),
            Self::Merge(error) => error.code(),
        }
    }
}

/// Why bytes are not a question or not a partial answer to it, or why there are no bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// Something else.
    #[error("these bytes are not {what}")]
    Foreign {
        /// What they should be.
        what: &'static str,
    },
    /// Written by another version.
    #[error(
        "{what} is in version {found} of its format, and this program reads version {known}; use the same version everywhere"
    )]
    Version {
        /// What it is.
        what: &'static str,
        /// The version found.
        found: u16,
        /// The version known here.
        known: u16,
    },
    /// Too short or too long.
    #[error("{what} should take {expected} bytes, but takes {found}; it was cut off or belongs to another query")]
    Length {
        /// What it is.
        what: &'static str,
        /// Bytes that it should take.
        expected: u64,
        /// Bytes that there are.
        found: u64,
    },
    /// Changed on the way.
    #[error("{what} was damaged on the way; send it again")]
    Damaged {
        /// What it is.
        what: &'static str,
    },
    /// Readable, but wrong.
    #[error("the question cannot be used: {why}")]
    Question {
        /// What is wrong.
        why: String,
    },
    /// The answer would need more memory than allowed.
    #[error("the answer to the question would take {bytes} bytes, more than the {limit} allowed here")]
    TooLarge {
        /// Bytes of the answer.
        bytes: u64,
        /// Most bytes allowed.
        limit: u64,
    },
    /// A partial answer to another question, perhaps an earlier one.
    #[error("the partial answer belongs to another question; answer the one that was asked last")]
    OtherQuestion,
    /// The partial answer holds rows, which do not travel unless someone decided so.
    #[error("a partial answer for blocks holds rows, and rows do not leave a machine unless the engine allows it")]
    HoldsRows,
}

impl WireError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Foreign { .. } => "wire-foreign",
            Self::Version { .. } => "wire-version",
            Self::Length { .. } => "wire-length",
            Self::Damaged { .. } => "wire-damaged",
            Self::Question { .. } => "wire-question",
            Self::TooLarge { .. } => "answer-too-large",
            Self::OtherQuestion => "wire-other-question",
            Self::HoldsRows => "wire-holds-rows",
        }
    }
}

/// Why partial answers cannot be put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// They answer different questions.
    #[error("it answers another question")]
    OtherQuestion,
    /// Two of them hold the same row.
    #[error(
        "it claims rows that another answer has as well; give each shard the place of its first row in the whole table"
    )]
    Overlap,
    /// The sum does not fit: no real table is that large.
    #[error("its numbers are larger than any table's")]
    Overflow,
    /// No answer came.
    #[error("it did not answer")]
    NoAnswer,
    /// Two answers of one worker differ: its rows changed in between, or it counts wrongly.
    #[error("it answered twice, and differently; its rows must not change during a run")]
    Disagrees,
    /// Two workers have the same name.
    #[error("two workers have this name, so their answers cannot be distinguished; give each a name of its own")]
    NamedTwice,
    /// Nobody asked it.
    #[error("it is not one of the workers that were asked")]
    Unknown,
}

impl MergeError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::OtherQuestion => "merge-other-question",
            Self::Overlap => "merge-overlap",
            Self::Overflow => "merge-overflow",
            Self::NoAnswer => "merge-no-answer",
            Self::Disagrees => "merge-disagrees",
            Self::NamedTwice => "worker-named-twice",
            Self::Unknown => "unknown-worker",
        }
    }
}
