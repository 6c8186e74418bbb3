//! Sums and counts per cluster, exact.
//!
//! A row enters as a move from one cluster (or none) to another. Because sums are integers, adding only the rows that
//! moved gives exactly what adding all rows would, so [`crate::internals::LloydState`] can keep its sums between
//! iterations.
//!
//! # Runtime
//! Moved rows of a block are first copied out of their tiles, then added in vectors of eight pairs of attributes. Two
//! steps, because a vector load of words that were stored one by one a moment ago would wait for them.

use std::ops::Range;

use rayon::prelude::*;

use crate::LatticeCentres;
use crate::SearchCentres;
use crate::ShapeError;
use crate::internals::Path;
use crate::nearest::centres::Search;
use shoal_lattice::{LatticePoints, TILE};

/// Pairs of attributes added at once.
pub(crate) const LANES: usize = 8;

/// Moves that 32-bit partial sums can take: `65535 · 32767 < 2^31`.
const MOVES_BEFORE_OVERFLOW: usize = 65_535;

/// Sum of lattice coordinates and number of rows, per cluster.
///
/// With weighted rows (see [`kmeans_restarts`](crate::kmeans_restarts)) both are weighted by integers, which may be negative.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct ClusterSums {
    dims: usize,
    /// Sums of lattice coordinates, cluster after cluster.
    pub sums: Vec<i64>,
    /// Rows per cluster.
    pub counts: Vec<i64>,
}

/// Sums as they are written, before anyone has checked them.
#[derive(serde::Deserialize)]
struct Unchecked {
    dims: usize,
    sums: Vec<i64>,
    counts: Vec<i64>,
}

impl TryFrom<Unchecked> for ClusterSums {
    type Error = ShapeError;

    fn try_from(read: Unchecked) -> Result<Self, ShapeError> {
        Self::checked(read.dims, read.sums, read.counts)
    }
}

impl ClusterSums {
    /// Sums and counts that may have any length: an error unless every cluster has `dims` sums and a count.
    pub fn checked(dims: usize, sums: Vec<i64>, counts: Vec<i64>) -> Result<Self, ShapeError> {
        if counts.len().checked_mul(dims) != Some(sums.len()) {
            return Err(ShapeError::Uneven);
        }
        Ok(Self { dims, sums, counts })
    }

    /// Number of attributes.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// All zero.
    pub fn zero(clusters: usize, dims: usize) -> Self {
        Self { dims, sums: vec![0; clusters * dims], counts: vec![0; clusters] }
    }

    /// Other sums than those of coordinates, as if of one cluster without rows.
    pub fn of_one(sums: Vec<i64>) -> Self {
        Self { dims: sums.len(), sums, counts: vec![0] }
    }

    /// Adds the sums of other rows.
    pub fn merge(&mut self, other: &Self) {
        assert_eq!((self.dims, self.counts.len()), (other.dims, other.counts.len()), "sums of the same clusters");
        self.sums.iter_mut().zip(&other.sums).for_each(|(a, b)| *a += b);
        self.counts.iter_mut().zip(&other.counts).for_each(|(a, b)| *a += b);
    }

    /// The sums of cluster `j`.
    pub fn sum(&self, j: usize) -> &[i64] {
        &self.sums[j * self.dims..][..self.dims]
    }
}

/// One row that changed its cluster.
#[derive(Clone, Copy)]
pub(crate) struct Move {
    /// Row, counted from the first row of the block.
    pub(crate) row: u32,
    pub(crate) from: u32,
    pub(crate) to: u32,
}

/// Eight pairs of attributes of one row, or their sums.
pub(crate) type Words = [i32; LANES];

/// Adds up rows without weights.
pub(crate) struct Tally {
    totals: ClusterSums,
    vectors: bool,
    /// Vectors per row in `rows` and per cluster in `partial`.
    width: usize,
    /// Rows of the block at hand, copied out of their tiles.
    rows: Vec<Words>,
    /// Per cluster, in 32 bits: sums of the even attributes and of the odd ones.
    partial: Vec<[Words; 2]>,
    pending: usize,
}

impl Tally {
    pub(crate) fn new(clusters: usize, dims: usize, path: Path, block_tiles: usize) -> Self {
        let width = dims.div_ceil(2 * LANES);
        Self {
            totals: ClusterSums::zero(clusters, dims),
            vectors: path != Path::Portable,
            width,
            rows: vec![[0; LANES]; block_tiles * TILE * width],
            partial: vec![[[0; LANES]; 2]; clusters * width],
            pending: 0,
        }
    }

    /// Copies the rows of one block out of their tiles.
    fn untile_all(&mut self, tiles: &[i16]) {
        let pairs = self.totals.dims.div_ceil(2);
        for (tile, rows) in tiles.chunks_exact(pairs * 2 * TILE).zip(self.rows.chunks_exact_mut(TILE * self.width)) {
            untile(tile, rows, self.width, self.vectors);
        }
    }

    /// Puts the rows of one block into clusters `labels`.
    pub(crate) fn add_all(&mut self, tiles: &[i16], labels: &[i32]) {
        self.make_room(labels.len());
        self.untile_all(tiles);
        for (&j, row) in labels.iter().zip(self.rows.chunks_exact(self.width)) {
            let j = j as usize;
            self.totals.counts[j] += 1;
            add(&mut self.partial[j * self.width..][..self.width], row);
        }
    }

    /// [`Self::add_all`] of coordinates clamped to their cluster's limits, which stand as in
    /// [`ClipLimits`](crate::ClipLimits) and lie on the lattice.
    pub(crate) fn add_all_clamped(&mut self, tiles: &[i16], labels: &[i32], limits: &[[[Words; 2]; 2]]) {
        self.make_room(labels.len());
        self.untile_all(tiles);
        for &j in labels {
            self.totals.counts[j as usize] += 1;
        }
        let (rows, partial, width) = (&self.rows, &mut self.partial, self.width);
        #[cfg(target_arch = "x86_64")]
        if self.vectors {
            // SAFETY: all vector paths include AVX2, and a path is in use only if the machine can run it.
            return unsafe { add_clamped_avx2(partial, rows, labels, limits, width) };
        }
        add_clamped(partial, rows, labels, limits, width);
    }

    /// Moves rows of one block between clusters.
    pub(crate) fn apply(&mut self, tiles: &[i16], moves: &[Move]) {
        self.make_room(moves.len());
        let (width, pairs) = (self.width, self.totals.dims.div_ceil(2));
        let tile_of = |m: &Move| m.row as usize / TILE;
        for of_tile in moves.chunk_by(|a, b| tile_of(a) == tile_of(b)) {
            let t = tile_of(&of_tile[0]);
            let tile = &tiles[t * pairs * 2 * TILE..][..pairs * 2 * TILE];
            let rows = &mut self.rows[t * TILE * width..][..TILE * width];
            if of_tile.len() > 2 && self.vectors {
                untile(tile, rows, width, true);
            } else {
                for m in of_tile {
                    untile_row(tile, m.row as usize % TILE, rows, width);
                }
            }
        }
        for m in moves {
            let row = &self.rows[m.row as usize * width..][..width];
            self.totals.counts[m.to as usize] += 1;
            self.totals.counts[m.from as usize] -= 1;
            add(&mut self.partial[m.to as usize * width..][..width], row);
            subtract(&mut self.partial[m.from as usize * width..][..width], row);
        }
    }

    fn make_room(&mut self, moves: usize) {
        debug_assert!(moves <= MOVES_BEFORE_OVERFLOW);
        if self.pending + moves > MOVES_BEFORE_OVERFLOW {
            self.flush();
        }
        self.pending += moves;
    }

    fn flush(&mut self) {
        let dims = self.totals.dims;
        for (sums, partial) in self.totals.sums.chunks_exact_mut(dims).zip(self.partial.chunks_exact_mut(self.width)) {
            for (p, pair) in sums.chunks_mut(2).enumerate() {
                for (sum, part) in pair.iter_mut().zip(&partial[p / LANES]) {
                    *sum += i64::from(part[p % LANES]);
                }
            }
            partial.fill([[0; LANES]; 2]);
        }
        self.pending = 0;
    }

    /// All moves so far.
    pub(crate) fn finish(mut self) -> ClusterSums {
        self.flush();
        self.totals
    }
}

/// Adds up rows with integer weights.
pub(crate) struct WeightedTally {
    totals: ClusterSums,
}

impl WeightedTally {
    pub(crate) fn new(clusters: usize, dims: usize) -> Self {
        Self { totals: ClusterSums::zero(clusters, dims) }
    }

    /// Puts the rows of one block into clusters `labels`.
    pub(crate) fn add_all(&mut self, tiles: &[i16], labels: &[i32], weights: &[i64]) {
        for ((row, &j), &weight) in labels.iter().enumerate().zip(weights) {
            self.add(tiles, row, j as usize, weight);
        }
    }

    /// Moves rows of one block between clusters.
    pub(crate) fn apply(&mut self, tiles: &[i16], moves: &[Move], weights: &[i64]) {
        for m in moves {
            let weight = weights[m.row as usize];
            self.add(tiles, m.row as usize, m.to as usize, weight);
            self.add(tiles, m.row as usize, m.from as usize, -weight);
        }
    }

    fn add(&mut self, tiles: &[i16], row: usize, j: usize, weight: i64) {
        let dims = self.totals.dims;
        let pairs = dims.div_ceil(2);
        let tile = &tiles[row / TILE * pairs * 2 * TILE..][..pairs * 2 * TILE];
        self.totals.counts[j] += weight;
        let sums = &mut self.totals.sums[j * dims..][..dims];
        for (pair, sums) in tile.as_chunks::<{ 2 * TILE }>().0.iter().zip(sums.chunks_mut(2)) {
            let lane = 2 * (row % TILE);
            for (sum, &x) in sums.iter_mut().zip(&pair[lane..lane + 2]) {
                *sum += weight * i64::from(x);
            }
        }
    }

    /// All moves so far.
    pub(crate) fn finish(self) -> ClusterSums {
        self.totals
    }
}

#[inline(always)]
fn add(partial: &mut [[Words; 2]], row: &[Words]) {
    for ([even, odd], words) in partial.iter_mut().zip(row) {
        *even = std::array::from_fn(|lane| even[lane] + (words[lane] << 16 >> 16));
        *odd = std::array::from_fn(|lane| odd[lane] + (words[lane] >> 16));
    }
}

#[inline(always)]
fn subtract(partial: &mut [[Words; 2]], row: &[Words]) {
    for ([even, odd], words) in partial.iter_mut().zip(row) {
        *even = std::array::from_fn(|lane| even[lane] - (words[lane] << 16 >> 16));
        *odd = std::array::from_fn(|lane| odd[lane] - (words[lane] >> 16));
    }
}

#[inline(always)]
fn add_clamped(partial: &mut [[Words; 2]], rows: &[Words], labels: &[i32], limits: &[[[Words; 2]; 2]], width: usize) {
    for (&j, row) in labels.iter().zip(rows.chunks_exact(width)) {
        let first = j as usize * width;
        let sums = partial[first..][..width].iter_mut().zip(&limits[first..][..width]);
        for (([even, odd], [evens, odds]), words) in sums.zip(row) {
            let clamped = |x: i32, limits: &[Words; 2], lane: usize| x.max(limits[0][lane]).min(limits[1][lane]);
            *even = std::array::from_fn(|lane| even[lane] + clamped(words[lane] << 16 >> 16, evens, lane));
            *odd = std::array::from_fn(|lane| odd[lane] + clamped(words[lane] >> 16, odds, lane));
        }
    }
}

/// The same, compiled for vectors that know a minimum and a maximum.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_clamped_avx2(
    partial: &mut [[Words; 2]],
    rows: &[Words],
    labels: &[i32],
    limits: &[[[Words; 2]; 2]],
    width: usize,
) {
    add_clamped(partial, rows, labels, limits, width);
}

/// Copies row `lane` of a tile to its place in `rows`.
fn untile_row(tile: &[i16], lane: usize, rows: &mut [Words], width: usize) {
    let row = rows[lane * width..][..width].as_flattened_mut();
    for (pair, word) in tile.as_chunks::<{ 2 * TILE }>().0.iter().zip(row) {
        *word = i32::from(pair[2 * lane + 1]) << 16 | i32::from(pair[2 * lane] as u16);
    }
}

/// Copies all rows of a tile to `rows`, one after the other, each padded to `width` vectors.
fn untile(tile: &[i16], rows: &mut [Words], width: usize, vectors: bool) {
    #[cfg(target_arch = "x86_64")]
    if vectors {
        // SAFETY: all vector paths include AVX2, and a path is in use only if the machine can run it.
        return unsafe { untile_avx2(tile, rows, width) };
    }
    for lane in 0..TILE {
        untile_row(tile, lane, rows, width);
    }
}

/// Transposes squares of eight rows by eight pairs of attributes.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn untile_avx2(tile: &[i16], rows: &mut [Words], width: usize) {
    use std::arch::x86_64::*;
    let (pairs, _) = tile.as_chunks::<{ 2 * TILE }>();
    for (square, pairs) in pairs.chunks(LANES).enumerate() {
        for half in 0..2 {
            let mut v = [_mm256_setzero_si256(); LANES];
            for (v, pair) in v.iter_mut().zip(pairs) {
                // SAFETY: 16 of the pair's 32 numbers.
                *v = unsafe { _mm256_loadu_si256(pair.as_ptr().add(half * TILE).cast()) };
            }
            // Interleave pairs p and p+1, then twos and twos, then fours and fours.
            let twos: [_; LANES] = std::array::from_fn(|i| {
                let (a, b) = (v[i & !1], v[i | 1]);
                if i & 1 == 0 { _mm256_unpacklo_epi32(a, b) } else { _mm256_unpackhi_epi32(a, b) }
            });
            let fours: [_; LANES] = std::array::from_fn(|i| {
                let (a, b) = (twos[(i & 4) | (i >> 1 & 1)], twos[(i & 4) | 2 | (i >> 1 & 1)]);
                if i & 1 == 0 { _mm256_unpacklo_epi64(a, b) } else { _mm256_unpackhi_epi64(a, b) }
            });
            for i in 0..LANES {
                let (a, b) = (fours[i & 3], fours[4 | (i & 3)]);
                let row = if i < 4 {
                    _mm256_permute2x128_si256::<0x20>(a, b)
                } else {
                    _mm256_permute2x128_si256::<0x31>(a, b)
                };
                let to = &mut rows[(half * LANES + i) * width + square];
                // SAFETY: a `Words` has room for one vector.
                unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), row) };
            }
        }
    }
}

/// Sums and counts per cluster of the rows in `tiles`, each row in the cluster of its nearest centre.
pub fn sums_and_counts(points: &LatticePoints, tiles: Range<usize>, centres: &SearchCentres) -> ClusterSums {
    assert_eq!(points.dims(), centres.dims, "points and centres have the same attributes");
    let mut search = Search::new(centres);
    let step = search.block_tiles();
    let mut tally = Tally::new(centres.count(), centres.dims, centres.path(), step);
    for first in tiles.clone().step_by(step) {
        let block = first..(first + step).min(tiles.end);
        let rows = (block.end * TILE).min(points.rows()) - block.start * TILE;
        let labels = search.labels(points, block.clone());
        tally.add_all(points.tile_cells(block), &labels[..rows]);
    }
    tally.finish()
}

/// Tiles given to a thread at a time.
pub(crate) fn tiles_per_job(tiles: usize) -> usize {
    tiles.div_ceil(8 * rayon::current_num_threads()).max(256)
}

/// [`sums_and_counts`] of all rows, on all threads of the current rayon pool. The result does not depend on them.
pub fn sums_and_counts_parallel(points: &LatticePoints, centres: &LatticeCentres) -> ClusterSums {
    let centres = SearchCentres::new(centres);
    let tiles = points.tiles();
    let job = tiles_per_job(tiles);
    (0..tiles.div_ceil(job))
        .into_par_iter()
        .map(|i| sums_and_counts(points, i * job..((i + 1) * job).min(tiles), &centres))
        .reduce(
            || ClusterSums::zero(centres.count(), centres.dims),
            |mut a, b| {
                a.merge(&b);
                a
            },
        )
}
