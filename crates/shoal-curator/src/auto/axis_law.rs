//! What is known of one attribute before any box is cut: a law with the released mean and variance.
//!
//! A normal law cut off at the borders of the box, whose mean and variance are those that were released, mixed with a
//! uniform one: the uniform part is what keeps tails and second modes, of which a normal law knows nothing, from being
//! overlooked. From the law follow the mean and the variance of the rows that are within an interval.
//!
//! *Privacy.* A function of released numbers.

use std::f64::consts::{PI, SQRT_2};

/// Standard deviation from which on a normal law is as good as uniform in the box.
const FLAT: f64 = 50.0;

/// A variance above this is taken for that of the uniform law, 1/3.
const NEARLY_UNIFORM: f64 = 0.32;

/// A law on `[-1, 1]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisLaw {
    /// Of the normal law before it is cut off; may lie outside the box.
    mean: f64,
    spread: f64,
    /// Share of the uniform law.
    uniform: f64,
}

impl AxisLaw {
    /// The uniform law.
    pub const UNIFORM: Self = Self { mean: 0.0, spread: FLAT, uniform: 1.0 };

    /// The law with the given mean and variance in box units, `uniform` of it spread evenly.
    pub fn with_moments(mean: f64, variance: f64, uniform: f64) -> Self {
        let (mean, spread) = cut_off_normal(mean.clamp(-1.0, 1.0), variance);
        Self { mean, spread, uniform: uniform.clamp(0.0, 1.0) }
    }

    /// The share of the rows between `low` and `high`, up to a factor that is the same everywhere in the box.
    pub fn share(&self, low: f64, high: f64) -> f64 {
        let at = |x: f64| libm::erf((x - self.mean) / (self.spread * SQRT_2));
        let normal = (at(high) - at(low)) / (at(1.0) - at(-1.0)).max(1e-9);
        // Never quite without the uniform part, as in `within`.
        (1.0 - self.uniform) * normal + (0.5 * self.uniform + 1e-12) * (high - low)
    }

    /// Mean and variance of what is between `low` and `high`.
    pub fn within(&self, low: f64, high: f64) -> (f64, f64) {
        let (middle, even) = (0.5 * (low + high), (high - low).powi(2) / 12.0);
        if self.uniform >= 1.0 || high - low < 1e-9 {
            return (middle, even);
        }
        let mass = |low: f64, high: f64| {
            let at = |x: f64| libm::erf((x - self.mean) / (self.spread * SQRT_2));
            0.5 * (at(high) - at(low))
        };
        let normal = (1.0 - self.uniform) * mass(low, high) / mass(-1.0, 1.0).max(1e-9);
        // Never quite without the uniform part: a box far out has to be cut somewhere, too.
        let uniform = (0.5 * self.uniform + 1e-12) * (high - low);
        let weight = normal / (normal + uniform);
        let (mean, variance) = normal_within(low, high, self.mean, self.spread);
        let of_both = weight * mean + (1.0 - weight) * middle;
        let spread = weight * (variance + (mean - of_both).powi(2));
        (of_both, spread + (1.0 - weight) * (even + (middle - of_both).powi(2)))
    }
}

/// Mean and standard deviation of a normal law that, cut off at ±1, has the given moments.
fn cut_off_normal(mean: f64, variance: f64) -> (f64, f64) {
    if variance > NEARLY_UNIFORM {
        return (mean, FLAT);
    }
    let (mut centre, mut spread) = (mean, variance.max(1e-8).sqrt());
    for _ in 0..60 {
        let (found, found_variance) = normal_within(-1.0, 1.0, centre, spread);
        if (found - mean).abs() < 1e-4 && (found_variance - variance).abs() < 1e-3 * variance {
            break;
        }
        centre = (centre + mean - found).clamp(-6.0, 6.0);
        spread = (spread * (variance / found_variance.max(1e-12)).clamp(0.25, 4.0).sqrt()).min(FLAT);
    }
    (centre, spread)
}

/// Mean and variance of a normal law given that it is between `low` and `high`.
fn normal_within(low: f64, high: f64, mean: f64, spread: f64) -> (f64, f64) {
    let (middle, even) = (0.5 * (low + high), (high - low).powi(2) / 12.0);
    let (a, b) = ((low - mean) / spread, (high - mean) / spread);
    if a > 6.0 || b < -6.0 {
        // Far out a normal law falls like an exponential one.
        let (rate, length) = (a.max(-b) / spread, high - low);
        if rate * length < 1e-3 {
            return (middle, even);
        }
        let tail = libm::exp(-(rate * length).min(700.0));
        let inward = 1.0 / rate - length * tail / (1.0 - tail);
        let variance = (rate.powi(-2) - length.powi(2) * tail / (1.0 - tail).powi(2)).max(0.0);
        return (if a > 6.0 { low + inward } else { high - inward }, variance);
    }
    let density = |x: f64| libm::exp(-0.5 * x * x) / (2.0 * PI).sqrt();
    let mass = 0.5 * (libm::erf(b / SQRT_2) - libm::erf(a / SQRT_2));
    if mass < 1e-9 || b - a < 0.02 {
        return (middle, even);
    }
    let shift = (density(a) - density(b)) / mass;
    let shrunk = (1.0 + (a * density(a) - b * density(b)) / mass - shift * shift).max(0.0);
    (mean + spread * shift, shrunk * spread * spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moments by adding up the density on a fine grid.
    fn summed(law: &AxisLaw, low: f64, high: f64) -> (f64, f64) {
        let normal = |x: f64| libm::exp(-0.5 * ((x - law.mean) / law.spread).powi(2));
        let whole: f64 = (0..20_000).map(|i| normal(-1.0 + (f64::from(i) + 0.5) / 10_000.0) / 10_000.0).sum();
        let (mut mass, mut first, mut second) = (0.0, 0.0, 0.0);
        for i in 0..20_000 {
            let x = low + (high - low) * (f64::from(i) + 0.5) / 20_000.0;
            let density = (1.0 - law.uniform) * normal(x) / whole + 0.5 * law.uniform;
            mass += density;
            first += density * x;
            second += density * x * x;
        }
        (first / mass, second / mass - (first / mass).powi(2))
    }

    #[test]
    fn the_moments_are_those_that_were_given() {
        for (mean, variance) in [(0.0, 0.1), (-0.5, 0.05), (0.9, 0.002), (0.3, 0.25), (-0.97, 0.0005)] {
            let (found, spread) = AxisLaw::with_moments(mean, variance, 0.0).within(-1.0, 1.0);
            assert!(
                (found - mean).abs() < 2e-3 && (spread / variance - 1.0).abs() < 0.02,
                "{mean} {variance}: {found} {spread}"
            );
        }
        assert_eq!(AxisLaw::UNIFORM.within(-1.0, 0.0), (-0.5, 1.0 / 12.0));
    }

    #[test]
    fn intervals_have_the_moments_of_the_density() {
        for (mean, variance, uniform) in [(0.0, 0.1, 0.0), (-0.6, 0.03, 0.5), (0.2, 0.2, 0.2)] {
            let law = AxisLaw::with_moments(mean, variance, uniform);
            for (low, high) in [(-1.0, 1.0), (-1.0, mean), (0.1, 0.2), (0.5, 1.0), (-0.65, -0.6)] {
                let ((a, v), (b, w)) = (law.within(low, high), summed(&law, low, high));
                assert!((a - b).abs() < 2e-3 && (v - w).abs() < 2e-3, "{law:?} {low} {high}: {a} {v} {b} {w}");
            }
        }
    }

    #[test]
    fn far_tails_and_narrow_intervals_stay_inside() {
        for mean in [-0.999, 0.0, 1.0] {
            for variance in [1e-8, 1e-4, 0.3] {
                let law = AxisLaw::with_moments(mean, variance, 0.0);
                for (low, high) in [(-1.0, -0.999), (0.5, 1.0), (-1.0, 1.0), (0.3, 0.3 + 1e-12), (0.99, 1.0)] {
                    let (inside, spread) = law.within(low, high);
                    assert!(inside >= low - 1e-9 && inside <= high + 1e-9 && spread >= 0.0 && spread.is_finite());
                }
            }
        }
    }
}
