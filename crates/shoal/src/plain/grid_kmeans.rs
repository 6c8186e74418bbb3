//! k-means on the cells of a regular grid, each with a weight that may be negative.
//!
//! The same as [`super::kmeans_from`] on the cells' middles, to the last bit, and many times faster, because a grid has
//! structure: along a line of cells (the last axis) the squared distance to a centre is a function of the axis' own
//! coordinate plus a number for the line, so on every line each cluster is one interval. Where both ends of a piece of a
//! line have the same nearest centre, so has everything between, and sums over the piece are differences of sums kept
//! from the beginning of the line.
//!
//! *Runtime.* About (2 + 2·log₂ m · borders)·k steps for a line of m cells, instead of m·k·d.
//!
//! *Memory.* 16 bytes per cell.
//!
//! # Weights below zero
//! As in [`super::kmeans_from`]: a cluster whose weights do not add up to something positive keeps its centre, and means
//! outside the box are moved to its edge.

use rayon::prelude::*;

use super::kmeans::move_to_means;
use super::nearest::LatticeCentres;
use super::sums::ClusterSums;
use super::weighted::{BestKMeans, cost_of, kmeans_from};
use crate::data::LatticePoints;

/// Weights add up to at most this many bits in size: sums of coordinates then stay below `2^62`.
const WEIGHT_BITS: u32 = 46;

/// A regular grid whose cells carry weights.
pub struct WeightedGrid {
    /// Where the cells stand along each axis, ascending.
    positions: Vec<Vec<i16>>,
    /// Weight, and weight times coordinate along the last axis, of the cells before each one on its line; one entry more
    /// than cells on every line.
    weights_before: Vec<i64>,
    moments_before: Vec<i64>,
    /// Weighted sum of squared norms, in lattice units.
    norm: f64,
    /// Weights are in units of this.
    unit: f64,
}

impl WeightedGrid {
    /// A grid with cells at the given positions of each axis, the last axis running fastest.
    ///
    /// Weights that add up to more than `2^46` in size are rounded to a common power of two.
    ///
    /// # Panics
    /// When an axis has no cells, or there is not one weight per cell.
    pub fn new(positions: Vec<Vec<i16>>, weights: &[i64]) -> Self {
        assert!(!positions.is_empty() && positions.iter().all(|axis| !axis.is_empty()), "every axis has cells");
        assert_eq!(weights.len(), positions.iter().map(Vec::len).product::<usize>(), "one weight per cell");
        let total: u128 = weights.iter().map(|w| u128::from(w.unsigned_abs())).sum();
        let shift = (u128::BITS - total.leading_zeros()).saturating_sub(WEIGHT_BITS);
        // Half away from zero, as rounding of floats does.
        let scaled = |w: i64| match shift {
            0 => w,
            _ => (((w.unsigned_abs() >> (shift - 1)) + 1) >> 1) as i64 * w.signum(),
        };
        // Unwrap safety: there is an axis.
        let line = positions.last().unwrap();
        let lines = weights.len() / line.len();
        let mut weights_before = Vec::with_capacity(weights.len() + lines);
        let mut moments_before = Vec::with_capacity(weights.len() + lines);
        for cells in weights.chunks_exact(line.len()) {
            let (mut weight, mut moment) = (0, 0);
            weights_before.push(0);
            moments_before.push(0);
            for (&w, &x) in cells.iter().zip(line) {
                weight += scaled(w);
                moment += scaled(w) * i64::from(x);
                weights_before.push(weight);
                moments_before.push(moment);
            }
        }
        let mut grid = Self { positions, weights_before, moments_before, norm: 0.0, unit: 2f64.powi(shift as i32) };
        grid.norm = grid.squared_norm();
        grid
    }

    /// Number of attributes.
    pub fn dims(&self) -> usize {
        self.positions.len()
    }

    /// k-means from each of the given starts, in their order, at most `rounds` steps each.
    ///
    /// Runs on the threads of the current rayon pool; the result does not depend on them.
    pub fn kmeans_from(&self, starts: &[LatticeCentres], rounds: usize) -> Vec<BestKMeans> {
        if starts.iter().any(|start| Pass::score_bits(self.dims(), start.count()) > 52) {
            // Hundreds of attributes times thousands of centres: doubles cannot hold the scores.
            return kmeans_from(&self.cells(), Some(&self.weights()), starts, rounds);
        }
        starts.par_iter().map(|start| self.kmeans(start, rounds)).collect()
    }

    fn kmeans(&self, start: &LatticeCentres, rounds: usize) -> BestKMeans {
        assert_eq!(start.dims(), self.dims(), "grid and centres have the same attributes");
        let mut centres = start.clone();
        let mut unit = start.to_unit();
        let mut pass = Pass::new(self, start.count());
        let mut done = 0;
        let mut converged = false;
        while done < rounds && !converged {
            pass.run(&centres);
            done += 1;
            let before = centres.clone();
            move_to_means(&mut centres, &mut unit, &pass.sums);
            converged = centres == before;
        }
        let sums = pass.sums;
        BestKMeans {
            cost: cost_of(self.norm, &unit, &sums) * self.unit,
            centres: unit,
            weights: sums.counts.iter().map(|&weight| weight as f64 * self.unit).collect(),
            iterations: done,
        }
    }

    /// The cells as points.
    fn cells(&self) -> LatticePoints {
        let mut points = LatticePoints::new(self.dims());
        let mut row = vec![0; self.dims()];
        for cell in 0..self.positions.iter().map(Vec::len).product() {
            let mut rest: usize = cell;
            for (x, axis) in row.iter_mut().zip(&self.positions).rev() {
                *x = axis[rest % axis.len()];
                rest /= axis.len();
            }
            points.push_row(&row);
        }
        points
    }

    /// The weights of the cells.
    fn weights(&self) -> Vec<f64> {
        let line = self.positions[self.dims() - 1].len();
        let lines = self.weights_before.chunks_exact(line + 1);
        lines.flat_map(|before| before.windows(2)).map(|pair| (pair[1] - pair[0]) as f64 * self.unit).collect()
    }

    /// Cells of the last axis but one: the lines of a plane. One line, if there is no such axis.
    fn plane_rows(&self) -> &[i16] {
        if self.dims() > 1 { &self.positions[self.dims() - 2] } else { &[0] }
    }

    fn cells_along(&self, axis: usize, rows: &[i16]) -> usize {
        if self.dims() > 1 { self.positions[axis].len() } else { rows.len() }
    }

    fn squared_norm(&self) -> f64 {
        let line = &self.positions[self.dims() - 1];
        let (others, _) = self.positions.split_at(self.dims() - 1);
        let mut index = vec![0; others.len()];
        let mut norm = 0i128;
        for before in self.weights_before.chunks_exact(line.len() + 1) {
            let here: i64 = others.iter().zip(&index).map(|(axis, &i): (&Vec<i16>, &usize)| squared(axis[i])).sum();
            for (pair, &x) in before.windows(2).zip(line) {
                norm += i128::from(pair[1] - pair[0]) * i128::from(here + squared(x));
            }
            for axis in (0..others.len()).rev() {
                index[axis] = (index[axis] + 1) % others[axis].len();
                if index[axis] != 0 {
                    break;
                }
            }
        }
        norm as f64
    }
}

fn squared(x: i16) -> i64 {
    i64::from(x) * i64::from(x)
}

/// One assignment of all cells: sums and weights per cluster.
///
/// Scores are squared distances in lattice units with the centre's number in their low bits, so that the least score
/// names the nearest centre, the lowest number on a tie, and no processor has to guess a branch. They are whole numbers
/// below 2^53, so doubles hold them exactly; and doubles can be compared several at a time everywhere.
struct Pass<'a> {
    grid: &'a WeightedGrid,
    k: usize,
    /// 2 to the number of bits for a centre's number.
    numbers: f64,
    sums: ClusterSums,
    /// Per axis but the last, cell and centre: the score along that axis. Of the last but one: centre and cell.
    distances: Vec<Vec<f64>>,
    /// Per depth: the score of the axes before it, per centre.
    partial: Vec<Vec<f64>>,
    /// Per depth: weight of each cluster in the part below.
    weights: Vec<Vec<i64>>,
    /// What a step along the last axis takes off the score, per centre.
    slopes: Vec<f64>,
    /// For each line of a plane, the least score at its first and at its last cell.
    ends: [Vec<f64>; 2],
    /// Lines done.
    lines: usize,
}

impl<'a> Pass<'a> {
    /// Bits of a score: at most 34 for the square along an attribute.
    fn score_bits(dims: usize, k: usize) -> u32 {
        35 + (usize::BITS - dims.leading_zeros()) + (usize::BITS - (k - 1).leading_zeros())
    }

    fn new(grid: &'a WeightedGrid, k: usize) -> Self {
        let dims = grid.dims();
        assert!(Self::score_bits(dims, k) <= 52, "a double holds a score of {dims} attributes and {k} centres");
        let rows = grid.plane_rows();
        Self {
            grid,
            k,
            numbers: (k.next_power_of_two()) as f64,
            sums: ClusterSums::zero(k, dims),
            distances: (0..dims.max(2) - 1).map(|axis| vec![0.0; grid.cells_along(axis, rows) * k]).collect(),
            partial: vec![vec![0.0; k]; dims],
            weights: vec![vec![0; k]; dims],
            slopes: vec![0.0; k],
            ends: [vec![0.0; rows.len()], vec![0.0; rows.len()]],
            lines: 0,
        }
    }

    fn run(&mut self, centres: &LatticeCentres) {
        let dims = self.grid.dims();
        let (k, last) = (self.k, dims - 1);
        for (axis, table) in self.distances.iter_mut().enumerate().take(last) {
            let cells = self.grid.positions[axis].len();
            for (cell, &x) in self.grid.positions[axis].iter().enumerate() {
                for j in 0..k {
                    let distance = (f64::from(x) - f64::from(centres.centre(j)[axis])).powi(2) * self.numbers;
                    table[if axis + 1 == last { j * cells + cell } else { cell * k + j }] = distance;
                }
            }
        }
        for j in 0..k {
            let c = f64::from(centres.centre(j)[last]);
            // x² is the same for all centres, so (x − c)² is compared by c² − 2cx.
            self.slopes[j] = 2.0 * c * self.numbers;
            self.partial[0][j] = c * c * self.numbers + j as f64;
        }
        self.sums = ClusterSums::zero(k, dims);
        self.weights[0].fill(0);
        self.lines = 0;
        self.visit(0);
        self.sums.counts.copy_from_slice(&self.weights[0]);
    }

    /// Adds the part of the grid below a choice of cells on the axes before `depth`, its weights to `weights[depth]`.
    fn visit(&mut self, depth: usize) {
        let dims = self.grid.dims();
        if depth + 2 >= dims {
            return self.plane(depth);
        }
        let grid = self.grid;
        for (cell, &x) in grid.positions[depth].iter().enumerate() {
            let (before, after) = self.partial.split_at_mut(depth + 1);
            let along = &self.distances[depth][cell * self.k..][..self.k];
            for ((next, so_far), along) in after[0].iter_mut().zip(&before[depth]).zip(along) {
                *next = so_far + along;
            }
            self.weights[depth + 1].fill(0);
            self.visit(depth + 1);
            let (above, below) = self.weights.split_at_mut(depth + 1);
            for (j, (all, &part)) in above[depth].iter_mut().zip(&below[0]).enumerate() {
                *all += part;
                self.sums.sums[j * dims + depth] += part * i64::from(x);
            }
        }
    }

    /// Adds a plane: all lines along the last axis, one for each cell of the axis before it.
    fn plane(&mut self, depth: usize) {
        let (grid, k, dims) = (self.grid, self.k, self.grid.dims());
        let rows = grid.plane_rows();
        let line = grid.positions[dims - 1].as_slice();
        // Unwrap safety: every axis has cells.
        let (x_first, x_last) = (f64::from(line[0]), f64::from(*line.last().unwrap()));
        let across = &self.distances[depth];
        let [firsts, lasts] = &mut self.ends;
        firsts.fill(f64::INFINITY);
        lasts.fill(f64::INFINITY);
        for j in 0..k {
            let (first, last) =
                (self.partial[depth][j] - self.slopes[j] * x_first, self.partial[depth][j] - self.slopes[j] * x_last);
            let across = &across[j * rows.len()..][..rows.len()];
            for ((across, least_first), least_last) in across.iter().zip(&mut *firsts).zip(&mut *lasts) {
                *least_first = least(*least_first, first + across);
                *least_last = least(*least_last, last + across);
            }
        }
        let mask = self.numbers as i64 - 1;
        let stride = line.len() + 1;
        for (row, &y) in rows.iter().enumerate() {
            let start = (self.lines + row) * stride;
            let mut line = Line {
                positions: line,
                weights_before: &grid.weights_before[start..][..stride],
                moments_before: &grid.moments_before[start..][..stride],
                weights: &mut self.weights[depth],
                sums: &mut self.sums.sums,
                y: (dims > 1).then_some(i64::from(y)),
                dims,
            };
            let nearest = |x: i16| {
                let score =
                    |j: usize| self.partial[depth][j] + across[j * rows.len() + row] - self.slopes[j] * f64::from(x);
                (0..k).map(score).fold(f64::INFINITY, least) as i64 & mask
            };
            line.settle(firsts[row] as i64 & mask, lasts[row] as i64 & mask, nearest);
        }
        self.lines += rows.len();
    }
}

/// The smaller of two numbers that are not NaN; one instruction.
#[inline]
fn least(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

/// A line of cells and where its sums go.
struct Line<'a> {
    positions: &'a [i16],
    weights_before: &'a [i64],
    moments_before: &'a [i64],
    weights: &'a mut [i64],
    sums: &'a mut [i64],
    /// The coordinate along the last axis but one, if there is one.
    y: Option<i64>,
    dims: usize,
}

impl Line<'_> {
    /// Adds all cells to their clusters, knowing those of both ends.
    #[inline]
    fn settle(&mut self, mut first: i64, last: i64, nearest: impl Fn(i16) -> i64) {
        let (mut from, to) = (0, self.positions.len() - 1);
        while first != last {
            // The last cell of the first cluster's interval, by bisection.
            let (mut inside, mut outside) = (from, to);
            let mut next = last;
            while outside - inside > 1 {
                let middle = inside + (outside - inside) / 2;
                let nearest = nearest(self.positions[middle]);
                if nearest == first {
                    inside = middle;
                } else {
                    (outside, next) = (middle, nearest);
                }
            }
            self.add(first, from, inside);
            (from, first) = (outside, next);
        }
        self.add(last, from, to);
    }

    #[inline]
    fn add(&mut self, cluster: i64, from: usize, to: usize) {
        let weight = self.weights_before[to + 1] - self.weights_before[from];
        self.weights[cluster as usize] += weight;
        let sums = &mut self.sums[cluster as usize * self.dims..][..self.dims];
        sums[self.dims - 1] += self.moments_before[to + 1] - self.moments_before[from];
        if let Some(y) = self.y {
            sums[self.dims - 2] += weight * y;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::random;
    use super::*;

    fn even(cells: usize) -> Vec<i16> {
        (0..cells).map(|i| ((2 * i + 1) as f64 / cells as f64 * 32_767.0 - 32_767.0) as i16).collect()
    }

    #[test]
    fn the_result_is_that_of_plain_kmeans_on_the_cells() {
        let mut next = random(5);
        for (shape, k) in [
            (vec![1], 1),
            (vec![40], 3),
            (vec![23, 22], 15),
            (vec![5, 1, 7], 4),
            (vec![4, 3, 5, 6], 9),
            (vec![2; 9], 5),
        ] {
            let positions: Vec<Vec<i16>> = shape.iter().map(|&cells| even(cells)).collect();
            // Half of the weights are negative, and a few are heavy.
            let weights: Vec<i64> = (0..shape.iter().product())
                .map(|_| (next() % 41) as i64 - 20 + if next().is_multiple_of(11) { 500 } else { 0 })
                .collect();
            let starts: Vec<LatticeCentres> = (0..8)
                .map(|_| {
                    // Coarse places, so that there are ties and centres that coincide.
                    let at = (0..k * shape.len()).map(|_| ((next() % 17) as i16 - 8) * 4000).collect();
                    LatticeCentres::new(shape.len(), at)
                })
                .collect();
            let doubles: Vec<f64> = weights.iter().map(|&w| w as f64).collect();
            let grid = WeightedGrid::new(positions, &weights);
            assert_eq!(grid.weights(), doubles);
            let expected = kmeans_from(&grid.cells(), Some(&doubles), &starts, 30);
            let found = grid.kmeans_from(&starts, 30);
            for (expected, found) in expected.iter().zip(&found) {
                assert_eq!(expected.centres, found.centres, "{shape:?}");
                assert_eq!(expected.weights, found.weights, "{shape:?}");
                assert!((expected.cost - found.cost).abs() <= 1e-9 * expected.cost.abs().max(1.0), "{shape:?}");
            }
        }
    }

    #[test]
    fn cells_are_numbered_with_the_last_axis_fastest() {
        let cells = WeightedGrid::new(vec![vec![1, 2], vec![5, 6, 7]], &[0; 6]).cells();
        let rows: Vec<_> = (0..6).map(|r| (cells.get(r, 0), cells.get(r, 1))).collect();
        assert_eq!(rows, [(1, 5), (1, 6), (1, 7), (2, 5), (2, 6), (2, 7)]);
    }

    #[test]
    fn too_many_centres_for_doubles_take_the_other_way() {
        let grid = WeightedGrid::new(vec![vec![0]; 300], &[5]);
        let start = LatticeCentres::new(300, vec![7; 300 * 5000]);
        assert!(Pass::score_bits(300, 5000) > 52);
        assert_eq!(grid.kmeans_from(&[start], 3)[0].weights[0], 5.0);
    }

    #[test]
    fn huge_weights_are_rounded_and_do_not_overflow() {
        let weights = vec![i64::MAX / 2, -(i64::MAX / 2), i64::MAX / 2, i64::MAX / 2];
        let grid = WeightedGrid::new(vec![even(4)], &weights);
        let found = &grid.kmeans_from(&[LatticeCentres::new(1, vec![-20_000, 20_000])], 10)[0];
        assert!(found.centres.iter().all(|x| x.abs() <= 1.0));
        assert!((found.weights.iter().sum::<f64>() / (i64::MAX as f64) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn threads_do_not_matter() {
        let mut next = random(9);
        let weights: Vec<i64> = (0..900).map(|_| (next() % 100) as i64 - 40).collect();
        let grid = WeightedGrid::new(vec![even(30), even(30)], &weights);
        let starts: Vec<_> = (0..9).map(|i| LatticeCentres::new(2, vec![i * 1000, 0, -9000, 400 * i])).collect();
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| grid.kmeans_from(&starts, 20))
        };
        assert_eq!(with(1), with(3));
    }
}
