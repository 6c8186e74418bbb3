//! Why codes were refused.

use crate::codes_file::VERSION;
use shoal_files::DataError;

/// Why a file could not be read as codes, or not together with another.
#[derive(Debug, thiserror::Error)]
pub enum CodesFileError {
    /// No file at all.
    #[error("no file of codes was named; give one that `shoal consortium encode --out FILE` wrote")]
    NoFiles,
    /// Another kind of file.
    #[error("{name} holds no Shoal codes ({why}); give a file that `shoal consortium encode --out FILE` wrote")]
    NotCodes {
        /// The file.
        name: String,
        /// What it is instead.
        why: &'static str,
    },
    /// Another version of the format.
    #[error(
        "{name} has code format version {found}, and this program reads version {VERSION}; use a program that reads it"
    )]
    Version {
        /// The file.
        name: String,
        /// The version in the file.
        found: u64,
    },
    /// Bytes that are not those that were written.
    #[error("the codes in {name} are damaged or were edited ({why}); copy the file again from where it was written")]
    Damaged {
        /// The file.
        name: String,
        /// What does not fit.
        why: String,
    },
    /// Statements that do not go together.
    #[error(
        "the codes in {name} contradict themselves ({why}); the file was edited or damaged, so copy it again from where it was written"
    )]
    Inconsistent {
        /// The file.
        name: String,
        /// What does not fit.
        why: String,
    },
    /// A file without any code.
    #[error("{name} holds no codes; there is nothing to compare. Give a file with at least one")]
    Empty {
        /// The file.
        name: String,
    },
    /// Codes that were not made in the same way.
    #[error("{first} holds codes {one} and {second} {other}; {advice}")]
    Mixed {
        /// The first file.
        first: String,
        /// The other file.
        second: String,
        /// How the first was made, in the point where they differ.
        one: String,
        /// How the other was made.
        other: String,
        /// What to do.
        advice: &'static str,
    },
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
        "the codes up to those in {name} take {needed} bytes of memory and {allowed} are allowed; give --memory {megabytes}M or more"
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
    /// The file cannot be read at all.
    #[error(transparent)]
    Data(#[from] DataError),
}
