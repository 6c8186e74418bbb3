//! Why reports were refused.

use crate::report_file::VERSION;
use shoal_files::DataError;

/// Why a file could not be read as reports, or not together with another.
#[derive(Debug, thiserror::Error)]
pub enum ReportFileError {
    /// No file at all.
    #[error("no file of reports was named; give one that `shoal perturb --out FILE` wrote")]
    NoFiles,
    /// Another kind of file.
    #[error("{name} holds no Shoal reports ({why}); give a file that `shoal perturb --out FILE` wrote")]
    NotReports {
        /// The file.
        name: String,
        /// What it is instead.
        why: &'static str,
    },
    /// Another version of the format.
    #[error(
        "{name} has report format version {found}, and this program reads version {VERSION}; use a program that reads it"
    )]
    Version {
        /// The file.
        name: String,
        /// The version in the file.
        found: u64,
    },
    /// Bytes that are not those that were written.
    #[error("the reports in {name} are damaged or were edited ({why}); copy the file again from where it was written")]
    Damaged {
        /// The file.
        name: String,
        /// What does not fit.
        why: String,
    },
    /// Numbers that do not go together.
    #[error(
        "the reports in {name} contradict themselves ({why}); the file was edited or damaged, so copy it again from where it was written"
    )]
    Inconsistent {
        /// The file.
        name: String,
        /// What does not fit.
        why: String,
    },
    /// A file without any report.
    #[error("{name} holds no reports; there is nothing to cluster. Give a file with at least one")]
    Empty {
        /// The file.
        name: String,
    },
    /// Reports that the mechanism never makes.
    #[error(
        "{} of {} reports in {name} lie outside {low} to {high} steps or off its grid, where {mechanism} puts every report; they were not made by it, so copy the file again from where it was written",
        thousands(*.outside), thousands(*.rows)
    )]
    Outside {
        /// The file.
        name: String,
        /// Reports with an attribute outside.
        outside: u64,
        /// All reports of the file.
        rows: u64,
        /// The lowest step there is.
        low: i64,
        /// The highest step there is.
        high: i64,
        /// The mechanism's name.
        mechanism: &'static str,
    },
    /// Reports that were not made in the same way.
    #[error("{first} holds reports {one} and {second} {other}; cluster them apart")]
    Mixed {
        /// The first file.
        first: String,
        /// The other file.
        second: String,
        /// How the first was made, in the point where they differ.
        one: String,
        /// How the other was made.
        other: String,
    },
    /// The file cannot be read at all.
    #[error(transparent)]
    Data(#[from] DataError),
}

/// `1,000` for 1000.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::thousands;

    #[test]
    fn commas_are_between_thousands() {
        for (number, text) in [(0, "0"), (17, "17"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(number), text);
        }
    }
}
