//! What an interruption costs: printed, and on record in the ledger.
#![cfg(unix)]

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use shoal_ledger::{EntryState, FileLedger};

use crate::common::Place;

/// A ledger with ε = 3 for a table of two groups.
fn place() -> Place {
    let place = Place::new();
    let row = |i: i32| format!("0.{},0.{}\n", 1 + 6 * (i % 2), 1 + i % 9);
    place.write("d.csv", format!("x,y\n{}", (0..3000).map(row).collect::<String>()));
    place.run(&["ledger", "init", "d.csv", "--epsilon", "3"]).ok();
    place
}

/// A fit that debits at once and then works for minutes.
const SLOW: [&str; 18] = [
    "fit",
    "d.csv",
    "-k",
    "9",
    "-e",
    "1",
    "-b",
    "0,1",
    "-m",
    "eugkm",
    "--rows",
    "1000000",
    "--inits",
    "100000",
    "--ledger",
    "shoal.ledger",
    "--out",
    "m.json",
];

fn start(place: &Place, args: &[&str]) -> Child {
    place.command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn states(place: &Place) -> Vec<EntryState> {
    let entries = FileLedger::open(place.path("shoal.ledger")).unwrap().entries("d").unwrap();
    entries.into_iter().map(|entry| entry.state).collect()
}

#[track_caller]
fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_secs(120), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn send(signal: i32, child: &Child) {
    // SAFETY: a signal to a child that has not been waited for, so its number is its own.
    assert_eq!(unsafe { libc::kill(child.id() as i32, signal) }, 0);
}

#[test]
fn an_interruption_after_the_debit_says_what_it_cost() {
    for (signal, code) in [(libc::SIGINT, 130), (libc::SIGTERM, 143)] {
        let place = place();
        let child = start(&place, &SLOW);
        wait_until("the debit", || !states(&place).is_empty());
        send(signal, &child);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code));
        let message = String::from_utf8(output.stderr).unwrap();
        for words in
            ["ε = 1 was debited from “d” in ", "shoal.ledger", "entry 1 is marked unfinished", "not given back"]
        {
            assert!(message.contains(words), "{message}");
        }
        assert!(output.stdout.is_empty() && !place.path("m.json").exists());
        let shown = place.run(&["ledger", "show"]).ok().out();
        assert!(shown.contains("9 clusters by eugkm (unfinished)") && shown.contains("stays spent"), "{shown}");
        let json = place.run(&["ledger", "show", "--format", "json"]).ok().json();
        assert_eq!((&json[0]["entries"][0]["finished"], &json[0]["epsilon"]["left"]), (&false.into(), &2.0.into()));
    }
}

#[test]
fn a_program_that_was_killed_leaves_an_unfinished_entry() {
    let place = place();
    let mut child = start(&place, &SLOW);
    wait_until("the debit", || !states(&place).is_empty());
    send(libc::SIGKILL, &child);
    child.wait().unwrap();
    assert_eq!(states(&place), [EntryState::Unfinished]);
    // The next one is finished, and neither changes the other.
    place.run(&["fit", "d.csv", "-k", "2", "-e", "1", "-b", "0,1", "--ledger", "shoal.ledger"]).ok();
    assert_eq!(states(&place), [EntryState::Unfinished, EntryState::Finished]);
    let shown = place.run(&["ledger", "show"]).ok().out();
    assert_eq!(shown.matches("(unfinished)").count(), 1, "{shown}");
}

#[test]
fn a_release_that_cannot_be_written_is_unfinished() {
    let place = place();
    for args in [
        &["fit", "d.csv", "-k", "2", "-e", "1", "-b", "0,1", "--ledger", "shoal.ledger"][..],
        &["bounds", "d.csv", "-e", "1", "--ledger", "shoal.ledger"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        assert_eq!(place.command(args).stdout(full).output().unwrap().status.code(), Some(1));
    }
    assert_eq!(states(&place), [EntryState::Unfinished; 2]);
    place.run(&["bounds", "d.csv", "-e", "1", "--ledger", "shoal.ledger"]).ok();
    assert_eq!(states(&place)[2], EntryState::Finished);
}

/// Whether a process listens to SIGINT by itself.
#[cfg(target_os = "linux")]
fn listens(child: &Child) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0");
    u64::from_str_radix(caught.trim(), 16).unwrap() >> (libc::SIGINT - 1) & 1 == 1
}

#[test]
#[cfg(target_os = "linux")]
fn an_interruption_before_the_debit_costs_nothing() {
    let place = place();
    // Standard input that never ends: the program is still reading.
    for format in ["table", "json"] {
        let args = ["fit", "-", "-k", "2", "-e", "1", "-b", "0,1", "--ledger", "shoal.ledger", "--dataset", "d"];
        let mut child = start(&place, &[&args[..], &["--format", format]].concat());
        // Held open here: waiting for a child closes its standard input, and the program may see that end before the signal.
        let held = child.stdin.take();
        wait_until("a listener", || listens(&child));
        send(libc::SIGINT, &child);
        let output = child.wait_with_output().unwrap();
        drop(held);
        assert_eq!(output.status.code(), Some(130));
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains("nothing was debited"), "{message}");
        assert_eq!(message.contains("\"code\":\"interrupted\""), format == "json", "{message}");
    }
    assert!(states(&place).is_empty());
}
