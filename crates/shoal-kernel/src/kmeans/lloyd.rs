//! Lloyd's iteration on lattice points, with labels and sums kept from one step to the next.
//!
//! After the first steps few rows change their cluster. [`LloydState`] remembers each row's label and adds to the sums
//! only what moved, which in integers is exactly what adding everything would give.
//!
//! Memory: one, two or four bytes per row, by the number of clusters.

use rayon::prelude::*;

use crate::ClusterSums;
use crate::LatticeCentres;
use crate::SearchCentres;
use crate::nearest::centres::Search;
use crate::nearest::sums::{Move, Tally, WeightedTally, tiles_per_job};
use shoal_lattice::{LatticePoints, TILE};

/// Labels and sums of all rows.
pub struct LloydState<'a> {
    points: &'a LatticePoints,
    /// Integer weight of each row, if the rows are weighted.
    weights: Option<&'a [i64]>,
    labels: Labels,
    sums: ClusterSums,
    started: bool,
}

/// Labels in the smallest type that holds them all.
enum Labels {
    Byte(Vec<u8>),
    Short(Vec<u16>),
    Word(Vec<u32>),
}

impl<'a> LloydState<'a> {
    /// No row in any of `clusters` clusters yet. With `weights`, one per row, sums and counts are weighted; their total
    /// size must stay below `2^47`, so that no sum overflows.
    pub fn new(points: &'a LatticePoints, clusters: usize, weights: Option<&'a [i64]>) -> Self {
        let rows = points.rows();
        assert!(weights.is_none_or(|w| w.len() == rows), "one weight per row");
        let labels = match clusters {
            0..=0x100 => Labels::Byte(vec![0; rows]),
            0x101..=0x1_0000 => Labels::Short(vec![0; rows]),
            _ => Labels::Word(vec![0; rows]),
        };
        Self { points, weights, labels, sums: ClusterSums::zero(clusters, points.dims()), started: false }
    }

    /// Puts every row into the cluster of its nearest centre and returns how many rows that moved.
    ///
    /// Runs on the threads of the current rayon pool; the result does not depend on them.
    pub fn step(&mut self, centres: &LatticeCentres) -> usize {
        let centres = &SearchCentres::new(centres);
        assert_eq!(centres.count(), self.sums.counts.len(), "the number of clusters stays the same");
        let pass = Pass { points: self.points, weights: self.weights, centres, first: !self.started };
        let (change, moved) = match &mut self.labels {
            Labels::Byte(labels) => pass.all(labels),
            Labels::Short(labels) => pass.all(labels),
            Labels::Word(labels) => pass.all(labels),
        };
        self.sums.merge(&change);
        self.started = true;
        moved
    }

    /// Sums and counts after the last step.
    pub fn sums(&self) -> &ClusterSums {
        &self.sums
    }

    /// The last sums and counts, without the labels.
    pub fn into_sums(self) -> ClusterSums {
        self.sums
    }

    /// The label of a row after the last step.
    pub fn label(&self, row: usize) -> usize {
        match &self.labels {
            Labels::Byte(labels) => labels[row].into(),
            Labels::Short(labels) => labels[row].into(),
            Labels::Word(labels) => labels[row] as usize,
        }
    }
}

/// A label as stored.
trait Label: Copy + Send + Sync {
    fn new(j: i32) -> Self;
    fn get(self) -> i32;
}

macro_rules! labels {
    ($($type:ty),*) => {$(
        impl Label for $type {
            fn new(j: i32) -> Self {
                j as Self
            }

            fn get(self) -> i32 {
                self as i32
            }
        }
    )*};
}

labels!(u8, u16, u32);

/// One step over all rows.
struct Pass<'a> {
    points: &'a LatticePoints,
    weights: Option<&'a [i64]>,
    centres: &'a SearchCentres,
    first: bool,
}

impl Pass<'_> {
    fn all<L: Label>(&self, labels: &mut [L]) -> (ClusterSums, usize) {
        let job = tiles_per_job(self.points.tiles());
        labels.par_chunks_mut(job * TILE).enumerate().map(|(i, labels)| self.some(i * job, labels)).reduce(
            || (ClusterSums::zero(self.centres.count(), self.centres.dims), 0),
            |(mut a, a_moved), (b, b_moved)| {
                a.merge(&b);
                (a, a_moved + b_moved)
            },
        )
    }

    /// The rows from `first_tile` on that `labels` belong to.
    fn some<L: Label>(&self, first_tile: usize, labels: &mut [L]) -> (ClusterSums, usize) {
        let mut search = Search::new(self.centres);
        let step = search.block_tiles();
        let (clusters, dims) = (self.centres.count(), self.centres.dims);
        let mut tally = Tally::new(clusters, dims, self.centres.path(), step);
        let mut weighted = WeightedTally::new(clusters, dims);
        let mut moves = vec![Move { row: 0, from: 0, to: 0 }; step * TILE];
        let mut moved = 0;
        for (block, labels) in labels.chunks_mut(step * TILE).enumerate() {
            let start = first_tile + block * step;
            let tiles = start..start + labels.len().div_ceil(TILE);
            let cells = self.points.tile_cells(tiles.clone());
            let found = &search.labels(self.points, tiles)[..labels.len()];
            let weights = self.weights.map(|w| &w[start * TILE..][..labels.len()]);
            if self.first {
                match weights {
                    None => tally.add_all(cells, found),
                    Some(weights) => weighted.add_all(cells, found, weights),
                }
                moved += labels.len();
            } else {
                let count = collect_moves(found, labels, &mut moves);
                match weights {
                    None => tally.apply(cells, &moves[..count]),
                    Some(weights) => weighted.apply(cells, &moves[..count], weights),
                }
                moved += count;
            }
            for (label, &j) in labels.iter_mut().zip(found) {
                *label = L::new(j);
            }
        }
        let mut change = tally.finish();
        change.merge(&weighted.finish());
        (change, moved)
    }
}

/// Lists the rows whose label differs from the one before; returns how many there are.
fn collect_moves<L: Label>(found: &[i32], before: &[L], moves: &mut [Move]) -> usize {
    let mut count = 0;
    for (tile, (found, before)) in found.chunks(TILE).zip(before.chunks(TILE)).enumerate() {
        // Most tiles keep all their labels: one vectorised comparison shows it.
        if found.iter().zip(before).fold(0, |differs, (to, from)| differs | (to ^ from.get())) == 0 {
            continue;
        }
        // Written for every row, kept for those that moved: no branch to mispredict.
        for (lane, (&to, from)) in found.iter().zip(before).enumerate() {
            moves[count] = Move { row: (tile * TILE + lane) as u32, from: from.get() as u32, to: to as u32 };
            count += usize::from(from.get() != to);
        }
    }
    count
}
