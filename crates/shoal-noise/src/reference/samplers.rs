//! The distributions, built from coins.
//!
//! *Paper*: Canonne, Kamath, Steinke (2020), algorithms 2 and 3; the K-norm radius by rejection
//! from a sum of geometrics; the exponential mechanism by rejection from a uniform candidate.

use dashu_base::SquareRoot;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use super::bernoulli::{bernoulli, bernoulli_exp_neg, uniform_below};
use crate::exact::enclosure::numerator;
use crate::source::NoiseSource;

/// P(z) = (1 - α) α^z, α = e^-decay, for a positive decay.
pub fn geometric(source: &mut (impl NoiseSource + ?Sized), decay: &RBig) -> UBig {
    let (s, t) = (numerator(decay), decay.denominator());
    let u = loop {
        let u = uniform_below(source, t);
        if bernoulli_exp_neg(source, &(RBig::from(u.clone()) / RBig::from(t.clone()))) {
            break u;
        }
    };
    let mut v = UBig::ZERO;
    while bernoulli_exp_neg(source, &RBig::ONE) {
        v += UBig::ONE;
    }
    (u + t * v) / s
}

/// P(z) proportional to α^|z|, α = e^-decay, for a positive decay.
pub fn discrete_laplace(source: &mut (impl NoiseSource + ?Sized), decay: &RBig) -> IBig {
    let half = RBig::from_parts(IBig::ONE, UBig::from(2_u8));
    loop {
        let negative = bernoulli(source, &half);
        let size = IBig::from(geometric(source, decay));
        if !negative {
            return size;
        }
        if size != IBig::ZERO {
            return -size;
        }
    }
}

/// P(z) proportional to exp(-z² / 2σ²), for a positive σ².
pub fn discrete_gaussian(source: &mut (impl NoiseSource + ?Sized), sigma_squared: &RBig) -> IBig {
    let t = (numerator(sigma_squared) / sigma_squared.denominator()).sqrt() + UBig::ONE;
    let t = RBig::from(t);
    let two = RBig::from(2_u8);
    loop {
        let y = discrete_laplace(source, &(RBig::ONE / &t));
        let size = RBig::from(IBig::from(y.clone().into_parts().1));
        let distance = size - sigma_squared / &t;
        if bernoulli_exp_neg(source, &(distance.sqr() / (sigma_squared * &two))) {
            return y;
        }
    }
}

/// P(z) proportional to e^(-decay ceil(max |z_i| / w_i)), for a positive decay and half-widths.
///
/// The shell m is a sum of D + 1 geometrics, kept with probability
/// Π_{i = 1..D} (2 m w_i + 1) / (2 w_i (m + i)): slow on coarse lattices.
pub fn l_infinity_k_norm(source: &mut (impl NoiseSource + ?Sized), decay: &RBig, half_widths: &[u64]) -> Vec<IBig> {
    let two = UBig::from(2_u8);
    let m = 'shell: loop {
        let mut m = UBig::ZERO;
        for _ in 0..=half_widths.len() {
            m += geometric(source, decay);
        }
        for (i, &w) in (1_u64..).zip(half_widths) {
            let points = &two * &m * UBig::from(w) + UBig::ONE;
            let proposed = &two * UBig::from(w) * (&m + UBig::from(i));
            if !bernoulli(source, &RBig::from_parts(points.into(), proposed)) {
                continue 'shell;
            }
        }
        break m;
    };
    half_widths
        .iter()
        .map(|&w| {
            let n = &m * UBig::from(w);
            let points = &n * &two + UBig::ONE;
            IBig::from(uniform_below(source, &points)) - IBig::from(n)
        })
        .collect()
}

/// The exponential mechanism: index i with probability proportional to e^(decay q_i).
///
/// # Panics
/// When there is no candidate.
pub fn exponential(source: &mut (impl NoiseSource + ?Sized), decay: &RBig, scores: &[i64]) -> usize {
    // Unwrap safety: documented panic, in a function for tests.
    let best = *scores.iter().max().unwrap();
    loop {
        let i = crate::uniform::below(source, scores.len() as u64) as usize;
        if bernoulli_exp_neg(source, &(decay * RBig::from(best.abs_diff(scores[i])))) {
            return i;
        }
    }
}
