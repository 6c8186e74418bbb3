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

use shoal_noise::{DiscreteLaplace, NoiseError, NoiseSource};
use shoal_privacy::{Amount, Assumption, Claim, Epsilon, Loss, Mechanism, Neighbours, Numerics};

/// Noisy counts are clamped here. The sampler itself stops at 2^63, and no count comes near 2^61, so the clamp is a
/// function of the exact noisy count.
const FARTHEST: i128 = 1 << 62;

/// Noise for counts of disjoint cells, with its loss.
#[derive(Clone)]
pub struct NoisyCountsMechanism {
    law: DiscreteLaplace,
}

impl NoisyCountsMechanism {
    /// The paper's Lap(1/ε).
    pub fn new(epsilon: &Epsilon) -> Result<Self, NoiseError> {
        Ok(Self { law: DiscreteLaplace::new(epsilon.amount().as_rational().clone())? })
    }

    /// Variance of the noise on a count.
    pub fn variance(&self) -> f64 {
        self.law.variance()
    }

    /// What one release of all counts promises.
    pub fn claim(&self) -> Claim {
        // Unwrap safety: the sampler refuses a decay that is not positive.
        let loss = Epsilon::new(Amount::from_rational(self.law.decay().clone()).unwrap());
        Claim {
            neighbours: Neighbours::AddRemoveOne,
            loss: Loss::Pure(loss),
            numerics: Numerics::Exact,
            assumes: [Assumption::BoundsPublic, Assumption::OneRowPerPerson].into(),
        }
    }

    /// The mechanism with a source of noise.
    pub fn with<'a, N: NoiseSource + ?Sized>(&'a self, noise: &'a mut N) -> Running<'a, N> {
        Running { mechanism: self, noise }
    }
}

/// A [`NoisyCountsMechanism`] about to run.
pub struct Running<'a, N: ?Sized> {
    mechanism: &'a NoisyCountsMechanism,
    noise: &'a mut N,
}

impl<N: NoiseSource + ?Sized> Mechanism for Running<'_, N> {
    type Input = Vec<u64>;
    type Output = Vec<i64>;

    fn claim(&self) -> Claim {
        self.mechanism.claim()
    }

    fn run(self, exact: Vec<u64>) -> Vec<i64> {
        let noisy = |count: u64| {
            let sum = i128::from(count) + i128::from(self.mechanism.law.sample(self.noise));
            sum.clamp(-FARTHEST, FARTHEST) as i64
        };
        exact.into_iter().map(noisy).collect()
    }
}
