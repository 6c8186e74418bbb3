//! k-means on the cells of a regular grid, each with a weight that may be negative.
//!
//! The same centres as [`crate::kmeans_from`] on the cells' middles, to the last bit, and many times faster, because a grid has
//! structure: along a line of cells (the last axis) the squared distance to a centre is a function of the axis' own
//! coordinate plus a number for the line ([`crate::kmeans::grid_pass`]).
//!
//! *Memory.* 8 bytes per cell, 16 where lines are long.
//!
//! Two things are better than there: the cost and the weights are those of the final centres and not of the step before,
//! and centres that go in circles, as negative weights make them, are recognised.
//!
//! # Weights below zero
//! As in [`crate::kmeans_from`]: a cluster whose weights do not add up to something positive keeps its centre, and means
//! outside the box are moved to its edge.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::LatticeCentres;
use crate::kmeans::grid_pass::Pass;
use crate::kmeans::lattice_kmeans::move_to_means;
use crate::kmeans::weighted::cost_of;
use crate::{BestKMeans, kmeans_from};
use shoal_lattice::LatticePoints;

/// Weights add up to at most this many bits in size: sums of coordinates then stay below `2^62`.
const WEIGHT_BITS: u32 = 46;

/// A regular grid whose cells carry weights.
pub struct WeightedGrid {
    /// Where the cells stand along each axis, ascending.
    positions: Vec<Vec<i16>>,
    /// The weights, in units.
    lines: Lines,
    /// Weighted sum of squared norms, in lattice units.
    norm: f64,
    /// Weights are in units of this.
    unit: f64,
}

/// Cells of a line that is short.
const SHORT: usize = 32;

/// The weights of the cells, line by line along the last axis.
pub(crate) enum Lines {
    /// Of each cell.
    Short(Vec<i64>),
    /// What is on the line before each cell, and in all: one entry more than cells on every line.
    Long(Vec<Mass>),
}

/// Weight, and weight times coordinate along the last axis, of some cells of a line.
#[derive(Clone, Copy, Default)]
pub(crate) struct Mass {
    pub weight: i64,
    pub moment: i64,
}

impl Mass {
    pub fn without(self, part: Self) -> Self {
        Self { weight: self.weight - part.weight, moment: self.moment - part.moment }
    }
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
        let lines = if line.len() <= SHORT {
            Lines::Short(weights.iter().map(|&w| scaled(w)).collect())
        } else {
            let mut before = Vec::with_capacity(weights.len() / line.len() * (line.len() + 1));
            for cells in weights.chunks_exact(line.len()) {
                let mut mass = Mass::default();
                before.push(mass);
                for (&w, &x) in cells.iter().zip(line) {
                    mass.weight += scaled(w);
                    mass.moment += scaled(w) * i64::from(x);
                    before.push(mass);
                }
            }
            Lines::Long(before)
        };
        let mut grid = Self { positions, lines, norm: 0.0, unit: 2f64.powi(shift as i32) };
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
        self.kmeans_from_watched(starts, rounds, &|_| ())
    }

    /// [`WeightedGrid::kmeans_from`], telling a listener after each start how many are done.
    pub fn kmeans_from_watched(
        &self,
        starts: &[LatticeCentres],
        rounds: usize,
        watch: &(dyn Fn(usize) + Sync),
    ) -> Vec<BestKMeans> {
        if !starts.iter().all(|start| Pass::fits(self.dims(), start.count())) {
            // Hundreds of attributes times thousands of centres: doubles cannot hold the scores.
            let weights: Vec<f64> = self.units().map(|units| units as f64 * self.unit).collect();
            return kmeans_from(&self.cells(), Some(&weights), starts, rounds);
        }
        let done = AtomicUsize::new(0);
        let run = |start| {
            let found = self.kmeans(start, rounds);
            watch(done.fetch_add(1, Ordering::Relaxed) + 1);
            found
        };
        starts.par_iter().map(run).collect()
    }

    fn kmeans(&self, start: &LatticeCentres, rounds: usize) -> BestKMeans {
        assert_eq!(start.dims(), self.dims(), "grid and centres have the same attributes");
        let mut centres = start.clone();
        let mut unit = start.to_unit();
        let mut pass = Pass::new(self, start.count());
        let mut seen = vec![unit.clone()];
        let (mut done, mut left) = (0, rounds);
        while left > 0 {
            pass.run(&centres);
            done += 1;
            left -= 1;
            move_to_means(&mut centres, &mut unit, &pass.sums);
            // With negative weights centres often end up going round in circles. What follows is known then: whole
            // circles can be left out. Standing still is a circle of one.
            if let Some(before) = seen.iter().rposition(|known| *known == unit) {
                left %= seen.len() - before;
                seen.clear();
            }
            seen.push(unit.clone());
        }
        // The cost and the weights are those of the centres that are returned; wandering centres would have others.
        pass.run(&centres);
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

    /// The weights of the cells, in units.
    fn units(&self) -> Box<dyn Iterator<Item = i64> + '_> {
        match &self.lines {
            Lines::Short(weights) => Box::new(weights.iter().copied()),
            Lines::Long(before) => {
                let pairs = before.chunks_exact(self.line().len() + 1).flat_map(|line| line.windows(2));
                Box::new(pairs.map(|pair| pair[1].weight - pair[0].weight))
            }
        }
    }

    /// Where the cells stand along each axis.
    pub(crate) fn positions(&self) -> &[Vec<i16>] {
        &self.positions
    }

    /// Cells of the last axis: a line.
    pub(crate) fn line(&self) -> &[i16] {
        &self.positions[self.dims() - 1]
    }

    /// Cells of the last axis but one: the lines of a plane. One line, if there is no such axis.
    pub(crate) fn plane_rows(&self) -> &[i16] {
        if self.dims() > 1 { &self.positions[self.dims() - 2] } else { &[0] }
    }

    /// The weights, line by line.
    pub(crate) fn lines(&self) -> &Lines {
        &self.lines
    }

    fn squared_norm(&self) -> f64 {
        let others = &self.positions[..self.dims() - 1];
        let mut index = vec![0; others.len()];
        let mut units = self.units();
        let mut norm = 0i128;
        for _ in 0..others.iter().map(Vec::len).product() {
            let here: i64 = others.iter().zip(&index).map(|(axis, &i): (&Vec<i16>, &usize)| squared(axis[i])).sum();
            for (&x, units) in self.line().iter().zip(&mut units) {
                norm += i128::from(units) * i128::from(here + squared(x));
            }
            for (i, axis) in index.iter_mut().zip(others).rev() {
                *i = (*i + 1) % axis.len();
                if *i != 0 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::random;

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
            (vec![3, 50], 7),
            (vec![1000], 300),
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
            assert!(grid.units().eq(weights.iter().copied()));
            let expected = kmeans_from(&grid.cells(), Some(&doubles), &starts, 30);
            let found = grid.kmeans_from(&starts, 30);
            for (expected, found) in expected.iter().zip(&found) {
                assert_eq!(expected.centres, found.centres, "{shape:?}");
                // What the final centres cost, cell by cell.
                let cells = grid.cells();
                let (mut cost, mut total) = (0.0, vec![0.0; k]);
                let rounded = LatticeCentres::from_unit(shape.len(), &found.centres);
                for (cell, &weight) in doubles.iter().enumerate() {
                    let apart = |j: usize| {
                        let square =
                            |axis| (i64::from(cells.get(cell, axis)) - i64::from(rounded.centre(j)[axis])).pow(2);
                        (0..shape.len()).map(square).sum::<i64>()
                    };
                    let j = (0..k).min_by_key(|&j| apart(j)).unwrap();
                    total[j] += weight;
                    let place = |axis: usize| f64::from(cells.get(cell, axis)) / 32_767.0;
                    let square = |axis: usize| (place(axis) - found.centres[j * shape.len() + axis]).powi(2);
                    cost += weight * (0..shape.len()).map(square).sum::<f64>();
                }
                assert_eq!(total, found.weights, "{shape:?}");
                assert!((cost - found.cost).abs() <= 1e-9 * cost.abs().max(1.0), "{shape:?}: {cost}");
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
        assert!(!Pass::fits(300, 5000));
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
