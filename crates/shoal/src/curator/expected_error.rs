//! How far noise moves a centre (SCL16 §6.1, Proposition 1, for the last step).
//!
//! A centre is S/C, a noisy sum over a noisy count. For a cluster of n rows with mean o, to first order in the noise,
//! Var(S/C) = (Var(S) + o²·Var(C)) / n². Steps before the last matter only through which rows are whose.

use serde::{Deserialize, Serialize};

use super::NoisySumsMechanism;

/// Root mean square error of a guess that is uniform in the interval, in interval widths: no noise does worse.
pub(super) const HOPELESS: f64 = 0.408_248_290_463_863;

/// Above this part of the interval, a centre's place says little about the data.
pub const SWAMPED: f64 = 0.15;

/// Noise of a whole clustering, in units of the box.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpectedError {
    /// Root mean square distance, per attribute, that noise moves the centre of a row's cluster, averaged over rows; 1 is
    /// the width of the interval. Averaged over clusters, one without rows would drown the others.
    pub center_rmse: f64,
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
    /// The error over clusters of the given sizes, whose noise per attribute is given in interval widths. Without sizes
    /// all clusters count alike.
    pub fn of(noise_per_centre: &[Vec<f64>], sizes: &[f64]) -> Self {
        let alike = vec![1.0; noise_per_centre.len()];
        let sizes = if sizes.is_empty() { &alike } else { sizes };
        let total: f64 = sizes.iter().sum();
        let squares = noise_per_centre.iter().zip(sizes).map(|(noise, size)| rms(noise).powi(2) * size);
        let center_rmse = if total > 0.0 { (squares.sum::<f64>() / total).sqrt() } else { HOPELESS };
        Self { center_rmse, unit: Unit::Box }
    }

    /// The error of clusters of equal size, after a step of noisy sums and counts.
    pub(super) fn of_equal_clusters(step: &NoisySumsMechanism, dims: usize, per_cluster: f64) -> Self {
        // A centre is anywhere in the box: its mean square coordinate is that of a uniform one.
        let spread = vec![(1.0_f64 / 3.0).sqrt(); dims];
        Self::of(&[centre_noise(step, &spread, per_cluster)], &[per_cluster])
    }

    /// The same error for every attribute of every centre, in interval widths; never more than that of a blind guess.
    pub(super) fn of_width(error: f64) -> Self {
        Self { center_rmse: if error.is_nan() { HOPELESS } else { error.min(HOPELESS) }, unit: Unit::Box }
    }

    /// True when noise moves a centre so far that its place says little.
    pub fn swamps(&self) -> bool {
        self.center_rmse > SWAMPED
    }
}

/// The clusters, numbered from zero, whose own noise swamps them, from noise per attribute in interval widths.
pub fn swamped_clusters(noise_per_centre: &[Vec<f64>]) -> Vec<usize> {
    (0..noise_per_centre.len()).filter(|&j| rms(&noise_per_centre[j]) > SWAMPED).collect()
}

fn rms(noise: &[f64]) -> f64 {
    (noise.iter().map(|sd| sd * sd).sum::<f64>() / noise.len().max(1) as f64).sqrt()
}

/// Standard deviation that the last step's noise gives each coordinate of a centre at `centre` (box units, `[-1, 1]`)
/// with `size` rows, in interval widths; never more than that of a blind guess.
pub fn centre_noise(step: &NoisySumsMechanism, centre: &[f64], size: f64) -> Vec<f64> {
    let guess = |x: &f64| {
        let variance = (step.sum_variance() + x * x * step.count_variance()) / (size * size);
        // Half a box width is half an interval.
        (0.5 * variance.sqrt()).min(HOPELESS)
    };
    centre.iter().map(|x| if size > 0.0 { guess(x) } else { HOPELESS }).collect()
}
