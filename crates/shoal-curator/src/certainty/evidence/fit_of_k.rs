//! How well k clusters fit released cells: W_k, the mean squared distance of a row from its centre.
//!
//! W_k = Σ w·(squared distance of the cell from its centre + variance within the cell) / Σ w, for k = 1, 2, … The best of
//! several initialisations counts, and one of them is always the best clustering with one centre fewer plus a cell far
//! from its centre, so W_k never rises with k.
//!
//! *Runtime.* At most [`MOST_CELLS`] cells are clustered, and fewer for more than twenty clusters; of more, a systematic
//! sample in proportion to their weights.

use shoal_kernel::{BestKMeans, LatticeCentres, kmeans_from, kmeanspp, usual_candidates};
use shoal_lattice::{HALF_WIDTH, LatticePoints};
use shoal_noise::{NoiseSource, SeededNoise, uniform};

use crate::auto::placed_cells::PlacedCells;

/// Cells that are clustered; of more, a sample.
const MOST_CELLS: usize = 4096;

/// Numbers of clusters for which that many cells are clustered.
const USUAL_MOST: usize = 20;

/// Iterations from each initialisation.
const ITERATIONS: usize = 30;

/// W_1, W_2, … up to `most` clusters, or as many as there are cells; empty when no cell has any weight.
pub fn fits(cells: &PlacedCells, most: usize, restarts: usize, random: &mut SeededNoise) -> Vec<f64> {
    let total: f64 = cells.weights.iter().sum();
    if !(total > 0.0 && total.is_finite()) {
        return Vec::new();
    }
    let dims = cells.dims();
    let spread: f64 = cells.within.chunks_exact(dims).zip(&cells.weights).map(|(v, w)| w * v.iter().sum::<f64>()).sum();
    let sample = Sample::of(cells, total, MOST_CELLS * USUAL_MOST / most.max(USUAL_MOST), random);
    let occupied = sample.weights.iter().filter(|&&w| w > 0.0).count();
    let mut best: Option<BestKMeans> = None;
    (1..=most.min(occupied))
        .map(|k| {
            let fresh = if k == 1 { 1 } else { restarts };
            let mut starts: Vec<LatticeCentres> = (0..fresh).map(|_| sample.start(k, random)).collect();
            starts.extend(best.as_ref().map(|best| sample.grown(&best.centres, random)));
            let runs = kmeans_from(&sample.points, Some(&sample.weights), &starts, ITERATIONS);
            let found = runs.into_iter().chain(best.take()).min_by(|a, b| a.cost.total_cmp(&b.cost));
            let cost = found.as_ref().map_or(0.0, |found| found.cost).max(0.0);
            best = found;
            cost / sample.total + spread / total
        })
        .collect()
}

/// The cells that are clustered.
struct Sample {
    points: LatticePoints,
    weights: Vec<f64>,
    total: f64,
}

impl Sample {
    fn of(cells: &PlacedCells, total: f64, size: usize, random: &mut SeededNoise) -> Self {
        let count = cells.weights.len();
        let mut row = vec![0; cells.dims()];
        let mut points = LatticePoints::with_capacity(cells.dims(), count.min(size));
        let mut weights = Vec::with_capacity(count.min(size));
        // Each step of the systematic sample is one chosen cell, and heavy cells are chosen several times.
        let step = total / size as f64;
        let (mut next, mut before) = (step * uniform::unit_f64(random), 0.0);
        for (cell, &weight) in cells.weights.iter().enumerate() {
            let mut chosen = weight;
            if count > size {
                chosen = 0.0;
                while before + weight > next {
                    chosen += step;
                    next += step;
                }
                before += weight;
            }
            if chosen > 0.0 {
                cells.points.copy_row(cell, &mut row);
                points.push_row(&row);
                weights.push(chosen);
            }
        }
        let total = weights.iter().sum();
        Self { points, weights, total }
    }

    /// A k-means++ initialisation.
    fn start(&self, k: usize, random: &mut SeededNoise) -> LatticeCentres {
        kmeanspp(&self.points, Some(&self.weights), k, usual_candidates(k), &mut || random.next_u64())
    }

    /// One more centre: of a few cells drawn by weight times squared distance, the one that lowers the cost most.
    fn grown(&self, centres: &[f64], random: &mut SeededNoise) -> LatticeCentres {
        let dims = self.points.dims();
        let half = f64::from(HALF_WIDTH);
        let mut row = vec![0; dims];
        let mut places = Vec::with_capacity(self.weights.len() * dims);
        let mut nearest = Vec::with_capacity(self.weights.len());
        for cell in 0..self.weights.len() {
            self.points.copy_row(cell, &mut row);
            let place: Vec<f64> = row.iter().map(|&x| f64::from(x) / half).collect();
            let least = centres.chunks_exact(dims).map(|centre| squared(&place, centre)).fold(f64::INFINITY, f64::min);
            nearest.push(least);
            places.extend(place);
        }
        let mass: f64 = self.weights.iter().zip(&nearest).map(|(w, d)| w * d).sum();
        let place = |cell: usize| &places[cell * dims..][..dims];
        let candidates = (0..2 * usual_candidates(centres.len() / dims)).map(|_| {
            let mut left = mass * uniform::unit_f64(random);
            let reached = self.weights.iter().zip(&nearest).position(|(w, d)| {
                left -= w * d;
                left < 0.0
            });
            reached.unwrap_or(self.weights.len() - 1)
        });
        let cost = |cell: usize| -> f64 {
            let with = |(i, (w, d)): (usize, (&f64, &f64))| w * d.min(squared(place(i), place(cell)));
            self.weights.iter().zip(&nearest).enumerate().map(with).sum()
        };
        let best = candidates.map(|cell| (cost(cell), cell)).min_by(|a, b| a.0.total_cmp(&b.0));
        let added = best.map_or(0, |(_, cell)| cell);
        LatticeCentres::from_unit(dims, &[centres, place(added)].concat())
    }
}

fn squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Heaps on a line, some of them in the same place.
    fn heaps(places: &[i16], weights: &[f64]) -> PlacedCells {
        let mut points = LatticePoints::new(1);
        places.iter().for_each(|&x| points.push_row(&[x]));
        PlacedCells { points, weights: weights.to_vec(), within: vec![0.01; places.len()] }
    }

    #[test]
    fn fits_are_mean_squared_distances_and_fall() {
        let cells = heaps(&[-20_000, -20_000, 10_000, 11_000, 0], &[2.0, 2.0, 3.0, 1.0, 0.0]);
        let found = fits(&cells, 9, 3, &mut SeededNoise::new(1));
        // Four cells have rows, so there are no more than four clusters.
        assert_eq!(found.len(), 4);
        let unit = |x: f64| x / f64::from(HALF_WIDTH);
        let two = unit(1.0).powi(2) * (3.0 * 250.0_f64.powi(2) + 750.0_f64.powi(2)) / 8.0 + 0.01;
        assert!((found[1] - two).abs() < 1e-9, "{} {two}", found[1]);
        assert!((found[2] - 0.01).abs() < 1e-9 && found.windows(2).all(|pair| pair[1] <= pair[0] + 1e-12), "{found:?}");
    }

    #[test]
    fn cells_without_rows_have_no_fit() {
        assert!(fits(&heaps(&[0, 5], &[0.0, 0.0]), 3, 2, &mut SeededNoise::new(1)).is_empty());
    }

    #[test]
    fn a_sample_of_many_cells_fits_as_all_do() {
        let places: Vec<i16> = (0..20_000).map(|i| (i - 10_000) as i16).collect();
        let weights: Vec<f64> = (0..20_000).map(|i| if i % 5 == 0 { 3.0 } else { 0.5 }).collect();
        let found = fits(&heaps(&places, &weights), 3, 1, &mut SeededNoise::new(2));
        let even = (20_000.0 / f64::from(HALF_WIDTH)).powi(2) / 12.0;
        for (k, fit) in found.iter().enumerate() {
            let exact = even / ((k + 1) * (k + 1)) as f64 + 0.01;
            assert!((fit / exact - 1.0).abs() < 0.01, "{k}: {fit} {exact}");
        }
    }
}
