//! The program: the same files and words as `shoal`, and its exit codes.

use std::path::Path;
use std::process::{Command, Output};

use shoal::{Fit, Ledger};

use crate::tables::{both, people};

fn run(folder: &Path, args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_shoal-engine"));
    program.current_dir(folder).args(args).env_remove("SHOAL_LEDGER").env_remove("SHOAL_DATA").output().unwrap()
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

const FIT: [&str; 13] = [
    "fit",
    "people",
    "-k",
    "3",
    "--epsilon",
    "2",
    "--bounds",
    "age=17:90,income=0:10000",
    "--rows",
    "900",
    "--seed",
    "6",
    "-q",
];

#[test]
fn a_model_is_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, _) = both(folder.path(), people(900));
    let fit = Fit::new(3, "2").unwrap().bounds("age=17:90,income=0:10000").unwrap().rows(900).seed(6);
    let expected = fit.run(&whole).unwrap().to_json();
    let more = ["--out", "model.json", "--report", "report.html", "--costs", "--format", "json"];
    let output = run(folder.path(), &[&FIT[..], &more].concat());
    let (out, err) = texts(&output);
    assert!(output.status.success(), "{err}");
    assert_eq!(out.trim(), expected.trim());
    assert_eq!(std::fs::read_to_string(folder.path().join("model.json")).unwrap().trim(), expected.trim());
    assert!(std::fs::read_to_string(folder.path().join("report.html")).unwrap().contains("people"));
    assert!(err.contains("the row count (question") && err.lines().count() > 3, "{err}");
}

#[test]
fn a_ledger_is_debited_and_a_query_is_noted() {
    let folder = tempfile::tempdir().unwrap();
    both(folder.path(), people(900));
    let mut ledger = Ledger::create_or_open(folder.path().join("books")).unwrap();
    ledger.init("people", "1", "0").unwrap();
    let fit = ["fit", "people/", "-k", "2", "-e", "1", "-b", "age=17:90", "--ledger", "books"];
    let sql = ["--sql", "select age from people where hours > 10"];
    let (_, err) = texts(&run(folder.path(), &[&fit[..], &sql].concat()));
    assert!(err.contains("chosen without looking at them"), "{err}");
    assert!(ledger.balance("people").unwrap().epsilon_left().amount().is_zero());
    let again = run(folder.path(), &fit);
    assert_eq!(again.status.code(), Some(1));
    assert!(texts(&again).1.contains("budget"));
    assert_eq!(ledger.entries("people").unwrap().len(), 1);
}

#[test]
fn bounds_and_plans_come_from_here_too() {
    let folder = tempfile::tempdir().unwrap();
    both(folder.path(), people(900));
    let bounds = ["bounds", "people", "-e", "5", "--columns", "age,hours", "--seed", "1", "--out", "b.json", "-q"];
    assert!(run(folder.path(), &bounds).status.success());
    assert!(std::fs::read_to_string(folder.path().join("b.json")).unwrap().contains("hours"));
    let plan = run(folder.path(), &["plan", "--rows", "9000", "--dims", "2", "-k", "3", "-e", "1"]);
    assert!(plan.status.success() && !plan.stdout.is_empty());
}

#[test]
fn what_makes_no_sense_ends_with_its_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    both(folder.path(), people(90));
    for (more, code, reason) in [
        (&["--no-header"][..], 2, "text files"),
        (&["--delimiter", ";"], 2, "text files"),
        (&["--sql", "select age, income from people limit 3"], 2, "a limit"),
        (&["--sql", "select"], 2, "query"),
        (&["--person", "hours"], 2, "one row for each person"),
        (&["--method", "gkm"], 1, "block"),
        (&["--columns", "wage"], 1, "wage"),
        (&["--ledger", "nowhere"], 1, "there is no ledger"),
        (&["--turbo"], 2, "turbo"),
    ] {
        let output = run(folder.path(), &[&FIT[..], more].concat());
        let (out, err) = texts(&output);
        assert_eq!(output.status.code(), Some(code), "{more:?}: {err}");
        assert!(err.contains(reason) && out.is_empty(), "{more:?}: {err}");
        assert!(!err.contains("panicked"), "{err}");
    }
    let nowhere = run(folder.path(), &["fit", "elsewhere/", "-k", "1", "-e", "1", "-b", "age=0:1"]);
    assert_eq!(nowhere.status.code(), Some(1));
    assert!(texts(&nowhere).1.contains("elsewhere"));
}
