//! The distribution of a step's noise, as data.

use serde::{Deserialize, Serialize};
use shoal_privacy::Amount;

use crate::StepError;
use crate::exact_text;
use crate::mechanisms::knorm_sums::FINEST;

/// The distribution of the noise on each released number. The loss follows from it and from the question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum NoiseSpec {
    /// P(z) ∝ e^(−decay·|z|) on the integers, drawn afresh for each number.
    Laplace {
        /// Per unit of the number.
        #[serde(with = "exact_text")]
        decay: Amount,
    },
    /// For the numbers of a centre together P(z) ∝ e^(−decay·⌈max |z_i|/w_i⌉), w_i what one row can change in number i.
    Cube {
        /// Per step of the norm.
        #[serde(with = "exact_text")]
        decay: Amount,
        /// g: numbers are multiplied by it before noise is added, which makes room for noise finer than a unit.
        scale: u32,
    },
    /// P(z) ∝ e^(−z²/(2σ²)) with σ² = variance·w² on a number that one row can change by w.
    Gaussian {
        /// σ² where w is 1.
        #[serde(with = "exact_text")]
        variance: Amount,
    },
}

impl NoiseSpec {
    /// What numbers are multiplied by.
    pub(crate) fn scale(&self) -> u32 {
        match self {
            Self::Cube { scale, .. } => *scale,
            Self::Laplace { .. } | Self::Gaussian { .. } => 1,
        }
    }

    /// Refuses what no sampler draws.
    pub(crate) fn check(&self) -> Result<(), StepError> {
        let (amount, what) = match self {
            Self::Laplace { decay } | Self::Cube { decay, .. } => (decay, "a decay of zero is no noise"),
            Self::Gaussian { variance } => (variance, "a variance of zero is no noise"),
        };
        if amount.is_zero() {
            return Err(StepError::Noise { why: what });
        }
        match self {
            Self::Cube { scale, .. } if *scale == 0 || *scale > FINEST => {
                Err(StepError::Noise { why: "the scale of cube noise is between 1 and 1024" })
            }
            _ => Ok(()),
        }
    }

    /// The same kind of noise, `factor` times as small.
    pub(crate) fn divided_by(&self, factor: &Amount) -> Self {
        match self {
            Self::Laplace { decay } => Self::Laplace { decay: decay.times(factor) },
            Self::Cube { decay, scale } => Self::Cube { decay: decay.times(factor), scale: *scale },
            Self::Gaussian { variance } => {
                let squared = factor.times(factor);
                let smaller = variance.as_rational() / squared.as_rational();
                // Unwrap safety: a quotient of two amounts is not negative.
                Self::Gaussian { variance: Amount::from_rational(smaller).unwrap() }
            }
        }
    }
}
