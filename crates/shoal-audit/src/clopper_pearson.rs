//! Clopper and Pearson's exact bounds on a probability.

use statrs::function::beta::beta_reg;

/// The bound below which the probability of an event, seen `hits` times in `runs`, lies with probability at most `alpha`.
#[must_use]
pub fn at_least(hits: usize, runs: usize, alpha: f64) -> f64 {
    if hits == 0 {
        return 0.0;
    }
    let (k, n) = (hits as f64, runs as f64);
    // P(Bin(n, p) ≥ k) = I_p(k, n − k + 1) rises with p.
    halve(|p| beta_reg(k, n - k + 1.0, p) < alpha).0
}

/// The bound above which the probability of an event, seen `hits` times in `runs`, lies with probability at most `alpha`.
#[must_use]
pub fn at_most(hits: usize, runs: usize, alpha: f64) -> f64 {
    if hits >= runs {
        return 1.0;
    }
    let (k, n) = (hits as f64, runs as f64);
    // P(Bin(n, p) ≤ k) = I_{1−p}(n − k, k + 1) falls with p. The complement itself would lose all digits of a small α.
    halve(|p| beta_reg(n - k, k + 1.0, 1.0 - p) > alpha).1
}

/// Where `too_low` turns from true to false, from below and from above.
fn halve(too_low: impl Fn(f64) -> bool) -> (f64, f64) {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..100 {
        let middle: f64 = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if too_low(middle) { low = middle } else { high = middle }
    }
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_have_closed_forms() {
        for alpha in [1e-3, 1e-6, 1e-12] {
            for n in [10, 1000, 1_000_000] {
                let none = 1.0 - (f64::ln(alpha) / n as f64).exp();
                assert!((at_most(0, n, alpha) / none - 1.0).abs() < 1e-9, "{alpha} {n}");
                assert!((at_least(n, n, alpha) - (f64::ln(alpha) / n as f64).exp()).abs() < 1e-9, "{alpha} {n}");
            }
        }
        assert_eq!((at_least(0, 5, 0.1), at_most(5, 5, 0.1)), (0.0, 1.0));
    }

    #[test]
    fn the_bounds_are_where_the_tails_are_alpha() {
        let (hits, n, alpha) = (7_usize, 40_usize, 1e-3);
        let ln_choose =
            |k: usize| libm::lgamma(n as f64 + 1.0) - libm::lgamma(k as f64 + 1.0) - libm::lgamma((n - k) as f64 + 1.0);
        let pmf = |k: usize, p: f64| (ln_choose(k) + k as f64 * p.ln() + (n - k) as f64 * (1.0 - p).ln()).exp();
        let (low, high) = (at_least(hits, n, alpha), at_most(hits, n, alpha));
        assert!(((hits..=n).map(|k| pmf(k, low)).sum::<f64>() - alpha).abs() < 1e-9);
        assert!(((0..=hits).map(|k| pmf(k, high)).sum::<f64>() - alpha).abs() < 1e-9);
    }
}
