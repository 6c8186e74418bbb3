//! Why a call was refused.

use serde_json::json;
use shoal_device::{DesignError, DeviceError};
use shoal_privacy::AmountError;

/// Why a call was refused. No variant repeats a value of the record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The design, the values, a limit or the ledger.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A null pointer where there must be something.
    #[error("{what} is a null pointer; give a valid one")]
    Null {
        /// What it should have been.
        what: &'static str,
    },
    /// Bytes that are no text.
    #[error("{what} is not UTF-8; give it as it was published")]
    NotUtf8 {
        /// What it should have been.
        what: &'static str,
    },
    /// Limits that cannot be read.
    #[error("the limits cannot be read: {why}. Give a JSON object such as {{\"any_two_records\":\"8\"}}")]
    Limit {
        /// What does not fit.
        why: String,
    },
    /// A way to repeat reports that does not exist.
    #[error("{given} is no way to repeat reports; give 0 (once), 1 (the same report) or 2 (fresh reports)")]
    Repeat {
        /// The number given.
        given: u32,
    },
    /// A fault of the library.
    #[error("a fault of Shoal itself; nothing was reported. Please report the fault")]
    Fault,
}

impl Refusal {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Device(error) => error.code(),
            Self::Null { .. } => "client-null-pointer",
            Self::NotUtf8 { .. } => "client-not-utf8",
            Self::Limit { .. } => "client-limit",
            Self::Repeat { .. } => "client-repeat",
            Self::Fault => "client-fault",
        }
    }

    /// The code and the message as a JSON object.
    pub fn to_json(&self) -> String {
        json!({ "code": self.code(), "message": self.to_string() }).to_string()
    }
}

impl From<DesignError> for Refusal {
    fn from(error: DesignError) -> Self {
        Self::Device(error.into())
    }
}

impl From<AmountError> for Refusal {
    fn from(error: AmountError) -> Self {
        Self::Limit { why: error.to_string() }
    }
}
