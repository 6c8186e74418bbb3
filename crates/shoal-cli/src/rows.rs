//! A table that a command reads itself: `consortium attack` is no job of the library.

use shoal::Error;
use shoal_files::{FileKind, Missing, ReadOptions, Source, Table};

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
    /// Quoted cells may span lines.
    pub multiline: bool,
    /// Most bytes to hold in memory of a stream that cannot be read twice.
    pub memory: usize,
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
        person: Vec::new(),
        order: None,
        missing: wanted.missing,
        no_header: wanted.no_header,
        multiline: wanted.multiline,
        allow_empty: false,
        stream_limit: wanted.memory as u64,
        ..ReadOptions::default()
    };
    Ok(Table::open(source, &options)?)
}
