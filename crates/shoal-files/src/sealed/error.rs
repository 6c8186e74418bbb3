//! Why a sealed file was refused.

use crate::DataError;
use crate::sealed::kinds::SealedKind;

/// Why a file could not be read as the kind that it should be, or not together with another.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SealedError {
    /// No file at all.
    #[error("no file of {} was named; give one that `{}` wrote ({})", kind.things, kind.made_by, kind.given_as)]
    NoFiles {
        /// What the file should be.
        kind: &'static SealedKind,
    },
    /// Another kind of file.
    #[error(
        "{name} holds no Shoal {} ({why}); give a file that `{}` wrote ({})",
        kind.things, kind.made_by, kind.given_as
    )]
    OtherKind {
        /// What the file should be.
        kind: &'static SealedKind,
        /// The file.
        name: String,
        /// What it is instead.
        why: String,
    },
    /// Another version of the format.
    #[error(
        "the {} {name} has format version {found}, and this program reads {}; use a program that reads it",
        kind.file, versions(kind.versions)
    )]
    Version {
        /// What the file should be.
        kind: &'static SealedKind,
        /// The file.
        name: String,
        /// The version in the file.
        found: u64,
    },
    /// Bytes that are not those that were written.
    #[error("the {} {name} is damaged or was edited ({why}); copy it again from where it was written", kind.file)]
    Damaged {
        /// What the file should be.
        kind: &'static SealedKind,
        /// The file.
        name: String,
        /// What does not fit.
        why: String,
    },
    /// Statements that contradict each other.
    #[error(
        "the {} {name} contradicts itself ({why}); it was edited or damaged, so copy it again from where it was written",
        kind.file
    )]
    Inconsistent {
        /// What the file should be.
        kind: &'static SealedKind,
        /// The file.
        name: String,
        /// What does not fit.
        why: String,
    },
    /// A file without any row.
    #[error("{name} holds no {}; there is nothing to {}. Give a file with at least one", kind.things, kind.nothing_to)]
    Empty {
        /// What the file should be.
        kind: &'static SealedKind,
        /// The file.
        name: String,
    },
    /// Files that were not made in the same way.
    #[error(
        "{first} holds {} {} and {second} {}; {}",
        kind.things, difference.one, difference.other, difference.advice
    )]
    Mixed {
        /// What the files are.
        kind: &'static SealedKind,
        /// The first file.
        first: String,
        /// The other file.
        second: String,
        /// In what they differ.
        difference: Box<Difference>,
    },
    /// The file cannot be read at all.
    #[error(transparent)]
    Data(#[from] DataError),
}

/// How two files were made, in the first point where they differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// How the first was made, in words that follow the name of what is in it.
    pub one: String,
    /// How the other was made.
    pub other: String,
    /// What to do.
    pub advice: &'static str,
}

impl SealedError {
    /// A name for the reason that stays the same when the text of the message changes.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoFiles { .. } => "no-files",
            Self::OtherKind { .. } => "other-kind",
            Self::Version { .. } => "other-version",
            Self::Damaged { .. } => "damaged",
            Self::Inconsistent { .. } => "inconsistent",
            Self::Empty { .. } => "empty",
            Self::Mixed { .. } => "mixed",
            Self::Data(error) => error.code(),
        }
    }
}

/// `version 1` or `versions 1 and 2`.
fn versions(known: &[u32]) -> String {
    let known: Vec<String> = known.iter().map(u32::to_string).collect();
    format!("version{} {}", if known.len() == 1 { "" } else { "s" }, known.join(" and "))
}
