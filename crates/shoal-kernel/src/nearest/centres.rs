//! Which centre is nearest: the search every scan and every k-means runs, in integers.
//!
//! # Definition
//! The label of a point `x` is the `j` whose centre `c_j` is nearest to it on the lattice, the lowest such `j` on a tie:
//! the first largest `2x·c_j − ‖c_j‖²`, in exact integers. It is the same number on every processor, vector width,
//! thread count and row order; the tests hold every code path to this definition, written naively in 64 bits.
//!
//! # Runtime
//! `d/2 · k` multiply-adds of 16-bit pairs per row for `d` attributes and `k` centres, eight (AVX2) or sixteen (AVX-512)
//! at a time. They give scores of fewer bits, and with them a proof that the best one is the nearest, but for rows very
//! close to the border between two clusters ([`crate::nearest::coarse`]). Those get a second look ([`crate::nearest::second_look`]): some
//! two to nine rows in ten thousand with ten attributes and ten centres, about one in a hundred with 64 and a hundred.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::SearchCentres;
use crate::ShapeError;
use crate::nearest::kernel;
use shoal_lattice::{HALF_WIDTH, LatticePoints, TILE};

/// Centres with full lattice coordinates, one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct LatticeCentres {
    dims: usize,
    coordinates: Vec<i16>,
}

/// Centres as they are written, before anyone has checked them.
#[derive(Deserialize)]
struct Unchecked {
    dims: usize,
    coordinates: Vec<i16>,
}

impl TryFrom<Unchecked> for LatticeCentres {
    type Error = ShapeError;

    fn try_from(read: Unchecked) -> Result<Self, ShapeError> {
        Self::checked(read.dims, read.coordinates)
    }
}

impl LatticeCentres {
    /// Centres from `k · dims` lattice coordinates, centre after centre.
    ///
    /// # Panics
    /// When there is no centre, the length is no multiple of `dims`, or a coordinate is off the lattice.
    pub fn new(dims: usize, coordinates: Vec<i16>) -> Self {
        Self::checked(dims, coordinates).unwrap_or_else(|wrong| panic!("{wrong}"))
    }

    /// [`LatticeCentres::new`] for numbers that may be anything: an error where that would panic.
    pub fn checked(dims: usize, coordinates: Vec<i16>) -> Result<Self, ShapeError> {
        if dims == 0 || coordinates.is_empty() {
            return Err(ShapeError::Empty);
        }
        if !coordinates.len().is_multiple_of(dims) {
            return Err(ShapeError::Uneven);
        }
        if coordinates.contains(&i16::MIN) {
            return Err(ShapeError::OffLattice);
        }
        Ok(Self { dims, coordinates })
    }

    /// Centres from box units: `[-1, 1]` is the box, coordinates outside are moved to its edge, the rest is rounded
    /// to the lattice, halves away from zero. A NaN becomes the middle of the box.
    pub fn from_unit(dims: usize, coordinates: &[f64]) -> Self {
        let half = f64::from(HALF_WIDTH);
        // A float to integer cast turns NaN into 0.
        Self::new(dims, coordinates.iter().map(|x| (x.clamp(-1.0, 1.0) * half).round() as i16).collect())
    }

    /// The coordinates in box units, centre after centre.
    pub fn to_unit(&self) -> Vec<f64> {
        self.coordinates.iter().map(|&x| f64::from(x) / f64::from(HALF_WIDTH)).collect()
    }

    /// Number of centres.
    pub fn count(&self) -> usize {
        self.coordinates.len() / self.dims
    }

    /// Number of attributes.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// The lattice coordinates of centre `j`.
    pub fn centre(&self, j: usize) -> &[i16] {
        &self.coordinates[j * self.dims..][..self.dims]
    }

    /// Changes the lattice coordinates of centre `j`; they must stay on the lattice.
    pub(crate) fn centre_mut(&mut self, j: usize) -> &mut [i16] {
        &mut self.coordinates[j * self.dims..][..self.dims]
    }
}

/// Finds labels block by block, in buffers that stay in the first-level cache.
pub(crate) struct Search<'a> {
    centres: &'a SearchCentres,
    block: kernel::Block,
}

impl<'a> Search<'a> {
    pub(crate) fn new(centres: &'a SearchCentres) -> Self {
        Self { centres, block: kernel::Block::new(centres.dims) }
    }

    /// Tiles per block.
    pub(crate) fn block_tiles(&self) -> usize {
        self.block.capacity()
    }

    /// Labels of the rows of `tiles` (at most [`Self::block_tiles`] of them), padding rows included.
    pub(crate) fn labels(&mut self, points: &LatticePoints, tiles: Range<usize>) -> &[i32] {
        self.block.search(points.tile_cells(tiles), self.centres)
    }
}

/// Labels of the rows in `tiles`, padding rows left out.
///
/// # Panics
/// When points and centres differ in their attributes, or `labels` is not as long as there are rows.
pub fn assign(points: &LatticePoints, tiles: Range<usize>, centres: &SearchCentres, labels: &mut [u32]) {
    assert_eq!(points.dims(), centres.dims, "points and centres have the same attributes");
    let end = (tiles.end * TILE).min(points.rows());
    assert_eq!(labels.len(), end.saturating_sub(tiles.start * TILE), "one label per row");
    let mut search = Search::new(centres);
    let step = search.block_tiles();
    for (block, out) in labels.chunks_mut(step * TILE).enumerate() {
        let first = tiles.start + block * step;
        let found = search.labels(points, first..(first + step).min(tiles.end));
        for (label, &j) in out.iter_mut().zip(found) {
            *label = j as u32;
        }
    }
}
