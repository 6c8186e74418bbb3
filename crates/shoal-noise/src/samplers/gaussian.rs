//! Discrete Gaussian noise.
//!
//! *Privacy*: added to an integer statistic that one row moves by at most Δ lattice steps, the
//! release is Δ² / (2σ²)-zero-concentrated differentially private.
//!
//! *Distribution*: P(z) proportional to exp(-z² / 2σ²) on all integers, for any positive rational σ². With
//! t = floor(σ) + 1, a discrete Laplace draw y of decay 1/t is kept with probability
//! exp(-(|y| - σ²/t)² / 2σ²), a lazy comparison (see the `lazy` module), tried first against a
//! table of bounds over ranges of |y| and then for this |y|. In doubles that exponent
//! is r² with r = (|y| - σ²/t) / (σ√2): |y| and σ²/t are within a relative 2^-51, and as
//! σ²/t <= σ, r is within 2^-49 + 2^-49 |r|, so that e^-r² moves by less than 2^-46.
//!
//! *Utility*: variance at most σ², and equal to it within a relative 1e-15 from σ = 1.5 on.
//!
//! *Runtime*: less than two Laplace draws in expectation for σ of at least 1.
//!
//! *Assumes*: as [`crate::Geometric`]; σ at most 2^52; draws beyond 64 bits are saturated.
//!
//! *Paper*: Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy" (2020),
//! algorithm 3.

use std::f64::consts::{PI, SQRT_2};

use dashu_int::UBig;
use dashu_ratio::RBig;

use crate::NoiseError;
use crate::exact::enclosure::{approx_f64, numerator};
use crate::exact::lazy::{Margin, accept_exp_neg};
use crate::samplers::geometric::MAX_SCALE_BITS;
use crate::samplers::laplace::{DiscreteLaplace, signed};
use crate::source::NoiseSource;

/// Where sums over the lattice give way to their expansion around the integral.
const WIDE_SIGMA: f64 = 64.0;

/// Exact sampler for P(z) proportional to exp(-z² / 2σ²).
#[derive(Clone)]
pub struct DiscreteGaussian {
    sigma_squared: RBig,
    sigma: f64,
    /// floor(σ) + 1.
    t: u64,
    /// σ² / t and 1 / (σ√2) in doubles.
    center: f64,
    inverse_width: f64,
    ln_normaliser: f64,
    proposal: DiscreteLaplace,
    /// Per cell of |y|: words below the first certainly accept, words from the second on reject.
    coin: Box<[(u64, u64)]>,
    coin_shift: u32,
    margin: Margin,
}

impl DiscreteGaussian {
    /// A sampler with the variance parameter in squared lattice steps: (σ / h)² for a standard
    /// deviation σ in the unit of the data on a lattice of step h.
    ///
    /// # Errors
    /// When the parameter is not positive, or above 2^104.
    pub fn new(sigma_squared: RBig) -> Result<Self, NoiseError> {
        if sigma_squared <= RBig::ZERO {
            return Err(NoiseError::NonPositiveVariance { given: sigma_squared.to_string() });
        }
        if sigma_squared > RBig::from(UBig::ONE << (2 * MAX_SCALE_BITS as usize)) {
            return Err(NoiseError::ScaleTooLarge { max_bits: MAX_SCALE_BITS });
        }
        // Unwrap safety: the floor is at most 2^104 and its root at most 2^52.
        let floor = u128::try_from(&(numerator(&sigma_squared) / sigma_squared.denominator())).unwrap();
        // The proposal needs t <= 2^52; at σ = 2^52 itself t = σ serves as well.
        let t = (floor.isqrt() as u64 + 1).min(1 << MAX_SCALE_BITS);
        // Below this width every estimate is 0 or 1 within any margin; the clamp only keeps the
        // doubles away from 0 * infinity.
        let variance = approx_f64(&sigma_squared).max(1e-290);
        let sigma = variance.sqrt();
        let center = approx_f64(&(&sigma_squared / RBig::from(t)));
        let inverse_width = 1.0 / (sigma * SQRT_2);
        // 256 cells reach past 8t, which leaves e^-8 of the proposals to the doubles.
        let coin_shift = (8 * t / 256).next_power_of_two().trailing_zeros();
        let coin = (0..256_u64)
            .map(|cell| {
                let first = (cell << coin_shift) as f64;
                let last = first + ((1_u64 << coin_shift) - 1) as f64;
                let chance = |y: f64| {
                    let r = (y - center) * inverse_width;
                    libm::exp(-r * r)
                };
                // The probability rises up to the center and falls after it.
                let most = chance(center.clamp(first, last));
                let least = chance(first).min(chance(last));
                (Margin::ROUTINE.under(least), Margin::ROUTINE.over(most))
            })
            .collect();
        Ok(Self {
            sigma,
            t,
            center,
            inverse_width,
            coin,
            coin_shift,
            ln_normaliser: ln_normaliser(sigma),
            proposal: DiscreteLaplace::new(RBig::from_parts(1.into(), t.into()))?,
            margin: Margin::ROUTINE,
            sigma_squared,
        })
    }

    /// The same sampler with every decision made in arbitrary precision; see
    /// [`crate::Geometric::exact_only`].
    #[must_use]
    pub fn exact_only(mut self) -> Self {
        self.proposal = self.proposal.exact_only();
        self.coin.fill((0, u64::MAX));
        self.margin = Margin::EVERYTHING;
        self
    }

    /// The variance parameter σ², slightly above the variance when σ is small.
    #[must_use]
    pub fn sigma_squared(&self) -> &RBig {
        &self.sigma_squared
    }

    /// One draw.
    #[inline]
    pub fn sample(&self, source: &mut (impl NoiseSource + ?Sized)) -> i64 {
        let (negative, size) = self.signed_magnitude(source);
        signed(negative, i64::try_from(size).unwrap_or(i64::MAX))
    }

    /// The draw that [`Self::sample`] makes of the same words, in 128 bits: see [`DiscreteLaplace::sample_wide`].
    pub fn sample_wide(&self, source: &mut (impl NoiseSource + ?Sized)) -> i128 {
        let (negative, size) = self.signed_magnitude(source);
        if negative { -(size as i128) } else { size as i128 }
    }

    #[inline]
    fn signed_magnitude(&self, source: &mut (impl NoiseSource + ?Sized)) -> (bool, u128) {
        loop {
            let (negative, size) = self.proposal.signed_magnitude(source);
            let position = source.next_u64() >> 1;
            let cell = usize::try_from(size >> self.coin_shift).unwrap_or(usize::MAX);
            let (low, high) = self.coin.get(cell).copied().unwrap_or((0, u64::MAX));
            if position < low || (position < high && self.coin_in_cell(source, size, position)) {
                return (negative, size);
            }
        }
    }

    #[cold]
    fn coin_in_cell(&self, source: &mut (impl NoiseSource + ?Sized), size: u128, position: u64) -> bool {
        let r = (size as f64 - self.center) * self.inverse_width;
        accept_exp_neg(source, position, r * r, self.margin, || self.exponent(size))
    }

    /// (|y| - σ²/t)² / 2σ².
    fn exponent(&self, size: u128) -> RBig {
        let distance = RBig::from(size) - &self.sigma_squared / RBig::from(self.t);
        distance.sqr() / (&self.sigma_squared * RBig::from(2_u8))
    }

    /// Fills `out` with independent draws.
    pub fn fill(&self, source: &mut (impl NoiseSource + ?Sized), out: &mut [i64]) {
        for z in out {
            *z = self.sample(source);
        }
    }

    /// ln P(z).
    #[must_use]
    pub fn ln_pmf(&self, z: i64) -> f64 {
        let r = z as f64 * self.inverse_width;
        -r * r - self.ln_normaliser
    }

    /// P(z).
    #[must_use]
    pub fn pmf(&self, z: i64) -> f64 {
        libm::exp(self.ln_pmf(z))
    }

    /// P(Z >= z).
    #[must_use]
    pub fn tail(&self, z: i64) -> f64 {
        if z <= 0 {
            return 1.0 - self.tail(1_i64.saturating_sub(z));
        }
        if self.sigma < WIDE_SIGMA {
            // Smallest terms first; 40σ further on nothing is left.
            let last = z.saturating_add((40.0 * self.sigma) as i64 + 2);
            return (z..=last).rev().map(|k| self.pmf(k)).sum();
        }
        // Euler-Maclaurin at z with f = e^(-x²/2σ²): the next term is below σ^-6 / 2000.
        let s = self.sigma;
        let x = z as f64 / s;
        let f = libm::exp(-x * x / 2.0);
        let integral = s * (PI / 2.0).sqrt() * libm::erfc(x / SQRT_2);
        let first = -x / s * f;
        let third = (3.0 * x - x * x * x) / (s * s * s) * f;
        (integral + f / 2.0 - first / 12.0 + third / 720.0) * libm::exp(-self.ln_normaliser)
    }

    /// P(Z <= z).
    #[must_use]
    pub fn cdf(&self, z: i64) -> f64 {
        self.tail(z.saturating_neg())
    }

    /// The variance.
    #[must_use]
    pub fn variance(&self) -> f64 {
        if self.sigma > 4.0 {
            // The theta series differs from σ² by a relative e^(-2π²σ²) * 4π²σ².
            return self.sigma * self.sigma;
        }
        2.0 * (1..=200).rev().map(|k| (k * k) as f64 * self.pmf(k)).sum::<f64>()
    }
}

/// ln of the sum of exp(-z² / 2σ²) over the integers.
fn ln_normaliser(sigma: f64) -> f64 {
    if sigma < 1.0 {
        let pairs: f64 = (1..=40)
            .rev()
            .map(|k| {
                let r = f64::from(k) / sigma;
                libm::exp(-r * r / 2.0)
            })
            .sum();
        return libm::log1p(2.0 * pairs);
    }
    // Poisson summation; the second term is already below e^-78.
    let dual = 2.0 * libm::exp(-2.0 * PI * PI * sigma * sigma);
    libm::log(sigma * (2.0 * PI).sqrt()) + libm::log1p(dual)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::enclosure::Enclosure;

    /// The acceptance bounds of a cell against exact probabilities at its ends and in between.
    #[test]
    fn tables_enclose_their_probabilities() {
        for (top, bottom) in [(1_u64, 3_u64), (1, 1), (225, 4), (1 << 20, 1), (1 << 60, 7)] {
            let law = DiscreteGaussian::new(RBig::from_parts(top.into(), bottom.into())).unwrap();
            for (cell, &(low, high)) in law.coin.iter().enumerate() {
                let first = (cell as u128) << law.coin_shift;
                let width = 1_u128 << law.coin_shift;
                let center = (law.center as u128).clamp(first, first + width - 1);
                for y in [first, first + width / 2, center, first + width - 1] {
                    let chance = Enclosure::exp_neg(&law.exponent(y), 200).words();
                    assert!(low <= chance.0 && high >= chance.1, "cell {cell}, |y| = {y}");
                }
            }
        }
    }
}
