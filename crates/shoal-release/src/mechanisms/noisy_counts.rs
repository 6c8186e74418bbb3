//! Laplace noise on counts of disjoint parts of the table: the cells of a grid (SCL16 §4.2), or all rows.
//!
//! *Privacy.* Pure ε-DP for adding or removing one row: the row changes one count, by 1, and discrete Laplace noise of
//! decay a per row changes the logarithm of its law by a at most. The loss is a, for any number of cells.
//!
//! *Law.* P(z) ∝ e^(−a|z|) on the integers, drawn exactly; Lap(1/ε) of the paper is a = ε.
//!
//! *Utility.* Standard deviation about √2/ε on each count.
//!
//! *Runtime.* One draw per count, also for empty cells: which cells are empty is a secret.
//!
//! *Assumes.* Cells chosen without looking at the data; one row per person.

use dashu_ratio::RBig;
use shoal_noise::{DiscreteLaplace, NoiseError, NoiseSource};
use shoal_privacy::{Amount, Epsilon, Loss};

use crate::mechanisms::distribution::Part;
use crate::mechanisms::row_mechanism::RowMechanism;
use crate::mechanisms::row_mechanism::{noisy, pure};

/// Noise for counts of disjoint cells, with its loss.
#[derive(Clone)]
pub struct NoisyCountsMechanism {
    law: DiscreteLaplace,
}

impl NoisyCountsMechanism {
    /// The paper's Lap(1/ε).
    pub fn new(epsilon: &Epsilon) -> Result<Self, NoiseError> {
        Self::with_decay(epsilon.amount().as_rational().clone())
    }

    /// Noise of the given decay per row.
    pub fn with_decay(decay: RBig) -> Result<Self, NoiseError> {
        Ok(Self { law: DiscreteLaplace::new(decay)? })
    }

    /// The distribution of the noise on a count.
    pub fn law(&self) -> &DiscreteLaplace {
        &self.law
    }

    /// What a release costs.
    pub fn epsilon(&self) -> Epsilon {
        // Unwrap safety: the sampler refuses a decay that is not positive.
        Epsilon::new(Amount::from_rational(self.law.decay().clone()).unwrap())
    }

    /// Variance of the noise on a count.
    pub fn variance(&self) -> f64 {
        self.law.variance()
    }
}

impl RowMechanism for NoisyCountsMechanism {
    type Input = Vec<u64>;
    type Output = Vec<i64>;

    fn loss(&self) -> Loss {
        pure(self.law.decay().clone())
    }

    fn distribution(&self, exact: &Vec<u64>) -> Option<Vec<Part<'_>>> {
        let exact = exact.iter().map(|&count| count.into()).collect();
        Some(vec![Part::Laplace { of: "counts", exact, law: &self.law }])
    }

    fn draw(&self, exact: Vec<u64>, noise: &mut dyn NoiseSource) -> Vec<i64> {
        exact.into_iter().map(|count| noisy(count, self.law.sample(noise))).collect()
    }
}
