//! k-means on the centres that several holders of tables released, each centre by its rows and its certainty.
//!
//! 1. Each centre weighs n·B·p: its noisy number of rows, never below zero; its reliability B = T²/(T² + s²), the part of its
//!    place that is not noise, with s² the variance of its noise and T² that of all centres without noise; and its
//!    stability p, how often a cluster is there at all. A centre that is mostly noise then decides nothing.
//! 2. k-means from many initialisations finds which centres belong together.
//! 3. The mean of each group is estimated with random effects ([`super::shrinkage`]), twice, since centres may change sides.
//!
//! s is half of the interval's half-width where a release has intervals, and never less than the noise that it states.
//!
//! *Privacy.* Post-processing of released numbers.
//!
//! *Intervals.* A parametric bootstrap ([`super::simulated`]). They are about k-means on all rows together, without noise.

use shoal_kernel::{BestKMeans, LatticeCentres, Restarts, kmeans_from, kmeans_restarts};
use shoal_lattice::{BoxLength, BoxPosition, HALF_WIDTH, LatticePoints, Widths};
use shoal_noise::NoiseSource;

use super::shrinkage;
use crate::expected_error::HOPELESS;
use crate::{Certainty, SynopsisClusters, SynopsisKMeans};

/// Stability at least: a cluster that never reappeared in a few reruns may still be there.
const LEAST_STABILITY: f64 = 0.05;

/// Rounds of estimating means and dividing centres anew.
const ROUNDS: usize = 2;

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
    /// How often its cluster reappears, where that is known.
    pub stability: Option<f64>,
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
    /// Variance of the noise on each coordinate.
    pub variances: Vec<f64>,
    /// Rows of each centre, not negative.
    pub rows: Vec<f64>,
    /// Stability of each centre.
    pub stability: Vec<f64>,
}

/// Groups of centres.
pub(super) struct Groups {
    /// Box units, centre after centre.
    pub centres: Vec<f64>,
    /// Rows of each.
    pub rows: Vec<f64>,
    /// The group of each released centre.
    pub labels: Vec<usize>,
    /// Weight of each released centre in each coordinate of its group's mean.
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
            Some(rows) if sized => {
                if rows.is_finite() {
                    rows.max(0.0)
                } else {
                    0.0
                }
            }
            _ => 1.0 / siblings(centre.release),
        };
        let variance = |centre: &ReleasedCentre, i: usize| {
            let noise = centre.noise[i].at_most(HOPELESS).in_box().0;
            let half = centre.half_width.as_ref().map_or(0.0, |half| half[i].0 / HALF_WIDTHS);
            noise.max(half.min(HOPELESS.in_box().0)).powi(2)
        };
        let points = NoisyPoints {
            dims,
            x: released.iter().flat_map(|centre| BoxPosition::numbers(&centre.place)).collect(),
            variances: released.iter().flat_map(|it| (0..dims).map(|i| variance(it, i)).collect::<Vec<_>>()).collect(),
            rows: released.iter().map(rows).collect(),
            stability: released.iter().map(|centre| centre.stability.unwrap_or(1.0)).collect(),
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
        let groups = self.points.groups(&best);
        let (dims, k) = (self.points.dims, groups.rows.len());
        let mut variances = vec![0.0; groups.centres.len()];
        let mut of_rows = vec![0.0; k];
        for (i, &j) in groups.labels.iter().enumerate() {
            of_rows[j] += self.released[i].rows_noise.powi(2);
            for a in 0..dims {
                let at = i * dims + a;
                variances[j * dims + a] += groups.weights[at].powi(2) * self.points.variances[at];
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

    /// n·B·p of each centre; one of each where no centre has any.
    pub fn weights(&self) -> Vec<f64> {
        let between = self.between();
        let weight = |i: usize| {
            let noise: f64 = self.variances[i * self.dims..][..self.dims].iter().sum();
            self.rows[i] * self.stability[i].max(LEAST_STABILITY) * between / (between + noise)
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
            self.variances.chunks_exact(self.dims).zip(&self.rows).map(|(v, n)| n * v.iter().sum::<f64>()).sum();
        // Where noise explains all of it, a hundredth is left: weights then follow the precision of the centres.
        (square - noise / total).max(0.01 * square).max(1e-6)
    }

    /// Step 3 after a run of k-means.
    pub fn groups(&self, found: &BestKMeans) -> Groups {
        let mut groups = self.means_of(&found.centres);
        for _ in 1..ROUNDS {
            groups = self.means_of(&groups.centres);
        }
        groups
    }

    /// k-means from these centres, and step 3; the best of several.
    pub fn from_starts(&self, starts: &[LatticeCentres], rounds: usize) -> Option<Groups> {
        let runs = kmeans_from(&self.lattice(), Some(&self.weights()), starts, rounds);
        Some(self.groups(&runs.into_iter().min_by(|a, b| a.cost.total_cmp(&b.cost))?))
    }

    /// The means of the centres nearest to each of `from`; a group without any keeps its place.
    fn means_of(&self, from: &[f64]) -> Groups {
        let (dims, count) = (self.dims, self.rows.len());
        let k = from.len() / dims;
        let nearest = |x: &[f64]| {
            let to = |j: &usize| squared(x, &from[j * dims..][..dims]);
            (0..k).min_by(|a, b| to(a).total_cmp(&to(b))).unwrap_or(0)
        };
        let labels: Vec<usize> = self.x.chunks_exact(dims).map(nearest).collect();
        let mut groups =
            Groups { centres: from.to_vec(), rows: vec![0.0; k], weights: vec![0.0; self.x.len()], labels };
        for j in 0..k {
            let members: Vec<usize> = (0..count).filter(|&i| groups.labels[i] == j).collect();
            if members.is_empty() {
                continue;
            }
            let rows: Vec<f64> = members.iter().map(|&i| self.rows[i]).collect();
            groups.rows[j] = rows.iter().sum();
            for a in 0..dims {
                let of = |values: &[f64]| members.iter().map(|&i| values[i * dims + a]).collect::<Vec<_>>();
                let x = of(&self.x);
                let weights = shrinkage::weights(&x, &of(&self.variances), &rows);
                groups.centres[j * dims + a] = weights.iter().zip(&x).map(|(weight, x)| weight * x).sum();
                for (&i, weight) in members.iter().zip(weights) {
                    groups.weights[i * dims + a] = weight;
                }
            }
        }
        groups
    }
}

fn squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}
