//! Errors for programs: their JSON, and the list of their codes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::Place;

/// The object in the last line of standard error.
fn error(err: &str) -> Value {
    let last = err.lines().last().unwrap_or_default();
    let json: Value = serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {err}"));
    json["error"].clone()
}

#[test]
fn errors_are_objects_where_results_are() {
    let place = Place::new();
    place.write("gap.csv", "age,hours\n30,40\n,20\n");
    place.write("text.csv", "age,name\n30,Kim\n");
    let fit = |file: &str, more: &[&str]| {
        let args = ["fit", file, "-k", "1", "-e", "1", "-b", "0,100", "--format", "json"];
        let run = place.run(&[&args[..], more].concat());
        (run.code(), error(&run.err()))
    };
    for (file, more, exit, code, flag) in [
        ("gap.csv", &[][..], 1, "missing-value", "--missing drop"),
        ("text.csv", &[], 1, "not-a-number", "--columns"),
        ("none.csv", &[], 1, "cannot-read", "none.csv"),
        ("gap.csv", &["-m", "tree", "--theta", "3"], 2, "unknown-option", "--theta"),
        ("gap.csv", &["--delta", "0.5"], 2, "parameter-out-of-range", "--delta"),
        ("gap.csv", &["-m", "eugkm", "--theta", "-1", "--missing", "drop"], 2, "parameter-out-of-range", "--theta"),
        // The command line cannot even be parsed.
        ("gap.csv", &["--thta", "3"], 2, "usage", "--thta"),
    ] {
        let (ended, error) = fit(file, more);
        assert_eq!((ended, &error["exit"]), (exit, &exit.into()), "{error}");
        assert_eq!(error["code"], code, "{error}");
        assert!(error["message"].as_str().unwrap().contains(flag), "{error}");
    }
    // People get sentences.
    let run = place.run(&["fit", "gap.csv", "-k", "1", "-e", "1", "-b", "0,100"]).fails(1, &["shoal: row 2"]);
    assert!(!run.err().contains("missing-value"), "{}", run.err());
}

/// The codes that sources define: the texts in the arms of functions called `code`.
fn defined(folder: &Path, codes: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            defined(&path, codes);
            continue;
        }
        let text = fs::read_to_string(&path).unwrap_or_default();
        for function in text.split("pub fn code(&self) -> &'static str {").skip(1) {
            let body = function.split("\n    }\n").next().unwrap_or_default();
            codes.extend(body.split('"').skip(1).step_by(2).map(str::to_string));
        }
    }
}

#[test]
fn every_code_is_listed_and_every_listed_code_exists() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut known: BTreeSet<String> = ["refused", "usage", "fault", "interrupted"].map(String::from).into();
    for entry in fs::read_dir(root.join("crates")).unwrap().map(Result::unwrap) {
        defined(&entry.path().join("src"), &mut known);
    }
    let page = fs::read_to_string(root.join("docs/errors.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let listed: BTreeSet<String> = rows.map(str::to_string).collect();
    assert!(known.len() > 150, "{known:?}");
    let unlisted: Vec<_> = known.difference(&listed).collect();
    let gone: Vec<_> = listed.difference(&known).collect();
    assert!(unlisted.is_empty() && gone.is_empty(), "not in docs/errors.md: {unlisted:?}; only there: {gone:?}");
    let fits = |code: &&String| code.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    assert!(known.iter().all(|code| fits(&code)), "{known:?}");
}
