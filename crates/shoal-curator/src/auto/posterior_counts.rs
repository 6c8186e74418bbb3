//! What noisy counts say about true ones: the mean of a count given its noisy value (nonparametric empirical Bayes).
//!
//! Most cells of a grid and many boxes of a tree are empty or nearly so, and their noise adds up. How often each true count
//! occurs is estimated from all noisy counts together (maximum likelihood, by expectation and maximisation; the noise's law is
//! known), and each noisy count is replaced by the mean of the true count under it. Counts far above the noise stay as
//! they are, and the total is kept.
//!
//! *Privacy.* Post-processing of released counts.
//!
//! *Utility.* For the leaves of a tree: up to a quarter less excess NICV at ε = 0.1 in ten columns than with noisy counts as they
//! are. With few cells (a coarse grid) there is too little to learn from, and soft thresholding is better.
//!
//! *Runtime.* Rounds × different noisy counts × support, some ten million steps at most, whatever the number of cells.

use std::collections::BTreeMap;

pub use crate::auto::count_noise::CountNoise;

/// Rounds of expectation and maximisation: after these the prior changes too little to move a centre.
const ROUNDS: usize = 200;

/// Noisy counts beyond this many times 1/a stand so far above the noise that there is nothing to learn.
const CLEAR: f64 = 60.0;

/// Mean true counts given noisy ones, for noise of this distribution. They add up to the noisy total, or to one row
/// where that is less.
pub fn posterior_counts(noisy: &[i64], noise: CountNoise) -> Vec<f64> {
    let decay = noise.decay();
    let total = noisy.iter().map(|&count| count as f64).sum::<f64>().max(1.0);
    let clear = (CLEAR / decay).ceil().max(1.0) as i64;
    let mut different: BTreeMap<i64, f64> = BTreeMap::new();
    for &count in noisy.iter().filter(|&&count| count < clear) {
        *different.entry(count).or_default() += 1.0;
    }
    let posterior = posterior_means(&different, &noise, clear);
    let raw: Vec<f64> = noisy.iter().map(|count| posterior.get(count).copied().unwrap_or(*count as f64)).collect();
    let sum: f64 = raw.iter().sum();
    if sum > 0.0 {
        raw.iter().map(|count| count * total / sum).collect()
    } else {
        vec![total / noisy.len().max(1) as f64; noisy.len()]
    }
}

/// The posterior mean for each noisy count that occurs.
fn posterior_means(different: &BTreeMap<i64, f64>, noise: &CountNoise, clear: i64) -> BTreeMap<i64, f64> {
    let highest = different.keys().next_back().copied().unwrap_or(0).clamp(1, clear);
    let support = support(highest, noise.decay());
    let likelihood = |noisy: i64| -> Vec<f64> {
        // Relative to the best of the support, or far negative counts would underflow everywhere.
        let nearest = support.iter().map(|&count| (noisy as f64 - count).abs()).fold(f64::INFINITY, f64::min);
        support.iter().map(|&count| noise.likelihood((noisy as f64 - count).abs(), nearest)).collect()
    };
    let rows: Vec<(i64, f64, Vec<f64>)> = different.iter().map(|(&c, &times)| (c, times, likelihood(c))).collect();
    let cells: f64 = different.values().sum();
    let mut prior = vec![1.0 / support.len() as f64; support.len()];
    for _ in 0..ROUNDS {
        let mut next = vec![0.0; support.len()];
        for (_, times, likelihood) in &rows {
            let evidence: f64 = likelihood.iter().zip(&prior).map(|(l, p)| l * p).sum();
            if evidence > 0.0 {
                next.iter_mut()
                    .zip(likelihood.iter().zip(&prior))
                    .for_each(|(n, (l, p))| *n += times * l * p / evidence);
            }
        }
        prior = next.iter().map(|mass| mass / cells).collect();
    }
    let mean = |likelihood: &[f64]| {
        let weights: Vec<f64> = likelihood.iter().zip(&prior).map(|(l, p)| l * p).collect();
        let mass: f64 = weights.iter().sum();
        if mass > 0.0 { weights.iter().zip(&support).map(|(w, count)| w * count).sum::<f64>() / mass } else { 0.0 }
    };
    rows.iter().map(|(noisy, _, likelihood)| (*noisy, mean(likelihood))).collect()
}

/// True counts that are considered: every one while they are few, then in growing steps. Steps are finer than the noise.
fn support(highest: i64, decay: f64) -> Vec<f64> {
    let step = (0.1 / decay).round().max(1.0);
    let mut counts: Vec<f64> =
        (0..30).map(|i| f64::from(i) * step).take_while(|&count| count <= highest as f64).collect();
    let mut next = 30.0 * step;
    while next < highest as f64 * 1.1 {
        counts.push(next.round());
        next *= 1.08;
    }
    counts.push((highest + 1) as f64);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use shoal_noise::{DiscreteLaplace, SeededNoise};

    fn with_noise(truth: &[i64], decay: &str, seed: u64) -> Vec<i64> {
        let law = DiscreteLaplace::new(decay.parse().unwrap()).unwrap();
        let mut noise = SeededNoise::new(seed);
        truth.iter().map(|&count| count + law.sample(&mut noise)).collect()
    }

    fn squared_error(found: &[f64], truth: &[i64]) -> f64 {
        found.iter().zip(truth).map(|(a, &b)| (a - b as f64).powi(2)).sum()
    }

    #[test]
    fn sparse_counts_lose_most_of_their_noise() {
        let truth: Vec<i64> = (0..1000).map(|i| if i % 50 == 0 { 100 } else { 0 }).collect();
        let noisy = with_noise(&truth, "1/10", 1);
        let raw: Vec<f64> = noisy.iter().map(|&count| count as f64).collect();
        let found = posterior_counts(&noisy, CountNoise::laplace(0.1, 1));
        assert!(squared_error(&found, &truth) < 0.25 * squared_error(&raw, &truth));
        // Merely setting negative counts to zero is not enough to pass.
        let cut: Vec<f64> = raw.iter().map(|count| count.max(0.0)).collect();
        assert!(squared_error(&cut, &truth) > 0.25 * squared_error(&raw, &truth));
        assert!((found.iter().sum::<f64>() - raw.iter().sum::<f64>()).abs() < 1e-6);
    }

    #[test]
    fn clear_counts_stay_nearly_as_they_are() {
        let truth: Vec<i64> = (0..50).map(|i| 10_000 + 137 * i).collect();
        let noisy = with_noise(&truth, "1/2", 2);
        for (found, &count) in posterior_counts(&noisy, CountNoise::laplace(0.5, 1)).iter().zip(&noisy) {
            assert!((found - count as f64).abs() < 1e-6);
        }
    }

    #[test]
    fn nothing_but_noise_is_no_crash() {
        for noisy in [vec![0], vec![-5, -900_000], vec![-1; 70], vec![i64::MIN / 4, i64::MAX / 4], vec![]] {
            for decay in [1e-6, 0.01, 3.0, 1e3] {
                let found = posterior_counts(&noisy, CountNoise::laplace(decay, 1));
                assert_eq!(found.len(), noisy.len());
                assert!(found.iter().all(|count| count.is_finite() && *count >= 0.0), "{noisy:?} {decay} {found:?}");
            }
        }
    }
}
