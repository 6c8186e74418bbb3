//! The golden record: the numbers of many seeded commands, compared with those on file, down to the last bit.
//!
//! `golden/README.md` explains what this is for, what is compared, and how the files are recorded again.

#[path = "golden/cases.rs"]
mod cases;
#[path = "golden/compare.rs"]
mod compare;
#[path = "golden/mutants.rs"]
mod mutants;
#[path = "golden/parquet_file.rs"]
mod parquet_file;

use rayon::prelude::*;

use cases::{Case, Listed, golden_folder};
use compare::Rules;

/// Most differences of a file that are shown.
const MOST_SHOWN: usize = 10;

/// All differences of a case from its files on record.
fn differences(case: &Case, listed: &Listed, rules: &Rules) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    if let Err(failure) = case.run(listed, folder.path()) {
        return vec![failure];
    }
    let of_file = |name: String| {
        let golden = golden_folder().join(&case.name).join(&name);
        let found = match rules.files(&golden, &folder.path().join(&name)) {
            Ok(found) => found,
            Err(failure) => vec![failure],
        };
        let more = found.len().saturating_sub(MOST_SHOWN);
        let rest = (more > 0).then(|| format!("and {more} more"));
        let shown = found.into_iter().take(MOST_SHOWN).chain(rest);
        shown.map(|difference| format!("{}/{name}: {difference}", case.name)).collect::<Vec<_>>()
    };
    case.kept().into_iter().flat_map(of_file).collect()
}

#[test]
fn every_number_is_as_recorded() {
    let listed = Listed::read();
    let rules = Rules::of(&listed);
    let found: Vec<String> = listed.case.par_iter().flat_map(|case| differences(case, &listed, &rules)).collect();
    assert!(
        found.is_empty(),
        "{} numbers or files differ from the record; tests/golden/README.md explains what to do:\n{}",
        found.len(),
        found.join("\n")
    );
}

/// Neither a file that nothing compares nor a case without files can go unnoticed.
#[test]
fn the_record_holds_exactly_what_the_commands_write() {
    let listed = Listed::read();
    let mut expected: Vec<String> = listed
        .case
        .iter()
        .flat_map(|case| case.kept().into_iter().map(|name| format!("{}/{name}", case.name)))
        .collect();
    expected.sort();
    let mut before = expected.clone();
    before.dedup();
    assert_eq!(before, expected, "a file is named twice");
    assert_eq!(cases::recorded_files(), expected);
}
