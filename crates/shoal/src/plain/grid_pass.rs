//! One step of k-means on a grid: which cells are nearest to which centre, and what they add up to.
//!
//! Scores are squared distances in lattice units with the centre's number in their low bits, so that the least score
//! names the nearest centre, the lowest number on a tie, and the processor has no branch to guess. They are whole numbers
//! below 2^52, so doubles hold them exactly, and doubles can be compared several at a time everywhere.
//!
//! The grid is walked plane by plane: a plane has a line along the last axis for every cell of the axis before it. On a
//! line, each cluster is an interval. Of short lines every cell gets its number, several lines at a time; the borders
//! on long lines are found by bisection.

use super::grid_kmeans::{Mass, WeightedGrid};
use super::nearest::LatticeCentres;
use super::sums::ClusterSums;

/// Cells of a line that is short.
const SHORT: usize = 32;

/// Lines that are searched together.
const LANES: usize = 4;

/// Added to a whole number below 2^51 in size, leaves it in the low bits of the double.
const TO_LOW_BITS: f64 = 6_755_399_441_055_744.0;

/// Bits that a score may have.
const SCORE_BITS: u32 = 51;

/// The state of a search, and the sums it ends with.
pub(super) struct Pass<'a> {
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
    /// What a step along the last axis takes off the score, per centre.
    slopes: Vec<f64>,
    /// For some cells of a line, per centre: the score but for what is in `across`.
    along: Vec<f64>,
    /// For some cells of each line of the plane: the nearest centre.
    labels: Vec<[u16; LANES]>,
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
        let columns = if grid.line().len() <= SHORT { grid.line().len() } else { 2 };
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
            along: vec![0.0; columns * k],
            labels: vec![[0; LANES]; groups * columns],
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
        let (grid, dims) = (self.grid, self.grid.dims());
        let line = grid.line();
        if line.len() <= SHORT {
            self.label(depth, line);
        } else {
            self.label(depth, &[line[0], line[line.len() - 1]]);
        }
        let columns = self.along.len() / self.k;
        let rows = grid.plane_rows();
        for (row, &y) in rows.iter().enumerate() {
            let group = row / LANES;
            let labels = &self.labels[group * columns..][..columns];
            let mut target = Target {
                mass: grid.line_mass(self.lines + row),
                weights: &mut self.weights[depth],
                sums: &mut self.sums.sums,
                y: (dims > 1).then_some(i64::from(y)),
                dims,
            };
            let lane = row % LANES;
            if line.len() <= SHORT {
                target.add_labelled(labels, lane);
                continue;
            }
            let across = &self.across[group * self.k..][..self.k];
            let nearest = |cell: usize| {
                let x = f64::from(line[cell]);
                let scores = self.partial[depth].iter().zip(&self.slopes).zip(across);
                let best = scores.map(|((so_far, slope), across)| so_far - slope * x + across[lane]);
                low_bits(best.fold(f64::INFINITY, least), self.numbers)
            };
            target.add_bisected(labels[0][lane], labels[1][lane], nearest);
        }
        self.lines += rows.len();
    }

    /// Finds the nearest centre of the cells at the given places of each line.
    fn label(&mut self, depth: usize, places: &[i16]) {
        for (row, &x) in self.along.chunks_exact_mut(self.k).zip(places) {
            for ((score, so_far), slope) in row.iter_mut().zip(&self.partial[depth]).zip(&self.slopes) {
                *score = so_far - slope * f64::from(x);
            }
        }
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

/// Where the cells of a line are added.
struct Target<'a> {
    /// What the line holds up to each cell.
    mass: &'a [Mass],
    weights: &'a mut [i64],
    sums: &'a mut [i64],
    /// The coordinate along the last axis but one, if there is one.
    y: Option<i64>,
    dims: usize,
}

impl Target<'_> {
    /// Adds a line whose cells all have their labels.
    #[inline]
    fn add_labelled(&mut self, labels: &[[u16; LANES]], lane: usize) {
        let mut before = Mass::default();
        for (cell, pair) in labels.windows(2).enumerate() {
            if pair[0][lane] != pair[1][lane] {
                self.add(pair[0][lane], self.mass[cell].without(before));
                before = self.mass[cell];
            }
        }
        let end = labels.len() - 1;
        self.add(labels[end][lane], self.mass[end].without(before));
    }

    /// Adds a line that begins with the cluster `first` and ends with `last`.
    #[inline]
    fn add_bisected(&mut self, mut first: u16, last: u16, nearest: impl Fn(usize) -> u16) {
        let (mut from, to) = (0, self.mass.len() - 1);
        let mut before = Mass::default();
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
            self.add(first, self.mass[inside].without(before));
            before = self.mass[inside];
            (from, first) = (outside, next);
        }
        self.add(last, self.mass[to].without(before));
    }

    #[inline]
    fn add(&mut self, cluster: u16, mass: Mass) {
        let cluster = usize::from(cluster);
        self.weights[cluster] += mass.weight;
        let sums = &mut self.sums[cluster * self.dims..][..self.dims];
        sums[self.dims - 1] += mass.moment;
        if let Some(y) = self.y {
            sums[self.dims - 2] += mass.weight * y;
        }
    }
}
