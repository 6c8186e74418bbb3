//! Files that are not what their name says.

use std::fs;
use std::path::Path;

use shoal_reproduce::data::convert::on_record;
use shoal_reproduce::data::{DataRoom, Grade, all, by_name};

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

#[test]
fn a_table_that_is_not_there_is_made_up_and_says_so() {
    let room = DataRoom::new(None);
    for set in all() {
        let records = room.get(set.name).unwrap();
        assert_eq!(records.dims(), set.shape.1, "{}", set.name);
        assert_eq!(records.rows(), set.rows.unwrap_or(set.shape.0), "{}", set.name);
        let limits = records.limits.iter().all(|(low, high)| low.is_finite() && high > low);
        assert!(limits || !records.is_made_up(), "{}: {:?}", set.name, records.limits);
        let built_in = ["iris", "wine", "wdbc", "digits"].contains(&set.name);
        assert_eq!(records.is_made_up(), !built_in, "{}", set.name);
        if !built_in {
            assert!(records.note().unwrap().contains("MADE UP") && records.grade() == Grade::MadeUp, "{}", set.name);
            assert_eq!(records.labels.as_ref().unwrap().len(), records.rows());
        }
    }
    // The same on every machine, and not the same for all.
    let first = |name: &str| DataRoom::new(None).get(name).unwrap().values[..4].to_vec();
    assert_eq!(first("s1"), first("s1"));
    assert_ne!(first("s1"), first("s2"));
}

#[test]
fn what_a_figure_asks_for_decides_how_near_its_data_are() {
    let room = DataRoom::new(None);
    let watched = room.watched();
    room.get("iris").unwrap();
    assert_eq!(watched.farthest(), Grade::Exact);
    room.get("seeds").unwrap();
    assert_eq!((watched.farthest(), watched.made_up()), (Grade::MadeUp, vec!["seeds"]));
    // The next figure begins anew.
    assert_eq!(room.watched().farthest(), Grade::Exact);
}

#[test]
fn classes_count_where_the_paper_counts_them() {
    let folder = tempfile::tempdir().unwrap();
    let lines: Vec<String> = (0..748).map(|i| format!("{i},2,3,4,{}", i % 2)).collect();
    let text = format!("recency,frequency,monetary,time,label\n{}\n", lines.join("\n"));
    fs::write(folder.path().join("blood_transfusion.csv"), text).unwrap();
    let room = DataRoom::new(Some(folder.path().into()));
    let dims = |name: &str| room.get(name).unwrap().dims();
    assert_eq!((dims("blood"), dims("blood-class")), (4, 5));
    assert_eq!(room.get("blood-class").unwrap().grade(), Grade::Exact);
}

/// The page about the data lists every table with its shape and its fingerprint.
#[test]
fn the_page_lists_every_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("../../docs/data.md")).unwrap();
    for set in all() {
        let row = page.lines().find(|line| line.contains(&format!("`{}`", set.file)) && line.contains(" × "));
        let row = row.unwrap_or_else(|| panic!("{} is not on the page", set.file));
        let thousands = |n: usize| if n < 1000 { n.to_string() } else { format!("{},{:03}", n / 1000, n % 1000) };
        assert!(row.contains(&format!("{} × ", thousands(set.shape.0))), "{}: {row}", set.file);
        assert!(on_record(set.file).is_none_or(|digest| row.contains(digest)), "{}: {row}", set.file);
        let built_in = root.join("data").join(set.file);
        if let Ok(bytes) = fs::read(&built_in) {
            let bytes = thousands(bytes.len());
            assert!(row.contains(&format!("| {bytes} |")), "{}: {bytes} bytes: {row}", set.file);
        } else {
            assert!(on_record(set.file).is_some(), "{}", set.file);
        }
    }
}
