//! What can go wrong with an engine, in words that quote no record.

use datafusion::error::DataFusionError;
use shoal_scan::ScanError;

/// Why a table cannot be opened, or an engine cannot be set up. Nothing was spent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// A place that cannot be understood or reached.
    #[error("cannot read {place}: {why}")]
    Place {
        /// The path or address given.
        place: String,
        /// Why not.
        why: String,
    },
    /// No table in a place.
    #[error("there is no table in {place}: a table is one or more files that end in .parquet or .arrow")]
    Nothing {
        /// The path or address given.
        place: String,
    },
    /// Files of several kinds, or of one that engines do not read.
    #[error(
        "{place} holds {found}: an engine reads Parquet (.parquet) or Arrow (.arrow) files, all of one kind. Convert the \
         table, or fit it with `shoal`"
    )]
    Kind {
        /// The path or address given.
        place: String,
        /// What was found.
        found: String,
    },
    /// Files whose columns differ.
    #[error("the files of the table have different columns: {why}. Fit tables of one layout together")]
    Columns {
        /// Where they differ.
        why: String,
    },
    /// The same file twice.
    #[error("{file} is named twice: its rows would count twice, and the guarantee with them. Name each file once")]
    Twice {
        /// The file.
        file: String,
    },
    /// Shoal made this file.
    #[error("{file} holds what Shoal released, not rows of people: nothing more needs to be spent on it")]
    Released {
        /// The file.
        file: String,
    },
    /// A query that cannot be planned.
    #[error("the query cannot be used: {why}")]
    Query {
        /// What is wrong with it.
        why: String,
    },
    /// A query whose result for one row depends on other rows.
    #[error(
        "the query has {what}: the result for one row then depends on other rows, so that a person could change more than \
         one row, and the guarantee would not hold. Choose columns and rows with SELECT and WHERE alone; whatever else is \
         needed belongs into a table that is written before"
    )]
    NotRowByRow {
        /// What it has.
        what: String,
    },
    /// Threads or the runtime could not be had.
    #[error("cannot start {threads} threads: {why}")]
    Threads {
        /// How many.
        threads: usize,
        /// Why not.
        why: String,
    },
}

impl EngineError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Place { .. } => "engine-place",
            Self::Nothing { .. } => "engine-no-table",
            Self::Kind { .. } => "engine-file-kind",
            Self::Columns { .. } => "engine-columns-differ",
            Self::Twice { .. } => "engine-file-twice",
            Self::Released { .. } => "engine-released-file",
            Self::Query { .. } => "engine-query",
            Self::NotRowByRow { .. } => "engine-query-not-row-by-row",
            Self::Threads { .. } => "engine-threads",
        }
    }
}

/// What Shoal itself has to say inside an error of the engine. No message of Shoal quotes a record.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unread(pub(crate) String);

/// An error that came before any row was read: its words are about names and types.
pub(crate) fn planning(error: &DataFusionError) -> String {
    error.find_root().strip_backtrace().trim().to_string()
}

/// An error that came while rows were read. An engine may quote values in its words, so only Shoal's own get through, and
/// those about files.
pub(crate) fn reading(error: &DataFusionError) -> ScanError {
    let source = match error.find_root() {
        DataFusionError::External(error) if error.is::<Unread>() => {
            return ScanError::Unread { why: error.to_string() };
        }
        DataFusionError::ObjectStore(error) => store(error),
        DataFusionError::IoError(error) => format!("it cannot read a file of the table ({})", error.kind()),
        DataFusionError::ParquetError(_) => "a file of the table is damaged, or no Parquet file".into(),
        DataFusionError::ResourcesExhausted(_) => "there is too little memory; give the engine more".into(),
        _ => "it failed while it was reading rows".into(),
    };
    ScanError::Engine { worker: "query-engine".into(), source: source.into() }
}

/// What an object store has to say: about names of files, never about what they hold.
pub(crate) fn store(error: &object_store::Error) -> String {
    match error {
        object_store::Error::NotFound { path, .. } => format!("{path} is not there"),
        object_store::Error::PermissionDenied { path, .. } => format!("access to {path} is denied"),
        object_store::Error::Unauthenticated { path, .. } => {
            format!("the store does not accept the credentials of the environment for {path}")
        }
        other => format!("the store failed ({other})"),
    }
}
