//! k-means on the centres that several holders of tables released, each centre by its rows and its reliability.
//!
//! Each centre weighs (n − s_n)·B: the rows that it has for certain, which is its noisy number less a standard deviation of its
//! noise, and at least a fiftieth of it; times its reliability B = T²/(T² + s²), the part of its place that is not noise
//! (empirical Bayes: a released centre is a local mean plus noise of known variance s², and local means vary by T², the
//! variance of all centres less that of their noise). A centre that is mostly noise, or a cluster that may have no rows,
//! then decides little. k-means from many initialisations gives the groups and their means.
//!
//! *Utility.* NICV in parts of that of k-means on all rows, geometric mean over 35 settings (`separated-2`, `-5` and `-10` of
//! `bench/src/families.rs`; 4 and 16 tables; even, uneven and by cluster; ε = 1 and 3; one run each, by a prototype of these
//! formulas on models of `auto`): 1.11 with these weights, 1.16 with n alone, 1.12 with n·B, 1.13 with n·B·stability, 1.14 and 1.18
//! with s from the intervals instead of the stated noise, without and with stability. Means by random effects within each
//! group are no better (1.12 with the stated noise) or far worse (1.33 with s from the intervals: tables with clusters of their own),
//! and so are simulated rows in place of centres (1.19). Four tables are within 3 %; sixteen of 375 to 500 rows at ε = 1 lose clusters.
//!
//! *Privacy.* Post-processing of released numbers.
//!
//! *Intervals.* A parametric bootstrap ([`super::simulated`]). They are about k-means on all rows together, without noise.

use shoal_kernel::{BestKMeans, LatticeCentres, Restarts, kmeans_from, kmeans_restarts};
use shoal_lattice::{BoxLength, BoxPosition, HALF_WIDTH, LatticePoints, Widths};
use shoal_noise::NoiseSource;

use crate::expected_error::HOPELESS;
use crate::{Certainty, SynopsisClusters, SynopsisKMeans};

/// The part of its noisy rows with which a centre counts at least.
const LEAST_ROWS: f64 = 0.02;

/// Noise on a number of rows beyond which there is no difference: its square is still a number.
const MOST_NOISE: f64 = 1e100;

/// Half-widths of intervals in standard deviations.
const HALF_WIDTHS: f64 = 2.0;

/// A centre that somebody released.
#[derive(Clone, Debug, PartialEq)]
pub struct ReleasedCentre {
    /// Which release it belongs to, counted from zero.
    pub release: usize,
    /// Where it is.
    pub place: Vec<BoxPosition>,
    /// Standard deviation of the noise on each coordinate.
    pub noise: Vec<Widths>,
    /// Half of its interval in each coordinate, where it has intervals.
    pub half_width: Option<Vec<BoxLength>>,
    /// Standard deviation of its rows in each coordinate, where that is known.
    pub spread: Option<Vec<BoxLength>>,
    /// The noisy number of its rows, where it was released.
    pub rows: Option<f64>,
    /// Standard deviation of the noise on that number.
    pub rows_noise: f64,
}

/// Released centres of several tables with the same columns and bounds.
pub struct MergedCentres {
    pub(super) released: Vec<ReleasedCentre>,
    pub(super) points: NoisyPoints,
    pub(super) sized: bool,
}

/// Noisy centres, box units.
#[derive(Clone, Debug)]
pub(super) struct NoisyPoints {
    pub dims: usize,
    /// Centre after centre.
    pub x: Vec<f64>,
    /// Variance of the stated noise on each coordinate.
    pub noise: Vec<f64>,
    /// Rows of each centre, not negative.
    pub rows: Vec<f64>,
    /// Standard deviation of the noise on the rows.
    pub rows_noise: Vec<f64>,
}

/// Groups of centres.
pub(super) struct Groups {
    /// Box units, centre after centre.
    pub centres: Vec<f64>,
    /// Rows of each.
    pub rows: Vec<f64>,
    /// The group of each released centre.
    pub labels: Vec<usize>,
    /// Weight of each released centre in the mean of its group; they add up to one in each.
    weights: Vec<f64>,
}

impl MergedCentres {
    /// The centres of all releases. Where some release has no sizes, the tables count alike and so do the clusters of each.
    ///
    /// # Panics
    /// When there is no centre, or when they have different numbers of coordinates.
    pub fn new(released: Vec<ReleasedCentre>) -> Self {
        let dims = released[0].place.len();
        let sized = released.iter().all(|centre| centre.rows.is_some());
        let siblings = |of: usize| released.iter().filter(|centre| centre.release == of).count().max(1) as f64;
        let rows = |centre: &ReleasedCentre| match centre.rows {
            Some(rows) if sized => Some(rows).filter(|rows| rows.is_finite()).unwrap_or(0.0).max(0.0),
            _ => 1.0 / siblings(centre.release),
        };
        let finite = |noise: f64| if noise.is_nan() { MOST_NOISE } else { noise.clamp(0.0, MOST_NOISE) };
        let points = NoisyPoints {
            dims,
            x: released.iter().flat_map(|centre| BoxPosition::numbers(&centre.place)).collect(),
            noise: released.iter().flat_map(|it| it.noise.iter().map(|sd| in_box(*sd).powi(2))).collect(),
            rows: released.iter().map(rows).collect(),
            rows_noise: released.iter().map(|it| if sized { finite(it.rows_noise) } else { 0.0 }).collect(),
        };
        Self { released, points, sized }
    }

    /// Number of centres of all releases.
    pub fn count(&self) -> usize {
        self.released.len()
    }

    /// The best clustering of several initialisations, for which alone `noise` is used.
    pub fn cluster(&self, how: &SynopsisKMeans, noise: &mut dyn NoiseSource) -> SynopsisClusters {
        let options = Restarts { clusters: how.k, restarts: how.inits.max(1), iterations: how.rounds };
        let (lattice, weights) = (self.points.lattice(), self.points.weights());
        let best = kmeans_restarts(&lattice, Some(&weights), &options, &mut || noise.next_u64());
        let groups = self.points.groups(best, &weights);
        let (dims, k) = (self.points.dims, groups.rows.len());
        let mut variances = vec![0.0; groups.centres.len()];
        let mut of_rows = vec![0.0; k];
        for (i, &j) in groups.labels.iter().enumerate() {
            of_rows[j] += self.points.rows_noise[i].powi(2);
            for a in 0..dims {
                variances[j * dims + a] += groups.weights[i].powi(2) * self.points.noise[i * dims + a];
            }
        }
        let empty = |j: usize| groups.labels.iter().all(|&label| label != j);
        let sd = |j: usize, variance: &f64| {
            if empty(j) { HOPELESS } else { BoxLength(variance.sqrt()).in_widths().at_most(HOPELESS) }
        };
        let of_row = |(j, row): (usize, &[f64])| row.iter().map(|variance| sd(j, variance)).collect();
        SynopsisClusters {
            centres: groups.centres.chunks_exact(dims).map(BoxPosition::list).collect(),
            sizes: if self.sized { groups.rows } else { Vec::new() },
            size_noise: if self.sized {
                of_rows.iter().map(|square: &f64| square.sqrt()).collect()
            } else {
                Vec::new()
            },
            noise_per_centre: variances.chunks_exact(dims).enumerate().map(of_row).collect(),
            nicv: None,
            certainty: None,
        }
    }

    /// The same clusters with intervals. No noise source is used: the same centres and clusters have the same intervals.
    pub fn with_certainty(&self, found: SynopsisClusters, how: &SynopsisKMeans) -> SynopsisClusters {
        let certainty = self.by_reruns(&found, how).unwrap_or_else(|| {
            let plain = Certainty::from_noise(&found.centres, &found.noise_per_centre);
            plain.with_size_noise(&found.sizes, &found.size_noise)
        });
        SynopsisClusters { certainty: Some(certainty), ..found }
    }
}

impl NoisyPoints {
    /// The centres on the lattice.
    pub fn lattice(&self) -> LatticePoints {
        let mut points = LatticePoints::with_capacity(self.dims, self.rows.len());
        for centre in self.x.chunks_exact(self.dims) {
            let row: Vec<i16> =
                centre.iter().map(|x| (x.clamp(-1.0, 1.0) * f64::from(HALF_WIDTH)).round() as i16).collect();
            points.push_row(&row);
        }
        points
    }

    /// (n − s_n)·B of each centre; one of each where no centre has any.
    pub fn weights(&self) -> Vec<f64> {
        let between = self.between();
        let weight = |i: usize| {
            let noise: f64 = self.noise[i * self.dims..][..self.dims].iter().sum();
            let certain = (self.rows[i] - self.rows_noise[i]).max(LEAST_ROWS * self.rows[i]);
            certain * between / (between + noise)
        };
        let weights: Vec<f64> = (0..self.rows.len()).map(weight).collect();
        if weights.iter().sum::<f64>() > 0.0 { weights } else { vec![1.0; self.rows.len()] }
    }

    /// T²: the variance of the centres around their mean, without that of their noise, added up over the coordinates.
    fn between(&self) -> f64 {
        let total: f64 = self.rows.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let rows = || self.x.chunks_exact(self.dims).zip(&self.rows);
        let mean: Vec<f64> = (0..self.dims).map(|a| rows().map(|(x, n)| n * x[a]).sum::<f64>() / total).collect();
        let square: f64 = rows().map(|(x, n)| n * squared(x, &mean)).sum::<f64>() / total;
        let noise: f64 =
            self.noise.chunks_exact(self.dims).zip(&self.rows).map(|(v, n)| n * v.iter().sum::<f64>()).sum();
        // Where noise explains all of it, a hundredth is left: weights then follow the precision of the centres.
        (square - noise / total).max(0.01 * square).max(1e-6)
    }

    /// The groups of a run of k-means with these weights.
    fn groups(&self, found: BestKMeans, weights: &[f64]) -> Groups {
        let dims = self.dims;
        let k = found.centres.len() / dims;
        let nearest = |x: &[f64]| {
            let to = |j: &usize| squared(x, &found.centres[j * dims..][..dims]);
            (0..k).min_by(|a, b| to(a).total_cmp(&to(b))).unwrap_or(0)
        };
        let labels: Vec<usize> = self.x.chunks_exact(dims).map(nearest).collect();
        let (mut rows, mut totals) = (vec![0.0; k], vec![0.0; k]);
        for (i, &j) in labels.iter().enumerate() {
            rows[j] += self.rows[i];
            totals[j] += weights[i];
        }
        let share = |(i, &j): (usize, &usize)| if totals[j] > 0.0 { weights[i] / totals[j] } else { 1.0 };
        let weights = labels.iter().enumerate().map(share).collect();
        Groups { centres: found.centres, rows, labels, weights }
    }

    /// The best of k-means from each of these centres.
    pub fn grouped_from(&self, starts: &[LatticeCentres], rounds: usize) -> Option<Groups> {
        let weights = self.weights();
        let runs = kmeans_from(&self.lattice(), Some(&weights), starts, rounds);
        let best = runs.into_iter().min_by(|a, b| a.cost.total_cmp(&b.cost))?;
        Some(self.groups(best, &weights))
    }
}

/// A standard deviation in the box, no more than that of a blind guess.
fn in_box(sd: Widths) -> f64 {
    if sd.0.is_finite() { sd.at_most(HOPELESS).in_box().0.max(0.0) } else { HOPELESS.in_box().0 }
}

impl ReleasedCentre {
    /// The standard deviation of the error of each coordinate: that of its interval, where it has one that is wider than the
    /// noise explains.
    pub(super) fn error(&self) -> Vec<f64> {
        let half = |i: usize| self.half_width.as_ref().map_or(0.0, |half| half[i].0 / HALF_WIDTHS);
        let one = |(i, sd): (usize, &Widths)| in_box(*sd).max(half(i)).min(HOPELESS.in_box().0);
        self.noise.iter().enumerate().map(one).collect()
    }
}

fn squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}
