//! How a released file is laid out.

use std::path::Path;

/// The layout of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Text.
    Csv,
    /// Parquet.
    Parquet,
}

impl Form {
    /// The form that the ending of a file's name asks for: `.csv` for text, Parquet otherwise.
    pub fn of(path: &Path) -> Self {
        let csv = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
        if csv { Self::Csv } else { Self::Parquet }
    }
}
