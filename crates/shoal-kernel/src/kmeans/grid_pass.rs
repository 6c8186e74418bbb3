//! One step of k-means on a grid: which cells are nearest to which centre, and what they add up to.
//!
//! Scores are squared distances in lattice units with the centre's number in their low bits, so that the least score
//! names the nearest centre, the lowest number on a tie, and the processor has no branch to guess. They are whole numbers
//! below 2^52, so doubles hold them exactly, and doubles can be compared several at a time everywhere.
//!
//! The grid is walked plane by plane: a plane has a line along the last axis for every cell of the axis before it. Of
//! short lines every cell finds its centre, several lines at a time, and is added there: a table of weights per cell of
//! the last axis and centre, and one per line and centre, keep additions that wait for each other apart. On a long line,
//! each cluster is an interval, whose ends are found by bisection, and whose sums are differences of sums kept from the
//! beginning of the line.

use crate::ClusterSums;
use crate::LatticeCentres;
use crate::WeightedGrid;
use crate::kmeans::grid_kmeans::{Lines, Mass};

/// Lines that are searched together.
const LANES: usize = 4;

/// Added to a whole number below 2^51 in size, leaves it in the low bits of the double.
const TO_LOW_BITS: f64 = 6_755_399_441_055_744.0;

/// Bits that a score may have.
const SCORE_BITS: u32 = 51;

/// The state of a search, and the sums it ends with.
pub(crate) struct Pass<'a> {
    grid: &'a WeightedGrid,
    k: usize,
    /// 2 to the number of bits for a centre's number.
    numbers: f64,
    pub sums: ClusterSums,
    /// Per axis but the last two, cell and centre: the score along that axis.
    distances: Vec<Vec<f64>>,
    /// Per lanes of the plane and centre: the score along the last axis but one.
    across: Vec<[f64; LANES]>,
    /// Per depth: the score of the axes before it, per centre.
    partial: Vec<Vec<f64>>,
    /// Per depth: weight of each cluster in the part below.
    weights: Vec<Vec<i64>>,
    /// What a step along the last axis subtracts from the score, per centre.
    slopes: Vec<f64>,
    /// For the cells of a line that every line examines, per centre: what their position subtracts from the score.
    steps: Vec<f64>,
    /// For the same cells, per centre: the score but for what is in `across`.
    along: Vec<f64>,
    /// For the same cells of each line of the plane: the nearest centre.
    labels: Vec<[u16; LANES]>,
    /// Per cell of the last axis and centre: weight in all lines.
    by_cell: Vec<i64>,
    /// Per line of a plane and centre: weight.
    by_line: Vec<i64>,
    /// Lines done.
    lines: usize,
}

impl<'a> Pass<'a> {
    /// True when doubles hold the scores for so many attributes and centres.
    pub fn fits(dims: usize, k: usize) -> bool {
        // The square along an attribute has at most 34 bits, and the part of the last one 35 with a sign.
        let bits = |n: usize| usize::BITS - n.leading_zeros();
        36 + bits(dims) + bits(k - 1) <= SCORE_BITS && k <= 1 << 16
    }

    pub fn new(grid: &'a WeightedGrid, k: usize) -> Self {
        let dims = grid.dims();
        assert!(Self::fits(dims, k), "doubles hold the scores of {dims} attributes and {k} centres");
        let groups = grid.plane_rows().len().div_ceil(LANES);
        let columns = match grid.lines() {
            Lines::Short(_) => grid.line().len(),
            Lines::Long(_) => 2,
        };
        Self {
            grid,
            k,
            numbers: k.next_power_of_two() as f64,
            sums: ClusterSums::zero(k, dims),
            distances: grid.positions()[..dims.saturating_sub(2)]
                .iter()
                .map(|axis| vec![0.0; axis.len() * k])
                .collect(),
            across: vec![[0.0; LANES]; groups * k],
            partial: vec![vec![0.0; k]; dims],
            weights: vec![vec![0; k]; dims],
            slopes: vec![0.0; k],
            steps: vec![0.0; columns * k],
            along: vec![0.0; columns * k],
            labels: vec![[0; LANES]; groups * columns],
            by_cell: vec![0; if columns == grid.line().len() { columns * k } else { 0 }],
            by_line: vec![0; grid.plane_rows().len() * k],
            lines: 0,
        }
    }

    /// Assigns all cells to the nearest of `centres`.
    pub fn run(&mut self, centres: &LatticeCentres) {
        let (k, dims) = (self.k, self.grid.dims());
        let score =
            |x: i16, j: usize, axis: usize| (f64::from(x) - f64::from(centres.centre(j)[axis])).powi(2) * self.numbers;
        for (axis, table) in self.distances.iter_mut().enumerate() {
            for (row, &x) in table.chunks_exact_mut(k).zip(&self.grid.positions()[axis]) {
                row.iter_mut().enumerate().for_each(|(j, distance)| *distance = score(x, j, axis));
            }
        }
        if dims > 1 {
            for (group, rows) in self.across.chunks_exact_mut(k).zip(self.grid.plane_rows().chunks(LANES)) {
                for (j, lanes) in group.iter_mut().enumerate() {
                    lanes.iter_mut().zip(rows).for_each(|(lane, &y)| *lane = score(y, j, dims - 2));
                }
            }
        }
        for j in 0..k {
            let c = f64::from(centres.centre(j)[dims - 1]);
            // x² is the same for all centres, so (x − c)² is compared by c² − 2cx.
            self.slopes[j] = 2.0 * c * self.numbers;
            self.partial[0][j] = c * c * self.numbers + j as f64;
        }
        let line = self.grid.line();
        let ends = [line[0], line[line.len() - 1]];
        let places = match self.grid.lines() {
            Lines::Short(_) => line,
            Lines::Long(_) => &ends,
        };
        for (steps, &x) in self.steps.chunks_exact_mut(k).zip(places) {
            steps.iter_mut().zip(&self.slopes).for_each(|(step, slope)| *step = slope * f64::from(x));
        }
        self.sums = ClusterSums::zero(k, dims);
        self.weights[0].fill(0);
        self.by_cell.fill(0);
        self.lines = 0;
        self.visit(0);
        self.sums.counts.copy_from_slice(&self.weights[0]);
        for (weights, &x) in self.by_cell.chunks_exact(k).zip(self.grid.line()) {
            weights
                .iter()
                .enumerate()
                .for_each(|(j, weight)| self.sums.sums[(j + 1) * dims - 1] += weight * i64::from(x));
        }
    }

    /// Adds the part of the grid below a choice of cells on the axes before `depth`, its weights to `weights[depth]`.
    fn visit(&mut self, depth: usize) {
        let dims = self.grid.dims();
        if depth + 2 >= dims {
            return self.plane(depth);
        }
        let grid = self.grid;
        for (cell, &x) in grid.positions()[depth].iter().enumerate() {
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

    fn plane(&mut self, depth: usize) {
        let (grid, dims, k) = (self.grid, self.grid.dims(), self.k);
        let line = grid.line();
        for (row, steps) in self.along.chunks_exact_mut(k).zip(self.steps.chunks_exact(k)) {
            for ((score, so_far), step) in row.iter_mut().zip(&self.partial[depth]).zip(steps) {
                *score = so_far - step;
            }
        }
        self.label();
        self.by_line.fill(0);
        match grid.lines() {
            Lines::Short(weights) => self.add_cells(&weights[self.lines * line.len()..]),
            Lines::Long(before) => self.add_intervals(depth, &before[self.lines * (line.len() + 1)..]),
        }
        for (weights, &y) in self.by_line.chunks_exact(k).zip(grid.plane_rows()) {
            for (j, weight) in weights.iter().enumerate() {
                self.weights[depth][j] += weight;
                if dims > 1 {
                    self.sums.sums[j * dims + depth] += weight * i64::from(y);
                }
            }
        }
        self.lines += grid.plane_rows().len();
    }

    /// Adds the cells of a plane, all of which have their labels.
    fn add_cells(&mut self, weights: &[i64]) {
        let (k, cells) = (self.k, self.grid.line().len());
        let rows = self.grid.plane_rows().len();
        let groups = self.labels.chunks_exact(cells).zip(weights[..rows * cells].chunks(LANES * cells));
        for ((labels, weights), by_line) in groups.zip(self.by_line.chunks_mut(LANES * k)) {
            for ((cell, labels), by_cell) in labels.iter().enumerate().zip(self.by_cell.chunks_exact_mut(k)) {
                let lines = weights.chunks_exact(cells).zip(by_line.chunks_exact_mut(k));
                for ((weights, by_line), &label) in lines.zip(labels) {
                    by_line[usize::from(label)] += weights[cell];
                    by_cell[usize::from(label)] += weights[cell];
                }
            }
        }
    }

    /// Adds the lines of a plane, of which the ends have their labels.
    fn add_intervals(&mut self, depth: usize, before: &[Mass]) {
        let (k, dims, line) = (self.k, self.grid.dims(), self.grid.line());
        for row in 0..self.grid.plane_rows().len() {
            let (group, lane) = (row / LANES, row % LANES);
            let across = &self.across[group * k..][..k];
            let nearest = |cell: usize| {
                let x = f64::from(line[cell]);
                let scores = self.partial[depth].iter().zip(&self.slopes).zip(across);
                let best = scores.map(|((so_far, slope), across)| so_far - slope * x + across[lane]);
                low_bits(best.fold(f64::INFINITY, least), self.numbers)
            };
            let before = &before[row * (line.len() + 1)..][..line.len() + 1];
            let ends = [0, 1].map(|end| self.labels[group * 2 + end][lane]);
            for_each_interval(before, ends, nearest, |cluster, mass| {
                self.by_line[row * k + usize::from(cluster)] += mass.weight;
                self.sums.sums[(usize::from(cluster) + 1) * dims - 1] += mass.moment;
            });
        }
    }

    /// Finds the nearest centre of the chosen cells of each line of a plane.
    fn label(&mut self) {
        let job = Labelling { k: self.k, numbers: self.numbers, along: &self.along, across: &self.across };
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            #[target_feature(enable = "avx2")]
            fn with_avx2(job: &Labelling<'_>, labels: &mut [[u16; LANES]]) {
                job.run(labels);
            }
            // SAFETY: the processor has been asked.
            unsafe { with_avx2(&job, &mut self.labels) };
            return;
        }
        job.run(&mut self.labels);
    }
}

/// The search of one plane. All its numbers are whole, so every processor finds the same.
struct Labelling<'a> {
    k: usize,
    numbers: f64,
    along: &'a [f64],
    across: &'a [[f64; LANES]],
}

impl Labelling<'_> {
    #[inline(always)]
    fn run(&self, labels: &mut [[u16; LANES]]) {
        let columns = self.along.len() / self.k;
        for (across, labels) in self.across.chunks_exact(self.k).zip(labels.chunks_exact_mut(columns)) {
            for (along, labels) in self.along.chunks_exact(self.k).zip(labels) {
                let mut best = [f64::INFINITY; LANES];
                for (along, across) in along.iter().zip(across) {
                    for lane in 0..LANES {
                        best[lane] = least(best[lane], along + across[lane]);
                    }
                }
                *labels = best.map(|best| low_bits(best, self.numbers));
            }
        }
    }
}

/// The smaller of two numbers that are not NaN; one instruction.
#[inline(always)]
fn least(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

/// The centre's number in a score.
#[inline(always)]
fn low_bits(score: f64, numbers: f64) -> u16 {
    ((score + TO_LOW_BITS).to_bits() as u16) & (numbers as u32 - 1) as u16
}

/// Finds the clusters along a line, which begins and ends with the given ones, and what the line holds of each.
#[inline]
fn for_each_interval(
    before: &[Mass],
    ends: [u16; 2],
    nearest: impl Fn(usize) -> u16,
    mut found: impl FnMut(u16, Mass),
) {
    let [mut first, last] = ends;
    let (mut from, to) = (0, before.len() - 2);
    let mut done = Mass::default();
    while first != last {
        // The last cell of the first cluster's interval.
        let (mut inside, mut outside, mut next) = (from, to, last);
        while outside - inside > 1 {
            let middle = inside + (outside - inside) / 2;
            let nearest = nearest(middle);
            if nearest == first {
                inside = middle;
            } else {
                (outside, next) = (middle, nearest);
            }
        }
        found(first, before[inside + 1].without(done));
        done = before[inside + 1];
        (from, first) = (outside, next);
    }
    found(last, before[to + 1].without(done));
}
