//! Clustering by a server that knows its noise: maximum likelihood under the mechanism's own density.
//!
//! k-means on noisy points finds the clusters of the noise. But the server knows exactly how a report scatters about its
//! record, so it looks for the clusters under which the reports are most likely: centres m_j, shares w_j and standard
//! deviations s with
//!
//!   Σ over reports x of ln Σ_j w_j·f_s(x | m_j)
//!
//! as large as possible, where f_s is the mechanism's density about a record that is itself spread about its centre with
//! standard deviation s. See `profile` and `scales` for f_s, `maximise` for EM, `prior` for what is assumed where reports
//! carry little information, `standard_error` for how far off the result may be, and `choose_k` for the number of clusters.
//! Where the reports leave many clusterings nearly equally likely, the centres that cost least on average over them are
//! reported instead of the most likely ones (`sampler`, `pooled`).
//!
//! *Privacy*: whatever is computed from reports keeps their guarantee.
//!
//! *Distribution*: raw reports of BPM, both per-attribute Laplace mechanisms and nD-Laplace. Clamped and remapped reports
//! have no density.
//!
//! *Utility*: if it were known which reports belong to a cluster of n, the standard error of its centre would be at least
//! √(d/(n·p_L))/ε per attribute.
//!
//! *Runtime*: with one standard deviation for all attributes a pass takes about 5 ns per report and cluster on one core with
//! ten attributes under radial noise, several times that under per-attribute noise, which looks up every attribute; with
//! one per attribute, two to four times as long. EM begins on a sample, from several initialisations side by side, and only the
//! best of them see all reports. The results depend neither on the machine nor on the number of threads.

mod again;
mod choose_k;
mod evidence;
mod initialisation;
mod look_up;
mod matrix;
mod maximise;
#[doc(hidden)]
pub mod measure;
mod one_shape;
mod pass;
mod pooled;
mod prior;
mod profile;
mod report_density;
mod sampler;
mod scale_worker;
mod scales;
mod scores;
mod standard_error;
mod word_pass;
mod worker;

pub use choose_k::{ChosenK, Criterion, NEEDED, TriedK, choose_k};
pub use prior::Prior;
pub(crate) use report_density::ReportDensity;

use rayon::prelude::*;
use shoal_noise::NoiseSource;
use shoal_privacy::MethodInfo;

use crate::catalogue::SERVER;
use crate::server::Clusters;
use crate::server::points::ReportPoints;
use maximise::{Em, Optimum};
use pass::{Density, Mixture};
use profile::Profiles;
use scales::Scales;
use shoal_device::NoiseLaw;
use shoal_lattice::{UnitPosition, Widths};

/// Its row in the catalogue.
pub(crate) const METHOD: MethodInfo = MethodInfo {
    name: "noise-aware",
    paper: "Shoal",
    status: "beyond the papers; ARCHITECTURE.md",
    summary: "maximum likelihood for centres, shares and spread of clusters under the known distribution of the noise",
    options: &["width", "prior", "inits", "iterations", "most-clusters", "criterion", "estimate"],
    plus_minus: "two standard errors",
    ..SERVER
};

/// How records are spread about the centre of their cluster, apart from the noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// Not at all: every record of a cluster is its centre.
    None,
    /// One standard deviation for all clusters and attributes.
    Shared,
    /// One for each attribute, shared by the clusters.
    PerAttribute,
    /// One for each cluster, the same in all attributes.
    PerCluster,
}

/// Which estimate is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimate {
    /// The most likely clusters.
    Mode,
    /// Centres that cost least on average over all clusters that are about as likely.
    Pooled,
    /// Pooled where the errors of the centres matter beside the spread of records, and otherwise the mode, which is then the same.
    Auto,
}

/// How to look for clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseAware {
    /// Number of clusters.
    pub k: usize,
    /// How records are spread about the centre of their cluster.
    pub width: Width,
    /// What is assumed about clusters before a report is seen.
    pub prior: Prior,
    /// Initialisations; the result with the highest objective is kept.
    pub starts: usize,
    /// Passes over the reports from one initialisation, at most.
    pub passes: usize,
    /// Which estimate is reported.
    pub estimate: Estimate,
}

impl NoiseAware {
    /// The usual way for `k` clusters.
    pub fn new(k: usize) -> Self {
        Self { k, width: Width::PerAttribute, prior: Prior::WEAK, starts: 24, passes: 400, estimate: Estimate::Auto }
    }
}

/// Standard deviations that tables are made for, in widths of the box: a ratio of 1.25 apart.
const NARROWEST: f64 = 0.01;
const WIDEST: f64 = 0.5;
const WIDTH_RATIO: f64 = 1.25;

/// Reports per cluster on which initialisations are tried, and on which the best of them go on.
const FIRST_SAMPLE: usize = 1_000;
const SECOND_SAMPLE: usize = 10_000;

/// Initialisations that go on to the second sample, and to all reports, at most.
const SECOND_ROUND: usize = 5;
const LAST_ROUND: usize = 2;

/// Passes from every initialisation on the first sample, and of the better half after that.
const FIRST_PASSES: usize = 12;
const MORE_PASSES: usize = 20;

/// An optimum that is this much lower on the second sample than the best is given up. A difference D of logarithms of
/// likelihoods has a variance of about 2D, so one of 30 is four standard deviations, and on more reports it grows.
const HOPELESS: f64 = 30.0;

/// Centres are the same when no coordinate differs by more, in widths.
const SAME_CENTRE: f64 = 0.005;

/// Whether two optima have the same centres, in any order.
fn same_optimum(left: &[f64], right: &[f64], dims: usize) -> bool {
    let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= SAME_CENTRE);
    let found = |a: &[f64], others: &[f64]| others.chunks_exact(dims).any(|b| near(a, b));
    left.chunks_exact(dims).all(|a| found(a, right)) && right.chunks_exact(dims).all(|b| found(b, left))
}

/// The density of a set of reports.
struct Densities {
    density: Density,
    /// A faster one for the first passes, with one standard deviation for all attributes.
    rough: Option<Density>,
}

impl Densities {
    fn new(points: &ReportPoints, law: NoiseLaw, width: Width) -> Self {
        let density = Self::exact(points, law, width);
        let rough = matches!(density, Density::Scales(_)).then(|| Self::tables(points, law, width));
        Self { density, rough }
    }

    /// The density alone.
    fn exact(points: &ReportPoints, law: NoiseLaw, width: Width) -> Density {
        match Scales::new(law, points.dims()).filter(|_| width == Width::PerAttribute) {
            Some(scales) => Density::Scales(scales),
            None => Self::tables(points, law, width),
        }
    }

    fn tables(points: &ReportPoints, law: NoiseLaw, width: Width) -> Density {
        let mut widths = vec![0.0];
        if width != Width::None {
            let tried = std::iter::successors(Some(NARROWEST), |w| Some(w * WIDTH_RATIO));
            widths.extend(tried.take_while(|&w| w < WIDEST));
        }
        Density::Tables(Profiles::new(law, points.dims(), points.reach(), widths))
    }
}

impl NoiseAware {
    /// Finds the clusters.
    ///
    /// # Panics
    /// When there are no reports, clusters or initialisations.
    pub fn cluster(&self, points: &ReportPoints, law: NoiseLaw, random: &mut dyn NoiseSource) -> Clusters {
        measure::cluster(self, points, law, random, &mut |_| ())
    }

    /// EM with these settings.
    fn em(&self, passes: usize, least_gain: f64) -> Em {
        Em { width: self.width, prior: self.prior, passes, least_gain }
    }

    /// The best optimum from several initialisations.
    fn best(
        &self,
        points: &ReportPoints,
        densities: &Densities,
        random: &mut dyn NoiseSource,
        ended: &mut dyn FnMut(&'static str),
    ) -> Found {
        let Densities { density, rough } = densities;
        let rough = rough.as_ref();
        // Clusters of very different size are found with the loose prior only, so it comes first.
        let both = self.width == Width::PerAttribute && self.prior.loose() != self.prior && self.k > 1;
        let first_prior = if both { self.prior.loose() } else { self.prior };
        assert!(points.rows() > 0 && self.k > 0 && self.starts > 0, "there is something to cluster");
        let first = initialisation::sample(points, FIRST_SAMPLE * self.k.max(4), random);
        let second = initialisation::sample(points, SECOND_SAMPLE * self.k.max(4), random);
        let first_points = first.as_ref().unwrap_or(points);
        // All initialisations are drawn first, in order, so that the number of threads changes nothing.
        let starts = initialisation::initialisations(first_points, self.k, self.starts, density, random);
        let on_first = |em: Em, starts: Vec<Mixture>, density: &Density| -> Vec<Optimum> {
            starts.into_par_iter().map(|start| em.from(start, first_points, density)).collect()
        };
        let sort = |tried: &mut Vec<Optimum>| tried.sort_by(|a, b| b.objective.total_cmp(&a.objective));
        let mut tried = match rough {
            // The first passes only have to find out which initialisations are worth more, so the faster tables do.
            Some(rough) => {
                let alike = |start: Mixture| Mixture {
                    levels: start.levels,
                    ..initialisation::alike(start.centres, points.dims(), rough)
                };
                let em = Em { width: Width::Shared, prior: first_prior, ..self.em(FIRST_PASSES.min(self.passes), 0.1) };
                on_first(em, starts.into_iter().map(alike).collect(), rough)
            }
            None => on_first(Em { prior: first_prior, ..self.em(FIRST_PASSES.min(self.passes), 0.1) }, starts, density),
        };
        sort(&mut tried);
        tried.truncate(self.starts.div_ceil(2).max(SECOND_ROUND));
        let mixtures = tried.into_iter().map(|r| match rough {
            Some(_) => initialisation::with_density(r.mixture, density),
            None => r.mixture,
        });
        let em = Em { prior: first_prior, ..self.em(MORE_PASSES.min(self.passes), 0.1) };
        tried = on_first(em, mixtures.collect(), density);
        sort(&mut tried);
        tried.truncate(SECOND_ROUND);
        ended("starts");
        let second_points = second.as_ref().unwrap_or(points);
        let em = Em { prior: first_prior, ..self.em(self.passes, 0.02) };
        let on_second = |r: Optimum| em.from(r.mixture, second_points, density);
        tried = tried.into_par_iter().map(on_second).collect();
        sort(&mut tried);
        let top = tried.remove(0);
        tried.retain(|r| {
            top.objective - r.objective < HOPELESS
                && !same_optimum(&top.mixture.centres, &r.mixture.centres, points.dims())
        });
        tried.insert(0, top);
        tried.truncate(LAST_ROUND);
        ended("second sample");
        let last = Em { prior: first_prior, ..self.em(self.passes, 0.002) };
        let mut tops: Vec<Optimum> = tried.into_par_iter().map(|r| last.from(r.mixture, points, density)).collect();
        sort(&mut tops);
        let mut prior = first_prior;
        let mut top = tops.remove(0);
        if both {
            let evidence = |optimum: &Optimum| evidence::ln_evidence(points, density, optimum, &self.prior);
            let equal = self.em(self.passes, 0.002).from(top.mixture.clone(), points, density);
            if evidence(&equal) >= evidence(&top) {
                (top, prior) = (equal, self.prior);
            }
        }
        ended("last iterations");
        tops.insert(0, top);
        Found { optima: tops, prior }
    }

    /// The clusters to report.
    fn clusters(&self, points: &ReportPoints, density: &Density, found: &Found) -> Clusters {
        let optimum = found.best();
        let errors = standard_error::standard_errors(points, &optimum.mixture, density, &self.prior);
        let mode = Clusters {
            centre_errors: errors.centres.iter().map(|errors| Widths::list(errors)).collect(),
            share_errors: errors.shares,
            level_errors: errors.levels,
            ..self.clusters_without_errors(density, optimum)
        };
        let pool = match self.estimate {
            Estimate::Mode => false,
            // Draws move centres and shares of clusters, and no shares of words.
            _ if points.words().is_some() => false,
            Estimate::Pooled => true,
            Estimate::Auto => errors_matter(&mode),
        };
        if !pool {
            return mode;
        }
        let error = middle_error(&mode);
        let prior = found.prior.with_shown_middle(&middle_of(&mode), error);
        if self.k == 1 {
            // One centre has no ridge: its mode under the prior that the reports show is enough.
            let em = Em { prior, ..self.em(self.passes, 0.002) };
            let again = em.from(optimum.mixture.clone(), points, density);
            let (centre_errors, share_errors) = (mode.centre_errors, mode.share_errors);
            return Clusters { centre_errors, share_errors, ..self.clusters_without_errors(density, &again) };
        }
        pooled::pooled(points, density, prior, &found.optima, &mode).unwrap_or(mode)
    }

    fn clusters_without_errors(&self, density: &Density, optimum: &Optimum) -> Clusters {
        let mixture = &optimum.mixture;
        Clusters {
            centres: mixture.centres.chunks_exact(mixture.dims).map(UnitPosition::list).collect(),
            shares: mixture.ln_weights.iter().map(|&ln_weight| libm::exp(ln_weight)).collect(),
            centre_errors: Vec::new(),
            share_errors: Vec::new(),
            widths: deviations(mixture, density),
            levels: mixture
                .levels
                .chunks(mixture.levels.len().div_ceil(mixture.k()).max(1))
                .map(<[f64]>::to_vec)
                .collect(),
            level_errors: Vec::new(),
            degrees_of_freedom: None,
            ln_likelihood: Some(optimum.ln_likelihood),
            objectives: optimum.objectives.clone(),
            pooled_from: None,
        }
    }
}

/// Where EM ended.
struct Found {
    /// The best optimum, and others that are worth a look.
    optima: Vec<Optimum>,
    /// The prior under which the best one was found.
    prior: Prior,
}

impl Found {
    fn best(&self) -> &Optimum {
        &self.optima[0]
    }
}

/// Whether the errors of centres add to the cost of the records about them: by this part of it or more.
const MATTERS: f64 = 0.1;

fn errors_matter(mode: &Clusters) -> bool {
    let mean = |of: &[Vec<Widths>]| -> f64 {
        let squares = |widths: &Vec<Widths>| widths.iter().map(|width| width.0 * width.0).sum::<f64>();
        of.iter().zip(&mode.shares).map(|(widths, share)| share * squares(widths)).sum()
    };
    mean(&mode.centre_errors) > MATTERS * mean(&mode.widths)
}

/// The mean of the records, by the clusters.
fn middle_of(mode: &Clusters) -> Vec<f64> {
    let of = |i: usize| mode.centres.iter().zip(&mode.shares).map(|(centre, share)| share * centre[i].0).sum();
    (0..mode.centres[0].len()).map(of).collect()
}

/// How far the mean of the records is known, in widths: the root mean square over the attributes, were clusters independent.
fn middle_error(mode: &Clusters) -> f64 {
    let squares =
        |errors: &Vec<Widths>| errors.iter().map(|error| error.0 * error.0).sum::<f64>() / errors.len() as f64;
    mode.centre_errors
        .iter()
        .zip(&mode.shares)
        .map(|(errors, share)| share * share * squares(errors))
        .sum::<f64>()
        .sqrt()
}

/// The standard deviation of the records of each cluster in each attribute.
fn deviations(mixture: &Mixture, density: &Density) -> Vec<Vec<Widths>> {
    let of = |at: usize| match density {
        Density::Tables(tables) => tables.widths[mixture.widths[at]],
        Density::Scales(_) => match mixture.variances[at % mixture.dims].sqrt() {
            least if least <= 1.001 * scales::NARROWEST => 0.0,
            deviation => deviation,
        },
    };
    let at = |j: usize| (0..mixture.dims).map(|i| Widths(of(j * mixture.dims + i))).collect();
    (0..mixture.k()).map(at).collect()
}
