//! Sums of how far rows are from a place, each clipped to a public reach, and counts, per cluster, exact.
//!
//! For a place r and a half-width w, clamp(x − r, −w, w) = clamp(x, r − w, r + w) − r. The first part stays on the
//! lattice, so it is added up in the same 32-bit vectors as plain sums; r times the count is subtracted at the end.
//!
//! # Runtime
//! As [`crate::nearest::sums`], with two more operations for each vector of coordinates.

use std::ops::Range;

use crate::ClusterSums;
use crate::Reach;
use crate::SearchCentres;
use crate::nearest::centres::Search;
use crate::nearest::sums::{LANES, Tally, Words};
use shoal_lattice::{LatticePoints, TILE};

/// What coordinates count at least and at most, in the order of the tally's partial sums.
pub struct ClipLimits {
    dims: usize,
    /// Per cluster and vector: low and high of the even attributes, low and high of the odd ones.
    vectors: Vec<[[Words; 2]; 2]>,
}

impl ClipLimits {
    /// The limits of a reach, spread out for the scan.
    pub fn new(reach: &Reach) -> Self {
        let dims = reach.dims();
        let width = dims.div_ceil(2 * LANES);
        let mut vectors = vec![[[[0; LANES]; 2]; 2]; reach.count() * width];
        for (j, of_cluster) in vectors.chunks_exact_mut(width).enumerate() {
            for axis in 0..dims {
                let (low, high) = reach.limits(j, axis);
                let [lows, highs] = &mut of_cluster[axis / 2 / LANES][axis % 2];
                lows[axis / 2 % LANES] = low.into();
                highs[axis / 2 % LANES] = high.into();
            }
        }
        Self { dims, vectors }
    }
}

/// For each centre, the clipped distances of the rows in `tiles` that are nearest to it, added up, and their number.
///
/// # Panics
/// When points, centres, reach and limits do not belong together.
pub fn clipped_sums(
    points: &LatticePoints,
    tiles: Range<usize>,
    centres: &SearchCentres,
    reach: &Reach,
    limits: &ClipLimits,
) -> ClusterSums {
    assert!([centres.dims, reach.dims(), limits.dims].iter().all(|&dims| dims == points.dims()), "the same attributes");
    assert_eq!(centres.count(), reach.count(), "one reach per centre");
    let mut search = Search::new(centres);
    let step = search.block_tiles();
    let mut tally = Tally::new(centres.count(), centres.dims, centres.path(), step);
    for first in tiles.clone().step_by(step) {
        let block = first..(first + step).min(tiles.end);
        let rows = (block.end * TILE).min(points.rows()) - block.start * TILE;
        let labels = search.labels(points, block.clone());
        tally.add_all_clamped(points.tile_cells(block), &labels[..rows], &limits.vectors);
    }
    let mut sums = tally.finish();
    for (j, &count) in sums.counts.iter().enumerate() {
        let of_cluster = &mut sums.sums[j * centres.dims..][..centres.dims];
        for (sum, &from) in of_cluster.iter_mut().zip(reach.reference().centre(j)) {
            *sum -= count * i64::from(from);
        }
    }
    sums
}
