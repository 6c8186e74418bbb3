//! Which centre is nearest: the search every scan and every k-means runs, in integers.
//!
//! # Definition
//! Let `d` be the number of attributes and `b ≤ 15` the largest number with `1.5 · d · 4^b < 2^31`
//! (15 for one attribute, 14 for two, 13 for ten, 12 for 64, 10 for a thousand). With `s = 15 − b`, points and
//! centres are brought to `b + 1` bits,
//!
//! ```text
//! coarse(x) = saturating_add(x, 2^(s−1)) >> s        (x itself when s = 0)
//! score_j   = coarse(x) · coarse(c_j) − floor(‖coarse(c_j)‖² / 2)
//! label     = the j with the largest score, the lowest such j on a tie
//! ```
//!
//! `score_j` is `‖coarse(x)‖²/2` minus half the squared distance, so the largest score is the nearest centre. `b` is
//! chosen so that no partial sum leaves 32 bits: the result is the same number on every processor, vector width,
//! thread count and row order. The tests hold every code path to this definition, written naively in 64 bits.
//!
//! # Why the coarse search is good enough
//! A label must only be a function of one record and of centres that are already public; which function is a matter
//! of accuracy, not of privacy. Rounding moves a point and a centre by at most half a coarse unit (`2^-b` of half the
//! box) in each attribute, so only rows that close to the border between two clusters can change sides, and for those
//! both centres are equally good. Sums and counts use all sixteen bits of the coordinates.
//!
//! # Runtime
//! `d/2 · k` multiply-adds of 16-bit pairs per row, eight (AVX2) or sixteen (AVX-512) at a time.

use std::ops::Range;

use super::kernel::{self, Path};
use crate::data::{HALF_WIDTH, LatticePoints, TILE};

/// Centres with full lattice coordinates, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LatticeCentres {
    dims: usize,
    coordinates: Vec<i16>,
}

impl LatticeCentres {
    /// Centres from `k · dims` lattice coordinates, centre after centre.
    ///
    /// # Panics
    /// When there is no centre, the length is no multiple of `dims`, or a coordinate is off the lattice.
    pub fn new(dims: usize, coordinates: Vec<i16>) -> Self {
        assert!(dims > 0 && !coordinates.is_empty(), "there is at least one centre with one attribute");
        assert_eq!(coordinates.len() % dims, 0, "every centre has a coordinate per attribute");
        assert!(!coordinates.contains(&i16::MIN), "lattice coordinates are symmetric around zero");
        Self { dims, coordinates }
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
    pub(super) fn centre_mut(&mut self, j: usize) -> &mut [i16] {
        &mut self.coordinates[j * self.dims..][..self.dims]
    }
}

/// Bits dropped from lattice coordinates before the search over `dims` attributes: `s` in the definition.
pub fn coarse_shift(dims: usize) -> u32 {
    let fits = |b: u32| 3 * (dims as u128) * (1u128 << (2 * b)) < 1u128 << 32;
    // With no bits at all a sum over 2^30 attributes would still fit; no table has as many.
    15 - (0..=15).rev().find(|&b| fits(b)).unwrap_or(0)
}

/// A lattice coordinate with `shift` bits dropped: `coarse` in the definition.
#[inline(always)]
pub fn coarse(x: i16, shift: u32) -> i16 {
    let half = ((1u32 << shift) >> 1) as i16;
    x.saturating_add(half) >> shift
}

/// Centres as the search reads them.
///
/// They are cut into groups, whose scores fit the vector registers together; in a group
/// the pairs of coordinates of all its centres stand side by side.
#[derive(Clone, Debug)]
pub struct SearchCentres {
    pub(super) dims: usize,
    pub(super) shift: u32,
    pub(super) groups: Vec<Range<usize>>,
    /// For each group, for each pair of attributes, one word (`low 16 bits = even attribute`) per centre.
    pub(super) words: Vec<i32>,
    /// `−floor(‖coarse(c_j)‖² / 2)`.
    pub(super) bias: Vec<i32>,
    path: Path,
}

impl SearchCentres {
    /// Prepares `centres` for the fastest code path of this machine.
    pub fn new(centres: &LatticeCentres) -> Self {
        Self::with_path(centres, Path::fastest())
    }

    /// Prepares `centres` for a given code path; the labels do not depend on it.
    ///
    /// # Panics
    /// When this machine cannot run the path.
    pub fn with_path(centres: &LatticeCentres, path: Path) -> Self {
        assert!(path.available(), "this machine cannot run {path:?}");
        let (k, dims) = (centres.count(), centres.dims());
        let shift = coarse_shift(dims);
        let pairs = dims.div_ceil(2);

        // Groups of nearly equal size: ten centres are 5 + 5, because 6 + 4 leaves registers idle in the second.
        let count = k.div_ceil(kernel::GROUP);
        let groups: Vec<_> = (0..count).map(|g| g * k / count..(g + 1) * k / count).collect();

        let mut words = Vec::with_capacity(k * pairs);
        for group in &groups {
            for p in 0..pairs {
                for j in group.clone() {
                    let pair = &centres.centre(j)[2 * p..(2 * p + 2).min(dims)];
                    let odd = pair.get(1).map_or(0, |&x| coarse(x, shift));
                    words.push(i32::from(odd) << 16 | i32::from(coarse(pair[0], shift) as u16));
                }
            }
        }
        let half_norm = |j| centres.centre(j).iter().map(|&x| i64::from(coarse(x, shift)).pow(2)).sum::<i64>() / 2;
        // The choice of `shift` keeps half norms under 2^30.
        let bias = (0..k).map(|j| -(half_norm(j) as i32)).collect();
        Self { dims, shift, groups, words, bias, path }
    }

    /// Number of centres.
    pub fn count(&self) -> usize {
        self.bias.len()
    }

    /// The code path the search will take.
    pub fn path(&self) -> Path {
        self.path
    }
}

/// Finds labels block by block, in buffers that stay in the first-level cache.
pub(super) struct Search<'a> {
    centres: &'a SearchCentres,
    block: kernel::Block,
}

impl<'a> Search<'a> {
    pub(super) fn new(centres: &'a SearchCentres) -> Self {
        Self { centres, block: kernel::Block::new(centres.dims) }
    }

    /// Tiles per block.
    pub(super) fn block_tiles(&self) -> usize {
        self.block.capacity()
    }

    /// Labels of the rows of `tiles` (at most [`Self::block_tiles`] of them), padding rows included.
    pub(super) fn labels(&mut self, points: &LatticePoints, tiles: Range<usize>) -> &[i32] {
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
