//! Laplace noise on the sums and counts of a scan: the noisy step of Lloyd's algorithm (SCL16 §4.1.1).
//!
//! *Privacy.* Pure ε-DP for adding or removing one row. The row changes the sums and the count of one centre: each of
//! the d sums by at most m = `HALF_WIDTH` lattice units, the count by 1. With discrete Laplace noise of decay a per
//! lattice unit on the sums and b per row on the counts, the log-ratio of any outcome is at most d·m·a + b. The paper's
//! noise, Lap((d·r + 1)/ε) on every query with r = 1, is b = ε/(d + 1) and a = b/m, for which that is exactly ε.
//!
//! *Law.* P(z) ∝ e^(−a|z|) on the integers, drawn exactly.
//!
//! *Utility.* Standard deviation √2·(d + 1)/ε on a sum (in units of half a box width) and on a count.
//!
//! *Runtime.* k·(d + 1) draws.
//!
//! *Assumes.* Bounds chosen without looking at the data; the centres already released.

use dashu_ratio::RBig;
use shoal_noise::{DiscreteLaplace, NoiseError, NoiseSource};
use shoal_privacy::{Epsilon, Loss};

use crate::RowMechanism;
use shoal_kernel::ClusterSums;
use shoal_lattice::HALF_WIDTH;
use shoal_release::Part;
use shoal_release::{noisy, pure};

/// Noisy sums (in lattice units) and counts, centre after centre.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoisySums {
    /// Per centre and attribute.
    pub sums: Vec<i64>,
    /// Per centre; noise can make it negative.
    pub counts: Vec<i64>,
}

/// Noise for sums and counts over `dims` attributes, with its loss.
#[derive(Clone)]
pub struct NoisySumsMechanism {
    dims: usize,
    sum_decay: RBig,
    count_decay: RBig,
    sum_noise: DiscreteLaplace,
    count_noise: DiscreteLaplace,
}

impl NoisySumsMechanism {
    /// The paper's noise for one step that may cost ε: the same Lap((d + 1)/ε) on each sum and the count.
    pub fn per_step(dims: usize, epsilon: &Epsilon) -> Result<Self, NoiseError> {
        let count_decay = epsilon.amount().as_rational() / RBig::from(dims as u64 + 1);
        Self::new(dims, &count_decay / RBig::from(HALF_WIDTH), count_decay)
    }

    /// Noise with the given decay per lattice unit of a sum and per row of a count.
    pub fn new(dims: usize, sum_decay: RBig, count_decay: RBig) -> Result<Self, NoiseError> {
        let sum_noise = DiscreteLaplace::new(sum_decay.clone())?;
        let count_noise = DiscreteLaplace::new(count_decay.clone())?;
        Ok(Self { dims, sum_decay, count_decay, sum_noise, count_noise })
    }

    /// Variance of the noise on a sum, in units of half a box width.
    pub fn sum_variance(&self) -> f64 {
        self.sum_noise.variance() / f64::from(HALF_WIDTH).powi(2)
    }

    /// Variance of the noise on a count.
    pub fn count_variance(&self) -> f64 {
        self.count_noise.variance()
    }
}

impl RowMechanism for NoisySumsMechanism {
    type Input = ClusterSums;
    type Output = NoisySums;

    /// What one row can change, weighed with the noise's decay.
    fn loss(&self) -> Loss {
        let sums = &self.sum_decay * RBig::from(HALF_WIDTH) * RBig::from(self.dims as u64);
        pure(sums + &self.count_decay)
    }

    fn distribution(&self, exact: &ClusterSums) -> Option<Vec<Part<'_>>> {
        let wide = |numbers: &[i64]| numbers.iter().map(|&x| x.into()).collect();
        Some(vec![
            Part::Laplace { of: "sums", exact: wide(&exact.sums), law: &self.sum_noise },
            Part::Laplace { of: "counts", exact: wide(&exact.counts), law: &self.count_noise },
        ])
    }

    fn draw(&self, exact: ClusterSums, noise: &mut dyn NoiseSource) -> NoisySums {
        let dims = self.dims;
        assert_eq!(exact.sums.len(), exact.counts.len() * dims, "the loss was computed for this many attributes");
        let mut with = |numbers: &[i64], law: &DiscreteLaplace| -> Vec<i64> {
            numbers.iter().map(|&exact| noisy(exact, law.sample(noise))).collect()
        };
        NoisySums { sums: with(&exact.sums, &self.sum_noise), counts: with(&exact.counts, &self.count_noise) }
    }
}
