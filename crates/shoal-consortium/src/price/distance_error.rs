//! How far distances read off noisy codes are from the truth.
//!
//! *Distribution*: for two values fixed before the anchors were drawn, a bit of their noisy codes differs with probability
//! q = (1 − τ²)/2 + (2Δ/μ)·τ², τ = tanh(ε/2), up to Δ = 2t: both flips keep a difference with probability (1 + τ²)/2, and
//! make one with (1 − τ²)/2. Bits are independent, so d_H ~ Bin(s, q), over anchors and flips, and eq. 11's estimate, in
//! these terms (μ/(2sτ²))·(d_H − s(1 − τ²)/2), is unbiased with variance μ²q(1−q)/(4sτ⁴). Bits that are not flipped are
//! τ = 1.
//!
//! *Deviations*: none. Theorem 6 (eq. 13) is Hoeffding's inequality for the same sum.

use shoal_noise::{NoiseSource, SeededNoise, uniform};

use crate::price::binomial::Binomial;
use crate::{Attribute, Flips, Terms};
use shoal_lattice::STEPS;

/// Pairs of a simulation.
const PAIRS: usize = 2000;
/// Its seed, which is public: no data are touched.
const SEED: u64 = 0x5059_1924;

/// τ = tanh(ε/2): by what factor a flip shrinks the mean of a bit, counted as ±1.
pub fn shrinkage(flips: &Flips) -> f64 {
    match flips {
        Flips::None => 1.0,
        Flips::PerBit(epsilon) => (epsilon.to_f64_up() / 2.0).tanh(),
    }
}

/// The distribution of the Hamming distance of noisy codes of values so many steps apart: each bit differs with this
/// probability.
pub fn bit_differs(attribute: &Attribute, tau: f64, steps: u64) -> f64 {
    let telling = attribute.telling_positions(steps) as f64 / attribute.mu_steps() as f64;
    (1.0 - tau * tau) / 2.0 + telling * tau * tau
}

/// Standard deviation of eq. 11's estimate in the attribute's unit.
pub fn standard_deviation(attribute: &Attribute, bits: u32, tau: f64, steps: u64) -> f64 {
    let q = bit_differs(attribute, tau, steps);
    attribute.mu() / (2.0 * tau * tau) * (q * (1.0 - q) / f64::from(bits)).sqrt()
}

/// Theorem 6 (eq. 13): with probability 1 − β the estimate is no farther off, in the attribute's unit.
pub fn theorem_6(attribute: &Attribute, bits: u32, tau: f64, beta: f64) -> f64 {
    attribute.mu() / (2.0 * tau * tau) * ((2.0 / beta).ln() / (2.0 * f64::from(bits))).sqrt()
}

/// Eq. 11: a distance in lattice steps from a Hamming distance. It may come out negative.
pub fn decoded(attribute: &Attribute, bits: u32, tau: f64, hamming: u64) -> f64 {
    let s = f64::from(bits);
    attribute.mu_steps() as f64 / (2.0 * s * tau * tau) * (hamming as f64 - s * (1.0 - tau * tau) / 2.0)
}

/// The mean absolute error of eq. 19's distance over uniform records (eq. 24), simulated from the distributions of the
/// Hamming distances; a step of attribute i counts `unit(i)`.
pub fn mean_absolute_error(terms: &Terms, unit: impl Fn(usize) -> f64) -> f64 {
    let tau = shrinkage(terms.flips());
    let mut noise = SeededNoise::new(SEED);
    let total: f64 = (0..PAIRS).map(|_| one_error(terms, tau, &unit, &mut noise)).sum();
    total / PAIRS as f64
}

fn one_error(terms: &Terms, tau: f64, unit: &impl Fn(usize) -> f64, noise: &mut SeededNoise) -> f64 {
    let (mut truth, mut found) = (0.0, 0.0);
    for (i, attribute) in terms.attributes().iter().enumerate() {
        let steps = uniform_value(noise).abs_diff(uniform_value(noise));
        let law = Binomial::new(terms.bits().into(), bit_differs(attribute, tau, steps));
        let estimate = decoded(attribute, terms.bits(), tau, law.sample(noise));
        truth += (steps as f64 * unit(i)).powi(2);
        // Eq. 19 squares what eq. 11 gives, also where that is negative.
        found += (estimate * unit(i)).powi(2);
    }
    (found.sqrt() - truth.sqrt()).abs()
}

/// A uniform lattice value.
pub(super) fn uniform_value(noise: &mut impl NoiseSource) -> u64 {
    uniform::below(noise, STEPS + 1)
}

/// The mean absolute error of answering the mean distance for every pair of uniform records.
pub fn blind_error(terms: &Terms, unit: impl Fn(usize) -> f64) -> f64 {
    let mut noise = SeededNoise::new(SEED);
    let mut distance = || {
        let squares = (0..terms.dims()).map(|i| {
            let steps = uniform_value(&mut noise).abs_diff(uniform_value(&mut noise));
            (steps as f64 * unit(i)).powi(2)
        });
        squares.sum::<f64>().sqrt()
    };
    let distances: Vec<f64> = (0..PAIRS).map(|_| distance()).collect();
    let mean = distances.iter().sum::<f64>() / PAIRS as f64;
    distances.iter().map(|d| (d - mean).abs()).sum::<f64>() / PAIRS as f64
}
