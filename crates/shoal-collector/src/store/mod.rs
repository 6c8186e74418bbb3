//! Where reports are kept. A store knows identifiers and values of reports, and nothing about who sent them.

mod codec;
mod filter;
mod postgres;
mod postgres_reader;
mod postgres_tables;
mod run;
mod seen;
mod sqlite;
mod sqlite_reader;

pub use postgres::PostgresStore;
pub use postgres_tables::Database;
pub use sqlite::SqliteStore;

use shoal_device::wire::ReportId;

/// Why a store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The store's own words.
    #[error("the store failed while {doing}: {why}")]
    Failed {
        /// What was being done.
        doing: &'static str,
        /// In the store's words.
        why: String,
    },
    /// Written by another version.
    #[error("the store has version {found}, and this program reads version {known}; use the program that wrote it")]
    Version {
        /// Of the store.
        found: i64,
        /// Of the program.
        known: i64,
    },
    /// Another server uses the store.
    #[error(
        "another server uses {what}; stop it first, or give this one a store of its own: two servers would count reports twice"
    )]
    InUse {
        /// The store.
        what: String,
    },
    /// A store that would not keep what is promised.
    #[error("{why}")]
    Unsafe {
        /// What it would not keep, and what to do.
        why: String,
    },
    /// Something that this program did not write.
    #[error("the store is damaged: {what}; restore it from a backup")]
    Damaged {
        /// What does not fit.
        what: String,
    },
}

impl StoreError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Failed { .. } => "store-failed",
            Self::Version { .. } => "store-version",
            Self::InUse { .. } => "store-in-use",
            Self::Unsafe { .. } => "store-unsafe",
            Self::Damaged { .. } => "store-damaged",
        }
    }
}

/// A collection as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its number in the store.
    pub number: i64,
    /// The description, JSON.
    pub description: String,
    /// When it was created, in seconds since 1970 began.
    pub created: u64,
    /// When it was closed by hand.
    pub closed: Option<u64>,
    /// Reports there are.
    pub reports: u64,
    /// Reports that were refused or repeated, by kind.
    pub counted: Vec<(String, u64)>,
}

/// Reports of one request, all of one collection, that have been checked.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// The collection's number.
    pub number: i64,
    /// Columns of a report.
    pub dims: usize,
    /// The day on which they arrived.
    pub arrived: u32,
    /// Their identifiers.
    pub ids: Vec<ReportId>,
    /// Their values, report after report.
    pub steps: Vec<i64>,
    /// What stands for the one-time token that was sent with the only report, where the collection asks for one.
    pub token: Option<TokenMark>,
}

/// What is kept of a token that was spent: a hash, from which the token cannot be found.
pub type TokenMark = [u8; 32];

/// What became of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Appended {
    /// Reports that were new.
    pub accepted: u64,
    /// Reports that were there already.
    pub repeated: u64,
    /// Reports that were refused because their token had been spent on another one.
    pub spent: u64,
}

/// A model as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptModel {
    /// 1, 2, … in each collection.
    pub version: u64,
    /// When it was made, in seconds since 1970 began.
    pub made: u64,
    /// Reports it was made from.
    pub reports: u64,
    /// Where it ends: reports that are stored after this place are in no model yet.
    pub end: i64,
    /// The smallest batch of reports that are in exactly the same versions, up to this one.
    pub smallest_batch: u64,
    /// `model.json`.
    pub json: String,
}

/// Reports as they are clustered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gathered {
    /// The values of all reports, one list for each column.
    pub columns: Vec<Vec<i64>>,
    /// The place where they end.
    pub end: i64,
    /// Sizes of the batches of reports that no model has yet.
    pub batches: Vec<u64>,
}

/// Reports that were deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// All of them.
    pub reports: u64,
    /// Those among them that were in no model.
    pub fresh: u64,
}

/// A store, as the one thread that writes sees it. Whatever a method did is on disk when it returns.
pub trait Store: Send {
    /// All collections.
    fn collections(&mut self) -> Result<Vec<Kept>, StoreError>;
    /// Adds a collection and returns its number.
    fn create(&mut self, id: &str, description: &str, now: u64) -> Result<i64, StoreError>;
    /// Remembers that a collection was closed by hand.
    fn close(&mut self, number: i64, now: u64) -> Result<(), StoreError>;
    /// Removes a collection with its reports and models.
    fn delete(&mut self, number: i64) -> Result<(), StoreError>;
    /// Adds reports of many requests in one commit, each of them once.
    fn append(&mut self, groups: &[Group]) -> Result<Vec<Appended>, StoreError>;
    /// Adds to the counters of a collection.
    fn count(&mut self, number: i64, counted: &[(&str, u64)]) -> Result<(), StoreError>;
    /// Keeps a model; the oldest beyond the given number are removed.
    fn keep_model(&mut self, number: i64, model: &KeptModel, most: u64) -> Result<(), StoreError>;
    /// Deletes the reports that arrived before a day; those after the place `end` are in no model.
    fn forget_before(&mut self, number: i64, day: u32, end: i64) -> Result<Forgotten, StoreError>;
    /// Work that can wait until nobody does.
    fn tidy(&mut self) -> Result<(), StoreError>;
    /// Someone who reads while this one writes.
    fn reader(&self) -> Result<Box<dyn StoreReader>, StoreError>;
}

/// A store, as those see it who read.
pub trait StoreReader: Send {
    /// The values of all reports of a collection, one list for each column, in no order that means anything.
    fn reports(&mut self, number: i64, dims: usize) -> Result<Vec<Vec<i64>>, StoreError>;
    /// The values of all reports of a collection, and which of them came after the place `end`, where the last model ends.
    /// These are one batch; where reports will be deleted by the day, one for each day on which some arrived.
    fn gather(&mut self, number: i64, dims: usize, end: i64, by_day: bool) -> Result<Gathered, StoreError>;
    /// Reports after the place `end`, which are in no model.
    fn fresh(&mut self, number: i64, end: i64) -> Result<u64, StoreError>;
    /// The identifiers of all reports of a collection, in no order that means anything: for checks.
    fn ids(&mut self, number: i64) -> Result<Vec<ReportId>, StoreError>;
    /// The newest model.
    fn newest_model(&mut self, number: i64) -> Result<Option<KeptModel>, StoreError>;
    /// One model.
    fn model(&mut self, number: i64, version: u64) -> Result<Option<KeptModel>, StoreError>;
    /// All models without their JSON, the newest first.
    fn models(&mut self, number: i64) -> Result<Vec<KeptModel>, StoreError>;
    /// Reports by the day on which they arrived.
    fn days(&mut self, number: i64) -> Result<Vec<(u32, u64)>, StoreError>;
}
