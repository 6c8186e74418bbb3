//! How far noise moves a centre (SCL16 §6.1, Proposition 1, for the last step).
//!
//! A centre is S/C, a noisy sum over a noisy count. For a cluster of n rows with mean o, to first order in the noise,
//! Var(S/C) = (Var(S) + o²·Var(C)) / n². Steps before the last matter only through which rows are whose.

use serde::{Deserialize, Serialize};

use crate::NoisySumsMechanism;
use shoal_lattice::{BoxLength, BoxPosition, Widths};

/// Root mean square error of a guess that is uniform in the interval: no noise does worse.
pub(crate) const HOPELESS: Widths = Widths(0.408_248_290_463_863);

/// ρ of eq. (6), the mean distance of a centre's coordinate from zero, in box widths: 0.225 as in the journal version of the
/// paper. Predictions of every step of noisy sums use it, and Hybrid's threshold (eq. (15)).
pub(crate) const RHO: f64 = 0.225;

/// Above this error, a centre's place shows little about the data.
pub const SWAMPED: Widths = Widths(0.15);

/// Noise of a whole clustering.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpectedError {
    /// Root mean square distance, per attribute, that noise moves the centre of a row's cluster, averaged over rows.
    /// Averaged over clusters, one without rows would hide the others.
    pub center_rmse: Widths,
    /// The unit: always the box.
    pub unit: Unit,
}

/// The unit of an expected error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// The width of the attribute's public interval.
    Box,
}

impl ExpectedError {
    /// The error over clusters of the given sizes, from the noise of each centre per attribute. Without sizes all
    /// clusters count alike.
    pub fn of(noise_per_centre: &[Vec<Widths>], sizes: &[f64]) -> Self {
        let alike = vec![1.0; noise_per_centre.len()];
        let sizes = if sizes.is_empty() { &alike } else { sizes };
        let total: f64 = sizes.iter().sum();
        let squares = noise_per_centre.iter().zip(sizes).map(|(noise, size)| rms(noise).powi(2) * size);
        let center_rmse = if total > 0.0 { Widths((squares.sum::<f64>() / total).sqrt()) } else { HOPELESS };
        Self { center_rmse, unit: Unit::Box }
    }

    /// The error of clusters of equal size, after a step of noisy sums and counts, for ρ of eq. (6).
    pub(crate) fn of_equal_clusters(step: &NoisySumsMechanism, dims: usize, per_cluster: f64, rho: f64) -> Self {
        // Half a width is one unit of the box.
        let spread = vec![BoxPosition(2.0 * rho); dims];
        Self::of(&[centre_noise(step, &spread, per_cluster)], &[per_cluster])
    }

    /// The same error for every attribute of every centre; never more than that of a blind guess, which stands for an
    /// error that is not a number as well.
    pub(crate) fn of_width(error: Widths) -> Self {
        Self { center_rmse: error.at_most(HOPELESS), unit: Unit::Box }
    }

    /// True when noise moves a centre so far that its place says little.
    pub fn swamps(&self) -> bool {
        self.center_rmse > SWAMPED
    }
}

/// The clusters, numbered from zero, whose place is mostly noise, from the noise of each centre per attribute.
pub fn swamped_clusters(noise_per_centre: &[Vec<Widths>]) -> Vec<usize> {
    (0..noise_per_centre.len()).filter(|&j| rms(&noise_per_centre[j]) > SWAMPED.0).collect()
}

fn rms(noise: &[Widths]) -> f64 {
    (noise.iter().map(|Widths(sd)| sd * sd).sum::<f64>() / noise.len().max(1) as f64).sqrt()
}

/// Standard deviation that the last step's noise gives each coordinate of a centre with `size` rows; never more than that
/// of a blind guess.
pub fn centre_noise(step: &NoisySumsMechanism, centre: &[BoxPosition], size: f64) -> Vec<Widths> {
    let variances = centre_variance(step, centre, size).into_iter();
    variances.map(|variance| Widths(variance.sqrt()).at_most(HOPELESS)).collect()
}

/// The square of [`centre_noise`] before a blind guess limits it, which only a centre that is not averaged with others
/// may be; without rows that of a blind guess.
pub(crate) fn centre_variance(step: &NoisySumsMechanism, centre: &[BoxPosition], size: f64) -> Vec<f64> {
    centre.iter().map(|&x| coordinate_variance(step.sum_variance(), step.count_variance(), x, size)).collect()
}

/// Variance of one coordinate at `x` of a centre with `size` rows, in squared widths, from the variances of its sum (in
/// units of half a box width) and of its count; without rows that of a blind guess.
pub(crate) fn coordinate_variance(of_sum: f64, of_count: f64, BoxPosition(x): BoxPosition, size: f64) -> f64 {
    if size > 0.0 {
        BoxLength::variance_in_widths((of_sum + x * x * of_count) / (size * size))
    } else {
        HOPELESS.0 * HOPELESS.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_averaged_over_rows_and_not_over_clusters() {
        let noise = [vec![Widths(0.01); 2], vec![HOPELESS, HOPELESS]];
        assert!((ExpectedError::of(&noise, &[1000.0, 0.0]).center_rmse.0 - 0.01).abs() < 1e-12);
        assert!((ExpectedError::of(&noise, &[0.0, 7.0]).center_rmse.0 - HOPELESS.0).abs() < 1e-12);
        let alike = ((0.01f64.powi(2) + HOPELESS.0.powi(2)) / 2.0).sqrt();
        assert!((ExpectedError::of(&noise, &[]).center_rmse.0 - alike).abs() < 1e-12);
        assert_eq!(ExpectedError::of(&noise, &[0.0, 0.0]).center_rmse, HOPELESS, "no rows");
        assert_eq!(swamped_clusters(&noise), [1]);
    }

    #[test]
    fn a_blind_guess_is_the_worst() {
        // Two independent uniform places in an interval are √(1/6) of its width apart.
        assert!((HOPELESS.0 - (1.0f64 / 6.0).sqrt()).abs() < 1e-12);
        let step = NoisySumsMechanism::per_step(2, &"0.000001".parse().unwrap()).unwrap();
        for size in [-1.0, 0.0, f64::NAN, 1e-300, 1.0, 1000.0] {
            assert_eq!(centre_noise(&step, &BoxPosition::list(&[0.3, -0.9]), size), [HOPELESS; 2], "{size} rows");
        }
        for width in [f64::NAN, f64::INFINITY, 3.0] {
            assert!(ExpectedError::of_width(Widths(width)).swamps());
        }
        assert!(!ExpectedError::of_width(Widths(0.1)).swamps());
    }

    #[test]
    fn a_centre_s_noise_is_that_of_proposition_1() {
        let step = NoisySumsMechanism::per_step(2, &"0.5".parse().unwrap()).unwrap();
        // Var(S/C) = (Var(S) + o²·Var(C))/n², both variances 2·((d + 1)/ε)²; half an interval is one box unit.
        let variance = |o: f64| 2.0 * (3.0f64 / 0.5).powi(2) * (1.0 + o * o) / 1000f64.powi(2);
        for (Widths(told), o) in centre_noise(&step, &BoxPosition::list(&[0.0, 0.8]), 1000.0).iter().zip([0.0, 0.8]) {
            assert!((told / (0.5 * variance(o).sqrt()) - 1.0).abs() < 0.01, "{told}");
        }
    }
}
