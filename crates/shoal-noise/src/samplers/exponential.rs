//! The exponential mechanism over integer scores.
//!
//! *Privacy*: candidate i is chosen with probability proportional to e^(decay q_i). When one row
//! moves every score in the same direction by at most Δ, one factor of the ratio is at most
//! e^(decay Δ) and the other at most 1, so the choice is ε-differentially private with
//! ε = decay Δ: the range form, without the usual factor 2. For scores that may move apart,
//! ε = 2 decay Δ. [`ScoreKind`] says which holds.
//!
//! *Distribution*: P(i) = e^(-decay (q_max - q_i)) / Σ_j e^(-decay (q_max - q_j)), exactly. A uniform real
//! is located among the cumulative shares: first in doubles, and when it is too close to an edge,
//! with integer enclosures of all the weights. In doubles, an exponent is off by a relative
//! 2^-51, which moves a weight by less than 2^-51 since x e^-x < 1/2; n weights and n partial sums
//! add up to less than n 2^-50 of the total, twice that for a share. The margin is (n + 2) 2^-48.
//!
//! *Utility*: the expected gap to the best score is at most ln(n) / decay.
//!
//! *Runtime*: n exponentials to prepare, then log n per draw. Exact work, n microseconds long, is
//! needed once in 2^46 / n draws or less.
//!
//! *Assumes*: uniform words, `libm::exp` as in the `lazy` module. The time taken does not depend
//! on the scores but for that rare branch.
//!
//! *Paper*: McSherry and Talwar, "Mechanism Design via Differential Privacy" (2007); the range
//! form after Dong, Durfee, Rogers, "Optimal Differential Privacy Composition for Exponential
//! Mechanisms" (2020). *Deviation*: inversion instead of rejection from a uniform candidate,
//! whose acceptance is at the mercy of the scores; the rejection is kept in [`crate::reference`].

use dashu_int::UBig;
use dashu_ratio::RBig;

use crate::NoiseError;
use crate::exact::enclosure::{Enclosure, approx_f64};
use crate::exact::lazy::{LazyUniform, WORD_BITS, cumulative_shares};
use crate::samplers::scores::ScoreKind;
use crate::source::NoiseSource;

/// Most candidates one choice may have.
pub const MAX_CANDIDATES: usize = 1 << 24;

/// Chooses high scores with exponentially higher probability.
///
/// ```
/// use dashu_ratio::RBig;
/// use shoal_noise::{ExponentialMechanism, ScoreKind, SeededNoise};
///
/// // Counts: a row raises each by at most 1.
/// let half = RBig::from_parts(1.into(), 2_u8.into());
/// let mechanism = ExponentialMechanism::new(&half, &RBig::ONE, ScoreKind::Monotone)?;
/// let choice = mechanism.prepare(&[10_i64, 12, 30])?;
/// assert!(choice.ln_pmf(2) > -0.001);
/// assert_eq!(choice.sample(&mut SeededNoise::new(1)), 2);
/// # Ok::<(), shoal_noise::NoiseError>(())
/// ```
#[derive(Clone)]
pub struct ExponentialMechanism {
    decay: RBig,
    decay_f64: f64,
    exact_only: bool,
}

/// An exponential mechanism that has seen its scores. Holds functions of the data: do not release.
pub struct ExponentialChoice {
    decay: RBig,
    /// q_max - q_i.
    gaps: Vec<u128>,
    decay_f64: f64,
    cumulative: Vec<f64>,
    margin: f64,
}

impl ExponentialMechanism {
    /// The mechanism that is ε-differentially private for scores of this sensitivity and kind.
    ///
    /// # Errors
    /// When ε or the sensitivity is not positive.
    pub fn new(epsilon: &RBig, sensitivity: &RBig, kind: ScoreKind) -> Result<Self, NoiseError> {
        let decay = kind.decay(epsilon, sensitivity)?;
        Ok(Self { decay_f64: approx_f64(&decay).min(f64::MAX), decay, exact_only: false })
    }

    /// The same mechanism with every decision made in arbitrary precision; see
    /// [`crate::Geometric::exact_only`].
    #[must_use]
    pub fn exact_only(mut self) -> Self {
        self.exact_only = true;
        self
    }

    /// The logarithm of the weight of one score step.
    #[must_use]
    pub fn decay(&self) -> &RBig {
        &self.decay
    }

    /// Weighs the candidates, for one draw or several.
    ///
    /// # Errors
    /// When there is no candidate, or more than 2^24.
    pub fn prepare<Q: Copy + Into<i128>>(&self, scores: &[Q]) -> Result<ExponentialChoice, NoiseError> {
        if scores.len() > MAX_CANDIDATES {
            return Err(NoiseError::TooManyCandidates { given: scores.len(), max: MAX_CANDIDATES });
        }
        let best: i128 = scores.iter().map(|&q| q.into()).max().ok_or(NoiseError::NoCandidates)?;
        let gaps: Vec<u128> = scores.iter().map(|&q| best.abs_diff(q.into())).collect();
        let mut total = 0.0;
        // Neighbours often score alike, as positions between two rows do, and an exponential costs more than a look.
        let (mut before, mut weight) = (0, 1.0);
        let cumulative = gaps
            .iter()
            .map(|&gap| {
                if gap != before {
                    (before, weight) = (gap, libm::exp(-self.decay_f64 * gap as f64));
                }
                total += weight;
                total
            })
            .collect();
        let margin = if self.exact_only { f64::INFINITY } else { (gaps.len() as f64 + 2.0) * libm::ldexp(total, -48) };
        Ok(ExponentialChoice { decay: self.decay.clone(), decay_f64: self.decay_f64, gaps, cumulative, margin })
    }

    /// Chooses one candidate, by its index.
    ///
    /// # Errors
    /// As [`ExponentialMechanism::prepare`].
    pub fn choose<Q: Copy + Into<i128>>(
        &self,
        source: &mut (impl NoiseSource + ?Sized),
        scores: &[Q],
    ) -> Result<usize, NoiseError> {
        Ok(self.prepare(scores)?.sample(source))
    }
}

impl ExponentialChoice {
    fn total(&self) -> f64 {
        self.cumulative.last().copied().unwrap_or(1.0)
    }

    /// The index of the chosen candidate. Several draws compose: each costs ε.
    pub fn sample(&self, source: &mut (impl NoiseSource + ?Sized)) -> usize {
        let position = source.next_u64() >> 1;
        let target = libm::ldexp(position as f64, -(WORD_BITS as i32)) * self.total();
        let last = self.gaps.len() - 1;
        let i = self.cumulative.partition_point(|&c| c <= target).min(last);
        let clear_below = i == 0 || target - self.cumulative[i - 1] > self.margin;
        let clear_above = i == last || self.cumulative[i] - target > self.margin;
        if clear_below && clear_above {
            i
        } else {
            LazyUniform::from_word(position).rank(source, |bits| self.shares(bits))
        }
    }

    #[cold]
    fn shares(&self, bits: usize) -> Vec<Enclosure> {
        // The best candidate weighs 1, so n units of rounding cost log n bits of a share.
        let work = bits + usize::BITS as usize - self.gaps.len().leading_zeros() as usize + 8;
        let weights: Vec<Enclosure> = self
            .gaps
            .iter()
            .map(|&gap| Enclosure::exp_neg(&(&self.decay * RBig::from(UBig::from(gap))), work))
            .collect();
        cumulative_shares(&weights, bits)
    }

    /// ln P(i).
    ///
    /// # Panics
    /// When there is no such candidate.
    #[must_use]
    pub fn ln_pmf(&self, i: usize) -> f64 {
        -self.decay_f64 * self.gaps[i] as f64 - libm::log(self.total())
    }

    /// P(i).
    ///
    /// # Panics
    /// When there is no such candidate.
    #[must_use]
    pub fn pmf(&self, i: usize) -> f64 {
        libm::exp(self.ln_pmf(i))
    }
}
