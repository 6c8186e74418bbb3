//! Coins with rational and exponential probabilities.
//!
//! *Paper*: Canonne, Kamath, Steinke (2020), algorithm 1, after von Neumann: the alternating
//! series of e^-γ played as a game of rational coins.

use dashu_base::BitTest;
use dashu_int::UBig;
use dashu_ratio::RBig;

use crate::exact::enclosure::numerator;
use crate::source::NoiseSource;

/// A uniform integer in `0..n`: draw as many bits as `n - 1` has, start over when too large.
///
/// # Panics
/// When `n` is 0.
pub fn uniform_below(source: &mut (impl NoiseSource + ?Sized), n: &UBig) -> UBig {
    assert!(*n > UBig::ZERO, "a uniform draw needs at least one value");
    let bits = (n - UBig::ONE).bit_len();
    let mut bytes = vec![0_u8; bits.div_ceil(8)];
    loop {
        source.fill_bytes(&mut bytes);
        let draw = UBig::from_le_bytes(&bytes) >> (bytes.len() * 8 - bits);
        if draw < *n {
            return draw;
        }
    }
}

/// A coin with a rational probability from 0 to 1.
pub fn bernoulli(source: &mut (impl NoiseSource + ?Sized), p: &RBig) -> bool {
    uniform_below(source, p.denominator()) < numerator(p)
}

/// A coin with probability e^-γ, for a rational γ that is not negative.
pub fn bernoulli_exp_neg(source: &mut (impl NoiseSource + ?Sized), gamma: &RBig) -> bool {
    let (whole, rest) = gamma.clone().split_at_point();
    let mut left = whole;
    while left > dashu_int::IBig::ZERO {
        if !bernoulli_exp_neg_short(source, &RBig::ONE) {
            return false;
        }
        left -= dashu_int::IBig::ONE;
    }
    bernoulli_exp_neg_short(source, &rest)
}

/// A coin with probability 1 / (1 + e^ε): "keep" and "flip" are proposed alike, and a flip is accepted with e^-ε.
pub fn bit_flip(source: &mut (impl NoiseSource + ?Sized), epsilon: &RBig) -> bool {
    let half = RBig::from_parts(1.into(), 2_u8.into());
    loop {
        if bernoulli(source, &half) {
            return false;
        }
        if bernoulli_exp_neg(source, epsilon) {
            return true;
        }
    }
}

/// e^-γ for γ from 0 to 1: the first k at which a coin of γ / k fails is odd with
/// probability 1 - γ + γ²/2 - ...
fn bernoulli_exp_neg_short(source: &mut (impl NoiseSource + ?Sized), gamma: &RBig) -> bool {
    let mut k = 1_u32;
    while bernoulli(source, &(gamma / RBig::from(k))) {
        k += 1;
    }
    k % 2 == 1
}
