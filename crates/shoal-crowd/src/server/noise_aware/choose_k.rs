//! How many clusters the reports show.
//!
//! 1, 2, … clusters are fitted and compared by their evidence (see `evidence`), or by the Bayesian information criterion,
//! −2 ln L + p·ln n for p free numbers. Both are free of charge: reports are released already. One cluster, that is none,
//! is a possible answer.

use shoal_noise::NoiseSource;

use crate::server::Clusters;
use crate::server::certainty::explained;
use crate::server::noise_aware::evidence::ln_evidence;
use crate::server::noise_aware::maximise::Optimum;
use crate::server::noise_aware::pass::Density;
use crate::server::noise_aware::{Densities, Found, NoiseAware, Width, one_shape};
use crate::server::points::ReportPoints;
use shoal_device::NoiseLaw;

/// Numbers of clusters beyond the best that are tried before the search ends.
const PATIENCE: usize = 3;

/// How much larger the logarithm of the evidence must be for more clusters to be chosen: odds of twenty to one.
pub const NEEDED: f64 = 3.0;

/// What numbers of clusters are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Criterion {
    /// The evidence: the probability of the reports under all mixtures of k clusters.
    Evidence,
    /// The Bayesian information criterion.
    Bic,
}

/// A number of clusters, and how the others did.
#[derive(Clone, Debug, PartialEq)]
pub struct ChosenK {
    /// The clusters.
    pub clusters: Clusters,
    /// What was found for 1, 2, … clusters.
    pub tried: Vec<TriedK>,
}

/// How well a number of clusters does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriedK {
    /// The number of clusters.
    pub k: usize,
    /// Logarithm of the evidence, up to a constant that is the same for all numbers; higher is better.
    pub ln_evidence: f64,
    /// The Bayesian information criterion; lower is better.
    pub bic: f64,
    /// The share of the records' variance that lies between the clusters, by the fitted mixture.
    pub explained: f64,
}

impl TriedK {
    /// Higher is better.
    fn score(&self, by: Criterion) -> f64 {
        match by {
            Criterion::Evidence => self.ln_evidence,
            Criterion::Bic => -0.5 * self.bic,
        }
    }
}

/// Tries 1, 2, … up to `most` clusters and keeps the best number.
pub fn choose_k(
    how: &NoiseAware,
    most: usize,
    by: Criterion,
    points: &ReportPoints,
    law: NoiseLaw,
    random: &mut dyn NoiseSource,
) -> ChosenK {
    let densities = Densities::new(points, law, how.width);
    // With fewer than two reports per number to be fitted no criterion means anything.
    let most = most.min(points.rows() / (2 * (points.dims() + 1))).max(1);
    let mut tried: Vec<TriedK> = Vec::new();
    let mut fits: Vec<Found> = Vec::new();
    for k in 1..=most {
        let how = NoiseAware { k, ..*how };
        let found = how.best(points, &densities, random, &mut |_| ());
        tried.push(how.tried(points, &densities.density, found.best()));
        fits.push(found);
        if k > best_of(&tried, by) + PATIENCE {
            break;
        }
    }
    let k = best_of(&tried, by);
    let how = NoiseAware { k, ..*how };
    ChosenK { clusters: how.clusters(points, &densities.density, &fits[k - 1]), tried }
}

/// The number of clusters to keep: the smallest that does as well as any, up to what is needed for more.
fn best_of(tried: &[TriedK], by: Criterion) -> usize {
    let needed = match by {
        Criterion::Evidence => NEEDED,
        Criterion::Bic => 0.0,
    };
    let highest = tried.iter().map(|one| one.score(by)).fold(f64::NEG_INFINITY, f64::max);
    1 + tried.iter().position(|one| one.score(by) >= highest - needed).unwrap_or(0)
}

impl NoiseAware {
    /// How well an optimum does.
    pub(super) fn tried(&self, points: &ReportPoints, density: &Density, optimum: &Optimum) -> TriedK {
        let of_words = points.words().map_or(0, |words| self.k * words.free());
        let parameters = self.parameters(points.dims()) + of_words;
        // Standard deviations from tables are whole steps, which have no curvature: those beyond one are charged as by BIC.
        let per_cluster = if self.width == Width::PerCluster { (self.k - 1) as f64 } else { 0.0 };
        let unmeasured = 0.5 * per_cluster * libm::log(points.rows() as f64);
        // One cluster may have any shape that is known; several are clusters if they do better than all of these.
        let shape = match density {
            Density::Scales(scales) if self.k == 1 => one_shape::gain(points, &optimum.mixture, scales),
            _ => 0.0,
        };
        TriedK {
            k: self.k,
            ln_evidence: ln_evidence(points, density, optimum, &self.prior) - unmeasured + shape,
            bic: -2.0 * optimum.ln_likelihood + parameters as f64 * (points.rows() as f64).ln(),
            explained: explained(&self.clusters_without_errors(density, optimum)).unwrap_or(0.0),
        }
    }

    /// Numbers that are free to be fitted.
    fn parameters(&self, dims: usize) -> usize {
        let widths = match self.width {
            Width::None => 0,
            Width::Shared => 1,
            Width::PerAttribute => dims,
            Width::PerCluster => self.k,
        };
        self.k * dims + self.k - 1 + widths
    }
}
