//! Discrete Laplace noise (two-sided geometric).
//!
//! *Privacy*: added to an integer statistic that one row moves by at most Δ lattice steps, the
//! release is ε-differentially private with ε = Δ * decay, exactly: P(z) / P(z + 1) is e^decay or
//! e^-decay for every z, and every integer is reachable from every other.
//!
//! *Distribution*: P(z) = (1 - α) / (1 + α) α^|z| on all integers, α = e^-decay. On a coarse lattice, decay
//! above 1/8, the size is drawn by its own tails P(|z| > v) = 2 α^(v+1) / (1 + α) and gets a fair
//! sign. On a finer one the size is a geometric draw with a fair sign, and a zero with the minus
//! sign is drawn again, since 0 would otherwise count twice.
//!
//! *Utility*: variance 2α / (1 - α)^2, near 2 / decay^2 for small decay.
//!
//! *Runtime*: one word on a coarse lattice; otherwise one geometric draw, and 1.07 in expectation
//! at worst.
//!
//! *Assumes*: as [`crate::Geometric`]; draws beyond 64 bits are saturated.
//!
//! *Paper*: Canonne, Kamath, Steinke (2020), algorithm 2. *Deviation*: see [`crate::Geometric`].

use dashu_int::UBig;
use dashu_ratio::RBig;

use crate::NoiseError;
use crate::exact::enclosure::{Enclosure, div_up};
use crate::exact::tails::Tails;
use crate::samplers::geometric::{Geometric, SETUP_BITS};
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
    /// The tails of |z|, on a coarse lattice.
    folded: Option<Tails>,
}

impl DiscreteLaplace {
    /// A sampler whose probabilities fall by e^-decay per lattice step away from 0.
    ///
    /// # Errors
    /// When the decay is not positive, or below 2^-52.
    pub fn new(decay: RBig) -> Result<Self, NoiseError> {
        let magnitude = Geometric::new(decay)?;
        let folded = magnitude.is_coarse().then(|| {
            let first = folded_tail(magnitude.decay(), 0, SETUP_BITS);
            Tails::new(first, &Enclosure::exp_neg(magnitude.decay(), SETUP_BITS))
        });
        Ok(Self { magnitude, folded })
    }

    /// The same sampler with every decision made in arbitrary precision; see
    /// [`Geometric::exact_only`].
    #[must_use]
    pub fn exact_only(self) -> Self {
        Self { magnitude: self.magnitude.exact_only(), folded: self.folded.map(Tails::exact_only) }
    }

    /// The decay per lattice step.
    #[must_use]
    pub fn decay(&self) -> &RBig {
        self.magnitude.decay()
    }

    /// One draw.
    #[inline]
    pub fn sample(&self, source: &mut (impl NoiseSource + ?Sized)) -> i64 {
        if let Some(tails) = &self.folded {
            let (size, negative) = self.folded_size(source, tails);
            return signed(negative, i64::try_from(size).unwrap_or(i64::MAX));
        }
        loop {
            let parts = self.magnitude.parts(source);
            let size = self.magnitude.saturated(&parts);
            if !(parts.bit && size == 0) {
                return signed(parts.bit, size);
            }
        }
    }

    #[inline]
    fn folded_size(&self, source: &mut (impl NoiseSource + ?Sized), tails: &Tails) -> (u64, bool) {
        let word = source.next_u64();
        let size = tails.count(source, word >> 1, |v, bits| folded_tail(self.decay(), v, bits));
        (size, word & 1 == 1)
    }

    /// The draw that [`Self::sample`] makes of the same words, in 128 bits: whole where that one is saturated. For noise that is
    /// added modulo a power of two, where a saturated draw would not be a function of the noisy number.
    pub fn sample_wide(&self, source: &mut (impl NoiseSource + ?Sized)) -> i128 {
        let (negative, size) = self.signed_magnitude(source);
        // 2^64 blocks of at most 2^50 steps: far below 2^127.
        if negative { -(size as i128) } else { size as i128 }
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
        if let Some(tails) = &self.folded {
            let (size, negative) = self.folded_size(source, tails);
            return (negative, size.into());
        }
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

/// Negates without a branch on a fair coin, which no processor predicts.
#[inline]
pub(crate) fn signed(negative: bool, size: i64) -> i64 {
    let mask = -i64::from(negative);
    (size ^ mask) - mask
}

/// P(|z| > v) = 2 α^(v+1) / (1 + α).
fn folded_tail(decay: &RBig, v: u64, bits: usize) -> Enclosure {
    let alpha = Enclosure::exp_neg(decay, bits);
    let power = Enclosure::exp_neg(&(decay * RBig::from(v + 1)), bits);
    let one = UBig::ONE << bits;
    Enclosure {
        low: (power.low << (bits + 1)) / (&one + alpha.high),
        high: div_up(&(power.high << (bits + 1)), &(one + alpha.low)),
        bits,
    }
}
