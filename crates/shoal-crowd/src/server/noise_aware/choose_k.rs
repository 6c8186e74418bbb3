//! How many clusters the reports show.
//!
//! The Bayesian information criterion under the same likelihood: −2 ln L + p·ln n for p free numbers (coordinates, shares
//! and the width). Free of charge: reports are released already.

use shoal_noise::NoiseSource;

use crate::server::Clusters;
use crate::server::noise_aware::{NoiseAware, tables_for};
use crate::server::points::ReportPoints;
use shoal_device::NoiseLaw;

/// Numbers of clusters in a row that must do worse before the search ends.
const PATIENCE: usize = 3;

/// A number of clusters, and how the others did.
#[derive(Clone, Debug, PartialEq)]
pub struct ChosenK {
    /// The clusters.
    pub clusters: Clusters,
    /// The criterion for 1, 2, … clusters; lower is better.
    pub criteria: Vec<f64>,
}

/// Tries 1, 2, … up to `most` clusters and keeps the number with the lowest criterion.
pub fn choose_k(
    how: &NoiseAware,
    most: usize,
    points: &ReportPoints,
    law: NoiseLaw,
    random: &mut dyn NoiseSource,
) -> ChosenK {
    let tables = tables_for(points, law, how.width);
    // A criterion for many reports: with fewer than two per number to be fitted it says nothing.
    let most = most.min(points.rows() / (2 * (points.dims() + 1)));
    let mut criteria: Vec<f64> = Vec::new();
    let mut best = None;
    for k in 1..=most.max(1) {
        let how = NoiseAware { k, ..*how };
        let reached = how.climb(points, &tables, random, &mut |_| ());
        let criterion = criterion(reached.ln_likelihood, how.parameters(points.dims()), points.rows());
        if criteria.iter().all(|&other| criterion < other) {
            best = Some((how, reached));
        } else if criteria.len() >= PATIENCE && criteria[criteria.len() - PATIENCE..].is_sorted() {
            criteria.push(criterion);
            break;
        }
        criteria.push(criterion);
    }
    // Unwrap safety: one cluster is always tried, and nothing was better before it.
    let (how, reached) = best.unwrap();
    ChosenK { clusters: how.clusters(points, &tables, &reached), criteria }
}

impl NoiseAware {
    /// Numbers that are free to be fitted.
    pub(super) fn parameters(&self, dims: usize) -> usize {
        let widths = match self.width {
            super::Width::None => 0,
            super::Width::Shared => 1,
            super::Width::PerCluster => self.k,
        };
        self.k * dims + self.k - 1 + widths
    }
}

fn criterion(ln_likelihood: f64, parameters: usize, rows: usize) -> f64 {
    -2.0 * ln_likelihood + parameters as f64 * (rows as f64).ln()
}
