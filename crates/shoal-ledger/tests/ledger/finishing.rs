//! Entries are begun by a debit and marked when the release is written; ledgers from before such marks are read and go on.

use std::path::Path;

use shoal_ledger::EntryState::{self, Finished, Unfinished, Unmarked};
use shoal_ledger::{FileLedger, LedgerError};
use shoal_privacy::Delta;
use shoal_privacy::ledger::{Debit, Ledger};

/// The tables of format 1, as the program made them that knew no other.
const FORMAT_1: &str = "
CREATE TABLE datasets (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, epsilon TEXT NOT NULL, delta TEXT NOT NULL, time TEXT NOT NULL,
    program TEXT NOT NULL
) STRICT;
CREATE TABLE entries (
    number INTEGER PRIMARY KEY, dataset INTEGER NOT NULL REFERENCES datasets(id), time TEXT NOT NULL,
    purpose TEXT NOT NULL, epsilon TEXT NOT NULL, delta TEXT NOT NULL, program TEXT NOT NULL
) STRICT;
CREATE INDEX entries_by_dataset ON entries(dataset, number);
CREATE TRIGGER datasets_stay BEFORE DELETE ON datasets BEGIN SELECT RAISE(ABORT, 'a data set stays in the ledger'); END;
CREATE TRIGGER datasets_keep BEFORE UPDATE ON datasets BEGIN SELECT RAISE(ABORT, 'a budget is never changed'); END;
CREATE TRIGGER entries_stay BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'an entry stays in the ledger'); END;
CREATE TRIGGER entries_keep BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'an entry is never changed'); END;
INSERT INTO datasets VALUES (1, 'visits', '2/1', '0/1', '2025-01-01T00:00:00Z', '0.0.9');
INSERT INTO entries VALUES (1, 1, '2025-01-02T00:00:00Z', 'old', '1/2', '0/1', '0.0.9');
PRAGMA application_id = 0x53484f4c;
PRAGMA user_version = 1;
";

fn debit(epsilon: &str) -> Debit {
    let purpose = "four clusters".into();
    Debit { dataset: "visits".into(), epsilon: epsilon.parse().unwrap(), delta: Delta::ZERO, purpose }
}

fn states(ledger: &FileLedger) -> Vec<EntryState> {
    ledger.entries("visits").unwrap().into_iter().map(|entry| entry.state).collect()
}

fn format(path: &Path) -> i64 {
    let ledger = rusqlite::Connection::open(path).unwrap();
    ledger.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
}

#[test]
fn an_entry_is_unfinished_until_its_release_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("books");
    let mut ledger = FileLedger::create_or_open(&path).unwrap();
    ledger.init("visits", &"2".parse().unwrap(), &Delta::ZERO).unwrap();
    let first = ledger.debit(&debit("0.5")).unwrap().entry();
    let second = ledger.debit(&debit("0.5")).unwrap().entry();
    assert_eq!(states(&ledger), [Unfinished, Unfinished]);
    ledger.finish(second).unwrap();
    ledger.finish(second).unwrap();
    assert_eq!(states(&ledger), [Unfinished, Finished]);
    // The budget is spent, finished or not.
    assert_eq!(ledger.balance("visits").unwrap().epsilon_left(), "1".parse().unwrap());
    drop(ledger);
    let mut ledger = FileLedger::open(&path).unwrap();
    assert_eq!(states(&ledger), [Unfinished, Finished]);
    ledger.finish(first).unwrap();
    assert_eq!(states(&ledger), [Finished, Finished]);
    assert!(ledger.finish(99).is_err(), "there is no such entry");

    let by_hand = rusqlite::Connection::open(&path).unwrap();
    for (change, refusal) in [("DELETE FROM finished", "stays"), ("UPDATE finished SET time = NULL", "never changed")] {
        let error = by_hand.execute(change, []).unwrap_err().to_string();
        assert!(error.contains(refusal), "{error}");
    }
}

#[test]
fn a_ledger_of_the_first_format_is_read_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("books");
    rusqlite::Connection::open(&path).unwrap().execute_batch(FORMAT_1).unwrap();
    let mut ledger = FileLedger::open(&path).unwrap();
    assert_eq!(states(&ledger), [Unmarked]);
    assert_eq!(ledger.balance("visits").unwrap().epsilon_left(), "1.5".parse().unwrap());
    assert!(matches!(ledger.debit(&debit("1.6")), Err(LedgerError::Overspent(_))));
    assert_eq!(format(&path), 1, "reading and refusing change nothing");

    let other = FileLedger::open(&path).unwrap();
    let entry = ledger.debit(&debit("1")).unwrap().entry();
    assert_eq!((entry, format(&path)), (2, 3));
    assert_eq!(states(&ledger), [Unmarked, Unfinished]);
    ledger.finish(entry).unwrap();
    assert_eq!(states(&other), [Unmarked, Finished], "a ledger that was open meanwhile");
    assert_eq!(states(&FileLedger::open(&path).unwrap()), [Unmarked, Finished]);
    assert_eq!(ledger.entries("visits").unwrap()[0].purpose, "old");
}
