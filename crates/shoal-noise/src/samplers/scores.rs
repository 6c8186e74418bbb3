//! What a selection must know about the scores it chooses by.

use dashu_ratio::RBig;

use crate::NoiseError;

/// How adding or removing one row can move the scores of the candidates.
///
/// Scores are integers on a lattice, so that gaps between them are exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScoreKind {
    /// All scores move in the same direction, each by at most the sensitivity: counts, sums of
    /// per-row losses with one sign.
    Monotone,
    /// Each score moves by at most the sensitivity, some up and some down.
    General,
}

impl ScoreKind {
    /// How far one score can move against another, in units of the sensitivity.
    #[must_use]
    pub fn spread(self) -> u8 {
        match self {
            Self::Monotone => 1,
            Self::General => 2,
        }
    }

    /// The decay per score step at which a selection is ε-differentially private.
    pub(crate) fn decay(self, epsilon: &RBig, sensitivity: &RBig) -> Result<RBig, NoiseError> {
        if *sensitivity <= RBig::ZERO {
            return Err(NoiseError::NonPositiveSensitivity { given: sensitivity.to_string() });
        }
        if *epsilon <= RBig::ZERO {
            return Err(NoiseError::NonPositiveDecay { given: epsilon.to_string() });
        }
        Ok(epsilon / (sensitivity * RBig::from(self.spread())))
    }
}
