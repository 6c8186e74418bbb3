//! What kind of file a path names: a table of people, or something that Shoal released.

use std::path::Path;

use crate::sealed::integer_file::after;
use crate::sealed::released_file::{ReleasedFile, ReleasedText};
use crate::sealed::{CODES, REPORTS, SYNOPSIS, SealedKind};
use crate::tables::table::PARQUET;
use crate::tables::unpack::GZIP;
use crate::{DataError, Source};

/// The most bytes of a stream, which has to be held in memory.
const STREAM_LIMIT: u64 = 4 << 30;

/// Bytes of a text in memory that are looked at: more than any key needs.
const FIRST_BYTES: usize = 1 << 12;

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

/// The kinds that are sealed.
pub(crate) const SEALED: [(FileKind, &SealedKind); 3] =
    [(FileKind::Reports, &REPORTS), (FileKind::Codes, &CODES), (FileKind::Synopsis, &SYNOPSIS)];

impl FileKind {
    /// The kind of a source, which is opened once. Standard input and other streams can be read a single time, so they count
    /// as tables. So does whatever cannot be opened: its error comes when it is read.
    pub fn of(source: &Source) -> Self {
        match source {
            Source::Path(path) => Self::of_path(path),
            Source::Memory(bytes) => {
                // The first line of a text is enough; packed files have to be whole.
                let whole = bytes.starts_with(&PARQUET) || bytes.starts_with(&GZIP);
                let part = if whole { &bytes[..] } else { &bytes[..bytes.len().min(FIRST_BYTES)] };
                Self::of_opened(ReleasedFile::open(Source::Memory(part.to_vec()), STREAM_LIMIT))
            }
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
        let found = match file {
            Ok(ReleasedFile::Parquet(file)) => SEALED.iter().find(|(_, kind)| file.described(kind.key).is_some()),
            Ok(ReleasedFile::Text(text)) => of_text(text),
            Err(_) => None,
        };
        found.map_or(Self::Table, |(kind, _)| *kind)
    }
}

/// The kind whose description is the first line of a text, as a comment.
fn of_text(mut text: ReleasedText) -> Option<&'static (FileKind, &'static SealedKind)> {
    let mut line = Vec::new();
    let found = text.next(&mut line).is_ok_and(|found| found);
    SEALED.iter().find(|(_, kind)| found && kind.end_key.is_some() && after(&line, kind.key).is_some())
}
