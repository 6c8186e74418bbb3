//! Discrete Laplace noise (two-sided geometric).
//!
//! *Privacy*: added to an integer statistic that one row moves by at most Δ lattice steps, the
//! release is ε-differentially private with ε = Δ * decay, exactly: P(z) / P(z + 1) is e^decay or
//! e^-decay for every z, and every integer is reachable from every other.
//!
//! *Law*: P(z) = (1 - α) / (1 + α) α^|z| on all integers, α = e^-decay. A draw is a geometric
//! magnitude and a fair sign; a zero with the minus sign is drawn again, since 0 would otherwise
//! count twice.
//!
//! *Utility*: variance 2α / (1 - α)^2, near 2 / decay^2 for small decay.
//!
//! *Runtime*: at most two geometric draws in expectation, near one when the scale is large.
//!
//! *Assumes*: as [`crate::Geometric`]; draws beyond 64 bits are saturated.
//!
//! *Paper*: Canonne, Kamath, Steinke (2020), algorithm 2. *Deviation*: see [`crate::Geometric`].

use dashu_ratio::RBig;

use crate::NoiseError;
use crate::geometric::Geometric;
use crate::source::NoiseSource;

/// Exact sampler for P(z) proportional to e^(-decay |z|).
///
/// ```
/// use dashu_ratio::RBig;
/// use shoal_noise::{DiscreteLaplace, SeededNoise};
///
/// // Scale b = 2 in the unit of the data on a lattice of step h = 1/1024: decay = h / b.
/// let noise = DiscreteLaplace::new(RBig::from_parts(1.into(), 2048_u32.into()))?;
/// let mut source = SeededNoise::new(7);
/// let steps = noise.sample(&mut source);
/// let in_data_units = steps as f64 / 1024.0;
/// # let _ = in_data_units;
/// assert!((noise.variance().sqrt() / 1024.0 - 2.0 * 2.0_f64.sqrt()).abs() < 1e-6);
/// # Ok::<(), shoal_noise::NoiseError>(())
/// ```
#[derive(Clone)]
pub struct DiscreteLaplace {
    magnitude: Geometric,
}

impl DiscreteLaplace {
    /// A sampler whose probabilities fall by e^-decay per lattice step away from 0.
    ///
    /// # Errors
    /// When the decay is not positive, or below 2^-52.
    pub fn new(decay: RBig) -> Result<Self, NoiseError> {
        Ok(Self { magnitude: Geometric::new(decay)? })
    }

    /// The same sampler with every decision made in arbitrary precision; see
    /// [`Geometric::exact_only`].
    #[must_use]
    pub fn exact_only(self) -> Self {
        Self { magnitude: self.magnitude.exact_only() }
    }

    /// The decay per lattice step.
    #[must_use]
    pub fn decay(&self) -> &RBig {
        self.magnitude.decay()
    }

    /// One draw.
    #[inline]
    pub fn sample(&self, source: &mut (impl NoiseSource + ?Sized)) -> i64 {
        loop {
            let parts = self.magnitude.parts(source);
            let z = self.magnitude.saturated(&parts);
            if !(parts.bit && z == 0) {
                // Negates without a branch on a fair coin, which no processor predicts.
                let sign = -i64::from(parts.bit);
                return (z ^ sign) - sign;
            }
        }
    }

    /// Fills `out` with independent draws.
    pub fn fill(&self, source: &mut (impl NoiseSource + ?Sized), out: &mut [i64]) {
        for z in out {
            *z = self.sample(source);
        }
    }

    /// One draw as a magnitude that does not saturate, for rejection on top of it.
    #[inline]
    pub(crate) fn signed_magnitude(&self, source: &mut (impl NoiseSource + ?Sized)) -> (bool, u128) {
        loop {
            let parts = self.magnitude.parts(source);
            let size = self.magnitude.wide(&parts);
            if !(parts.bit && size == 0) {
                return (parts.bit, size);
            }
        }
    }

    /// ln P(z).
    #[must_use]
    pub fn ln_pmf(&self, z: i64) -> f64 {
        let a = self.magnitude.decay_f64();
        libm::log(-libm::expm1(-a)) - libm::log1p(libm::exp(-a)) - a * z.unsigned_abs() as f64
    }

    /// P(z).
    #[must_use]
    pub fn pmf(&self, z: i64) -> f64 {
        libm::exp(self.ln_pmf(z))
    }

    /// P(Z >= z).
    #[must_use]
    pub fn tail(&self, z: i64) -> f64 {
        let a = self.magnitude.decay_f64();
        let both = 1.0 + libm::exp(-a);
        if z > 0 { libm::exp(-a * z as f64) / both } else { 1.0 - libm::exp(-a * (1.0 - z as f64)) / both }
    }

    /// P(Z <= z).
    #[must_use]
    pub fn cdf(&self, z: i64) -> f64 {
        self.tail(z.saturating_neg())
    }

    /// The variance.
    #[must_use]
    pub fn variance(&self) -> f64 {
        2.0 * self.magnitude.variance()
    }
}
