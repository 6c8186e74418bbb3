//! Whether what is drawn has the spread of what is described.
//!
//! The exact comparison trusts the decay, half-widths and variance that a sampler reports. This test draws from the mechanism
//! and compares the mean square of the noise with the variance that follows from those numbers. Half the noise has a quarter
//! of the variance, in any number of columns.

use shoal_curator::internals::Noise;

/// The mean square of the noise may be this part of the variance at least, and its inverse at most.
const LEAST: f64 = 0.6;

/// Numbers that are drawn in all, so that a false alarm is ten standard deviations away.
pub const NUMBERS: usize = 6_000;

/// The variance of each of `count` numbers under this noise, from its parameters. A choice has none.
#[must_use]
pub fn variances(noise: &Noise, count: usize) -> Option<Vec<f64>> {
    match noise {
        Noise::Laplace { decay } => {
            // 2α/(1 − α)².
            let decay = decay.to_f64().value();
            Some(vec![2.0 * libm::exp(-decay) / libm::expm1(-decay).powi(2); count])
        }
        Noise::Gaussian { variance } => {
            let variance = variance.to_f64().value();
            // On the integers it is less than σ², by much only where σ is small.
            let weights = || (-40_i32..=40).map(|z| (f64::from(z), libm::exp(-f64::from(z * z) / (2.0 * variance))));
            let narrow = || {
                let total: f64 = weights().map(|(_, weight)| weight).sum();
                weights().map(|(z, weight)| z * z * weight).sum::<f64>() / total
            };
            Some(vec![if variance > 25.0 { variance } else { narrow() }; count])
        }
        Noise::KNorm { decay, half_widths } => {
            // Given m, number i is uniform on −m·w_i … m·w_i, of variance n(n + 1)/3 with n = m·w_i.
            let (mean, mean_square) = shell(decay.to_f64().value(), half_widths);
            let of = |w: f64| (w * w * mean_square + w * mean) / 3.0;
            Some(half_widths.iter().map(|&w| of(w as f64)).collect())
        }
        Noise::Choice { .. } => None,
    }
}

/// E[m] and E[m²] for P(m) ∝ Π(2·m·w_i + 1)·e^(−decay·m), summed on a grid around the mode.
fn shell(decay: f64, half_widths: &[u64]) -> (f64, f64) {
    let ln_weight = |m: f64| half_widths.iter().map(|&w| libm::log(2.0 * m * w as f64 + 1.0)).sum::<f64>() - decay * m;
    let numbers = half_widths.len() as f64;
    let last = (numbers + 14.0 * numbers.sqrt() + 40.0) / decay;
    let step = (last / 4096.0).floor().max(1.0);
    let top = ln_weight((numbers / decay).floor());
    let (mut total, mut mean, mut mean_square, mut m) = (0.0, 0.0, 0.0, 0.0);
    while m <= last {
        let weight = libm::exp(ln_weight(m) - top);
        total += weight;
        mean += weight * m;
        mean_square += weight * m * m;
        m += step;
    }
    (mean / total, mean_square / total)
}

/// What is wrong with the spread of noise that was drawn many times for numbers of known variance.
#[must_use]
pub fn fault(of: &str, mean_square_over_variance: f64) -> Option<String> {
    let fits = (LEAST..=1.0 / LEAST).contains(&mean_square_over_variance);
    (!fits)
        .then(|| format!("the noise on {of} has {mean_square_over_variance:.2} times the variance that is described"))
}
