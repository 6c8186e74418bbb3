//! Gaussian noise on counts of disjoint parts of the table: cells, boxes, or all rows, where a small δ is allowed.
//!
//! *Privacy.* ρ-zCDP for adding or removing one row, for any number of cells: the row changes one count, by 1, and a
//! discrete Gaussian of parameter σ² moved by 1 has Rényi divergence at most α/(2σ²) for every order α (Canonne, Kamath,
//! Steinke 2020, Proposition 5). So ρ = 1/(2σ²).
//!
//! *Law.* P(z) ∝ e^(−z²/(2σ²)) on the integers with σ² = 1/(2ρ), drawn exactly.
//!
//! *Utility.* Standard deviation 1/√(2ρ) on each count.
//!
//! *Runtime.* One draw per count, also for empty cells: which cells are empty is a secret.
//!
//! *Assumes.* Cells chosen without looking at the data, or by what was released before; one row per person.

use dashu_ratio::RBig;
use shoal_noise::{DiscreteGaussian, NoiseError, NoiseSource};
use shoal_privacy::{Loss, Rho};

use crate::mechanisms::distribution::Part;
use crate::mechanisms::row_mechanism::RowMechanism;
use crate::mechanisms::row_mechanism::{concentrated, noisy};

/// Gaussian noise for counts of disjoint cells, with its loss.
#[derive(Clone)]
pub struct GaussianCountsMechanism {
    law: DiscreteGaussian,
}

impl GaussianCountsMechanism {
    /// Noise that costs ρ.
    ///
    /// # Errors
    /// When ρ is zero or so small that the noise would be too wide to draw.
    pub fn new(rho: &Rho) -> Result<Self, NoiseError> {
        if rho.amount().is_zero() {
            return Err(NoiseError::NonPositiveVariance { given: "infinite, since ρ is 0".into() });
        }
        Self::with_variance(RBig::ONE / (rho.amount().as_rational() * RBig::from(2)))
    }

    /// Noise of variance parameter σ².
    pub fn with_variance(sigma_squared: RBig) -> Result<Self, NoiseError> {
        Ok(Self { law: DiscreteGaussian::new(sigma_squared)? })
    }

    /// The law of the noise on a count.
    pub fn law(&self) -> &DiscreteGaussian {
        &self.law
    }

    /// Variance of the noise on a count.
    pub fn variance(&self) -> f64 {
        self.law.variance()
    }
}

impl RowMechanism for GaussianCountsMechanism {
    type Input = Vec<u64>;
    type Output = Vec<i64>;

    fn loss(&self) -> Loss {
        concentrated(RBig::ONE / (self.law.sigma_squared() * RBig::from(2)))
    }

    fn distribution(&self, exact: &Vec<u64>) -> Option<Vec<Part<'_>>> {
        let exact = exact.iter().map(|&count| count.into()).collect();
        Some(vec![Part::Gaussian { of: "counts", exact, law: &self.law }])
    }

    fn draw(&self, exact: Vec<u64>, noise: &mut dyn NoiseSource) -> Vec<i64> {
        exact.into_iter().map(|count| noisy(count, self.law.sample(noise))).collect()
    }
}
