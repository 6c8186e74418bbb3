//! Why reports were refused.

use shoal_device::DesignError;
use shoal_files::SealedError;

/// Why a file could not be read as reports, or not together with another.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportFileError {
    /// A fault that any released file may have.
    #[error(transparent)]
    Sealed(#[from] SealedError),
    /// A design that cannot be used.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// Lists of values that are not one for each column, or differ in length.
    #[error("the values do not make whole reports; give one list for each of the {columns} columns, all of one length")]
    Shape {
        /// Columns of the design.
        columns: usize,
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
    /// Reports that were counted twice.
    #[error(
        "{} reports in {} repeat other reports exactly, where the mechanism makes about {} by chance; somebody's report would count twice, so {}",
        thousands(*.repeated), files(.first, .second.as_deref()), thousands(expected.round() as u64),
        if second.is_some() { "leave the copy out" } else { "remove the repeated rows at their source and write the file again" }
    )]
    Copied {
        /// The file.
        first: String,
        /// The other file, unless reports repeat within one.
        second: Option<String>,
        /// Reports that are equal to an earlier one.
        repeated: u64,
        /// Equal pairs that are expected at most.
        expected: f64,
    },
}

/// Both files, or the one.
fn files(first: &str, second: Option<&str>) -> String {
    match second {
        Some(second) => format!("{first} and {second}"),
        None => first.to_string(),
    }
}

impl ReportFileError {
    /// A name for the reason that stays the same when the text of the message changes.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Sealed(error) => error.code(),
            Self::Design(error) => error.code(),
            Self::Shape { .. } => "reports-shape",
            Self::Outside { .. } => "reports-outside",
            Self::Copied { .. } => "reports-copied",
        }
    }
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
