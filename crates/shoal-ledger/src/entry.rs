//! One line of the books.

use shoal_privacy::{Delta, Epsilon};

use crate::origin::Unit;

/// A debit on record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number in the ledger, counted over all data sets.
    pub number: u64,
    /// When it was made, in UTC, as RFC 3339: `2025-03-01T12:00:00Z`.
    pub time: String,
    /// What the release was for.
    pub purpose: String,
    /// ε that was debited.
    pub epsilon: Epsilon,
    /// δ that was debited.
    pub delta: Delta,
    /// Version of the program that made the entry.
    pub program: String,
    /// Whom the release protects, where that is on record.
    pub unit: Option<Unit>,
    /// The table it came from, by its number in the ledger, where that is on record.
    pub table: Option<u64>,
    /// What became of the release.
    pub state: EntryState,
}

/// What is on record about the release that an entry paid for. The budget is spent in every case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EntryState {
    /// The release was written.
    Finished,
    /// The release is not known to have been written: the program is still at work, was interrupted, or failed.
    Unfinished,
    /// The entry is older than such marks.
    Unmarked,
}

/// The version that new entries carry.
pub(crate) const PROGRAM: &str = env!("CARGO_PKG_VERSION");
