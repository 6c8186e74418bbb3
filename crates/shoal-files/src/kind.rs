//! What kind of file a path names: a table of people, or something that Shoal released.

use std::path::Path;

use crate::sealed::{ReleasedFile, ReleasedText};
use crate::{DataError, Source};

/// The key under which a file of reports describes itself.
pub const REPORTS_KEY: &str = "shoal.reports";

/// The key under which a file of codes describes itself.
pub const CODES_KEY: &str = "shoal.codes";

/// The key under which a synopsis describes itself.
pub const SYNOPSIS_KEY: &str = "shoal.synopsis";

/// The most bytes of a stream, which has to be held in memory.
const STREAM_LIMIT: u64 = 4 << 30;

/// What a file is, judged by its own description and not by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileKind {
    /// Rows of people, or anything else that Shoal did not release.
    Table,
    /// Reports of a crowd.
    Reports,
    /// Codes of a consortium.
    Codes,
    /// Noisy cells of a grid or a tree.
    Synopsis,
}

impl FileKind {
    /// The kind of a source. Only files are opened, and only once: a pipe can be read a single time, so it counts as a
    /// table, and so does whatever cannot be opened, whose error comes when it is read.
    pub fn of(source: &Source) -> Self {
        match source {
            Source::Path(path) => Self::of_path(path),
            _ => Self::Table,
        }
    }

    /// [`Self::of`] for a path.
    pub fn of_path(path: &Path) -> Self {
        if !path.is_file() {
            return Self::Table;
        }
        Self::of_opened(ReleasedFile::open(Source::Path(path.into()), STREAM_LIMIT))
    }

    fn of_opened(file: Result<ReleasedFile, DataError>) -> Self {
        match file {
            Ok(ReleasedFile::Parquet(file)) => {
                [(REPORTS_KEY, Self::Reports), (CODES_KEY, Self::Codes), (SYNOPSIS_KEY, Self::Synopsis)]
                    .into_iter()
                    .find(|(key, _)| file.described(key).is_some())
                    .map_or(Self::Table, |(_, kind)| kind)
            }
            Ok(ReleasedFile::Text(text)) => {
                if starts_as_reports(text) {
                    Self::Reports
                } else {
                    Self::Table
                }
            }
            Err(_) => Self::Table,
        }
    }
}

/// Whether a text begins with the description of reports, which is a comment line.
fn starts_as_reports(mut text: ReleasedText) -> bool {
    let mut line = Vec::new();
    text.next(&mut line).is_ok_and(|found| found && description_of_reports(&line).is_some())
}

/// What follows the mark of a description in a CSV file of reports, if a line is one.
pub fn description_of_reports(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(b"# ")?.strip_prefix(REPORTS_KEY.as_bytes())?;
    rest.strip_prefix(b" ")
}
