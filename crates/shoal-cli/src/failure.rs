//! How a command ends when it does not end well: a message with flags in it, a code for programs, and an exit code.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::process::ExitCode;

use serde_json::{Value, json};
use shoal_privacy::Parameter;

use crate::arguments::Format;

/// Exit code for work that was refused or failed.
const REFUSED: u8 = 1;
/// Exit code for a command line that does not make sense.
const USAGE: u8 = 2;
/// Exit code for work that another party ended.
const ENDED: u8 = 3;

/// A message of the library for the terminal: the parameters that it mentions become flags, and no control character of a
/// name or a path gets through.
pub fn with_flags(message: impl fmt::Display) -> String {
    visible(&flagged(|| message.to_string()))
}

/// Work of the library whose words mention parameters, which become flags.
pub fn flagged<T>(work: impl FnOnce() -> T) -> T {
    let flag = |parameter: Parameter| match parameter {
        Parameter::K => "-k".to_string(),
        other => format!("--{}", other.name()),
    };
    Parameter::named_by(flag, work)
}

/// The text with its control characters and marks of direction spelt out, but for the ends of lines.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => shown.push('\n'),
            hidden if shoal_privacy::is_unprintable(hidden) => shown.extend(hidden.escape_default()),
            other => shown.push(other),
        }
    }
    shown
}

/// A message for the user, a code for programs, and the exit code that goes with them.
#[derive(Debug)]
pub struct Failure {
    message: String,
    code: &'static str,
    exit: u8,
}

impl Failure {
    /// The work cannot be done with this data, file or budget.
    pub fn refused(message: impl fmt::Display) -> Self {
        Self { message: with_flags(message), code: "refused", exit: REFUSED }
    }

    /// The command line does not make sense.
    pub fn usage(message: impl fmt::Display) -> Self {
        Self { message: with_flags(message), code: "usage", exit: USAGE }
    }

    /// Another party ended the work.
    pub fn ended(message: impl fmt::Display) -> Self {
        Self { message: with_flags(message), code: "run-ended", exit: ENDED }
    }

    /// A fault of the program itself, somewhere in its code.
    pub fn fault(place: &str) -> Self {
        let message = format!(
            "a fault of the program itself, {place}. Nothing more was released. Please report it with the command you ran."
        );
        Self { message, code: "fault", exit: REFUSED }
    }

    /// Somebody stopped the program.
    pub fn interrupted(message: &str, exit: u8) -> Self {
        Self { message: visible(message), code: "interrupted", exit }
    }

    /// The same failure with the code of the library's error; docs/errors.md lists them.
    pub fn with_code(self, code: &'static str) -> Self {
        Self { code, ..self }
    }

    /// The same failure in other words.
    pub fn with_message(self, message: String) -> Self {
        Self { message, ..self }
    }

    /// Prints it to standard error: a sentence, or one JSON object on a line of its own.
    pub fn print(&self, format: Format) {
        match format {
            Format::Table => eprintln!("shoal: {self}"),
            Format::Json => eprintln!("{}", self.json()),
        }
    }

    fn json(&self) -> Value {
        json!({ "error": { "code": self.code, "message": self.message, "exit": self.exit } })
    }

    /// The code for the shell.
    pub fn exit_code(&self) -> ExitCode {
        self.exit.into()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl<E: Error + 'static> From<E> for Failure {
    /// Errors of the library are about data, files and budgets.
    fn from(error: E) -> Self {
        let code = code_of(&error);
        let failure = Self::refused(error);
        match code {
            Some(code) => failure.with_code(code),
            None => failure,
        }
    }
}

/// The code of an error of the library.
fn code_of(error: &dyn Any) -> Option<&'static str> {
    macro_rules! first_of {
        ($($kind:ty),* $(,)?) => {
            None$(.or_else(|| error.downcast_ref::<$kind>().map(<$kind>::code)))*
        };
    }
    first_of!(
        shoal::Error,
        shoal::model::ModelError,
        shoal::model::OtherColumns,
        shoal_consortium::AgreementFileError,
        shoal_consortium::OverLimit,
        shoal_consortium::TermsError,
        shoal_consortium::aggregator::AggregatorError,
        shoal_consortium::codes_file::CodesFileError,
        shoal_consortium::custodian::EncodeError,
        shoal_crowd::PerturbError,
        shoal_crowd::report_file::ReportFileError,
        shoal_curator::FitError,
        shoal_device::DesignError,
        shoal_files::DataError,
        shoal_files::SealedError,
        shoal_kernel::DbscanError,
        shoal_kernel::HierarchicalError,
        shoal_kernel::KClusterError,
        shoal_kernel::ShapeError,
        shoal_kernel::score::ScoreError,
        shoal_lattice::BoundsError,
        shoal_ledger::LedgerError,
        shoal_noise::NoiseError,
        shoal_privacy::AmountError,
        shoal_privacy::ChargeError,
        shoal_privacy::CompositionError,
        shoal_privacy::DeltaError,
        shoal_scan::GridError,
        shoal_scan::MergeError,
        shoal_scan::ScanError,
        shoal_scan::WireError,
        shoal_split::CharterError,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_library_keep_their_code_and_name_flags() {
        let failure = Failure::from(shoal_curator::FitError::NoBudget);
        assert_eq!(failure.json()["error"]["code"], "no-budget");
        assert!(failure.to_string().contains("give --epsilon above 0"), "{failure}");
        let nested = Failure::from(shoal_scan::ScanError::Data(shoal_files::DataError::NoColumns));
        assert_eq!(nested.json()["error"]["code"], "no-columns");
        assert!(nested.to_string().contains("with --columns"), "{nested}");
        let k = Failure::from(shoal_curator::FitError::NoCentres);
        assert!(k.to_string().contains("give -k 1 or more"), "{k}");
        assert_eq!(Failure::from(std::io::Error::other("disk")).json()["error"]["code"], "refused");
        assert_eq!(Failure::usage("x").json()["error"]["exit"], 2);
        assert_eq!(
            Failure::refused("no column `a\u{1b}[2J\u{9b}\r`\nb").to_string(),
            "no column `a\\u{1b}[2J\\u{9b}\\r`\nb"
        );
    }
}
