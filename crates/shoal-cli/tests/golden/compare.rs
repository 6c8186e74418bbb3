//! Whether a file has the numbers of the golden one. Words may change, numbers may not.

use std::fmt::Display;
use std::path::Path;

use serde_json::{Number, Value};

use crate::cases::Listed;
use crate::parquet_file;

/// What is compared in JSON beside numbers, and what is not.
pub struct Rules {
    unstable: Vec<String>,
    exact: Vec<String>,
}

/// What is found in one place.
pub fn differs(place: &str, golden: impl Display, new: impl Display) -> String {
    format!("{place}: golden {golden}, now {new}")
}

/// The same of what is not there any more.
fn gone(place: &str, golden: impl Display) -> String {
    differs(place, golden, "missing")
}

/// Whether a value is words: a text, or an object that has one beside its parts, as decisions do.
fn is_sentence(value: &Value) -> bool {
    value.is_string() || value.get("text").is_some_and(Value::is_string)
}

impl Rules {
    pub fn of(listed: &Listed) -> Self {
        Self { unstable: listed.unstable.clone(), exact: listed.exact.clone() }
    }

    /// The differences of two files, by the ending of their names.
    pub fn files(&self, golden: &Path, new: &Path) -> Result<Vec<String>, String> {
        let ending = golden.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if ending == "parquet" {
            return parquet_file::differences(self, golden, new);
        }
        let read = |path: &Path| {
            std::fs::read_to_string(path).map_err(|error| format!("{} cannot be read ({error})", path.display()))
        };
        let (golden, new) = (read(golden)?, read(new)?);
        match ending {
            "json" => self.json_texts(&golden, &new),
            "csv" => self.csv(&golden, &new),
            "txt" => Ok(in_tables(&golden, &new)),
            _ => Err(format!("there is no rule for files that end in .{ending}")),
        }
    }

    /// The differences of two texts of JSON.
    pub fn json_texts(&self, golden: &str, new: &str) -> Result<Vec<String>, String> {
        let parse = |text: &str| serde_json::from_str::<Value>(text).map_err(|error| format!("not JSON ({error})"));
        Ok(self.json(&parse(golden)?, &parse(new)?))
    }

    /// The differences of two values.
    pub fn json(&self, golden: &Value, new: &Value) -> Vec<String> {
        let mut found = Vec::new();
        self.walk("", golden, Some(new), false, &mut found);
        found
    }

    /// `exact` is set where the texts count: in or under a key that says so.
    fn walk(&self, place: &str, golden: &Value, new: Option<&Value>, exact: bool, found: &mut Vec<String>) {
        let here = if place.is_empty() { "the whole" } else { place };
        match (golden, new) {
            (Value::Object(golden), Some(Value::Object(new))) => {
                for (key, value) in golden.iter().filter(|(key, _)| !self.unstable.contains(key)) {
                    let place = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
                    self.walk(&place, value, new.get(key), exact || self.exact.contains(key), found);
                }
            }
            (Value::Array(golden), Some(Value::Array(new))) => {
                for (i, value) in golden.iter().enumerate() {
                    self.walk(&format!("{place}[{i}]"), value, new.get(i), exact, found);
                }
                // Words in a list may come and go.
                let words = |list: &[Value]| !exact && list.iter().all(is_sentence);
                if golden.len() < new.len() && !words(new) {
                    found.push(differs(here, format!("{} items", golden.len()), format!("{} items", new.len())));
                }
            }
            (Value::Number(a), Some(Value::Number(b))) if is_same(a, b) => {}
            (Value::Bool(_), Some(new)) if golden == new => {}
            // A value that is not there may be left out.
            (Value::Null, None | Some(Value::Null)) => {}
            (Value::String(a), Some(Value::String(b))) if !exact || a == b => {}
            (Value::String(_), None) if !exact => {}
            // A sentence of the record may be an object with that sentence now.
            (Value::String(_), Some(new)) if !exact && is_sentence(new) => {}
            (Value::Object(_) | Value::Array(_), _) if !self.counts(golden, exact) => {}
            (_, Some(new)) => found.push(differs(here, short(golden), short(new))),
            (_, None) => found.push(gone(here, short(golden))),
        }
    }

    /// Whether anything in it is compared.
    fn counts(&self, value: &Value, exact: bool) -> bool {
        match value {
            Value::Object(object) => {
                let stable = object.iter().filter(|(key, _)| !self.unstable.contains(key));
                stable.into_iter().any(|(key, value)| self.counts(value, exact || self.exact.contains(key)))
            }
            Value::Array(list) => list.iter().any(|value| self.counts(value, exact)),
            Value::String(_) => exact,
            Value::Number(_) | Value::Bool(_) => true,
            Value::Null => false,
        }
    }

    /// The differences of two tables, cell by cell. Of comments only JSON counts.
    pub fn csv(&self, golden: &str, new: &str) -> Result<Vec<String>, String> {
        let is_comment = |line: &&str| line.starts_with('#');
        let rows = |text| -> Vec<&str> { str::lines(text).filter(|line| !is_comment(line)).collect() };
        let described = |text| -> Vec<&str> {
            str::lines(text).filter(is_comment).filter_map(|line| Some(&line[line.find('{')?..])).collect()
        };
        let mut found = Vec::new();
        let (golden_json, new_json) = (described(golden), described(new));
        for (i, json) in golden_json.iter().enumerate() {
            let place = format!("comment {}", i + 1);
            match new_json.get(i) {
                Some(new) => {
                    found.extend(self.json_texts(json, new)?.into_iter().map(|said| format!("{place}, {said}")))
                }
                None => found.push(gone(&place, json)),
            }
        }
        let (golden, new) = (rows(golden), rows(new));
        if golden.len() != new.len() {
            found.push(differs("rows", golden.len(), new.len()));
        }
        for (i, (golden, new)) in golden.iter().zip(&new).enumerate() {
            let (golden, new) = (cells(golden), cells(new));
            if golden.len() != new.len() {
                found.push(differs(&format!("row {}", i + 1), golden.len(), new.len()));
            }
            let changed = golden.iter().zip(&new).enumerate().filter(|(_, (golden, new))| golden != new);
            found.extend(changed.map(|(j, (a, b))| differs(&format!("row {}, cell {}", i + 1, j + 1), a, b)));
        }
        Ok(found)
    }
}

/// No cell of the record has a comma in quotes.
fn cells(row: &str) -> Vec<&str> {
    row.split(',').collect()
}

/// The same whole number, or the same double to the last bit.
fn is_same(a: &Number, b: &Number) -> bool {
    match (a.is_f64() || b.is_f64(), a.as_f64(), b.as_f64()) {
        (true, Some(a), Some(b)) => a.to_bits() == b.to_bits(),
        _ => a == b,
    }
}

/// A value as a message shows it.
fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(80) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// The differences of two texts, in the numbers of their tables.
pub fn in_tables(golden: &str, new: &str) -> Vec<String> {
    let (golden, new) = (numbers_of_tables(golden), numbers_of_tables(new));
    let mut found = Vec::new();
    if golden.len() != new.len() {
        found.push(differs("numbers in tables", golden.len(), new.len()));
    }
    let changed = golden.iter().zip(&new).enumerate().filter(|(_, (golden, new))| golden != new);
    found.extend(changed.map(|(i, (a, b))| differs(&format!("number {} of the tables", i + 1), a, b)));
    found
}

/// The numbers in lines that start with spaces, as written.
fn numbers_of_tables(text: &str) -> Vec<&str> {
    let lines = text.lines().filter(|line| line.starts_with("  "));
    let words = lines.flat_map(|line| line.split(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c))));
    words.map(|word| word.trim_end_matches('.')).filter(|word| word.parse::<f64>().is_ok()).collect()
}
