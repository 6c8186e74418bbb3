//! Where in a table something is.

use std::fmt;

/// Where a cell is: the row among the data rows, counted from 1, and the line of a text file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Data row, counted from 1 and without the header.
    pub row: u64,
    /// Line of the file, where there are lines.
    pub line: Option<u64>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "row {} (line {line})", self.row),
            None => write!(f, "row {}", self.row),
        }
    }
}
