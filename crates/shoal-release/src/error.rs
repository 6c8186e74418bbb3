//! Why a step makes no sense, and why it was not released. No message depends on the contents of a record.

use shoal_noise::NoiseError;
use shoal_privacy::ChargeError;
use shoal_scan::{ScanError, WireError};

/// Why a step was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The question makes no sense.
    #[error(transparent)]
    Question(#[from] ScanError),
    /// The question has no such numbers, or they do not add up over rows.
    #[error("{question} cannot be released as a step that takes {take:?}; ask for numbers that add up over rows")]
    Take {
        /// The kind of question.
        question: &'static str,
        /// What was to be taken.
        take: crate::Take,
    },
    /// The noise does not hide what one row can change in these numbers, or cannot be drawn.
    #[error("the noise of a step cannot be used: {why}")]
    Noise {
        /// What is wrong with it.
        why: &'static str,
    },
    /// The answer would have more numbers than allowed.
    #[error("the answer to a step would have {numbers} numbers, more than the {most} allowed here")]
    TooManyNumbers {
        /// Numbers in the answer.
        numbers: usize,
        /// Most that are allowed.
        most: usize,
    },
    /// Bytes that are no step.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// Bytes of a step that another step has as well, or that no step has.
    #[error("these bytes are not the canonical form of a step; write it again with the same version of this program")]
    NotCanonical,
}

impl StepError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Question(error) => error.code(),
            Self::Take { .. } => "step-numbers",
            Self::Noise { .. } => "step-noise",
            Self::TooManyNumbers { .. } => "step-too-large",
            Self::Wire(error) => error.code(),
            Self::NotCanonical => "step-not-canonical",
        }
    }
}

/// Why a step was not released.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReleaseError {
    /// The table cannot be scanned.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// The step costs more than is left.
    #[error(transparent)]
    Charge(#[from] ChargeError),
    /// The noise cannot be drawn.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// The step makes no sense.
    #[error(transparent)]
    Step(#[from] StepError),
    /// Another party ended the run or gave no usable answer.
    #[error(transparent)]
    Elsewhere(Box<dyn std::error::Error + Send + Sync>),
}

impl ReleaseError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Scan(error) => error.code(),
            Self::Charge(error) => error.code(),
            Self::Noise(error) => error.code(),
            Self::Step(error) => error.code(),
            Self::Elsewhere(_) => "release-elsewhere",
        }
    }
}
