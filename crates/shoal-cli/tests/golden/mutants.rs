//! The comparison itself, put to the test: one changed number of any kind is found, and changed words are not.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::{Value, json};

use crate::cases::{Listed, golden_folder};
use crate::compare::{Rules, in_tables};

fn rules() -> Rules {
    Rules::of(&Listed::read())
}

fn recorded(file: &str) -> String {
    std::fs::read_to_string(golden_folder().join(file)).unwrap()
}

/// The next double, or the next whole number.
fn next(number: &Value) -> Value {
    match number.as_i64() {
        Some(whole) => json!(whole + 1),
        None => json!(number.as_f64().unwrap().next_up()),
    }
}

/// The paths of all leaves.
fn leaves(value: &Value, path: String, all: &mut Vec<String>) {
    match value {
        Value::Object(object) => object.iter().for_each(|(key, value)| leaves(value, format!("{path}/{key}"), all)),
        Value::Array(list) => list.iter().enumerate().for_each(|(i, value)| leaves(value, format!("{path}/{i}"), all)),
        _ => all.push(path),
    }
}

#[test]
fn every_number_of_json_counts_and_words_do_not() {
    let rules = rules();
    let mut numbers = 0;
    for file in ["fit-auto-grid/auto.json", "promise-fit/knorm-lloyd-delta.json", "consortium-codes/init.json"] {
        let golden: Value = serde_json::from_str(&recorded(file)).unwrap();
        assert_eq!(rules.json(&golden, &golden), Vec::<String>::new());
        let mut paths = Vec::new();
        leaves(&golden, String::new(), &mut paths);
        for path in paths {
            let mut mutant = golden.clone();
            let leaf = mutant.pointer_mut(&path).unwrap();
            match leaf {
                Value::Number(_) => *leaf = next(leaf),
                Value::Bool(truth) => *truth = !*truth,
                _ => continue,
            }
            let found = rules.json(&golden, &mutant);
            assert_eq!(found.len(), 1, "{file} {path}: {found:?}");
            // The message names the place and both values.
            let key = path.split('/').find(|part| part.parse::<usize>().is_err() && !part.is_empty()).unwrap();
            let values = [golden.pointer(&path).unwrap(), mutant.pointer(&path).unwrap()].map(Value::to_string);
            assert!(found[0].starts_with(key) && values.iter().all(|value| found[0].contains(value)), "{found:?}");
            numbers += 1;
        }
    }
    assert!(numbers > 40, "{numbers}");

    let golden = json!({ "decisions": ["three cells"], "sizes": [1.5, 2.0], "sentence": "one", "none": null,
        "route": "grid", "seconds": 1.5, "list": [{ "name": "a", "value": 0.1 }] });
    let same = |new: Value| assert_eq!(rules.json(&golden, &new), Vec::<String>::new());
    same(json!({ "decisions": ["3 cells", "and more"], "sizes": [1.5, 2], "none": null, "route": "grid",
        "seconds": 7.5, "list": [{ "name": "b", "value": 0.1, "unit": 3 }], "new": 5 }));
    same(
        json!({ "decisions": [], "sizes": [1.5, 2.0], "sentence": "two", "route": "grid", "list": [{ "value": 0.1 }] }),
    );
    let differs = |change: fn(&mut Value)| {
        let mut mutant = golden.clone();
        change(&mut mutant);
        assert_eq!(rules.json(&golden, &mutant).len(), 1, "{mutant}");
    };
    differs(|mutant| mutant["sizes"] = json!([1.5]));
    differs(|mutant| mutant["sizes"] = json!([1.5, 2.0, 3.0]));
    differs(|mutant| mutant["sizes"] = json!("none"));
    differs(|mutant| mutant["sizes"] = Value::Null);
    differs(|mutant| mutant["none"] = json!(0.0));
    differs(|mutant| mutant["route"] = json!("mean"));
    differs(|mutant| mutant["list"][0] = json!({ "name": "a" }));
    differs(|mutant| mutant["list"][0]["value"] = json!("0.1"));
    differs(|mutant| drop(mutant.as_object_mut().unwrap().remove("sizes")));
    differs(|mutant| drop(mutant.as_object_mut().unwrap().remove("route")));
    assert_eq!(rules.json(&json!([0.0]), &json!([-0.0])).len(), 1, "another bit");
    assert_eq!(rules.json(&json!([]), &json!([1])).len(), 1);
    assert!(rules.json_texts("{}", "{").is_err());
}

#[test]
fn every_cell_of_a_table_counts() {
    let rules = rules();
    let golden = recorded("perturb-bpm/exact.csv");
    let same = |new: &str| assert_eq!(rules.csv(&golden, new).unwrap(), Vec::<String>::new());
    same(&golden);
    same(&format!("# a comment\n{golden}"));
    let differs = |new: &str, place: &str| {
        let found = rules.csv(&golden, new).unwrap();
        assert!(found.len() == 1 && found[0].starts_with(place), "{found:?}");
    };
    let mut lines: Vec<&str> = golden.lines().collect();
    let at = lines.len() / 2;
    let (first, rest) = lines[at].split_once(',').unwrap();
    let changed = format!("{},{rest}", first.parse::<i64>().unwrap() + 1);
    lines[at] = &changed;
    differs(&lines.join("\n"), &format!("row {at}, cell 1: golden {first}, now "));
    differs(&golden.replacen("sepal_width\n", "sepal\n", 1).replacen("sepal_width,", "sepal,", 1), "row 1, cell 2");
    differs(&golden.replacen("\"epsilon\":8.0", "\"epsilon\":8.000000000000002", 1), "comment 1, epsilon: golden 8.0");
    lines.remove(at);
    assert!(rules.csv(&golden, &lines.join("\n")).unwrap().iter().any(|said| said.starts_with("rows: ")));
}

#[test]
fn every_number_of_a_shown_table_counts() {
    let golden = recorded("demo/shown.txt");
    assert_eq!(in_tables(&golden, &golden), Vec::<String>::new());
    assert_eq!(
        in_tables(&golden, &golden.replace("years", "y").replace("Expected error", "Error")),
        Vec::<String>::new()
    );
    let row = golden.lines().find(|line| line.contains('±')).unwrap();
    let digit = row.rfind(|c: char| c.is_ascii_digit()).unwrap();
    let other = if row.ends_with('1') { "2" } else { "1" };
    let mutant = golden.replacen(row, &format!("{}{other}", &row[..digit]), 1);
    let found = in_tables(&golden, &mutant);
    assert!(found.len() == 1 && found[0].starts_with("number "), "{found:?}");
    assert!(!in_tables(&golden, &golden.replacen(row, "", 1)).is_empty());
}

/// A small file with a column of each kind that Shoal writes.
fn write_parquet(folder: &Path, name: &str, whole: i64, real: f64, bytes: &[u8], described: &str) -> PathBuf {
    let schema = "message table { required int64 whole; required double real; required binary code; }";
    let described = KeyValue::new("shoal.test".to_string(), described.to_string());
    let properties = WriterProperties::builder().set_key_value_metadata(Some(vec![described])).build();
    let path = folder.join(name);
    let file = std::fs::File::create(&path).unwrap();
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int64Type>().write_batch(&[7, whole], None, None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<DoubleType>().write_batch(&[0.5, real], None, None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let codes = [ByteArray::from(vec![1, 2]), ByteArray::from(bytes.to_vec())];
    column.typed::<ByteArrayType>().write_batch(&codes, None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    path
}

#[test]
fn every_value_of_parquet_counts() {
    let rules = rules();
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, whole, real, bytes: &[u8], described: &str| {
        write_parquet(folder.path(), name, whole, real, bytes, described)
    };
    let described = r#"{"epsilon":1.0,"words":"as they were"}"#;
    let golden = write("golden.parquet", 3, 0.1, &[8, 9], described);
    let cases = [
        (write("same.parquet", 3, 0.1, &[8, 9], &described.replace("as", "not as")), None),
        (write("whole.parquet", 4, 0.1, &[8, 9], described), Some("column whole, row 2: golden Long(3), now Long(4)")),
        (write("real.parquet", 3, 0.1_f64.next_up(), &[8, 9], described), Some("column real, row 2: ")),
        (write("bytes.parquet", 3, 0.1, &[8, 8], described), Some("column code, row 2: golden 0809, now 0808")),
        (write("json.parquet", 3, 0.1, &[8, 9], r#"{"epsilon":2.0}"#), Some("metadata shoal.test, epsilon: ")),
    ];
    for (mutant, expected) in cases {
        let found = rules.files(&golden, &mutant).unwrap();
        let as_expected = match expected {
            None => found.is_empty(),
            Some(start) => found.len() == 1 && found[0].starts_with(start),
        };
        assert!(as_expected, "{}: {found:?}", mutant.display());
    }
    let recorded = golden_folder().join("perturb-bpm/exact.parquet");
    assert_eq!(rules.files(&recorded, &recorded).unwrap(), Vec::<String>::new());
    assert!(!rules.files(&recorded, &golden).unwrap().is_empty());
    let broken = folder.path().join("broken.parquet");
    std::fs::write(&broken, "PAR1").unwrap();
    assert!(rules.files(&recorded, &broken).is_err());
}
