//! The mass of the Euclidean Laplace density inside a ball, in logarithms.

use std::f64::consts::PI;

/// ln γ(s, x) = ln ∫_0^x u^(s-1) e^-u du, for s >= 1 and x > 0.
///
/// The series x^s e^-x Σ x^n / (s (s+1) ... (s+n)) has only positive terms; it is summed to the last bit.
/// Beyond 2s + 100 what is missing from Γ(s) is below e^-90 of it.
pub(crate) fn ln_lower_gamma(s: f64, x: f64) -> f64 {
    if x > 2.0 * s + 100.0 {
        return libm::lgamma(s);
    }
    let (mut term, mut sum, mut n) = (1.0, 1.0, 1.0);
    // The terms rise by at most 2.5 each up to n = x - s, so that the sum stays inside the doubles for s <= 1025.
    while term > sum * 1e-17 {
        term *= x / (s + n);
        sum += term;
        n += 1.0;
    }
    s * libm::log(x) - x + libm::log(sum) - libm::log(s)
}

/// ln of the volume of the unit ball.
pub(crate) fn ln_unit_ball(dims: usize) -> f64 {
    let half = dims as f64 / 2.0;
    half * libm::log(PI) - libm::lgamma(half + 1.0)
}

/// ln of ∫ (e^(-decay ‖z‖) - e^(-decay radius)) dz over the ball: V_d γ(d + 1, decay radius) / decay^d.
pub(crate) fn ln_ball_mass(decay: f64, dims: usize, radius: f64) -> f64 {
    let d = dims as f64;
    ln_unit_ball(dims) + ln_lower_gamma(d + 1.0, decay * radius) - d * libm::log(decay)
}

/// ln(e^a + e^b).
pub(crate) fn ln_sum(a: f64, b: f64) -> f64 {
    let (most, least) = if a > b { (a, b) } else { (b, a) };
    if least == f64::NEG_INFINITY { most } else { most + libm::log1p(libm::exp(least - most)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the regularised function of another library, where that one has a value.
    #[test]
    fn incomplete_gamma_agrees_with_statrs() {
        for s in [2.0, 3.0, 11.0, 101.0, 1001.0, 1025.0] {
            for ratio in [0.5, 0.8, 0.99, 1.0, 1.01, 1.5, 2.0, 2.5] {
                let x = s * ratio;
                let p = statrs::function::gamma::gamma_lr(s, x);
                if p > 1e-200 {
                    let ours = ln_lower_gamma(s, x) - libm::lgamma(s);
                    assert!((ours - p.ln()).abs() < 1e-10, "s = {s}, x = {x}: {ours} and {}", p.ln());
                }
            }
            // Near 0, γ(s, x) = x^s / s.
            assert!((ln_lower_gamma(s, 1e-9) - (s * 1e-9_f64.ln() - s.ln())).abs() < 1e-8);
            assert!(ln_lower_gamma(s, 1e9) == libm::lgamma(s));
            let x = 2.0 * s + 100.0;
            assert!((ln_lower_gamma(s, x) - ln_lower_gamma(s, x + 1e-9)).abs() < 1e-10);
        }
    }
}
