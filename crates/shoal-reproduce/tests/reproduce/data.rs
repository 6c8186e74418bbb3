//! Files that are not what their name says.

use std::fs;
use std::path::Path;

use shoal_reproduce::data::{DataRoom, by_name};

/// A table of zeros and ones.
fn table(folder: &Path, file: &str, attributes: usize, rows: usize) {
    let names: Vec<String> = (0..attributes).map(|at| format!("x{at}")).collect();
    let row = |at: usize| vec![(at % 2).to_string(); attributes].join(",");
    let lines: Vec<String> = [names.join(",")].into_iter().chain((0..rows).map(row)).collect();
    fs::write(folder.join(file), lines.join("\n") + "\n").unwrap();
}

#[test]
fn a_table_with_other_attributes_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    table(folder.path(), "seeds.csv", 3, 210);
    let error = DataRoom::new(Some(folder.path().into())).get("seeds").err().unwrap().to_string();
    assert!(error.contains("Seeds is missing") && error.contains("3 attributes instead of 7"), "{error}");
}

#[test]
fn a_table_with_other_rows_is_told_from_the_one_on_record() {
    let folder = tempfile::tempdir().unwrap();
    table(folder.path(), "seeds.csv", 7, 20);
    table(folder.path(), "road3d_first5000.csv", 3, 5000);
    table(folder.path(), "adult_num.csv", 6, 100);
    let room = DataRoom::new(Some(folder.path().into()));
    let note = |name: &str| room.get(name).unwrap().note();
    assert_eq!(note("seeds").unwrap(), "seeds.csv has 20 rows, the table on record 210");
    let road = by_name("road").unwrap().standing.note().unwrap();
    assert_eq!(note("road").unwrap(), road, "the right number of rows");
    // Some of the rows of a file: the whole file counts.
    assert!(note("adult-train").unwrap().contains("100 rows, the table on record 48842"));
    assert_eq!(note("iris"), None, "the one in the program");
}
