//! Real processes that spend at the same time and are killed at any moment.
//!
//! The test program starts itself again as the spender: the tests named `spender…` do nothing unless asked to by the
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
/// Makes the spender lie: it announces a debit before it has made it.
const TELL_FIRST: &str = "SHOAL_TEST_TELL_FIRST";

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
    let tell_first = std::env::var(TELL_FIRST).is_ok();
    for count in 0.. {
        let mut announce = || writeln!(out, "debited {purpose}-{count}").and_then(|()| out.flush()).unwrap();
        if tell_first {
            announce();
        }
        match ledger.debit(&debit(&epsilon, format!("{purpose}-{count}"))) {
            Ok(_) if tell_first => {}
            Ok(_) => announce(),
            Err(LedgerError::Overspent(_)) => break,
            Err(error) => panic!("{error}"),
        }
    }
    writeln!(out, "refused").unwrap();
}

fn start(path: &Path, epsilon: &str, purpose: &str) -> Child {
    start_with(path, epsilon, purpose, &[])
}

fn start_with(path: &Path, epsilon: &str, purpose: &str, more: &[(&str, &str)]) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["processes::spender", "--exact", "--nocapture", "--test-threads=1"])
        .env(LEDGER, path)
        .env(EPSILON, epsilon)
        .env(PURPOSE, purpose)
        .envs(more.iter().copied())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The purpose of every debit that the spender announced. A line cut short by a kill does not count.
fn announced(child: &mut Child) -> Vec<String> {
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    let whole_lines = text.rfind('\n').map_or("", |end| &text[..end]);
    whole_lines.lines().filter_map(|line| line.strip_prefix("debited ")).map(String::from).collect()
}

fn recorded(path: &Path) -> Vec<String> {
    match FileLedger::open(path).unwrap().entries("visits") {
        Ok(entries) => entries.into_iter().map(|entry| entry.purpose).collect(),
        // Killed before the data set was entered.
        Err(LedgerError::UnknownDataset { .. }) => Vec::new(),
        Err(error) => panic!("{error}"),
    }
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
            granted.extend(announced(spender));
            assert!(spender.wait().unwrap().success());
        }
        assert_eq!(granted.len(), 10);
        granted.sort();
        let mut on_record = recorded(&path);
        on_record.sort();
        assert_eq!(granted, on_record);
        assert_eq!(ledger.balance("visits").unwrap().epsilon_left(), Epsilon::ZERO);
    }
}

/// A number in 0..below, different in every run.
fn chance(below: u64) -> u64 {
    RandomState::new().hash_one(below) % below
}

/// Debits announced, and debits on record, after processes were killed.
#[derive(Default)]
struct Aftermath {
    announced: HashSet<String>,
    on_record: HashSet<String>,
}

impl Aftermath {
    fn lost(&self) -> Vec<&String> {
        self.announced.difference(&self.on_record).collect()
    }

    fn unannounced(&self) -> usize {
        self.on_record.difference(&self.announced).count()
    }

    /// Starts `spenders` processes, kills each at a random moment, and opens what they leave behind.
    fn kill_round(&mut self, path: &Path, round: usize, spenders: usize, more: &[(&str, &str)]) {
        let begin = |i| start_with(path, "1e-3", &format!("{round}-{i}"), more);
        let mut children: Vec<Child> = (0..spenders).map(begin).collect();
        std::thread::sleep(Duration::from_micros(chance(150_000)));
        for child in &mut children {
            std::thread::sleep(Duration::from_micros(chance(3_000)));
            child.kill().unwrap();
        }
        for child in &mut children {
            assert!(!child.wait().unwrap().success(), "a spender ended by itself");
            let mut complaints = String::new();
            child.stderr.take().unwrap().read_to_string(&mut complaints).unwrap();
            assert_eq!(complaints, "", "a spender failed before it was killed");
            self.announced.extend(announced(child));
        }
        // Killed before there was a ledger, perhaps.
        FileLedger::create_or_open(path).unwrap();
        self.on_record = recorded(path).into_iter().collect();
    }
}

#[test]
fn no_debit_is_lost_when_its_process_is_killed() {
    let rounds = std::env::var("SHOAL_KILL_ROUNDS").map_or(60, |text| text.parse().unwrap());
    for spenders in [1, 3] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("books");
        let mut after = Aftermath::default();
        for round in 0..rounds {
            after.kill_round(&path, round, spenders, &[]);
            assert!(after.lost().is_empty(), "round {round}: granted, and gone: {:?}", after.lost());
            // Each killed process may have been between writing a debit and telling of it.
            assert!(after.unannounced() <= (round + 1) * spenders);
        }
        let (announced, unannounced) = (after.announced.len(), after.unannounced());
        writeln!(
            std::io::stderr(),
            "{spenders} at a time: {announced} announced, {unannounced} on record and not announced"
        )
        .unwrap();
        assert!(announced > rounds / 4, "the spenders hardly spent");
    }
}

#[test]
fn a_debit_told_of_too_early_is_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("books");
    let mut after = Aftermath::default();
    for round in 0..300 {
        after.kill_round(&path, round, 1, &[(TELL_FIRST, "yes")]);
        if !after.lost().is_empty() {
            return;
        }
    }
    panic!("killing processes finds no lost debits, so the test above proves nothing");
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
    assert_eq!(ledger.debit(&debit("0.1", String::new())).unwrap().entry(), 1);
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
    let outside_granted = announced(&mut outside).len();
    assert!(outside.wait().unwrap().success());
    assert_eq!(granted + outside_granted, 50);
    assert_eq!(recorded(&path).len(), 50);
}
