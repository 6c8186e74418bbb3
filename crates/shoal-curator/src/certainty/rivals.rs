//! Rival solutions: other ways to cluster the released cells that noise alone may have made worse than the best one.
//!
//! A bootstrap repeats the choice between near-equal solutions that noise has already made. So k-means runs from many
//! initialisations on the cells. For the best solution A and another one A′, with d(c) the squared distance of cell c from
//! its nearest centre and w its weight,
//!
//! Δ = Σ_c w_c·(d_A′(c) − d_A(c)),  σ_Δ = σ·√(Σ_c (d_A′(c) − d_A(c))²),
//!
//! where σ is the standard deviation of the noise on a count. A′ is a *rival* when Δ ≤ 2·σ_Δ + 0.005·cost(A).
//!
//! *Privacy.* Post-processing of released cells.

use shoal_kernel::{BestKMeans, LatticeCentres, kmeans_from, kmeanspp, usual_candidates};
use shoal_lattice::{HALF_WIDTH, LatticePoints};
use shoal_noise::{NoiseSource, SeededNoise};

use crate::auto::placed_cells::PlacedCells;
use crate::certainty::reruns::matching;

/// Initialisations.
const STARTS: usize = 20;

/// Iterations from each.
const ITERATIONS: usize = 50;

/// Standard deviations of noise by which a rival may be worse.
const NOISE: f64 = 2.0;

/// The part of the cost by which a rival may be worse in any case.
const NEAR: f64 = 0.005;

/// Solutions closer than this in every coordinate are the same.
const SAME: f64 = 1e-3;

/// The best solution on the cells and its rivals, all in the order of the released centres.
pub struct Rivals {
    /// Box units, centre after centre.
    pub best: Vec<f64>,
    /// Expected rows of each cluster of the best solution.
    pub sizes: Vec<f64>,
    /// Centres and expected rows of each rival.
    pub others: Vec<(Vec<f64>, Vec<f64>)>,
}

impl Rivals {
    /// Clusters the cells, starting from each of `starts`, of which the first are the released centres, and from random
    /// cells. `count_noise` is the standard deviation of the noise on a count.
    pub fn find(cells: &PlacedCells, starts: &[&[f64]], count_noise: f64, random: &mut SeededNoise) -> Self {
        let dims = cells.dims();
        let mut found = solutions(cells, starts, STARTS, random);
        found.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        let best = in_order_of(starts[0], found.remove(0), dims);
        let of_best = distances(cells.points(), &best.centres);
        // The rows within a cell are apart from its place, whatever the centres.
        let cost = best.cost + cells.within_cost();
        let mut kept: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        for other in found {
            let apart: Vec<f64> =
                distances(cells.points(), &other.centres).iter().zip(&of_best).map(|(a, b)| a - b).collect();
            let worse: f64 = apart.iter().zip(&cells.weights).map(|(apart, weight)| apart * weight).sum();
            let noise = count_noise * apart.iter().map(|apart| apart * apart).sum::<f64>().sqrt();
            if worse > NOISE * noise + NEAR * cost {
                continue;
            }
            let other = in_order_of(&best.centres, other, dims);
            let same = |known: &[f64]| known.iter().zip(&other.centres).all(|(a, b)| (a - b).abs() < SAME);
            if !same(&best.centres) && !kept.iter().any(|(known, _)| same(known)) {
                kept.push((other.centres, other.weights));
            }
        }
        Self { best: best.centres, sizes: best.weights, others: kept }
    }

    /// The greatest distance of a rival from the best solution in each coordinate.
    pub fn extent(&self) -> Vec<f64> {
        farthest(&self.best, self.others.iter().map(|(centres, _)| centres))
    }

    /// The greatest difference of a rival's sizes from those of the best solution.
    pub fn size_extent(&self) -> Vec<f64> {
        farthest(&self.sizes, self.others.iter().map(|(_, sizes)| sizes))
    }
}

/// A solution with its clusters in the order of those in `to`, of which there are as many.
fn in_order_of(to: &[f64], found: BestKMeans, dims: usize) -> BestKMeans {
    let Some(order) = matching(to, &found.centres, dims) else { return found };
    let centres = order.iter().flat_map(|&j| found.centres[j * dims..][..dims].to_vec()).collect();
    BestKMeans { centres, weights: order.iter().map(|&j| found.weights[j]).collect(), ..found }
}

fn farthest<'a>(from: &[f64], others: impl Iterator<Item = &'a Vec<f64>>) -> Vec<f64> {
    others.fold(vec![0.0; from.len()], |most, other| {
        most.iter().zip(from).zip(other).map(|((most, a), b): ((&f64, _), _)| most.max((a - b).abs())).collect()
    })
}

/// k-means on the cells from the given centres and from `fresh` k-means++ initialisations; there is at least one.
pub fn solutions(cells: &PlacedCells, starts: &[&[f64]], fresh: usize, random: &mut SeededNoise) -> Vec<BestKMeans> {
    let dims = cells.dims();
    let k = starts[0].len() / dims;
    let mut all: Vec<LatticeCentres> = starts.iter().map(|centres| LatticeCentres::from_unit(dims, centres)).collect();
    let weights = Some(cells.weights.as_slice());
    let mut draw = || random.next_u64();
    all.extend((0..fresh).map(|_| kmeanspp(cells.points(), weights, k, usual_candidates(k), &mut draw)));
    kmeans_from(cells.points(), weights, &all, ITERATIONS)
}

/// Squared distance of each cell's place from the nearest centre.
fn distances(points: &LatticePoints, centres: &[f64]) -> Vec<f64> {
    let dims = points.dims();
    let mut row = vec![0; dims];
    let mut unit = vec![0.0; dims];
    (0..points.rows())
        .map(|cell| {
            points.copy_row(cell, &mut row);
            unit.iter_mut().zip(&row).for_each(|(unit, &x)| *unit = f64::from(x) / f64::from(HALF_WIDTH));
            let to = |centre: &[f64]| unit.iter().zip(centre).map(|(x, c)| (x - c).powi(2)).sum::<f64>();
            centres.chunks_exact(dims).map(to).fold(f64::INFINITY, f64::min)
        })
        .collect()
}
