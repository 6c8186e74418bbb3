//! One-sided geometric noise, the building block of the other samplers.
//!
//! *Privacy*: added to a count that one row can only raise or only lower by 1, it bounds one
//! direction of the likelihood ratio by e^decay and leaves the other unbounded (the noise starts
//! at 0). Alone it is no differential privacy; noisy max and the K-norm sampler use it properly.
//!
//! *Distribution*: P(z) = (1 - α) α^z for z = 0, 1, 2, ..., with α = e^-decay, exactly, for any positive
//! rational decay. A draw is U + 2^j V where 2^j decay lies in (1/8, 1/4] (j = 0 when decay is
//! above 1/8): then α^(U + 2^j V) splits into α^U on 0..2^j, met by rejection from a uniform U, and
//! a geometric V with ratio α^(2^j), met by counting how many of its tail probabilities a uniform
//! real undercuts. Both decisions are lazy comparisons, see the `lazy` module for why they are
//! exact. The α^U coin is tried against a table over the leading seven bits of U first, then in
//! doubles: decay * U is below 1/4 there, decay is within a relative 2^-52 and the product within
//! 2^-53, so the exponent is off by less than 2^-52.
//!
//! *Utility*: mean 1 / (e^decay - 1), variance e^decay / (e^decay - 1)^2.
//!
//! *Runtime*: one word when j = 0, otherwise at most 3.3 in expectation (a U is kept with
//! probability 0.88 or more). Setting up takes about a tenth of a millisecond.
//!
//! *Assumes*: uniform words; scale at most 2^52 lattice steps. Draws above `i64::MAX`, less likely
//! than e^-1000, are saturated: a function of the exact draw.
//!
//! *Paper*: Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy" (2020),
//! algorithm 2 up to the sign. *Deviation*: blocks are a power of two long instead of the
//! denominator of the decay, so that big denominators cost nothing; the coins are lazy comparisons
//! instead of coin-flip series. The series are kept in [`crate::reference`].

use dashu_base::BitTest;
use dashu_int::UBig;
use dashu_ratio::RBig;

use crate::NoiseError;
use crate::exact::enclosure::{Enclosure, approx_f64, numerator};
use crate::exact::lazy::{Margin, WORD_BITS, accept_exp_neg};
use crate::exact::tails::Tails;
use crate::source::NoiseSource;

/// Largest accepted base-two logarithm of a noise scale, in lattice steps.
pub const MAX_SCALE_BITS: u32 = 52;

/// Leading bits of U that index the acceptance table.
const TABLE_BITS: u32 = 7;
/// Bits kept while the tables are filled; 63 are used, the rest absorbs the rounding, and two
/// machine words hold them.
pub(crate) const SETUP_BITS: usize = 126;

/// Exact sampler for P(z) = (1 - α) α^z on z >= 0, α = e^-decay.
#[derive(Clone)]
pub struct Geometric {
    decay: RBig,
    decay_f64: f64,
    /// 2^j * decay, in (1/8, 1/4] unless the decay itself is larger.
    block_decay: RBig,
    low_bits: u32,
    /// Per cell of U: words below the first certainly accept, words from the second on reject.
    coin: Box<[(u64, u64)]>,
    coin_shift: u32,
    tails: Tails,
    margin: Margin,
}

/// One draw before it is put together: `low + 2^j * blocks`, and a spare uniform bit.
pub(crate) struct Parts {
    pub low: u64,
    pub blocks: u64,
    pub bit: bool,
}

impl Geometric {
    /// A sampler whose probabilities fall by e^-decay per lattice step.
    ///
    /// For noise of scale b in the unit of the data, on a lattice of step h, the decay is h / b;
    /// for an ε-differentially private count it is ε.
    ///
    /// # Errors
    /// When the decay is not positive, or below 2^-52.
    pub fn new(decay: RBig) -> Result<Self, NoiseError> {
        if decay <= RBig::ZERO {
            return Err(NoiseError::NonPositiveDecay { given: decay.to_string() });
        }
        let top = numerator(&decay);
        if (&top << MAX_SCALE_BITS as usize) < *decay.denominator() {
            return Err(NoiseError::ScaleTooLarge { max_bits: MAX_SCALE_BITS });
        }
        let mut low_bits = decay.denominator().bit_len().saturating_sub(top.bit_len() + 4);
        while &top << (low_bits + 3) <= *decay.denominator() {
            low_bits += 1;
        }
        let power_of_two = |bits: usize| RBig::from(UBig::ONE << bits);
        let block_decay = &decay * power_of_two(low_bits);

        let table_bits = (TABLE_BITS as usize).min(low_bits);
        let coin_shift = low_bits - table_bits;
        let cell = Enclosure::exp_neg(&(&decay * power_of_two(coin_shift)), SETUP_BITS);
        let mut edge = Enclosure::one(SETUP_BITS);
        let coin = (0..1_usize << table_bits)
            .map(|_| {
                let (at_start, high) = edge.words();
                edge = edge.times(&cell);
                // A cell of one value has one probability; a longer one is bounded by its ends.
                let low = if coin_shift == 0 { at_start } else { edge.words().0 };
                (low, high)
            })
            .collect();

        let ratio = Enclosure::exp_neg(&block_decay, SETUP_BITS);
        Ok(Self {
            tails: Tails::new(ratio.clone(), &ratio),
            // Only the distribution functions see a decay this large; keep 0 * decay at 0 for them.
            decay_f64: approx_f64(&decay).min(f64::MAX),
            decay,
            block_decay,
            low_bits: low_bits as u32,
            coin,
            coin_shift: coin_shift as u32,
            margin: Margin::ROUTINE,
        })
    }

    /// The same sampler with every decision made in arbitrary precision: the same draws from the
    /// same seed, about a thousand times slower. For tests and auditors.
    #[must_use]
    pub fn exact_only(mut self) -> Self {
        self.coin.fill((0, 1 << WORD_BITS));
        self.tails = self.tails.exact_only();
        self.margin = Margin::EVERYTHING;
        self
    }

    /// The decay per lattice step.
    #[must_use]
    pub fn decay(&self) -> &RBig {
        &self.decay
    }

    /// Whether the step is so coarse that a draw is a single word.
    pub(crate) fn is_coarse(&self) -> bool {
        self.low_bits == 0
    }

    pub(crate) fn decay_f64(&self) -> f64 {
        self.decay_f64
    }

    /// One draw.
    #[inline]
    pub fn sample(&self, source: &mut (impl NoiseSource + ?Sized)) -> i64 {
        self.saturated(&self.parts(source))
    }

    /// Fills `out` with independent draws.
    pub fn fill(&self, source: &mut (impl NoiseSource + ?Sized), out: &mut [i64]) {
        for z in out {
            *z = self.sample(source);
        }
    }

    #[inline]
    pub(crate) fn parts(&self, source: &mut (impl NoiseSource + ?Sized)) -> Parts {
        let low = if self.low_bits == 0 { 0 } else { self.low_part(source) };
        let word = source.next_u64();
        let (position, bit) = (word >> 1, word & 1 == 1);
        let blocks = self
            .tails
            .count(source, position, |v, bits| Enclosure::exp_neg(&(&self.block_decay * RBig::from(v + 1)), bits));
        Parts { low, blocks, bit }
    }

    #[inline]
    fn low_part(&self, source: &mut (impl NoiseSource + ?Sized)) -> u64 {
        loop {
            let u = source.next_u64() >> (64 - self.low_bits);
            let position = source.next_u64() >> 1;
            let (low, high) = self.coin[(u >> self.coin_shift) as usize];
            if position < low {
                return u;
            }
            if position < high && self.coin_in_cell(source, u, position) {
                return u;
            }
        }
    }

    #[cold]
    fn coin_in_cell(&self, source: &mut (impl NoiseSource + ?Sized), u: u64, position: u64) -> bool {
        let estimate = self.decay_f64 * u as f64;
        accept_exp_neg(source, position, estimate, self.margin, || &self.decay * RBig::from(u))
    }

    /// The draw in 128 bits, which hold it whatever the number of blocks.
    #[inline]
    pub(crate) fn wide(&self, parts: &Parts) -> u128 {
        u128::from(parts.low) + (u128::from(parts.blocks) << self.low_bits)
    }

    #[inline]
    pub(crate) fn saturated(&self, parts: &Parts) -> i64 {
        // 2^12 blocks of 2^50 steps fit; the other side has probability below e^-512.
        if parts.blocks < 1 << 12 {
            (parts.low + (parts.blocks << self.low_bits)) as i64
        } else {
            i64::try_from(self.wide(parts)).unwrap_or(i64::MAX)
        }
    }

    /// ln P(z).
    #[must_use]
    pub fn ln_pmf(&self, z: i64) -> f64 {
        if z < 0 {
            return f64::NEG_INFINITY;
        }
        libm::log(-libm::expm1(-self.decay_f64)) - self.decay_f64 * z as f64
    }

    /// P(z).
    #[must_use]
    pub fn pmf(&self, z: i64) -> f64 {
        libm::exp(self.ln_pmf(z))
    }

    /// P(Z >= z).
    #[must_use]
    pub fn tail(&self, z: i64) -> f64 {
        libm::exp(-self.decay_f64 * z.max(0) as f64)
    }

    /// P(Z <= z).
    #[must_use]
    pub fn cdf(&self, z: i64) -> f64 {
        if z < 0 {
            return 0.0;
        }
        -libm::expm1(-self.decay_f64 * (z as f64 + 1.0))
    }

    /// The expected value.
    #[must_use]
    pub fn mean(&self) -> f64 {
        1.0 / libm::expm1(self.decay_f64)
    }

    /// The variance.
    #[must_use]
    pub fn variance(&self) -> f64 {
        let s = 2.0 * libm::sinh(self.decay_f64 / 2.0);
        1.0 / (s * s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every table entry against a fresh enclosure of its own exponent.
    #[test]
    fn tables_enclose_their_probabilities() {
        for (top, bottom) in [(10_u64, 3_u64), (1, 1), (2, 15), (1, 1000), (1, 1 << 20), (3, 1 << 50)] {
            let law = Geometric::new(RBig::from_parts(top.into(), bottom.into())).unwrap();
            let truth = |steps: u64| Enclosure::exp_neg(&(&law.decay * RBig::from(steps)), 300).words();
            assert!(law.low_bits <= MAX_SCALE_BITS);
            for (cell, &(low, high)) in law.coin.iter().enumerate() {
                let first = (cell as u64) << law.coin_shift;
                let last = first + (1 << law.coin_shift) - 1;
                assert!(low <= truth(last).0, "a U of cell {cell} would be kept too often");
                assert!(high >= truth(first).1, "a U of cell {cell} would be kept too seldom");
            }
        }
    }
}
