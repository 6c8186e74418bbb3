//! Laplace noise on a sum of squared distances, each cut off at a cap.
//!
//! *Privacy.* Pure ε-DP for adding or removing one row: the row adds between 0 and the cap
//! ([`ScanExt::capped_cost`](shoal_scan::ScanExt::capped_cost)), and discrete Laplace noise of decay ε/cap loses ε.
//!
//! *Distribution.* P(z) ∝ e^(−(ε/cap)·|z|), in units of the cap, drawn exactly.

use dashu_ratio::RBig;
use shoal_kernel::Cap;
use shoal_noise::{DiscreteLaplace, NoiseError, NoiseSource};
use shoal_privacy::{Epsilon, Loss};

use crate::mechanisms::distribution::Part;
use crate::mechanisms::row_mechanism::{RowMechanism, noisy, pure};

/// Noise on a capped cost, with its loss.
pub struct CappedCostMechanism {
    law: DiscreteLaplace,
    cap: Cap,
}

impl CappedCostMechanism {
    /// Noise for a sum of distances cut off at `cap` that may cost ε.
    pub fn new(cap: Cap, epsilon: &Epsilon) -> Result<Self, NoiseError> {
        Self::with_decay(cap, epsilon.amount().as_rational() / RBig::from(cap.most))
    }

    /// Noise of the given decay per unit of the cap.
    pub fn with_decay(cap: Cap, decay: RBig) -> Result<Self, NoiseError> {
        Ok(Self { law: DiscreteLaplace::new(decay)?, cap })
    }

    /// The distribution of the noise.
    pub fn law(&self) -> &DiscreteLaplace {
        &self.law
    }
}

impl RowMechanism for CappedCostMechanism {
    type Input = u128;
    type Output = i64;

    fn loss(&self) -> Loss {
        pure(self.law.decay() * RBig::from(self.cap.most))
    }

    fn distribution(&self, exact: &u128) -> Option<Vec<Part<'_>>> {
        let exact = vec![i128::try_from(*exact).unwrap_or(i128::MAX)];
        Some(vec![Part::Laplace { of: "the capped cost", exact, law: &self.law }])
    }

    fn draw(&self, exact: u128, noise: &mut dyn NoiseSource) -> i64 {
        // No number of rows comes near 2^40, so the sum is below 2^61.
        noisy(i128::try_from(exact).unwrap_or(i128::MAX), self.law.sample(noise))
    }
}
