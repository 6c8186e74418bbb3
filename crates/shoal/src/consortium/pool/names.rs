//! What files and rows are called.

use std::collections::HashSet;
use std::fmt;

use shoal_consortium::codes_file::FilePart;
use shoal_files::Source;

use super::Pooled;

/// The rows of one file, counted from 1 over all files.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileRows {
    /// The file's own name, or its path where two have the same.
    pub name: String,
    /// Its first row.
    pub first: usize,
    /// Its last row.
    pub last: usize,
    /// How many of the last ones are made up.
    pub bridge: usize,
}

impl fmt::Display for FileRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has {} to {}", self.name, self.first, self.last)?;
        if self.bridge > 0 {
            write!(f, " (the last {} of them made up)", self.bridge)?;
        }
        Ok(())
    }
}

/// Each file's own name; the whole paths where two names would be the same.
pub(super) fn of(sources: &[Source]) -> Vec<String> {
    let name = |source: &Source, whole: bool| match source {
        Source::Path(path) => match path.file_name() {
            Some(name) if !whole => name.to_string_lossy().into_owned(),
            _ => path.display().to_string(),
        },
        Source::Stdin => "standard input".into(),
        _ => "memory".into(),
    };
    let short: Vec<String> = sources.iter().map(|source| name(source, false)).collect();
    let distinct: HashSet<&String> = short.iter().collect();
    if distinct.len() == sources.len() { short } else { sources.iter().map(|source| name(source, true)).collect() }
}

impl Pooled {
    /// The names of the files, in their order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The row of a record among all rows of all files, from 0.
    pub(in super::super) fn row(&self, record: usize) -> usize {
        self.rows[record]
    }

    /// The file of a record by its name, and the row in it, from 1.
    pub fn place(&self, record: usize) -> (&str, usize) {
        let (part, row) = self.file.place(self.row(record));
        (self.names.get(part).map_or("", String::as_str), row + 1)
    }

    /// The name of a record, where its custodian gave one.
    pub fn id(&self, record: usize) -> Option<&str> {
        self.file.id(self.row(record))
    }

    /// Whether any custodian gave names.
    pub fn has_ids(&self) -> bool {
        self.file.parts.iter().any(|part| part.ids.is_some())
    }

    /// Which rows are in which file.
    pub fn rows_of_files(&self) -> Vec<FileRows> {
        let mut before = 0;
        let range = |(part, name): (&FilePart, &String)| {
            let rows = part.paired_records.map_or(part.rows, |records| records as usize);
            before += rows;
            FileRows { name: name.clone(), first: before - rows + 1, last: before, bridge: part.bridge }
        };
        self.file.parts.iter().zip(&self.names).map(range).collect()
    }
}
