//! Whether a sampler follows its distribution: runs on one input, each part of the distribution compared with what it should be.
//!
//! Between two inputs, an event shows a loss only when it is common enough to be seen. With many attributes no such event
//! comes near the worst ratio, while a wrong rate or a direction that is not uniform shows in every run. So this is
//! how samplers are audited where ratios are out of reach: the distribution itself is compared by [`exact`](crate::exact), and
//! here its sampler with it.
//!
//! - [`radius`]: distances from the record.
//! - [`direction`]: where from the record, each coordinate and each two of them.
//! - [`inside`]: how often within the radius, and where otherwise.
//! - [`coordinates`]: noise that is independent in each attribute.

pub mod coordinates;
pub mod direction;
pub mod inside;
pub mod radius;

use rayon::prelude::*;
use statrs::function::beta::beta_reg;

use crate::report::LawTest;

/// A test that is still to be made.
pub(crate) type Waiting<'a> = (String, Box<dyn Fn() -> f64 + Send + Sync + 'a>);

/// Makes tests on all threads.
pub(crate) fn made(waiting: Vec<Waiting<'_>>) -> Vec<LawTest> {
    waiting.into_par_iter().map(|(what, p_value)| LawTest { what, p_value: p_value() }).collect()
}

/// Kolmogorov and Smirnov's test of draws against their distribution function, two-sided.
///
/// The p-value is Massart's bound 2·e^(−2·n·gap²), which holds at any number of draws; from a hundred on and below a tenth it
/// is the exact one to a few parts in a hundred. No draws are no evidence.
#[must_use]
pub fn kolmogorov_smirnov(mut draws: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
    if draws.is_empty() {
        return 1.0;
    }
    draws.sort_by(f64::total_cmp);
    let n = draws.len() as f64;
    let gap = |(i, &x): (usize, &f64)| {
        let p = cdf(x);
        if p.is_nan() { p } else { (p - i as f64 / n).max((i + 1) as f64 / n - p) }
    };
    let gaps: Vec<f64> = draws.iter().enumerate().map(gap).collect();
    // NaN must not pass for a good fit, wherever it is sorted to.
    if gaps.iter().any(|gap| gap.is_nan()) {
        return 0.0;
    }
    let most = gaps.into_iter().fold(0.0, f64::max);
    (2.0 * (-2.0 * n * most * most).exp()).min(1.0)
}

/// The exact two-sided test of `hits` in `runs` against a probability: twice the smaller tail.
#[must_use]
pub fn binomial(hits: usize, runs: usize, probability: f64) -> f64 {
    let (k, n, p) = (hits as f64, runs as f64, probability);
    // P(X ≥ k) = I_p(k, n − k + 1) and P(X ≤ k) = I_{1−p}(n − k, k + 1).
    let at_least = if hits == 0 { 1.0 } else { beta_reg(k, n - k + 1.0, p) };
    let at_most = if hits >= runs { 1.0 } else { beta_reg(n - k, k + 1.0, 1.0 - p) };
    (2.0 * at_least.min(at_most)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_values_of_binomials_are_sums_of_their_tails() {
        // P(X ≤ 2) for n = 10, p = ½ is 56/1024.
        assert!((binomial(2, 10, 0.5) - 112.0 / 1024.0).abs() < 1e-12);
        assert!((binomial(8, 10, 0.5) - 112.0 / 1024.0).abs() < 1e-12);
        assert_eq!((binomial(5, 10, 0.5), binomial(10, 10, 1.0)), (1.0, 1.0));
        assert!(binomial(9, 10, 1.0) < 1e-300);
        assert!((binomial(0, 10, 0.5) - 2.0 / 1024.0).abs() < 1e-12);
    }

    #[test]
    fn p_values_of_gaps_are_kolmogorov_s() {
        // The gap of n evenly spread draws is 1/(2n); moved by g, it is g + 1/(2n).
        let spread = |by: f64| (0..1000).map(|i| (f64::from(i) + 0.5) / 1000.0 + by).collect::<Vec<_>>();
        let p = |by: f64| kolmogorov_smirnov(spread(by), |x| x.clamp(0.0, 1.0));
        // The limit's upper percentage points: 5 % at 1.3581, 0.1 % at 1.9495.
        let at = |x: f64| p(x / 1000_f64.sqrt() - 0.0005);
        assert!((at(1.3581) - 0.05).abs() < 2e-5 && (at(1.9495) - 0.001).abs() < 2e-6, "{} {}", at(1.3581), at(1.9495));
        assert_eq!(p(0.0), 1.0);
        for nan in [f64::NAN, -f64::NAN] {
            assert_eq!(kolmogorov_smirnov(vec![0.2, nan, 0.5, 0.8], |x| x), 0.0);
        }
        assert_eq!(kolmogorov_smirnov(vec![0.2, 0.5, 0.8], |x| if x == 0.5 { f64::NAN } else { x }), 0.0);
        assert_eq!(kolmogorov_smirnov(Vec::new(), |x| x), 1.0);
    }
}
