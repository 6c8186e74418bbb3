//! Why codes were refused.

use shoal_files::SealedError;
use shoal_privacy::Parameter;

/// Why a file could not be read as codes, or not together with another.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CodesFileError {
    /// A fault that any released file may have.
    #[error(transparent)]
    Sealed(#[from] SealedError),
    /// Two files of pairs.
    #[error(
        "{first} and {second} both hold codes of pairs, and no pair has a record of each; give one such file at a time"
    )]
    SeveralPairs {
        /// The first file.
        first: String,
        /// The other file.
        second: String,
    },
    /// A file and its copy.
    #[error("{second} is a copy of {first}, and its codes would count twice; name one of them")]
    Copy {
        /// The first file.
        first: String,
        /// The other file.
        second: String,
    },
    /// More codes than may be held.
    #[error(
        "the codes up to those in {name} take {needed} bytes of memory and {allowed} are allowed; give {} {megabytes}M or more",
        Parameter::MEMORY
    )]
    TooLarge {
        /// The file.
        name: String,
        /// Bytes of all codes so far.
        needed: u64,
        /// Bytes that may be used.
        allowed: u64,
        /// What would do.
        megabytes: u64,
    },
}

impl CodesFileError {
    /// A name for the reason that stays the same when the text of the message changes.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Sealed(error) => error.code(),
            Self::SeveralPairs { .. } => "several-pairs",
            Self::Copy { .. } => "copied-codes",
            Self::TooLarge { .. } => "too-many-codes",
        }
    }
}
