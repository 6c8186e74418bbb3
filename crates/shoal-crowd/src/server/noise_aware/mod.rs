//! Clustering by a server that knows its noise: maximum likelihood under the mechanism's own density.
//!
//! k-means on noisy points finds the clusters of the noise. But the server knows exactly how a report scatters about its
//! record, so it can ask which clusters make the reports it got most likely: centres m_j, shares w_j and a width s with
//!
//!   Σ over reports x of ln Σ_j w_j·f_s(x | m_j)
//!
//! as large as possible, where f_s is the mechanism's density about a record that is itself spread about its centre with
//! standard deviation s. See `profile` for f_s, `climb` for how the top is approached, `prior` for what holds centres
//! together where reports say little, and `standard_error` for how far off the result may be.
//!
//! *Privacy*: whatever is computed from reports keeps their promise.
//!
//! *Law*: for raw reports of BPM, both per-attribute Laplace mechanisms and nD-Laplace. Clamped and remapped reports have
//! no density.
//!
//! *Utility*: the centre of a cluster of n reports, were its members known, could be told within √(d/(n·p_L))/ε per attribute.
//!
//! *Runtime*: a pass takes about 5 ns per report and cluster on one core with ten attributes under a radial law, several
//! times that under a per-attribute law, which looks up every attribute. Climbs begin on a sample, side by side, and only
//! the best see all reports. The results depend neither on the machine nor on the number of threads.

mod choose_k;
mod climb;
mod look_up;
mod matrix;
#[doc(hidden)]
pub mod measure;
mod pass;
mod prior;
mod profile;
mod standard_error;
mod starts;
mod worker;

pub use choose_k::{ChosenK, choose_k};
pub use prior::Prior;

use rayon::prelude::*;
use shoal_noise::NoiseSource;
use shoal_privacy::MethodInfo;

use crate::catalogue::SERVER;
use crate::server::Clusters;
use crate::server::points::ReportPoints;
use climb::{Climb, Reached};
use pass::Mixture;
use profile::Profiles;
use shoal_device::NoiseLaw;
use shoal_lattice::{UnitPosition, Widths};

/// Its row in the catalogue.
pub(crate) const METHOD: MethodInfo = MethodInfo {
    name: "noise-aware",
    paper: "Shoal",
    status: "beyond the papers; ARCHITECTURE.md",
    summary: "maximum likelihood for centres, shares and width under the known distribution of the noise",
    options: &["width", "prior", "inits", "iterations", "most-clusters"],
    plus_minus: "two standard errors",
    ..SERVER
};

/// Whether clusters have a width of their own beside the noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// None: every record of a cluster is its centre.
    None,
    /// One width for all clusters.
    Shared,
    /// A width for each.
    PerCluster,
}

/// How to look for clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseAware {
    /// Number of clusters.
    pub k: usize,
    /// Whether clusters have a width.
    pub width: Width,
    /// What holds clusters together.
    pub prior: Prior,
    /// Starts; the most likely result is kept.
    pub starts: usize,
    /// Passes over the reports in one climb, at most.
    pub passes: usize,
}

impl NoiseAware {
    /// The usual way for `k` clusters.
    pub fn new(k: usize) -> Self {
        Self { k, width: Width::Shared, prior: Prior::WEAK, starts: 24, passes: 400 }
    }
}

/// Widths that are tried, in widths of the box: a ratio of 1.25 apart.
const NARROWEST: f64 = 0.01;
const WIDEST: f64 = 0.5;
const WIDTH_RATIO: f64 = 1.25;

/// Reports per cluster on which starts are tried, and on which the best of them go on.
const FIRST_SAMPLE: usize = 1_000;
const SECOND_SAMPLE: usize = 10_000;

/// Starts that go on to the second sample, and to all reports, at most.
const SECOND_ROUND: usize = 5;
const LAST_ROUND: usize = 2;

/// Passes of every start on the first sample, and of the better half after that.
const FIRST_PASSES: usize = 12;
const MORE_PASSES: usize = 20;

/// A climb that ends this much lower on the second sample than the best is given up. A lead in likelihood varies by about
/// twice itself, so one of 30 is four standard deviations, and on more reports it grows.
const HOPELESS: f64 = 30.0;

/// Centres are the same when no coordinate differs by more, in widths.
const SAME_CENTRE: f64 = 0.005;

/// Whether two climbs ended in the same place, but for the order of the clusters.
fn same_top(left: &[f64], right: &[f64], dims: usize) -> bool {
    let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= SAME_CENTRE);
    let found = |a: &[f64], others: &[f64]| others.chunks_exact(dims).any(|b| near(a, b));
    left.chunks_exact(dims).all(|a| found(a, right)) && right.chunks_exact(dims).all(|b| found(b, left))
}

/// The tables for a set of reports.
fn tables_for(points: &ReportPoints, law: NoiseLaw, width: Width) -> Profiles {
    let mut widths = vec![0.0];
    if width != Width::None {
        widths.extend(std::iter::successors(Some(NARROWEST), |w| Some(w * WIDTH_RATIO)).take_while(|&w| w < WIDEST));
    }
    Profiles::new(law, points.dims(), points.reach(), widths)
}

impl NoiseAware {
    /// Finds the clusters.
    ///
    /// # Panics
    /// When there are no reports, clusters or starts.
    pub fn cluster(&self, points: &ReportPoints, law: NoiseLaw, random: &mut dyn NoiseSource) -> Clusters {
        measure::cluster(self, points, law, random, &mut |_| ())
    }

    /// The best of several climbs.
    fn climb(
        &self,
        points: &ReportPoints,
        tables: &Profiles,
        random: &mut dyn NoiseSource,
        ended: &mut dyn FnMut(&'static str),
    ) -> Reached {
        assert!(points.rows() > 0 && self.k > 0 && self.starts > 0, "there is something to cluster");
        let first = starts::sample(points, FIRST_SAMPLE * self.k.max(4), random);
        let second = starts::sample(points, SECOND_SAMPLE * self.k.max(4), random);
        let first_points = first.as_ref().unwrap_or(points);
        let width = tables.widths.len() / 3;
        let climb = |passes: usize, least_gain: f64| Climb { width: self.width, prior: self.prior, passes, least_gain };
        // All starts are drawn first, in order, so that the number of threads changes nothing.
        let starts = starts::starts(first_points, self.k, self.starts, width, random);
        let on_first = |starts: Vec<Mixture>, passes: usize| -> Vec<Reached> {
            starts.into_par_iter().map(|start| climb(passes, 0.1).from(start, first_points, tables)).collect()
        };
        let sort = |tried: &mut Vec<Reached>| tried.sort_by(|a, b| b.height.total_cmp(&a.height));
        let mut tried = on_first(starts, FIRST_PASSES.min(self.passes));
        sort(&mut tried);
        tried.truncate(self.starts.div_ceil(2).max(SECOND_ROUND));
        tried = on_first(tried.into_iter().map(|r| r.mixture).collect(), MORE_PASSES.min(self.passes));
        sort(&mut tried);
        tried.truncate(SECOND_ROUND);
        ended("starts");
        let second_points = second.as_ref().unwrap_or(points);
        tried =
            tried.into_par_iter().map(|r| climb(self.passes, 0.02).from(r.mixture, second_points, tables)).collect();
        sort(&mut tried);
        let top = tried.remove(0);
        tried.retain(|r| {
            top.height - r.height < HOPELESS && !same_top(&top.mixture.centres, &r.mixture.centres, points.dims())
        });
        tried.insert(0, top);
        tried.truncate(LAST_ROUND);
        ended("second sample");
        let last = climb(self.passes, 0.002);
        let mut tops: Vec<Reached> = tried.into_par_iter().map(|r| last.from(r.mixture, points, tables)).collect();
        sort(&mut tops);
        ended("last climb");
        tops.swap_remove(0)
    }

    fn clusters(&self, points: &ReportPoints, tables: &Profiles, reached: &Reached) -> Clusters {
        let mixture = &reached.mixture;
        let errors = standard_error::standard_errors(points, mixture, tables, &self.prior);
        Clusters {
            centres: mixture.centres.chunks_exact(mixture.dims).map(UnitPosition::list).collect(),
            shares: mixture.ln_weights.iter().map(|&ln_weight| libm::exp(ln_weight)).collect(),
            centre_errors: errors.centres.iter().map(|errors| Widths::list(errors)).collect(),
            share_errors: errors.shares,
            widths: mixture.widths.iter().map(|&width| Widths(tables.widths[width])).collect(),
            degrees_of_freedom: None,
            ln_likelihood: Some(reached.ln_likelihood),
            climbed: reached.heights.clone(),
        }
    }
}
