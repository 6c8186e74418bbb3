//! A ledger knows its tables by their content, and adds only what adds.

use shoal_ledger::{FileLedger, LedgerError, MemoryLedger, Origin, Unit};
use shoal_privacy::ledger::{Debit, Ledger};
use shoal_privacy::{Delta, Neighbours};

/// The tables of format 2, as the program made them that knew no other.
const FORMAT_2: &str = "
CREATE TABLE datasets (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, epsilon TEXT NOT NULL, delta TEXT NOT NULL, time TEXT NOT NULL,
    program TEXT NOT NULL
) STRICT;
CREATE TABLE entries (
    number INTEGER PRIMARY KEY, dataset INTEGER NOT NULL REFERENCES datasets(id), time TEXT NOT NULL,
    purpose TEXT NOT NULL, epsilon TEXT NOT NULL, delta TEXT NOT NULL, program TEXT NOT NULL
) STRICT;
CREATE INDEX entries_by_dataset ON entries(dataset, number);
CREATE TABLE finished (entry INTEGER PRIMARY KEY REFERENCES entries(number), time TEXT) STRICT;
INSERT INTO datasets VALUES (1, 'visits', '4/1', '0/1', '2025-01-01T00:00:00Z', '0.0.9');
INSERT INTO entries VALUES (1, 1, '2025-01-02T00:00:00Z', 'old', '1/2', '0/1', '0.0.9');
INSERT INTO finished VALUES (1, '2025-01-02T00:00:01Z');
PRAGMA application_id = 0x53484f4c;
PRAGMA user_version = 2;
";

fn debit(dataset: &str) -> Debit {
    Debit { dataset: dataset.into(), epsilon: "0.5".parse().unwrap(), delta: Delta::ZERO, purpose: "test".into() }
}

fn of(table: u8) -> Origin {
    Origin { table: Some([table; 32]), population: false, unit: Some(Unit::Row) }
}

/// The same steps in a file and in memory.
struct Both {
    file: FileLedger,
    memory: MemoryLedger,
    _folder: tempfile::TempDir,
}

impl Both {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut file = FileLedger::create_or_open(folder.path().join("books")).unwrap();
        let mut memory = MemoryLedger::new();
        for name in ["visits", "other"] {
            file.init(name, &"4".parse().unwrap(), &Delta::ZERO).unwrap();
            memory.init(name, &"4".parse().unwrap(), &Delta::ZERO).unwrap();
        }
        Self { file, memory, _folder: folder }
    }

    fn debit(&mut self, dataset: &str, origin: &Origin) -> Result<u64, LedgerError> {
        let (on_disk, in_memory) = (
            self.file.debit_from(&debit(dataset), origin).map(|receipt| receipt.entry()),
            self.memory.debit_from(&debit(dataset), origin).map(|receipt| receipt.entry()),
        );
        let words = |result: &Result<u64, LedgerError>| result.as_ref().map_err(|error| error.to_string()).copied();
        assert_eq!(words(&on_disk), words(&in_memory));
        assert_eq!(self.file.balance(dataset).unwrap(), self.memory.balance(dataset).unwrap());
        on_disk
    }
}

#[test]
fn a_copy_under_another_name_is_recognised_and_nothing_is_debited() {
    let mut ledger = Both::new();
    ledger.debit("visits", &of(1)).unwrap();
    ledger.debit("visits", &of(1)).unwrap();
    let error = ledger.debit("other", &of(1)).unwrap_err();
    assert_eq!(error.code(), "table-known-by-another-name");
    assert!(error.to_string().contains("“visits”"), "{error}");
    assert_eq!(ledger.file.balance("other").unwrap().epsilon_left(), "4".parse().unwrap());
    // Joining a population is no way round.
    let error = ledger.debit("other", &Origin { population: true, ..of(1) }).unwrap_err();
    assert_eq!(error.code(), "table-known-by-another-name");
}

#[test]
fn another_table_under_the_same_name_is_refused_unless_the_people_are_the_same() {
    let mut ledger = Both::new();
    ledger.debit("visits", &of(1)).unwrap();
    let error = ledger.debit("visits", &of(2)).unwrap_err();
    assert_eq!(error.code(), "other-table");
    ledger.debit("other", &of(2)).unwrap();
    // Two years of the same people share a budget, which one of the tables may not leave again.
    ledger.debit("visits", &Origin { population: true, ..of(3) }).unwrap();
    ledger.debit("visits", &of(3)).unwrap();
    assert_eq!(ledger.file.balance("visits").unwrap().epsilon_spent, "1.5".parse().unwrap());
    assert_eq!(ledger.debit("other", &of(3)).unwrap_err().code(), "table-known-by-another-name");
    let tables: Vec<_> = ledger.file.entries("visits").unwrap().into_iter().map(|entry| entry.table).collect();
    assert_eq!(tables, [Some(1), Some(3), Some(3)]);
}

#[test]
fn what_is_about_persons_does_not_add_to_what_is_about_rows() {
    for (kept, asked) in [
        (Unit::Row, Unit::Person),
        (Unit::Person, Unit::Row),
        (Unit::Row, Unit::ReplacedRow),
        (Unit::ReplacedPerson, Unit::Person),
    ] {
        let mut ledger = Both::new();
        ledger.debit("visits", &Origin { unit: Some(kept), ..of(1) }).unwrap();
        let error = ledger.debit("visits", &Origin { unit: Some(asked), ..of(1) }).unwrap_err();
        assert_eq!(error.code(), "other-unit-in-ledger");
        ledger.debit("visits", &Origin { unit: Some(kept), ..of(1) }).unwrap();
        assert_eq!(ledger.file.entries("visits").unwrap()[1].unit, Some(kept));
    }
}

#[test]
fn every_kind_of_neighbours_has_a_unit() {
    assert_eq!(Unit::of(&Neighbours::AddRemoveOne), Unit::Row);
    assert_eq!(Unit::of(&Neighbours::AddRemovePerson), Unit::Person);
    assert_eq!(Unit::of(&Neighbours::ReplaceOne), Unit::ReplacedRow);
    assert_eq!(Unit::of(&Neighbours::ReplacePerson), Unit::ReplacedPerson);
    assert_eq!(Unit::of(&Neighbours::AnyTwoInputs), Unit::Record);
}

#[test]
fn a_debit_without_an_origin_is_taken_as_before() {
    let mut ledger = Both::new();
    ledger.debit("visits", &Origin::default()).unwrap();
    ledger.debit("visits", &of(1)).unwrap();
    ledger.debit("visits", &Origin::default()).unwrap();
    // What does not say is counted as before persons were known: about rows.
    let person = Origin { unit: Some(Unit::Person), ..of(1) };
    assert_eq!(ledger.debit("visits", &person).unwrap_err().code(), "other-unit-in-ledger");
}

#[test]
fn fingerprints_are_keyed_and_stay() {
    let folder = tempfile::tempdir().unwrap();
    let fingerprint = |name: &str| -> Vec<u8> {
        let path = folder.path().join(name);
        let mut ledger = FileLedger::create_or_open(&path).unwrap();
        ledger.init("visits", &"4".parse().unwrap(), &Delta::ZERO).unwrap();
        ledger.debit_from(&debit("visits"), &of(1)).unwrap();
        let by_hand = rusqlite::Connection::open(&path).unwrap();
        for (change, refusal) in [
            ("DELETE FROM tables", "stays"),
            ("UPDATE tables SET dataset = 2", "never changed"),
            ("DELETE FROM secret", "stays"),
            ("UPDATE secret SET bytes = x'00'", "never changed"),
            ("DELETE FROM about", "stays"),
            ("UPDATE about SET unit = 'row'", "never changed"),
        ] {
            let error = by_hand.execute(change, []).unwrap_err().to_string();
            assert!(error.contains(refusal), "{error}");
        }
        by_hand.query_one("SELECT fingerprint FROM tables", [], |row| row.get(0)).unwrap()
    };
    let (one, two) = (fingerprint("one"), fingerprint("two"));
    assert_eq!((one.len(), two.len()), (32, 32));
    assert_ne!(one, two, "the same table in two ledgers");
    assert_ne!(one, [1; 32], "not the hash itself");
}

#[test]
fn a_ledger_of_the_second_format_is_read_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("books");
    rusqlite::Connection::open(&path).unwrap().execute_batch(FORMAT_2).unwrap();
    let mut ledger = FileLedger::open(&path).unwrap();
    let old = ledger.entries("visits").unwrap();
    assert_eq!((old.len(), old[0].unit, old[0].table), (1, None, None));
    assert_eq!(ledger.balance("visits").unwrap().epsilon_left(), "3.5".parse().unwrap());
    // A refusal changes nothing, not even the format.
    let person = Origin { unit: Some(Unit::Person), ..of(1) };
    assert_eq!(ledger.debit_from(&debit("visits"), &person).unwrap_err().code(), "other-unit-in-ledger");
    let format = || -> i64 {
        let by_hand = rusqlite::Connection::open(&path).unwrap();
        by_hand.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    };
    assert_eq!(format(), 2);
    let other = FileLedger::open(&path).unwrap();
    ledger.debit_from(&debit("visits"), &of(1)).unwrap();
    assert_eq!(format(), 3);
    let entries = other.entries("visits").unwrap();
    assert_eq!(entries.iter().map(|entry| entry.unit).collect::<Vec<_>>(), [None, Some(Unit::Row)]);
    assert_eq!(ledger.debit_from(&debit("visits"), &of(2)).unwrap_err().code(), "other-table");
}
