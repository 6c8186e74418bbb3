//! Bounds on probabilities, for audits.

use statrs::function::beta::beta_reg;

/// Clopper–Pearson: the bound on the probability of an event seen `hits` times in `runs`, below (`upper` false) or above,
/// that fails with chance `alpha`.
pub fn clopper_pearson(hits: usize, runs: usize, upper: bool, alpha: f64) -> f64 {
    let (k, n) = (hits as f64, runs as f64);
    if upper && hits == runs {
        return 1.0;
    }
    if !upper && hits == 0 {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let p: f64 = 0.5 * (low + high);
        // P(Bin(n, p) ≥ k) = I_p(k, n − k + 1), and P(Bin(n, p) ≤ k) = 1 − I_p(k + 1, n − k).
        let too_low =
            if upper { 1.0 - beta_reg(k + 1.0, n - k, p) > alpha } else { beta_reg(k, n - k + 1.0, p) < alpha };
        if too_low { low = p } else { high = p }
    }
    if upper { high } else { low }
}
