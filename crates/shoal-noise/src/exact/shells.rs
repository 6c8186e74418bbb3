//! The random cube behind the K-norm noise: which multiple m of the unit cube to fill.
//!
//! *Distribution*: P(m) proportional to Π(2 m w_i + 1) α^m for m = 0, 1, ..., the number of lattice points
//! in the m-fold cube times α^m, α = e^-decay. Written in falling factorials,
//! Π(2 w_i m + 1) = Σ_k c_k k! C(m, k) with all c_k positive, because
//! (2 w m + 1) C(m, k) = (2 w k + 1) C(m, k) + 2 w (k + 1) C(m, k + 1). So the distribution is a mixture:
//! k in 0..=D with weight c_k k! (α / (1 - α))^k, then m = k + the sum of k + 1 geometrics of
//! ratio α, whose distribution is proportional to C(m, k) α^m. Nothing is rejected. The weights, times
//! (1 - α)^D to stay finite, follow from the recurrence by interval arithmetic on an enclosure
//! of α, and k is chosen by a lazy comparison with their cumulative shares.
//!
//! *Runtime*: at most D + 2 short draws. Setting up takes D² interval operations: microseconds for
//! ten coordinates, a second for a thousand.
//!
//! *Paper*: Hardt and Talwar, "On the Geometry of Differential Privacy" (2010), for the K-norm
//! mechanism. *Deviation*: radius on the lattice, drawn as a mixture instead of by rejection from
//! the sum of D + 1 geometrics; rejection is fine on fine lattices, but its acceptance falls to
//! 1 / (2^D D!) on coarse ones. The rejection is kept in [`crate::reference`].

use dashu_base::BitTest;
use dashu_int::UBig;
use dashu_ratio::RBig;

use crate::exact::enclosure::{Enclosure, shr_up};
use crate::exact::lazy::{LazyUniform, WORD_BITS, cumulative_shares};
use crate::samplers::geometric::Geometric;
use crate::source::NoiseSource;

/// Exact sampler for P(m) proportional to Π(2 m w_i + 1) e^(-decay m).
#[derive(Clone)]
pub(crate) struct Shells {
    half_widths: Box<[u64]>,
    step: Geometric,
    /// Cumulative shares of k = D, D - 1, ..., 1 in words, enclosed: on a fine lattice nearly all
    /// the weight is on k = D, and the first is found first.
    share_low: Box<[u64]>,
    share_high: Box<[u64]>,
}

impl Shells {
    pub fn new(step: Geometric, half_widths: Box<[u64]>) -> Self {
        let shares = shares(step.decay(), &half_widths, WORD_BITS + 64);
        let (share_low, share_high): (Vec<_>, Vec<_>) = shares.iter().map(Enclosure::words).unzip();
        Self { half_widths, step, share_low: share_low.into(), share_high: share_high.into() }
    }

    pub fn exact_only(mut self) -> Self {
        self.step = self.step.exact_only();
        self.share_low.fill(0);
        self.share_high.fill(1 << WORD_BITS);
        self
    }

    pub fn half_widths(&self) -> &[u64] {
        &self.half_widths
    }

    pub fn step(&self) -> &Geometric {
        &self.step
    }

    pub fn sample(&self, source: &mut (impl NoiseSource + ?Sized)) -> u128 {
        let position = source.next_u64() >> 1;
        let passed = self.share_high.partition_point(|&high| position >= high);
        let settled = self.share_low.get(passed).is_none_or(|&low| position < low);
        let rank = if settled { passed } else { self.rank_exactly(source, position) };
        let k = self.half_widths.len() - rank;
        let mut m = k as u128;
        for _ in 0..=k {
            let parts = self.step.parts(source);
            m += self.step.wide(&parts);
        }
        m
    }

    #[cold]
    fn rank_exactly(&self, source: &mut (impl NoiseSource + ?Sized), position: u64) -> usize {
        LazyUniform::from_word(position).rank(source, |bits| shares(self.step.decay(), &self.half_widths, bits))
    }
}

/// Cumulative shares of k = D, D - 1, ..., 1, each within a few units of 2^-bits.
fn shares(decay: &RBig, half_widths: &[u64], bits: usize) -> Vec<Enclosure> {
    // Every factor may widen an interval relative to the largest weight; a retry is cheap.
    let mut work = bits + 64 + half_widths.len();
    loop {
        let shares = cumulative_shares(&weights(decay, half_widths, work), bits);
        let loose = UBig::ONE << 24;
        if shares.iter().all(|s| &s.high - &s.low <= loose) {
            return shares;
        }
        work *= 2;
    }
}

/// Weights of k = D, D - 1, ..., 0 up to a common factor: c_k k! α^k (1 - α)^(D - k).
fn weights(decay: &RBig, half_widths: &[u64], bits: usize) -> Vec<Enclosure> {
    let alpha = Enclosure::exp_neg(decay, bits);
    let one = UBig::ONE << bits;
    let beta = Enclosure { low: &one - &alpha.high, high: &one - &alpha.low, bits };
    let mut row = vec![Enclosure::one(bits)];
    for &w in half_widths {
        let mut next = Vec::with_capacity(row.len() + 1);
        for k in 0..=row.len() {
            let stay = UBig::from(2 * k as u128 * u128::from(w) + 1);
            let rise = UBig::from(2 * k as u128 * u128::from(w));
            let (mut low, mut high) = (UBig::ZERO, UBig::ZERO);
            if let Some(same) = row.get(k) {
                low += &same.low * &beta.low * &stay;
                high += &same.high * &beta.high * &stay;
            }
            if let Some(below) = k.checked_sub(1).and_then(|k| row.get(k)) {
                low += &below.low * &alpha.low * &rise;
                high += &below.high * &alpha.high * &rise;
            }
            next.push((low, high));
        }
        // One common shift brings the largest back to the working length.
        let longest = next.iter().map(|(_, high)| high.bit_len()).max().unwrap_or(0);
        let shift = longest.saturating_sub(bits);
        row = next
            .into_iter()
            .map(|(low, high)| Enclosure { low: low >> shift, high: shr_up(&high, shift), bits })
            .collect();
    }
    row.reverse();
    row
}
