//! Why a run ended. One byte on the wire: which party and which rule, and nothing about anyone's data (R7).

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::party::Party;

/// Why a run ended before its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Why {
    /// Bytes that are no message, or that this party may not send.
    Malformed,
    /// Another charter, run, round or hash than everyone else's (R2).
    Mismatch,
    /// Two helpers passed on different bytes (R2), or one sent others under the same number (R4, R5).
    TwoVersions,
    /// A round out of order (R5).
    OutOfOrder,
    /// A helper was started anew (R6).
    Restarted,
    /// A deadline was missed (R7).
    Late,
    /// The run's or the charter's ε does not cover the question, or a budget does not (R8).
    Budget,
    /// The debit could not be put on record (R8).
    Ledger,
    /// The table could not answer (R10).
    Table,
    /// The question is none that may be asked, or is too large (R11).
    Question,
    /// Released numbers contradict each other (R12).
    Implausible,
    /// A person declined, or stopped the program.
    Stopped,
    /// The connection was lost.
    Lost,
}

const ALL: [Why; 13] = [
    Why::Malformed,
    Why::Mismatch,
    Why::TwoVersions,
    Why::OutOfOrder,
    Why::Restarted,
    Why::Late,
    Why::Budget,
    Why::Ledger,
    Why::Table,
    Why::Question,
    Why::Implausible,
    Why::Stopped,
    Why::Lost,
];

impl Why {
    pub(crate) fn to_byte(self) -> u8 {
        // Unwrap safety: every variant is in the list, which a test checks.
        ALL.iter().position(|&why| why == self).unwrap() as u8
    }

    pub(crate) fn from_byte(byte: u8) -> Option<Self> {
        ALL.get(usize::from(byte)).copied()
    }

    /// What happened, as the end of a sentence about a party.
    pub fn words(self) -> &'static str {
        match self {
            Self::Malformed => "sent bytes that are no message of this protocol, or not one that it may send",
            Self::Mismatch => "got a message of another charter, run or round, or one with another history",
            Self::TwoVersions => "got two different messages where all must be the same",
            Self::OutOfOrder => "got a round out of order",
            Self::Restarted => "found that a helper was started anew in the middle of the run",
            Self::Late => "was late",
            Self::Budget => "refused a question that the budget does not cover",
            Self::Ledger => "could not put the debit on record",
            Self::Table => "could not answer from its table",
            Self::Question => "refused a question that may not be asked",
            Self::Implausible => "found released numbers that contradict each other",
            Self::Stopped => "stopped the run",
            Self::Lost => "lost its connection",
        }
    }
}

/// How a run ended before its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ended {
    /// Who ended it, or was late.
    pub by: Party,
    /// Why.
    pub why: Why,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.by, self.why.words())
    }
}

impl std::error::Error for Ended {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_its_byte() {
        for (byte, &why) in ALL.iter().enumerate() {
            assert_eq!((why.to_byte(), Why::from_byte(byte as u8)), (byte as u8, Some(why)));
        }
        assert_eq!(Why::from_byte(ALL.len() as u8), None);
        // A new reason changes the last one, so the list cannot miss it unnoticed.
        assert_eq!(ALL.len(), Why::Lost as usize + 1);
    }
}
