//! Why bytes were not read as reports. No variant repeats a value of a report.

use super::VERSION;

/// Why bytes or texts were not read as reports.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// No reports at all.
    #[error("there are no reports in it; send at least one")]
    Empty,
    /// The bytes end in the middle of a report.
    #[error("it ends in the middle of a report, after {at} bytes; send the whole body again")]
    Truncated {
        /// Where.
        at: usize,
    },
    /// Something else than a batch of reports.
    #[error("byte {at} does not begin a batch of reports; send the binary form that the wire format describes")]
    NotABatch {
        /// Where.
        at: usize,
    },
    /// A batch of another version.
    #[error(
        "the reports are in version {found} of the wire format, and this program reads version {VERSION}; update the older side"
    )]
    Version {
        /// The version of the batch.
        found: u64,
    },
    /// A number that is longer than it needs to be, or too large.
    #[error("the number at byte {at} is not in its shortest form or too large; encode it as the wire format describes")]
    Number {
        /// Where.
        at: usize,
    },
    /// No columns, or too many.
    #[error("a report needs 1 to {most} columns")]
    Columns {
        /// The most there can be.
        most: usize,
    },
    /// More reports than the reader takes.
    #[error("there are more than {most} reports in it; send fewer at a time")]
    TooMany {
        /// The most that are read.
        most: usize,
    },
    /// A text that is not so many hexadecimal digits.
    #[error("{what} is not {digits} lower-case hexadecimal digits")]
    Text {
        /// What it is.
        what: &'static str,
        /// The digits it needs.
        digits: usize,
    },
    /// JSON of another shape.
    #[error("this is not JSON of the expected shape (line {line}, column {column}); the wire format has an example")]
    Json {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
    /// Reports of several designs where one is needed.
    #[error("the reports are of more than one design, and JSON holds reports of one; send them apart")]
    SeveralDesigns,
}

impl WireError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty => "body-empty",
            Self::Truncated { .. } => "body-truncated",
            Self::NotABatch { .. } => "body-not-a-batch",
            Self::Version { .. } => "body-version",
            Self::Number { .. } => "body-number",
            Self::Columns { .. } => "body-columns",
            Self::TooMany { .. } => "body-too-many",
            Self::Text { .. } => "body-text",
            Self::Json { .. } => "body-json",
            Self::SeveralDesigns => "body-several-designs",
        }
    }
}
