//! Opening tables the way the command line asks.

use std::path::Path;

use shoal::Error;
use shoal_files::{FileKind, Missing, ReadOptions, Source, Table};

use crate::arguments::{Shown, TableArgs};
use crate::failure::Failure;
use crate::library::{codes, failed};

/// How a command wants its rows.
pub struct Wanted {
    /// Columns, in this order; all when none are named.
    pub columns: Option<Vec<String>>,
    /// A column of known groups.
    pub label: Option<String>,
    /// What to do with missing values.
    pub missing: Missing,
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
            return Err(failed(Error::NotATable { path: path.clone(), kind }));
        }
        (Source::Path(path), FileKind::Codes) => return Err(Failure::refused(codes(path))),
        _ => {}
    }
    let options = ReadOptions {
        columns: wanted.columns,
        label: wanted.label,
        missing: wanted.missing,
        no_header: wanted.no_header,
        stream_limit: wanted.memory as u64,
    };
    Ok(Table::open(source, &options)?)
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
