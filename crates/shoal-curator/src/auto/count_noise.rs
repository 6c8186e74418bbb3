//! The distribution of the noise on a count: one discrete Laplace variable, or the sum of several.
//!
//! The sum of h variables with P(z) ∝ α^|z| has P(z) ∝ α^|z|·q(|z|), q a polynomial of degree h − 1: for two,
//! |z| + (1 + α²)/(1 − α²). In general it is the difference of two sums of h geometric variables,
//! P(z) ∝ Σ_j C(h−1+j, h−1)·C(h−1+j+z, h−1)·α^(2j+z), and C(a+z, n) = Σ_i C(z, i)·C(a, n−i) makes that a polynomial in z.

/// Copies up to which the distribution is exact; the sum of more is taken to be normal.
const MOST_EXACT: u32 = 8;

/// What is known of the noise on a count.
#[derive(Clone, Debug, PartialEq)]
pub struct CountNoise {
    /// Of the distribution's tails, per row.
    decay: f64,
    shape: Shape,
}

#[derive(Clone, Debug, PartialEq)]
enum Shape {
    /// α^|z|.
    Laplace,
    /// α^|z|·Σ_i c_i·C(|z|, i).
    Sum(Vec<f64>),
    /// e^(−z²/(2σ²)), σ² this.
    Normal(f64),
}

impl CountNoise {
    /// The sum of `copies` independent discrete Laplace variables.
    pub fn laplace(decay: f64, copies: u32) -> Self {
        match copies {
            0 | 1 => Self { decay, shape: Shape::Laplace },
            2..=MOST_EXACT => Self { decay, shape: Shape::Sum(polynomial(decay, copies as usize)) },
            _ => {
                let alpha = libm::exp(-decay);
                Self::normal((f64::from(copies) * 2.0 * alpha / (1.0 - alpha).powi(2)).max(1e-12))
            }
        }
    }

    /// Normal noise.
    pub fn normal(variance: f64) -> Self {
        // A Laplace variable of the same variance has this decay.
        Self { decay: (2.0 / variance).sqrt(), shape: Shape::Normal(variance) }
    }

    /// One over the scale of the noise, about.
    pub fn decay(&self) -> f64 {
        match self.shape {
            Shape::Sum(ref c) => self.decay / (c.len() as f64).sqrt(),
            Shape::Laplace | Shape::Normal(_) => self.decay,
        }
    }

    /// How likely noise of size `away` is, as a multiple of how likely noise of size `nearest` is.
    pub fn likelihood(&self, away: f64, nearest: f64) -> f64 {
        match &self.shape {
            Shape::Laplace => libm::exp(-self.decay * (away - nearest)),
            Shape::Sum(c) => libm::exp(-self.decay * (away - nearest)) * at(c, away) / at(c, nearest),
            Shape::Normal(variance) => libm::exp(-(away * away - nearest * nearest) / (2.0 * variance)),
        }
    }
}

/// Σ_i c_i·C(z, i).
fn at(coefficients: &[f64], z: f64) -> f64 {
    let mut binomial = 1.0;
    coefficients.iter().enumerate().fold(0.0, |sum, (i, c)| {
        let term = c * binomial;
        // Between whole numbers a product may dip below zero; the counts that occur are whole.
        binomial *= ((z - i as f64) / (i as f64 + 1.0)).max(0.0);
        sum + term
    })
}

/// c_i = Σ_j C(h−1+j, h−1)·C(h−1+j, h−1−i)·x^j with x = α², divided by c_(h−1).
///
/// C(a, n)·C(a, m) = Σ_t (m+n−t)!/(t!·(m−t)!·(n−t)!)·C(a, m+n−t), and Σ_a C(a, r)·x^a = x^r/(1−x)^(r+1).
fn polynomial(decay: f64, copies: usize) -> Vec<f64> {
    let n = copies - 1;
    let (x, rest) = (libm::exp(-2.0 * decay), -libm::expm1(-2.0 * decay));
    let factorial = |k: usize| (1..=k).map(|i| i as f64).product::<f64>();
    let of = |i: usize| -> f64 {
        let m = n - i;
        let term = |t: usize| {
            let ways = factorial(m + n - t) / (factorial(t) * factorial(m - t) * factorial(n - t));
            // x^(r − n)/(1 − x)^(r + 1) with r = m + n − t, against the common (1 − x)^(−n−1).
            ways * (x / rest).powi((m - t) as i32)
        };
        (0..=m).map(term).sum()
    };
    let last = of(n);
    (0..copies).map(|i| of(i) / last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P(z) of the sum of h variables, by convolution.
    fn convolved(decay: f64, copies: u32) -> Vec<f64> {
        let reach = 400_i64;
        let one: Vec<f64> = (-reach..=reach).map(|z| libm::exp(-decay * z.abs() as f64)).collect();
        let mut sum = one.clone();
        for _ in 1..copies {
            sum = (0..one.len() as i64)
                .map(|z| {
                    let pairs = (0..one.len() as i64).filter_map(|y| Some((y, usize::try_from(z - y + reach).ok()?)));
                    pairs.filter_map(|(y, other)| Some(sum[y as usize] * one.get(other)?)).sum()
                })
                .collect();
        }
        let middle = sum[reach as usize];
        (0..60).map(|z| sum[(reach + z) as usize] / middle).collect()
    }

    #[test]
    fn the_distribution_of_a_sum_is_that_of_the_sum() {
        for copies in [1, 2, 3, 5, 8] {
            for decay in [0.2, 0.5, 2.0] {
                let noise = CountNoise::laplace(decay, copies);
                for (z, expected) in convolved(decay, copies).into_iter().enumerate() {
                    let found = noise.likelihood(z as f64, 0.0);
                    assert!((found / expected - 1.0).abs() < 1e-6, "{copies} {decay} {z}: {found} {expected}");
                }
            }
        }
        // One noise in place of two must fail.
        let (one, two) = (CountNoise::laplace(0.2, 1), convolved(0.2, 2));
        assert!((one.likelihood(10.0, 0.0) / two[10] - 1.0).abs() > 0.5);
    }

    #[test]
    fn two_copies_have_the_polynomial_of_the_formula() {
        let alpha = libm::exp(-0.3_f64);
        let constant = (1.0 + alpha * alpha) / (1.0 - alpha * alpha);
        let c = polynomial(0.3, 2);
        assert!((c[0] - constant).abs() < 1e-9 && c[1] == 1.0, "{c:?}");
    }

    #[test]
    fn many_copies_are_normal_and_extremes_are_finite() {
        for noise in [CountNoise::laplace(0.1, 40), CountNoise::laplace(1e-9, 2), CountNoise::laplace(700.0, 3)] {
            assert!(noise.likelihood(3.0, 1.0).is_finite() && noise.decay() > 0.0, "{noise:?}");
        }
    }
}
