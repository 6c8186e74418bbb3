//! Whether a Parquet file has the values of the golden one. How they are stored does not matter.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

use crate::compare::{Rules, differs};

/// What is in a file.
struct Contents {
    columns: BTreeMap<String, Vec<Field>>,
    rows: usize,
    metadata: BTreeMap<String, String>,
}

impl Contents {
    fn read(path: &Path) -> Result<Self, String> {
        let cannot = |error: &dyn std::fmt::Display| format!("{} cannot be read ({error})", path.display());
        let file = File::open(path).map_err(|error| cannot(&error))?;
        Self::of(file).map_err(|error| cannot(&error))
    }

    fn of(file: File) -> Result<Self, ParquetError> {
        let reader = SerializedFileReader::new(file)?;
        let described = reader.metadata().file_metadata().key_value_metadata().into_iter().flatten();
        let metadata = described.filter_map(|entry| Some((entry.key.clone(), entry.value.clone()?))).collect();
        let mut columns: BTreeMap<String, Vec<Field>> = BTreeMap::new();
        let mut rows = 0;
        for row in reader.get_row_iter(None)? {
            rows += 1;
            for (name, field) in row?.into_columns() {
                columns.entry(name).or_default().push(field);
            }
        }
        Ok(Self { columns, rows, metadata })
    }
}

/// The differences of two files: columns, values, and the JSON in the metadata.
pub fn differences(rules: &Rules, golden: &Path, new: &Path) -> Result<Vec<String>, String> {
    let (golden, new) = (Contents::read(golden)?, Contents::read(new)?);
    let mut found = Vec::new();
    if golden.rows != new.rows {
        found.push(differs("rows", golden.rows, new.rows));
    }
    for (name, values) in &golden.columns {
        let Some(others) = new.columns.get(name) else {
            found.push(format!("column {name}: missing"));
            continue;
        };
        let changed = values.iter().map(shown).zip(others.iter().map(shown)).enumerate().filter(|(_, (a, b))| a != b);
        found.extend(changed.map(|(i, (a, b))| differs(&format!("column {name}, row {}", i + 1), a, b)));
    }
    for (key, golden) in &golden.metadata {
        if serde_json::from_str::<serde_json::Value>(golden).is_err() {
            continue;
        }
        let Some(new) = new.metadata.get(key) else {
            found.push(format!("metadata {key}: missing"));
            continue;
        };
        found.extend(rules.json_texts(golden, new)?.into_iter().map(|said| format!("metadata {key}, {said}")));
    }
    Ok(found)
}

/// A value with its type, and so that doubles that differ in a bit look different.
fn shown(value: &Field) -> String {
    match value {
        Field::Bytes(bytes) => bytes.data().iter().map(|byte| format!("{byte:02x}")).collect(),
        other => format!("{other:?}"),
    }
}
