//! How a command ends when it does not end well.

use std::fmt;
use std::process::ExitCode;

use shoal_privacy::Parameter;

/// Exit code for work that was refused or failed.
const REFUSED: u8 = 1;
/// Exit code for a command line that does not make sense.
const USAGE: u8 = 2;

/// A message of the library for the terminal: the parameters that it mentions become flags.
pub fn with_flags(message: impl fmt::Display) -> String {
    let flag = |parameter: Parameter| match parameter {
        Parameter::K => "-k".to_string(),
        other => format!("--{}", other.name()),
    };
    Parameter::named_by(flag, || message.to_string())
}

/// A message for the user and the exit code that goes with it.
#[derive(Debug)]
pub struct Failure {
    message: String,
    code: u8,
}

impl Failure {
    /// The work cannot be done with this data, file or budget.
    pub fn refused(message: impl fmt::Display) -> Self {
        Self { message: with_flags(message), code: REFUSED }
    }

    /// The command line does not make sense.
    pub fn usage(message: impl fmt::Display) -> Self {
        Self { message: with_flags(message), code: USAGE }
    }

    /// The code for the shell.
    pub fn exit_code(&self) -> ExitCode {
        self.code.into()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl<E: std::error::Error> From<E> for Failure {
    /// Errors of the library are about data, files and budgets.
    fn from(error: E) -> Self {
        Self::refused(error)
    }
}
