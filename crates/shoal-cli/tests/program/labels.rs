//! `shoal predict` and `shoal score` as a user runs them on tables that are read as the model's was.

use crate::common::Place;

const FIT: [&str; 9] = ["fit", "d.csv", "-k", "2", "-e", "4", "-b", "age=17:90,hours=1:99", "--out"];

fn table(rows: usize, separator: &str) -> String {
    let row = |i: usize| [format!("p{i}"), format!("{}", 20 + 50 * (i % 2)), "10".into()].join(separator) + "\n";
    ["id", "age", "hours"].join(separator) + "\n" + &(0..rows).map(row).collect::<String>()
}

#[test]
fn labels_have_the_columns_that_were_asked_for() {
    let place = Place::new();
    place.write("d.csv", table(200, "|") + "gap|30|\n");
    place.run(&[&FIT[..], &["m.json", "--missing", "drop", "--delimiter", "|"]].concat()).ok();
    // Everything that reading needs is in the model.
    let run = place.run(&["predict", "m.json", "d.csv", "--keep", "id,age", "--out", "labels.csv"]).ok();
    assert!(run.err().contains("NOT PRIVATE: labels reveal single rows"), "{}", run.err());
    let labels = place.read("labels.csv");
    assert!(labels.starts_with("row,label,distance,id,age\n1,"), "{labels}");
    assert!(labels.ends_with("\n201,,,gap,30\n") && labels.lines().count() == 202, "{labels}");
    place.run(&["score", "d.csv", "--model", "m.json"]).ok();
    let args = ["predict", "m.json", "d.csv", "--keep", "id", "--format", "json"];
    let json = place.run(&args).ok().json();
    assert_eq!((&json["labels"][200]["label"], &json["labels"][200]["id"]), (&serde_json::Value::Null, &"gap".into()));
    let json = place.run(&[&args[..], &["--out", "labels.parquet"]].concat()).ok().json();
    assert_eq!((&json["unlabelled"], &json["private"]), (&1.into(), &false.into()));
    assert!(std::fs::read(place.path("labels.parquet")).unwrap().starts_with(b"PAR1"));
    // The file of labels is its owner's alone.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |name: &str| place.path(name).metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("labels.parquet"), mode("labels.csv")), (0o600, 0o600));
    }
    // What is given overrides the model.
    place.run(&["predict", "m.json", "d.csv", "--missing", "refuse"]).fails(1, &["row 201", "hours"]);
    place.run(&["score", "d.csv", "--model", "m.json", "--missing", "refuse"]).fails(1, &["row 201"]);
    let middle = place.run(&["predict", "m.json", "d.csv", "--missing", "middle"]).ok().out();
    assert!(!middle.contains(",,"), "{middle}");
    place.write("other.csv", table(4, ",").replace("hours", "worked"));
    let other = ["predict", "m.json", "other.csv", "--delimiter", ","];
    place.run(&other).fails(1, &["needs a column `hours`", "id, age, worked", "--columns"]);
    place.run(&[&other[..], &["--columns", "age,worked"]].concat()).ok();
    place.run(&[&other[..], &["--columns", "age"]].concat()).fails(2, &["2 columns", "age, hours"]);
}

#[test]
fn what_cannot_be_written_or_kept_is_refused_and_leaves_nothing() {
    let place = Place::new();
    place.write("d.csv", table(200, ","));
    place.run(&[&FIT[..], &["m.json"]].concat()).ok();
    let files = place.files();
    let predict = |more: &[&str]| place.run(&[&["predict", "m.json", "d.csv"], more].concat());
    predict(&["--keep", "name", "--out", "l.csv"]).fails(1, &["no column `name`", "id, age, hours"]);
    predict(&["--keep", "id,id", "--out", "l.csv"]).fails(1, &["`id`"]);
    for name in ["labels.xlsx", "labels", "labels.json"] {
        predict(&["--out", name]).fails(2, &[name, ".csv or .parquet"]);
    }
    predict(&["--header", "--no-header"]).fails(2, &["--no-header"]);
    place.write("empty.csv", "id,age,hours\n");
    let empty = place.run(&["predict", "m.json", "empty.csv", "--out", "l.parquet"]);
    empty.fails(1, &["no data rows"]);
    std::fs::remove_file(place.path("empty.csv")).unwrap();
    assert_eq!(place.files(), files);
    // The first line of labels waits for the last row of the table.
    place.write("bad.csv", table(600, ",") + "x,old,10\n");
    let run = place.run(&["predict", "m.json", "bad.csv", "--keep", "id"]).fails(1, &["row 601", "age"]);
    assert!(run.out().is_empty() && !run.err().contains("old"));
}
