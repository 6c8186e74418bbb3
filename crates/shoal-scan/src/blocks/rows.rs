//! Rows gathered for blocks: the partial answer of a query that is not a sum.

use std::ops::Range;

use rayon::prelude::*;
use shoal_kernel::BlockKMeans;
use shoal_lattice::LatticePoints;

use crate::{BlockDraw, MergeError};

/// Rows of the wanted blocks with their places, in ascending order of place.
///
/// The order matters: k-means in a block depends on the order of its rows, and theirs is that of the whole table,
/// whichever shard a row was in.
pub(crate) struct BlockRows {
    pub(crate) places: Vec<u64>,
    pub(crate) points: LatticePoints,
}

impl BlockRows {
    pub(crate) fn none(dims: usize) -> Self {
        Self { places: Vec::new(), points: LatticePoints::new(dims) }
    }

    /// Adds the rows of a chunk that belong to wanted blocks; `deal` stands at the place of the chunk's first row.
    pub(crate) fn gather(&mut self, chunk: &LatticePoints, first: u64, deal: &mut crate::Deal, wanted: &Range<usize>) {
        let mut row = vec![0; chunk.dims()];
        for (r, block) in (0..chunk.rows()).zip(deal) {
            if wanted.contains(&block) {
                chunk.copy_row(r, &mut row);
                self.points.push_row(&row);
                self.places.push(first + r as u64);
            }
        }
    }

    /// All rows of both, in the order of their places.
    pub(crate) fn merge(self, other: Self) -> Result<Self, MergeError> {
        let (mut left, mut right) = (self, other);
        if left.places.first() > right.places.first() {
            std::mem::swap(&mut left, &mut right);
        }
        if left.places.is_empty() {
            return Ok(right);
        }
        let dims = left.points.dims();
        let mut row = vec![0; dims];
        let mut all = Self::none(dims);
        if left.places.last() < right.places.first() {
            // Shards are runs of rows as a rule.
            all = std::mem::replace(&mut left, Self::none(dims));
        }
        let (mut l, mut r) = (0, 0);
        while l < left.places.len() || r < right.places.len() {
            let from_left = match (left.places.get(l), right.places.get(r)) {
                (Some(a), Some(b)) if a == b => return Err(MergeError::Overlap),
                (Some(a), Some(b)) => a < b,
                (left, _) => left.is_some(),
            };
            let (from, at) = if from_left { (&left, &mut l) } else { (&right, &mut r) };
            from.points.copy_row(*at, &mut row);
            all.points.push_row(&row);
            all.places.push(from.places[*at]);
            *at += 1;
        }
        Ok(all)
    }

    /// k-means in each wanted block.
    pub(crate) fn finish(&self, draw: &BlockDraw, wanted: &Range<usize>, work: &BlockKMeans) -> Vec<Vec<i16>> {
        let dims = self.points.dims();
        let mut blocks: Vec<_> = wanted.clone().map(|_| LatticePoints::new(dims)).collect();
        let mut deal = draw.deal();
        let mut row = vec![0; dims];
        for (r, &place) in self.places.iter().enumerate() {
            let block = deal.block_of(place);
            // Rows of other blocks were refused where they came from.
            if wanted.contains(&block) {
                self.points.copy_row(r, &mut row);
                blocks[block - wanted.start].push_row(&row);
            }
        }
        blocks.par_iter().map(|rows| work.centres(rows)).collect()
    }

    /// Whether places ascend and every row belongs to a wanted block.
    pub(crate) fn belongs_to(&self, draw: &BlockDraw, wanted: &Range<usize>) -> bool {
        let mut deal = draw.deal();
        self.places.is_sorted_by(|a, b| a < b)
            && self.places.iter().all(|&place| wanted.contains(&deal.block_of(place)))
    }
}
