//! Clustering without protection: k-means, and the distances that plain kCluster works on.

use shoal_noise::NoiseSource;

use crate::comparators::Rows;
use shoal_kernel::{Condensed, Restarts, kmeans_restarts};
use shoal_lattice::{Bounds, Interval, LatticeMap, LatticePoints};

/// Most steps of k-means.
const ITERATIONS: usize = 300;

/// k-means from several k-means++ starts, the one with the lowest sum of squares kept: the cluster of every row.
///
/// # Panics
/// When there are no rows, clusters or starts.
pub fn kmeans_labels(rows: &Rows, clusters: usize, starts: usize, source: &mut impl NoiseSource) -> Vec<u32> {
    let points = on_lattice(rows);
    let options = Restarts { clusters, restarts: starts, iterations: ITERATIONS };
    let found = kmeans_restarts(&points, None, &options, &mut || source.next_u64());
    let dims = rows.dims();
    let nearest = |row: usize| {
        let squared = |centre: &[f64]| {
            let at = |a: usize| f64::from(points.get(row, a)) / f64::from(shoal_lattice::HALF_WIDTH);
            centre.iter().enumerate().map(|(a, c)| (at(a) - c).powi(2)).sum::<f64>()
        };
        let mut best = (f64::INFINITY, 0);
        for (j, centre) in found.centres.chunks_exact(dims).enumerate() {
            let d = squared(centre);
            if d < best.0 {
                best = (d, j as u32);
            }
        }
        best.1
    };
    (0..rows.len()).map(nearest).collect()
}

/// Euclidean distances of all pairs (eq. 18).
pub fn distances(rows: &Rows) -> Condensed {
    Condensed::from_fn(rows.len(), |i, j| {
        rows.row(i).iter().zip(rows.row(j)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    })
}

/// All numbers on one lattice, so that every attribute keeps its weight.
fn on_lattice(rows: &Rows) -> LatticePoints {
    let (low, high) =
        rows.values().iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), x| (lo.min(*x), hi.max(*x)));
    // Equal numbers have no width; any interval around them does.
    let range = Interval::new(low, high).or_else(|_| Interval::new(low - 1.0, low + 1.0));
    // Unwrap safety: numbers read from tables are finite, and so is an interval around one of them.
    let range = range.unwrap();
    let names = (0..rows.dims()).map(|a| a.to_string()).collect();
    // Unwrap safety: one interval for each name.
    let map = LatticeMap::new(&Bounds::new(names, vec![range; rows.dims()]).unwrap());
    let mut points = LatticePoints::new(rows.dims());
    let mut on_lattice = vec![0; rows.dims()];
    for i in 0..rows.len() {
        for (a, (slot, x)) in on_lattice.iter_mut().zip(rows.row(i)).enumerate() {
            // Unwrap safety: the number is finite.
            *slot = map.to_lattice(a, *x).unwrap().0;
        }
        points.push_row(&on_lattice);
    }
    points
}
