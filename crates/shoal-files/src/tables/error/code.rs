//! Names of reasons for programs.

use super::DataError;

impl DataError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Io { .. } => "cannot-read",
            Self::Folder { .. } => "is-a-folder",
            Self::Empty { .. } => "empty-table",
            Self::NoRows { .. } => "no-rows",
            Self::AllDropped { .. } => "all-rows-dropped",
            Self::NoHeader { .. } => "no-header",
            Self::Separator { .. } => "other-separator",
            Self::Ragged { .. } => "ragged-row",
            Self::SpansLines { .. } => "record-spans-lines",
            Self::OpenQuote { .. } => "open-quote",
            Self::NotUtf8 { .. } => "not-utf8",
            Self::NotANumber { .. } => "not-a-number",
            Self::Missing { .. } | Self::MissingSomewhere { .. } => "missing-value",
            Self::NoMiddle => "no-middle",
            Self::MissingPerson { .. } => "missing-person",
            Self::MissingMoment { .. } => "missing-order",
            Self::NoMoment { .. } => "no-order",
            Self::PersonColumnType { .. } => "person-column-type",
            Self::PersonSelected { .. } => "person-selected",
            Self::NoPersons => "no-persons",
            Self::PersonsOnDisk { .. } => "persons-on-disk",
            Self::CannotKeep { .. } => "cannot-keep",
            Self::CannotCategorise { .. } => "cannot-categorise",
            Self::UnknownColumn { .. } => "unknown-column",
            Self::UnclearHeader { .. } => "unclear-header",
            Self::SelectedTwice { .. } => "column-selected-twice",
            Self::DuplicateName { .. } => "duplicate-column",
            Self::NoColumns => "no-columns",
            Self::ColumnType { .. } => "column-type",
            Self::Codec { .. } => "unknown-compression",
            Self::Truncated { .. } => "truncated-file",
            Self::Damaged { .. } => "damaged-file",
            Self::PackedTable { .. } => "packed-table",
            Self::OtherFormat { .. } => "other-format",
            Self::SeveralSheets { .. } => "several-sheets",
            Self::UnknownSheet { .. } => "unknown-sheet",
            Self::LongRecord { .. } => "long-record",
            Self::Bomb { .. } => "unpacked-too-long",
            Self::Changed { .. } => "file-changed",
            Self::Spool { .. } => "cannot-spool",
            Self::OutOfMemory { .. } => "out-of-memory",
            Self::NotWholeRows { .. } => "not-whole-rows",
            Self::UnequalColumns { .. } => "unequal-columns",
            Self::Bounds(error) => error.code(),
        }
    }
}
