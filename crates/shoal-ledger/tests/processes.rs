//! Real processes that spend at the same time and are killed at any moment.
//!
//! The test program starts itself again as the spender: the tests named `spender…` do nothing unless told to by the
//! environment.
#![cfg(unix)]

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use shoal_ledger::{FileLedger, LedgerError};
use shoal_privacy::ledger::{Debit, Ledger};
use shoal_privacy::{Delta, Epsilon};

const LEDGER: &str = "SHOAL_TEST_LEDGER";
const EPSILON: &str = "SHOAL_TEST_EPSILON";
const PURPOSE: &str = "SHOAL_TEST_PURPOSE";

fn debit(epsilon: &str, purpose: String) -> Debit {
    Debit { dataset: "visits".into(), epsilon: epsilon.parse().unwrap(), delta: Delta::ZERO, purpose }
}

/// Debits until it is refused or killed, and says so each time, after the fact.
#[test]
fn spender() {
    let Ok(path) = std::env::var(LEDGER) else { return };
    let epsilon = std::env::var(EPSILON).unwrap();
    let purpose = std::env::var(PURPOSE).unwrap();
    let mut out = std::io::stdout().lock();
    writeln!(out).unwrap();
    // It may be killed while it makes the ledger, too.
    let mut ledger = FileLedger::create_or_open(path).unwrap();
    ledger.set_patience(Duration::from_secs(60)).unwrap();
    let enough = Epsilon::new(shoal_privacy::Amount::ratio(1_000_000, 1));
    if let Err(error) = ledger.init("visits", &enough, &Delta::ZERO) {
        assert!(matches!(error, LedgerError::AlreadyEntered { .. }), "{error}");
    }
    for count in 0.. {
        match ledger.debit(&debit(&epsilon, format!("{purpose}-{count}"))) {
            Ok(receipt) => writeln!(out, "debited {} {purpose}-{count}", receipt.entry).unwrap(),
            Err(LedgerError::Overspent(_)) => break,
            Err(error) => panic!("{error}"),
        }
        out.flush().unwrap();
    }
    writeln!(out, "refused").unwrap();
}

fn start(path: &Path, epsilon: &str, purpose: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["spender", "--exact", "--nocapture", "--test-threads=1"])
        .env(LEDGER, path)
        .env(EPSILON, epsilon)
        .env(PURPOSE, purpose)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The (entry number, purpose) of every debit the spender told of. A line cut short by a kill does not count.
fn told(child: &mut Child) -> Vec<(u64, String)> {
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    let whole_lines = text.rfind('\n').map_or("", |end| &text[..end]);
    let read = |line: &str| {
        let (number, purpose) = line.strip_prefix("debited ")?.split_once(' ')?;
        Some((number.parse().ok()?, purpose.to_string()))
    };
    whole_lines.lines().filter_map(read).collect()
}

fn recorded(path: &Path) -> Vec<(u64, String)> {
    let ledger = FileLedger::open(path).unwrap();
    ledger.entries("visits").unwrap().into_iter().map(|entry| (entry.number, entry.purpose)).collect()
}

#[test]
fn eight_processes_share_ten_tenths_and_not_one_more() {
    for round in 0..10 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("books");
        let mut ledger = FileLedger::create_or_open(&path).unwrap();
        ledger.init("visits", &"1".parse().unwrap(), &Delta::ZERO).unwrap();
        let mut spenders: Vec<Child> = (0..8).map(|i| start(&path, "0.1", &format!("{round}-{i}"))).collect();
        let mut granted = Vec::new();
        for spender in &mut spenders {
            granted.extend(told(spender));
            assert!(spender.wait().unwrap().success());
        }
        granted.sort();
        assert_eq!(granted.len(), 10);
        assert_eq!(granted, recorded(&path));
        assert_eq!(ledger.balance("visits").unwrap().epsilon_left(), Epsilon::ZERO);
    }
}

/// A number in 0..below, different in every run.
fn chance(below: u64) -> u64 {
    RandomState::new().hash_one(below) % below
}

/// Kills `spenders` processes per round at random moments; every debit told of must be on record afterwards.
///
/// Returns how many debits were told of, and how many were on record and not told of.
fn kill_rounds(path: &Path, rounds: usize, spenders: usize) -> (usize, usize) {
    let mut all_told = HashSet::new();
    for round in 0..rounds {
        let mut children: Vec<Child> = (0..spenders).map(|i| start(path, "1e-3", &format!("{round}-{i}"))).collect();
        std::thread::sleep(Duration::from_micros(chance(150_000)));
        for child in &mut children {
            std::thread::sleep(Duration::from_micros(chance(3_000)));
            child.kill().unwrap();
        }
        for child in &mut children {
            let killed = child.wait().unwrap();
            assert!(!killed.success(), "a spender ended by itself");
            let mut complaints = String::new();
            child.stderr.take().unwrap().read_to_string(&mut complaints).unwrap();
            assert_eq!(complaints, "", "a spender failed before it was killed");
            all_told.extend(told(child));
        }
        // Killed before there was a ledger, perhaps.
        FileLedger::create_or_open(path).unwrap();
        let on_record: HashSet<_> = match FileLedger::open(path).unwrap().entries("visits") {
            Ok(_) => recorded(path).into_iter().collect(),
            Err(LedgerError::UnknownDataset { .. }) => HashSet::new(),
            Err(error) => panic!("{error}"),
        };
        let lost: Vec<_> = all_told.difference(&on_record).collect();
        assert!(lost.is_empty(), "round {round}: these debits were granted and are gone: {lost:?}");
        // Each killed process may have been between writing a debit and telling of it.
        assert!(on_record.len() - all_told.len() <= (round + 1) * spenders);
    }
    (all_told.len(), recorded(path).len() - all_told.len())
}

#[test]
fn no_debit_is_lost_when_its_process_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("books");
    let rounds = std::env::var("SHOAL_KILL_ROUNDS").map_or(60, |text| text.parse().unwrap());
    let alone = kill_rounds(&path, rounds, 1);
    let together = kill_rounds(&folder.path().join("shared"), rounds, 3);
    writeln!(std::io::stderr(), "told, recorded but not told: alone {alone:?}, three at a time {together:?}").unwrap();
    assert!(alone.0 > rounds / 4 && together.0 > rounds / 4, "the spenders hardly spent: {alone:?} {together:?}");
}

#[test]
fn a_ledger_is_made_whole_or_not_at_all() {
    for _ in 0..40 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("books");
        let mut spender = start(&path, "1e-3", "first");
        // Until the file appears, and then a moment that is shorter than it takes to make a ledger.
        while !path.exists() {
            std::hint::spin_loop();
        }
        std::thread::sleep(Duration::from_micros(chance(1_500)));
        spender.kill().unwrap();
        spender.wait().unwrap();
        FileLedger::create_or_open(&path).unwrap();
        FileLedger::open(&path).unwrap();
    }
}

/// One process keeps the ledger to itself: the others say so, and do not wait for ever.
#[test]
fn a_ledger_in_use_is_reported_after_the_wait() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("books");
    let mut ledger = FileLedger::create_or_open(&path).unwrap();
    ledger.init("visits", &"1".parse().unwrap(), &Delta::ZERO).unwrap();
    ledger.set_patience(Duration::from_millis(200)).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = ledger.debit(&debit("0.1", String::new())).unwrap_err();
    assert!(matches!(error, LedgerError::Busy { .. }), "{error}");
    assert!(error.to_string().contains("for 0.2 seconds; nothing was debited, try again"), "{error}");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(ledger.debit(&debit("0.1", String::new())).unwrap().entry, 1);
}

/// Opening a ledger while another thread of this process writes must not break that thread's lock.
#[test]
fn threads_of_one_process_share_the_budget_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("books");
    FileLedger::create_or_open(&path).unwrap().init("visits", &"1".parse().unwrap(), &Delta::ZERO).unwrap();
    let mut outside = start(&path, "0.02", "outside");
    let granted: usize = std::thread::scope(|scope| {
        let spend = || {
            (0..50)
                .filter(|_| {
                    let mut ledger = FileLedger::open(&path).unwrap();
                    ledger.debit(&debit("0.02", "inside".into())).is_ok()
                })
                .count()
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(spend)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    let outside_granted = told(&mut outside).len();
    assert!(outside.wait().unwrap().success());
    assert_eq!(granted + outside_granted, 50);
    assert_eq!(recorded(&path).len(), 50);
}
