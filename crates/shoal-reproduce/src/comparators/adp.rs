//! ADP, additive data perturbation (SZY19 §II-C 1): p′ = p + N(0, σ).

use shoal_noise::{NoiseSource, uniform};

use crate::comparators::Rows;

/// Adds independent Gaussian noise of standard deviation `sigma` to every number.
///
/// The paper writes N(0, σ) and calls σ the variance of the noise; its printed results fit a standard deviation on
/// unscaled digits (papers/SZY19.md).
pub fn additive_perturbation(rows: &Rows, sigma: f64, source: &mut impl NoiseSource) -> Rows {
    let noisy = rows.values().iter().map(|x| x + sigma * uniform::normal_f64(source));
    Rows::new(rows.dims(), noisy.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use shoal_noise::SeededNoise;

    /// The standard deviation is met to five standard errors, and one that is a tenth off is not.
    #[test]
    fn the_noise_has_its_standard_deviation() {
        let rows = Rows::new(2, vec![3.0; 40_000]);
        let spread = |sigma: f64| {
            let noisy = additive_perturbation(&rows, sigma, &mut SeededNoise::new(4));
            (noisy.values().iter().map(|x| (x - 3.0).powi(2)).sum::<f64>() / 40_000.0).sqrt()
        };
        let off = |sigma: f64| (spread(sigma) / 2.0 - 1.0).abs() > 5.0 / f64::sqrt(80_000.0);
        assert!(!off(2.0) && off(2.2) && off(1.8));
    }
}
