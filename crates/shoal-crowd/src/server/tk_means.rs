//! TK-means (CLZ25 §4.2): a mixture of spherical Student t distributions, fitted by EM.
//!
//! *Privacy*: whatever is computed from reports keeps their promise.
//!
//! *Law*: all clusters have the same share 1/K, the same scale β and the same degrees of freedom δ (the paper's
//! simplifications below eq. 7).
//!
//! *Runtime*: an exponential and a logarithm per report and cluster in each round.
//!
//! *Paper*: eqs 15–21, Algorithm 3.
//!
//! *Deviations*:
//! - Eq. 21 averages over clusters first, which is right only when they have equal soft counts; with it the likelihood can
//!   fall. [`Kappa::Corrected`], the default, averages over reports; [`Kappa::AsPublished`] is eq. 21.
//! - Eq. 19 is evaluated at the new centres, as EM asks.
//! - Rounds end on the likelihood, not on Q, which is another function in every round.
//! - δ is kept within 0.1 and 1000: beyond it the distribution is a Gaussian, and eq. 20 has no solution there.
//! - The start is k-means, several times; the most likely result is kept. The paper does not say.

use rayon::prelude::*;
use shoal_noise::NoiseSource;
use shoal_privacy::MethodInfo;
use statrs::function::gamma::{digamma, ln_gamma};

use crate::catalogue::SERVER;
use crate::server::Clusters;
use crate::server::kmeans::kmeans_on_reports;
use crate::server::points::ReportPoints;
use shoal_kernel::Restarts;
use shoal_lattice::{UnitPosition, Widths};

/// Its row in the catalogue.
pub(crate) const METHOD: MethodInfo = MethodInfo {
    name: "tk-means",
    paper: "CLZ25",
    status: "as published, with a corrected κ; papers/CLZ25.md",
    summary: "EM for a mixture of Student t distributions with equal shares",
    options: &["kappa", "inits", "iterations"],
    plus_minus: "two standard errors, with how far the noise moves such clusters added from a simulation",
    ..SERVER
};

/// Bounds of the degrees of freedom.
const FEWEST: f64 = 0.1;
const MOST: f64 = 1000.0;

/// Reports on which initialisations are tried, at most.
const FIRST_REPORTS: usize = 50_000;

/// Ends when a round changes the mean logarithm of the density by less.
const LEAST_GAIN: f64 = 1e-8;

/// Rounds of every start, before only the best goes on.
const FIRST_ROUNDS: usize = 20;

/// Reports that a thread takes at a time.
const PART: usize = 16_384;

/// Which κ is used (eq. 21).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kappa {
    /// Averaged over reports.
    Corrected,
    /// Averaged over clusters.
    AsPublished,
}

/// How to run TK-means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TkMeans {
    /// Number of clusters.
    pub k: usize,
    /// Which κ.
    pub kappa: Kappa,
    /// Starts; the most likely result is kept.
    pub starts: usize,
    /// Rounds from each, at most.
    pub rounds: usize,
}

/// The mixture in one round.
#[derive(Clone, Debug)]
struct Mixture {
    centres: Vec<f64>,
    /// β.
    scale: f64,
    /// δ.
    freedom: f64,
}

/// Where the iterations have got to.
struct Reached {
    mixture: Mixture,
    /// Of that mixture.
    sums: Sums,
    /// Likelihoods on the way, that of the mixture not yet among them.
    objectives: Vec<f64>,
}

impl Reached {
    fn start(points: &ReportPoints, mixture: Mixture) -> Self {
        Self { sums: round(points, &mixture), mixture, objectives: Vec::new() }
    }
}

/// What a round adds up.
#[derive(Clone, Debug)]
struct Sums {
    ln_likelihood: f64,
    /// Σ γ per cluster.
    shares: Vec<f64>,
    /// Σ γw per cluster.
    pulls: Vec<f64>,
    /// Σ γw·x per cluster and attribute.
    moments: Vec<f64>,
    /// Σ γw·‖x − m‖² per cluster.
    squares: Vec<f64>,
    /// Σ γ(ln w − w) per cluster.
    surprise: Vec<f64>,
}

impl TkMeans {
    /// The usual way for `k` clusters.
    pub fn new(k: usize) -> Self {
        Self { k, kappa: Kappa::Corrected, starts: 5, rounds: 300 }
    }

    /// Finds the clusters.
    ///
    /// # Panics
    /// When there are no reports, clusters or initialisations.
    pub fn cluster(&self, points: &ReportPoints, random: &mut dyn NoiseSource) -> Clusters {
        assert!(points.rows() > 0 && self.k > 0 && self.starts > 0, "there is something to cluster");
        let every = points.rows().div_ceil(FIRST_REPORTS);
        let sample = (every > 1).then(|| points.some(&(0..points.rows()).step_by(every).collect::<Vec<_>>()));
        let some = sample.as_ref().unwrap_or(points);
        let runs = (0..self.starts).map(|_| {
            let start = Restarts { clusters: self.k, restarts: 1, iterations: 20 };
            let centres = UnitPosition::numbers(&kmeans_on_reports(some, &start, random).centres.concat());
            let scale = first_scale(some, &centres).max(1e-12);
            self.iterate(
                some,
                Reached::start(some, Mixture { centres, scale, freedom: 10.0 }),
                self.rounds.min(FIRST_ROUNDS),
            )
        });
        // Unwrap safety: there is a start, and no likelihood is NaN.
        let best = runs.max_by(|a, b| a.sums.ln_likelihood.partial_cmp(&b.sums.ln_likelihood).unwrap()).unwrap();
        // On all reports the list begins anew, so that all likelihoods in it are of the same reports.
        let best = if sample.is_some() { Reached::start(points, best.mixture) } else { best };
        self.clusters(points, self.iterate(points, best, self.rounds))
    }

    /// Goes on until a round changes nothing, or for so many rounds in all.
    fn iterate(&self, points: &ReportPoints, from: Reached, rounds: usize) -> Reached {
        let (n, p) = (points.rows() as f64, points.dims() as f64);
        let Reached { mut mixture, mut sums, mut objectives } = from;
        while objectives.len() < rounds {
            let gain = objectives.last().map(|last| sums.ln_likelihood - last);
            objectives.push(sums.ln_likelihood);
            // With the published κ it may also fall, and goes on.
            if gain.is_some_and(|gain| gain.abs() < LEAST_GAIN * n) {
                break;
            }
            mixture = self.step(&mixture, &sums, n, p);
            sums = round(points, &mixture);
        }
        Reached { mixture, sums, objectives }
    }

    fn clusters(&self, points: &ReportPoints, reached: Reached) -> Clusters {
        let Reached { mixture, sums, objectives } = reached;
        let n = points.rows() as f64;
        let total: f64 = sums.shares.iter().sum();
        let shares: Vec<f64> = sums.shares.iter().map(|share| share / total).collect();
        Clusters {
            centres: mixture.centres.chunks_exact(points.dims()).map(UnitPosition::list).collect(),
            centre_errors: self.errors(points, &mixture, &sums),
            share_errors: shares.iter().map(|share| (share * (1.0 - share) / n).max(0.0).sqrt()).collect(),
            shares,
            widths: Vec::new(),
            degrees_of_freedom: Some(mixture.freedom),
            ln_likelihood: Some(sums.ln_likelihood),
            objectives,
            levels: Vec::new(),
            level_errors: Vec::new(),
            pooled_from: None,
        }
    }

    /// Standard errors from the information about a centre of a known cluster: (δ + p)/((δ + p + 2)·β) per report.
    fn errors(&self, points: &ReportPoints, mixture: &Mixture, sums: &Sums) -> Vec<Vec<Widths>> {
        let p = points.dims() as f64;
        let per_report = (mixture.freedom + p) / ((mixture.freedom + p + 2.0) * mixture.scale);
        sums.shares.iter().map(|share| vec![Widths((per_report * share.max(1e-9)).powf(-0.5)); points.dims()]).collect()
    }

    fn step(&self, mixture: &Mixture, sums: &Sums, n: f64, p: f64) -> Mixture {
        let dims = p as usize;
        let mut next = mixture.clone();
        let mut squares = 0.0;
        for (j, &pull) in sums.pulls.iter().enumerate() {
            squares += sums.squares[j];
            if pull > 0.0 {
                for i in j * dims..(j + 1) * dims {
                    next.centres[i] = sums.moments[i] / pull; // eq. 18
                    // Moves the sum of squares to the new centre.
                    squares -= pull * (next.centres[i] - mixture.centres[i]).powi(2);
                }
            }
        }
        next.scale = (squares / (p * n)).max(1e-12); // eq. 19
        let mean = match self.kappa {
            Kappa::Corrected => sums.surprise.iter().sum::<f64>() / n,
            Kappa::AsPublished => {
                let each = sums.surprise.iter().zip(&sums.shares).map(|(s, share)| s / share.max(f64::MIN_POSITIVE));
                each.sum::<f64>() / self.k as f64
            }
        };
        let half = 0.5 * (mixture.freedom + p);
        let kappa = 1.0 + mean + digamma(half) - half.ln(); // eq. 21
        next.freedom = degrees_of_freedom(kappa, mixture.freedom);
        next
    }
}

/// The δ that solves −ψ(δ/2) + ln(δ/2) + κ = 0 (eq. 20), by Newton's method on ln δ inside a bracket that halves whenever a
/// step would leave it. The left side falls from +∞ to κ.
pub(crate) fn degrees_of_freedom(kappa: f64, from: f64) -> f64 {
    let value = |freedom: f64| (0.5 * freedom).ln() - digamma(0.5 * freedom) + kappa;
    if value(MOST) >= 0.0 {
        return MOST;
    }
    if value(FEWEST) <= 0.0 {
        return FEWEST;
    }
    let (mut low, mut high) = (FEWEST.ln(), MOST.ln());
    let mut at = from.clamp(FEWEST, MOST).ln();
    for _ in 0..100 {
        let here = value(at.exp());
        if here > 0.0 {
            low = at;
        } else {
            high = at;
        }
        let nudge = 1e-6;
        let slope = (value((at + nudge).exp()) - value((at - nudge).exp())) / (2.0 * nudge);
        let step = at - here / slope;
        let next = if step > low && step < high { step } else { 0.5 * (low + high) };
        if (next - at).abs() < 1e-12 {
            break;
        }
        at = next;
    }
    at.exp()
}

/// β from distances to the nearest centre.
fn first_scale(points: &ReportPoints, centres: &[f64]) -> f64 {
    let dims = points.dims();
    let mut x = vec![0.0; dims];
    let nearest = |row: usize| {
        points.copy_row(row, &mut x);
        centres.chunks_exact(dims).map(|m| squared(&x, m)).fold(f64::INFINITY, f64::min)
    };
    (0..points.rows()).map(nearest).sum::<f64>() / (points.rows() * dims) as f64
}

fn squared(x: &[f64], m: &[f64]) -> f64 {
    x.iter().zip(m).map(|(x, m)| (x - m) * (x - m)).sum()
}

/// The E step and the sums that the M step needs.
fn round(points: &ReportPoints, mixture: &Mixture) -> Sums {
    let parts: Vec<Sums> = (0..points.rows().div_ceil(PART))
        .into_par_iter()
        .map(|part| part_of_round(points, mixture, part * PART..((part + 1) * PART).min(points.rows())))
        .collect();
    // In order, so that the number of threads changes nothing.
    let mut parts = parts.into_iter();
    // Unwrap safety: there are reports, so there is a part.
    let mut sums = parts.next().unwrap();
    for part in parts {
        sums.ln_likelihood += part.ln_likelihood;
        for (mine, others) in [
            (&mut sums.shares, &part.shares),
            (&mut sums.pulls, &part.pulls),
            (&mut sums.moments, &part.moments),
            (&mut sums.squares, &part.squares),
            (&mut sums.surprise, &part.surprise),
        ] {
            for (sum, other) in mine.iter_mut().zip(others) {
                *sum += other;
            }
        }
    }
    sums
}

fn part_of_round(points: &ReportPoints, mixture: &Mixture, rows: std::ops::Range<usize>) -> Sums {
    let dims = points.dims();
    let k = mixture.centres.len() / dims;
    let (p, freedom, scale) = (dims as f64, mixture.freedom, mixture.scale);
    let constant = ln_gamma(0.5 * (freedom + p))
        - ln_gamma(0.5 * freedom)
        - 0.5 * p * (freedom * std::f64::consts::PI * scale).ln()
        - (k as f64).ln();
    let zeros = |n: usize| vec![0.0; n];
    let mut sums = Sums {
        ln_likelihood: 0.0,
        shares: zeros(k),
        pulls: zeros(k),
        moments: zeros(k * dims),
        squares: zeros(k),
        surprise: zeros(k),
    };
    let (mut distances, mut logs) = (zeros(k), zeros(k));
    let mut x = zeros(dims);
    for row in rows {
        points.copy_row(row, &mut x);
        for (j, m) in mixture.centres.chunks_exact(dims).enumerate() {
            distances[j] = squared(&x, m);
            logs[j] = -0.5 * (freedom + p) * (distances[j] / (freedom * scale)).ln_1p();
        }
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = logs.iter().map(|log| (log - largest).exp()).sum();
        sums.ln_likelihood += constant + largest + total.ln();
        for j in 0..k {
            let share = (logs[j] - largest).exp() / total; // γ, eq. 15
            let weight = (freedom + p) / (freedom + distances[j] / scale); // w, eq. 16
            let pull = share * weight;
            sums.shares[j] += share;
            sums.pulls[j] += pull;
            sums.squares[j] += pull * distances[j];
            sums.surprise[j] += share * (weight.ln() - weight);
            for (moment, x) in sums.moments[j * dims..].iter_mut().zip(&x) {
                *moment += pull * x;
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_of_freedom_solve_their_equation() {
        for freedom in [0.11, 0.5, 1.0, 3.0, 12.5, 80.0, 900.0] {
            let kappa = digamma(0.5 * freedom) - f64::ln(0.5 * freedom);
            for from in [0.1, 2.0, 10.0, 1000.0] {
                let found = degrees_of_freedom(kappa, from);
                assert!((found / freedom - 1.0).abs() < 1e-6, "{found}, not {freedom}, from {from}");
            }
        }
        assert_eq!(degrees_of_freedom(0.0, 5.0), MOST, "no solution: a Gaussian");
        assert_eq!(degrees_of_freedom(-100.0, 5.0), FEWEST);
    }
}
