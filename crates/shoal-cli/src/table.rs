//! Opening tables the way the command line asks.

use std::path::Path;

use shoal_files::{BoundsSpec, FileKind, Missing, ReadOptions, Source, Table};
use shoal_lattice::Bounds;

use crate::arguments::{MissingArg, Shown, TableArgs};
use crate::failure::Failure;

/// How a command wants its rows.
pub struct Wanted {
    /// Columns, in this order; all when none are named.
    pub columns: Option<Vec<String>>,
    /// A column of known groups.
    pub label: Option<String>,
    /// What to do with missing values.
    pub missing: MissingArg,
    /// No header.
    pub no_header: bool,
    /// Most bytes to hold of a stream that cannot be read twice.
    pub memory: usize,
}

impl From<&TableArgs> for Wanted {
    /// As the options say, without a column of groups.
    fn from(args: &TableArgs) -> Self {
        let TableArgs { columns, missing, no_header, memory } = args;
        Self { columns: columns.clone(), label: None, missing: *missing, no_header: *no_header, memory: *memory }
    }
}

/// A source and its kind, so that a file is opened once to learn what it is.
pub struct Input {
    /// Where the rows come from.
    pub source: Source,
    /// What the file is.
    pub kind: FileKind,
}

impl From<Source> for Input {
    fn from(source: Source) -> Self {
        Self { kind: FileKind::of(&source), source }
    }
}

/// Opens a table.
pub fn open(input: impl Into<Input>, wanted: Wanted) -> Result<Table, Failure> {
    let Input { source, kind } = input.into();
    match (&source, kind) {
        (Source::Path(path), FileKind::Reports) => {
            return Err(released(path, "reports, which are perturbed already"));
        }
        (Source::Path(path), FileKind::Codes) => return Err(codes(path)),
        _ => {}
    }
    let options = ReadOptions {
        columns: wanted.columns,
        label: wanted.label,
        missing: match wanted.missing {
            MissingArg::Refuse => Missing::Refuse,
            MissingArg::Drop => Missing::Drop,
        },
        no_header: wanted.no_header,
        stream_limit: wanted.memory as u64,
    };
    Ok(Table::open(source, &options)?)
}

/// Opens a table with the columns that the user names, or that the bounds name, and settles the bounds.
pub fn open_with_bounds(
    input: impl Into<Input>,
    args: &TableArgs,
    spec: &BoundsSpec,
) -> Result<(Table, Bounds), Failure> {
    let input = input.into();
    if let (Source::Path(path), FileKind::Synopsis) = (&input.source, input.kind) {
        return Err(released(path, "released cells, not rows of people"));
    }
    let columns = args.columns.clone().or_else(|| match spec {
        BoundsSpec::Named(pairs) => Some(pairs.iter().map(|(name, _)| name.clone()).collect()),
        BoundsSpec::All(_) => None,
    });
    let (missing, no_header, memory) = (args.missing, args.no_header, args.memory);
    let table = open(input, Wanted { columns, label: None, missing, no_header, memory })?;
    let bounds = spec.resolve(table.columns(), table.all_columns())?;
    Ok((table, bounds))
}

/// What has been released is no table of people, though it could be read as one.
fn released(path: &Path, what: &str) -> Failure {
    let name = short_name(&path.to_string_lossy());
    Failure::refused(format!("{name} holds {what}; use `shoal cluster {name} -k K`"))
}

/// Codes are no table either, and have commands of their own.
pub fn codes(path: &Path) -> Failure {
    let name = short_name(&path.to_string_lossy());
    Failure::refused(format!("{name} holds codes of a consortium; use `shoal consortium cluster {name} -k K`"))
}

/// The table that a command-line argument names: as it stands or, where there is no such file, in the data folder.
pub fn source(data: &str, shown: &Shown) -> Source {
    let elsewhere = shown.data_dir.as_ref().map(|folder| folder.join(data)).filter(|path| path.exists());
    match elsewhere {
        Some(path) if data != "-" && !Path::new(data).exists() => Source::Path(path),
        _ => Source::from_arg(data),
    }
}

/// The file's own name, or what stands for it.
pub fn short_name(data: &str) -> String {
    match Path::new(data).file_name() {
        _ if data == "-" => "standard input".into(),
        Some(name) => name.to_string_lossy().into_owned(),
        None => data.into(),
    }
}

/// The name under which a ledger knows a file: `people` for `data/people.csv.gz`.
pub fn dataset_name(data: &str) -> String {
    let mut name = short_name(data);
    for ending in [".gz", ".csv", ".parquet"] {
        if let Some(stem) = name.strip_suffix(ending).filter(|stem| !stem.is_empty()) {
            name = stem.into();
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_and_its_name_are_the_same_data_set() {
        for data in ["people", "people.csv", "a/b/people.csv.gz", "people.parquet"] {
            assert_eq!(dataset_name(data), "people");
        }
        assert_eq!(dataset_name(".csv"), ".csv");
        assert_eq!(dataset_name("visits.2024.csv"), "visits.2024");
    }
}
