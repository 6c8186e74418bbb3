//! k-means with restarts, on rows that may carry weights: cells of a noisy histogram, leaves of a released tree.
//!
//! Weights are turned into integers first, scaled by a power of two so that they add up to at most `2^46` in size:
//! sums are then exact, and neither row order nor threads can change the result. The rounding moves a weight by less
//! than `2^-46` of the total.
//!
//! # Weights below zero
//! Noisy counts may be negative. They are taken as they are: such rows pull the mean the other way and lower the cost.
//! A cluster whose weights do not add up to something positive keeps its centre, means outside the box are moved to
//! its edge, and rows without positive weight never become start centres. Lloyd's iteration need not go downhill then,
//! so it ends at the latest after the given number of steps.
//!
//! # Runtime
//! Restarts run side by side, each in about `k + s` passes for `s` steps.

use rayon::prelude::*;

use crate::ClusterSums;
use crate::LatticeCentres;
use crate::kmeans::kmeanspp::SeedRows;
use crate::kmeans::lattice_kmeans::lloyd;
use crate::kmeans::rows_that_count::RowsThatCount;
use crate::usual_candidates;
use shoal_lattice::{HALF_WIDTH, LatticePoints, TILE};

/// Weights add up to at most this many units in size: sums of coordinates then stay below `2^62`.
const UNITS: i32 = 46;

/// How to run [`kmeans_restarts`].
#[derive(Clone, Copy, Debug)]
pub struct Restarts {
    /// Number of clusters.
    pub clusters: usize,
    /// Independent starts; the one with the lowest cost wins, the first on a tie.
    pub restarts: usize,
    /// Most steps from each start.
    pub iterations: usize,
}

/// One k-means run: the best of several, or each of them.
#[derive(Clone, Debug, PartialEq)]
pub struct BestKMeans {
    /// Centres in box units, `[-1, 1]` in each attribute, centre after centre.
    pub centres: Vec<f64>,
    /// Total weight per cluster.
    pub weights: Vec<f64>,
    /// Weighted sum of squared distances in box units, of the clusters from which the centres were computed.
    pub cost: f64,
    /// Steps taken by the run that won.
    pub iterations: usize,
}

/// k-means from several greedy k-means++ starts. Without `weights` every row counts once, and empty clusters get a new
/// centre as in [`crate::kmeans::kmeans`].
///
/// Uses the same number of random numbers whatever the data. Runs on the threads of the current rayon pool; the result
/// does not depend on them.
///
/// # Panics
/// When there are no rows, clusters or restarts, or not one finite weight per row.
pub fn kmeans_restarts(
    points: &LatticePoints,
    weights: Option<&[f64]>,
    options: &Restarts,
    draw: &mut impl FnMut() -> u64,
) -> BestKMeans {
    assert!(options.restarts > 0, "there is at least one start");
    let candidates = usual_candidates(options.clusters);
    let numbers = options.clusters * candidates;
    let random: Vec<u64> = (0..options.restarts * numbers).map(|_| draw()).collect();
    let rows = SeedRows::new(points, weights);
    let start = |random: &[u64]| {
        let mut random = random.iter().copied();
        // Unwrap safety: the seeding uses `clusters · candidates` numbers.
        rows.kmeanspp(options.clusters, candidates, &mut || random.next().unwrap())
    };
    let runs = run_all(points, weights, random.par_chunks(numbers).map(start), options.iterations);
    best(runs)
}

/// k-means from each of the given starts, in their order.
///
/// # Panics
/// When there are no rows, or not one finite weight per row.
pub fn kmeans_from(
    points: &LatticePoints,
    weights: Option<&[f64]>,
    starts: &[LatticeCentres],
    iterations: usize,
) -> Vec<BestKMeans> {
    run_all(points, weights, starts.par_iter().cloned(), iterations)
}

/// The run with the lowest cost, the first on a tie.
fn best(runs: Vec<BestKMeans>) -> BestKMeans {
    // Unwrap safety: there is at least one start. `min_by` keeps the first of equals.
    runs.into_iter().min_by(|a, b| a.cost.total_cmp(&b.cost)).unwrap()
}

fn run_all(
    points: &LatticePoints,
    weights: Option<&[f64]>,
    starts: impl IndexedParallelIterator<Item = LatticeCentres>,
    iterations: usize,
) -> Vec<BestKMeans> {
    let mut scaled = weights.map(ScaledWeights::new);
    // Rows without weight change no sum, and the search need not look at them.
    let few = scaled.as_mut().and_then(|scaled| scaled.keep_rows_that_count(points));
    let points = few.as_ref().unwrap_or(points);
    let integers = scaled.as_ref().map(|s| s.weights.as_slice());
    let norm = squared_norm(points, integers);
    let unit = scaled.as_ref().map_or(1.0, |s| s.unit);
    let run = |start: LatticeCentres| {
        let (found, sums) = lloyd(points, integers, &start, iterations);
        BestKMeans {
            cost: cost_of(norm, &found.centres, &sums) * unit,
            centres: found.centres,
            weights: found.sizes.iter().map(|&size| size as f64 * unit).collect(),
            iterations: found.iterations,
        }
    };
    starts.map(run).collect()
}

/// Weights in integer units.
struct ScaledWeights {
    weights: Vec<i64>,
    unit: f64,
}

impl ScaledWeights {
    fn new(weights: &[f64]) -> Self {
        assert!(weights.iter().all(|w| w.is_finite()), "weights are finite");
        let largest = weights.iter().fold(0.0f64, |m, w| m.max(w.abs()));
        // Relative to the largest weight, because the sum itself may overflow.
        let total: f64 = weights.iter().map(|w| if largest > 0.0 { w.abs() / largest } else { 0.0 }).sum();
        let exponent = UNITS - (total.max(1.0).log2().ceil() as i32) - exponent_above(largest);
        // In two steps, because tiny weights need a factor beyond the largest float.
        let (first, second) = (exponent / 2, exponent - exponent / 2);
        let scale = |w: &f64| (w * 2f64.powi(first) * 2f64.powi(second)).round() as i64;
        Self { weights: weights.iter().map(scale).collect(), unit: 2f64.powi(-first) * 2f64.powi(-second) }
    }

    /// Drops weights of zero, if most are, and gives the rows of the others.
    fn keep_rows_that_count(&mut self, points: &LatticePoints) -> Option<LatticePoints> {
        let RowsThatCount { points, places } = RowsThatCount::of(points, |row| self.weights[row] != 0)?;
        self.weights = places.iter().map(|&place| self.weights[place as usize]).collect();
        Some(points)
    }
}

/// The least `e` with `x < 2^e`, or 0 for zero.
fn exponent_above(x: f64) -> i32 {
    if x == 0.0 { 0 } else { x.log2().floor() as i32 + 1 }
}

/// Weighted sum of the rows' squared norms, in lattice units; exact.
fn squared_norm(points: &LatticePoints, weights: Option<&[i64]>) -> f64 {
    let tile = |tile: usize| {
        let mut norms = [0i64; TILE];
        for pair in points.tile_cells(tile..tile + 1).as_chunks::<{ 2 * TILE }>().0 {
            for lane in 0..TILE {
                norms[lane] += i64::from(pair[2 * lane]).pow(2) + i64::from(pair[2 * lane + 1]).pow(2);
            }
        }
        // Padding rows are zero and so is their norm.
        let weight = |row: usize| weights.map_or(1, |w| w.get(row).copied().unwrap_or(0));
        (0..TILE).map(|lane| i128::from(norms[lane]) * i128::from(weight(tile * TILE + lane))).sum::<i128>()
    };
    (0..points.tiles()).into_par_iter().with_min_len(64).map(tile).sum::<i128>() as f64
}

/// Weighted sum of squared distances in box units: `Σ w‖x‖² + Σ_j (W_j‖c_j‖² − 2 c_j · S_j)`.
pub(crate) fn cost_of(norm: f64, centres: &[f64], sums: &ClusterSums) -> f64 {
    let half = f64::from(HALF_WIDTH);
    let mut cost = norm / (half * half);
    for (j, &weight) in sums.counts.iter().enumerate() {
        let sum = sums.sum(j);
        let centre = &centres[j * sum.len()..][..sum.len()];
        for (c, &s) in centre.iter().zip(sum) {
            cost += c * (weight as f64 * c - 2.0 * s as f64 / half);
        }
    }
    cost
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kmeanspp;
    use crate::tests::random;
    use proptest::prelude::*;

    fn cloud(rows: usize, dims: usize, seed: u64) -> LatticePoints {
        let mut next = random(seed);
        let mut points = LatticePoints::new(dims);
        for _ in 0..rows {
            let row: Vec<i16> = (0..dims).map(|_| ((next() % 65_535) as i32 - 32_767) as i16).collect();
            points.push_row(&row);
        }
        points
    }

    fn direct_cost(points: &LatticePoints, weights: &[f64], centres: &[f64]) -> f64 {
        let dims = points.dims();
        let row = |row: usize| {
            let to =
                |c: &[f64]| (0..dims).map(|a| (f64::from(points.get(row, a)) / 32_767.0 - c[a]).powi(2)).sum::<f64>();
            weights[row] * centres.chunks(dims).map(to).fold(f64::INFINITY, f64::min)
        };
        (0..points.rows()).map(row).sum()
    }

    #[test]
    fn whole_weights_do_what_repeated_rows_do() {
        let points = cloud(300, 3, 1);
        let weights: Vec<f64> = (0..300).map(|i| f64::from(i % 4)).collect();
        let mut repeated = LatticePoints::new(3);
        let mut row = [0; 3];
        for i in 0..300 {
            points.copy_row(i, &mut row);
            (0..i % 4).for_each(|_| repeated.push_row(&row));
        }
        let start = kmeanspp(&points, None, 5, 1, &mut random(2));
        let scaled = ScaledWeights::new(&weights);
        let (a, _) = lloyd(&points, Some(&scaled.weights), &start, 50);
        let (b, _) = lloyd(&repeated, None, &start, 50);
        assert_eq!(a.centres, b.centres);
        assert!(a.sizes.iter().zip(&b.sizes).all(|(&a, &b)| a as f64 * scaled.unit == b as f64));
    }

    #[test]
    fn the_cost_is_the_sum_of_squared_distances() {
        let points = cloud(500, 4, 3);
        let weights: Vec<f64> = (0..500).map(|i| 0.1 + f64::from(i % 7)).collect();
        let options = Restarts { clusters: 6, restarts: 4, iterations: 100 };
        let found = kmeans_restarts(&points, Some(&weights), &options, &mut random(5));
        let direct = direct_cost(&points, &weights, &found.centres);
        assert!((found.cost / direct - 1.0).abs() < 1e-4, "{} against {direct}", found.cost);
        assert!((found.weights.iter().sum::<f64>() / weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let one = Restarts { restarts: 1, ..options };
        assert!(found.cost <= kmeans_restarts(&points, Some(&weights), &one, &mut random(5)).cost);
    }

    #[test]
    fn rows_without_weight_change_nothing() {
        let (points, mut next) = (cloud(4_000, 3, 8), random(1));
        for one_in in [3, 40, u64::MAX] {
            let weights: Vec<f64> = (0..4_000)
                .map(|_| if next().is_multiple_of(one_in) { (next() % 90) as f64 - 20.0 } else { 0.0 })
                .collect();
            let scaled = ScaledWeights::new(&weights);
            let starts: Vec<_> = (0..3).map(|seed| kmeanspp(&points, None, 4, 1, &mut random(seed))).collect();
            for (start, found) in starts.iter().zip(kmeans_from(&points, Some(&weights), &starts, 25)) {
                let (expected, sums) = lloyd(&points, Some(&scaled.weights), start, 25);
                let cost = cost_of(squared_norm(&points, Some(&scaled.weights)), &expected.centres, &sums);
                assert_eq!((found.centres, found.iterations), (expected.centres, expected.iterations));
                assert_eq!(found.cost, cost * scaled.unit);
            }
        }
    }

    #[test]
    fn threads_do_not_matter() {
        let points = cloud(9_000, 2, 4);
        let mut next = random(9);
        let weights: Vec<f64> = (0..9_000).map(|_| (next() >> 40) as f64 / 1e6 - 1.0).collect();
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let options = Restarts { clusters: 7, restarts: 3, iterations: 30 };
            pool.install(|| kmeans_restarts(&points, Some(&weights), &options, &mut random(6)))
        };
        assert_eq!(with(1), with(3));
    }

    #[test]
    fn a_cluster_without_positive_weight_keeps_its_centre() {
        let mut points = LatticePoints::new(1);
        [-30_000, -29_000, 10_000, 11_000].iter().for_each(|&x| points.push_row(&[x]));
        let scaled = ScaledWeights::new(&[1.0, -2.0, 1.0, 3.0]);
        let start = crate::LatticeCentres::new(1, vec![-20_000, 9_000]);
        let (found, _) = lloyd(&points, Some(&scaled.weights), &start, 10);
        assert_eq!(found.centres, [-20_000.0 / 32_767.0, 10_750.0 / 32_767.0]);
    }

    proptest! {
        #[test]
        fn odd_weights_never_crash(
            weights in prop::collection::vec(prop_oneof![
                Just(0.0), Just(-1.0), Just(1e300), Just(f64::MAX), Just(-f64::MAX), Just(5e-324), -10.0..10.0f64,
            ], 1..60),
            clusters in 1usize..8,
            seed in any::<u64>(),
        ) {
            let points = cloud(weights.len(), 2, seed);
            let options = Restarts { clusters, restarts: 2, iterations: 20 };
            let found = kmeans_restarts(&points, Some(&weights), &options, &mut random(seed));
            prop_assert!(found.centres.iter().all(|c| (-1.0..=1.0).contains(c)));
        }
    }
}
