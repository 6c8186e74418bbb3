//! The inner loop of the nearest-centre search, once per instruction set.
//!
//! All versions have one shape: the rows of a block lose their lowest bits in a small buffer; then, for each group of
//! centres, each unit of rows keeps one vector of scores per centre in registers while it walks over the attributes,
//! and the two best scores and the label so far go back to small arrays. [`crate::nearest::coarse`] defines the scores; rows with
//! two scores too close to call go on to [`crate::nearest::second_look`].

use crate::SearchCentres;
use crate::nearest::second_look::SecondLook;
use shoal_lattice::TILE;

/// Most centres whose scores are held in registers at once: two vectors each, twelve of AVX2's sixteen registers.
pub(crate) const GROUP: usize = 6;

/// Bytes of coarse coordinates in a block, leaving room in a 32 KiB first-level cache for centres and results.
const BLOCK_BYTES: usize = 12 << 10;

/// A way to run the search. All give the same labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// Plain Rust, for every machine.
    Portable,
    /// 256-bit vectors.
    Avx2,
    /// 512-bit vectors.
    Avx512,
    /// 512-bit vectors with a fused multiply-add of 16-bit pairs.
    Avx512Vnni,
}

impl Path {
    /// All paths, the fastest last.
    pub const ALL: [Path; 4] = [Path::Portable, Path::Avx2, Path::Avx512, Path::Avx512Vnni];

    /// Whether this machine can run it.
    pub fn available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            let avx512 = || is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
            match self {
                Path::Portable => true,
                Path::Avx2 => is_x86_feature_detected!("avx2"),
                Path::Avx512 => avx512(),
                Path::Avx512Vnni => avx512() && is_x86_feature_detected!("avx512vnni"),
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            self == Path::Portable
        }
    }

    /// Whether machines that can run it have 256-bit vectors.
    pub(crate) fn has_avx2(self) -> bool {
        self != Path::Portable
    }

    /// The fastest one this machine can run.
    pub fn fastest() -> Path {
        Self::ALL.into_iter().rfind(|path| path.available()).unwrap_or(Path::Portable)
    }
}

/// Buffers for one block of rows.
pub(crate) struct Block {
    tile_len: usize,
    cells: Vec<i16>,
    found: Found<Vec<i32>>,
    second_look: SecondLook,
}

/// Per row the best score, the second best, and the label of the best.
struct Found<T> {
    best: T,
    second: T,
    labels: T,
}

impl Block {
    pub(crate) fn new(dims: usize) -> Self {
        let tile_len = dims.div_ceil(2) * 2 * TILE;
        // An even number, because AVX-512 takes tiles in twos.
        let tiles = (BLOCK_BYTES / (tile_len * size_of::<i16>())).clamp(2, 16) & !1;
        let rows = || vec![0; tiles * TILE];
        Self {
            tile_len,
            cells: vec![0; tiles * tile_len],
            found: Found { best: rows(), second: rows(), labels: rows() },
            second_look: SecondLook::new(dims),
        }
    }

    pub(crate) fn capacity(&self) -> usize {
        self.found.labels.len() / TILE
    }

    /// Labels of the rows of whole tiles, given as stored by `LatticePoints`.
    pub(crate) fn search(&mut self, tiles: &[i16], centres: &SearchCentres) -> &[i32] {
        assert!(tiles.len() <= self.cells.len() && tiles.len().is_multiple_of(self.tile_len));
        let count = tiles.len() / self.tile_len;
        let rows = count.next_multiple_of(2) * TILE;
        // With an odd number of tiles the last one of the buffer is left over from before: searched, never read.
        let cells = &mut self.cells[..rows / TILE * self.tile_len];
        let Found { best, second, labels } = &mut self.found;
        let mut found = Found { best: &mut best[..rows], second: &mut second[..rows], labels: &mut labels[..rows] };
        found.best.fill(i32::MIN);
        found.second.fill(i32::MIN);
        match centres.path() {
            Path::Portable => portable::search(tiles, cells, centres, &mut found),
            // SAFETY: `SearchCentres` holds a path only after checking that this machine can run it.
            #[cfg(target_arch = "x86_64")]
            Path::Avx2 => unsafe { avx2::search(tiles, cells, centres, &mut found) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Path::Avx512 => unsafe { avx512::search(tiles, cells, centres, &mut found) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Path::Avx512Vnni => unsafe { avx512vnni::search(tiles, cells, centres, &mut found) },
            #[cfg(not(target_arch = "x86_64"))]
            _ => unreachable!("other paths are never available here"),
        }
        if let Some(margin) = centres.margin {
            let rows = found.best.as_chunks().0.iter().zip(found.second.as_chunks().0);
            let tiles = tiles.chunks_exact(self.tile_len).zip(cells.chunks_exact(self.tile_len));
            for ((tile, scores), labels) in tiles.zip(rows).zip(found.labels.chunks_exact_mut(TILE)) {
                self.second_look.tile(tile, scores, labels, centres, margin);
            }
        }
        &labels[..count * TILE]
    }
}

/// Drops the lowest bits.
#[inline(always)]
fn coarsen(tiles: &[i16], cells: &mut [i16], shift: u32) {
    for (to, &x) in cells.iter_mut().zip(tiles) {
        *to = x >> shift;
    }
}

mod portable {
    use super::{Found, SearchCentres, TILE, coarsen};

    pub(crate) fn search(tiles: &[i16], cells: &mut [i16], centres: &SearchCentres, found: &mut Found<&mut [i32]>) {
        coarsen(tiles, cells, centres.shift);
        let pairs = centres.dims.div_ceil(2);
        for group in &centres.groups {
            for (g, j) in group.clone().enumerate() {
                let words = &centres.words[group.start * pairs + g..];
                let scores = found.best.chunks_exact_mut(TILE).zip(found.second.chunks_exact_mut(TILE));
                let rows = scores.zip(found.labels.chunks_exact_mut(TILE));
                for (((best, second), labels), tile) in rows.zip(cells.chunks_exact(pairs * 2 * TILE)) {
                    let mut sums = [centres.bias[j]; TILE];
                    for (pair, &word) in
                        tile.as_chunks::<{ 2 * TILE }>().0.iter().zip(words.iter().step_by(group.len()))
                    {
                        let (even, odd) = (i32::from(word as i16), word >> 16);
                        for lane in 0..TILE {
                            sums[lane] += i32::from(pair[2 * lane]) * even + i32::from(pair[2 * lane + 1]) * odd;
                        }
                    }
                    for lane in 0..TILE {
                        let better = sums[lane] > best[lane];
                        second[lane] = second[lane].max(best[lane].min(sums[lane]));
                        best[lane] = best[lane].max(sums[lane]);
                        labels[lane] = if better { j as i32 } else { labels[lane] };
                    }
                }
            }
        }
    }
}

/// The vector versions: the code that follows, over the few operations in which instruction sets differ.
///
/// A unit is two vectors of rows, starting `$next` numbers apart: two halves of a tile, or two tiles.
#[cfg(target_arch = "x86_64")]
macro_rules! vector_search {
    ($features:literal, unit: $tiles:literal tiles, next: |$tile_len:ident| $next:expr) => {
        const LANES: usize = $tiles * TILE / 2;

        #[target_feature(enable = $features)]
        pub(crate) fn search(tiles: &[i16], cells: &mut [i16], centres: &SearchCentres, found: &mut Found<&mut [i32]>) {
            coarsen(tiles, cells, centres.shift);
            let pairs = centres.dims.div_ceil(2);
            for group in &centres.groups {
                let words = &centres.words[group.start * pairs..group.end * pairs];
                let bias = &centres.bias[group.clone()];
                let first = group.start as i32;
                match group.len() {
                    1 => search_group::<1>(cells, words, bias, first, found),
                    2 => search_group::<2>(cells, words, bias, first, found),
                    3 => search_group::<3>(cells, words, bias, first, found),
                    4 => search_group::<4>(cells, words, bias, first, found),
                    5 => search_group::<5>(cells, words, bias, first, found),
                    GROUP => search_group::<GROUP>(cells, words, bias, first, found),
                    _ => unreachable!("a group has between one and six centres"),
                }
            }
        }

        #[target_feature(enable = $features)]
        fn search_group<const G: usize>(
            cells: &[i16],
            words: &[i32],
            bias: &[i32],
            first: i32,
            found: &mut Found<&mut [i32]>,
        ) {
            let $tile_len = words.len() / G * 2 * TILE;
            let next: usize = $next;
            let rows = found.labels.len();
            let units = rows / (2 * LANES);
            assert!(cells.len() == units * $tiles * $tile_len && bias.len() == G);
            assert!(found.best.len() == rows && found.second.len() == rows);
            for unit in 0..units {
                let mut sums: [[Vector; 2]; G] = std::array::from_fn(|g| [splat(bias[g]); 2]);
                let mut at = unit * $tiles * $tile_len;
                for pair in words.chunks_exact(G) {
                    // SAFETY: `at` walks over the pairs of one tile, the first of the unit; by the assertion above
                    // `cells` holds that tile, and with it the vector `next` numbers on.
                    let rows = unsafe { [load(cells.as_ptr().add(at)), load(cells.as_ptr().add(at + next))] };
                    for g in 0..G {
                        let word = splat(pair[g]);
                        sums[g][0] = multiply_add(sums[g][0], rows[0], word);
                        sums[g][1] = multiply_add(sums[g][1], rows[1], word);
                    }
                    at += 2 * TILE;
                }
                for half in 0..2 {
                    let at = (2 * unit + half) * LANES;
                    // SAFETY: `at + LANES` is at most `units · 2 · LANES`, the length of all three arrays.
                    unsafe {
                        let mut best = load(found.best.as_ptr().add(at).cast());
                        let mut second = load(found.second.as_ptr().add(at).cast());
                        let mut label = load(found.labels.as_ptr().add(at).cast());
                        for (g, sum) in sums.iter().enumerate() {
                            second = larger(second, smaller(best, sum[half]));
                            label = choose(label, splat(first + g as i32), sum[half], best);
                            best = larger(best, sum[half]);
                        }
                        store(found.best.as_mut_ptr().add(at), best);
                        store(found.second.as_mut_ptr().add(at), second);
                        store(found.labels.as_mut_ptr().add(at), label);
                    }
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Found, GROUP, SearchCentres, TILE, coarsen};
    use std::arch::x86_64::*;

    type Vector = __m256i;

    #[target_feature(enable = "avx2")]
    fn splat(x: i32) -> Vector {
        _mm256_set1_epi32(x)
    }

    // SAFETY: the caller points to 32 readable bytes.
    #[target_feature(enable = "avx2")]
    unsafe fn load(from: *const i16) -> Vector {
        unsafe { _mm256_loadu_si256(from.cast()) }
    }

    // SAFETY: the caller points to 32 writable bytes.
    #[target_feature(enable = "avx2")]
    unsafe fn store(to: *mut i32, x: Vector) {
        unsafe { _mm256_storeu_si256(to.cast(), x) }
    }

    #[target_feature(enable = "avx2")]
    fn multiply_add(sum: Vector, a: Vector, b: Vector) -> Vector {
        _mm256_add_epi32(sum, _mm256_madd_epi16(a, b))
    }

    #[target_feature(enable = "avx2")]
    fn larger(a: Vector, b: Vector) -> Vector {
        _mm256_max_epi32(a, b)
    }

    #[target_feature(enable = "avx2")]
    fn smaller(a: Vector, b: Vector) -> Vector {
        _mm256_min_epi32(a, b)
    }

    /// `new` where `score` is larger than `best`, `old` elsewhere.
    #[target_feature(enable = "avx2")]
    fn choose(old: Vector, new: Vector, score: Vector, best: Vector) -> Vector {
        _mm256_blendv_epi8(old, new, _mm256_cmpgt_epi32(score, best))
    }

    vector_search!("avx2", unit: 1 tiles, next: |tile_len| TILE);
}

#[cfg(target_arch = "x86_64")]
macro_rules! avx512_operations {
    ($features:literal) => {
        type Vector = __m512i;

        #[target_feature(enable = $features)]
        fn splat(x: i32) -> Vector {
            _mm512_set1_epi32(x)
        }

        // SAFETY: the caller points to 64 readable bytes.
        #[target_feature(enable = $features)]
        unsafe fn load(from: *const i16) -> Vector {
            unsafe { _mm512_loadu_si512(from.cast()) }
        }

        // SAFETY: the caller points to 64 writable bytes.
        #[target_feature(enable = $features)]
        unsafe fn store(to: *mut i32, x: Vector) {
            unsafe { _mm512_storeu_si512(to.cast(), x) }
        }

        #[target_feature(enable = $features)]
        fn larger(a: Vector, b: Vector) -> Vector {
            _mm512_max_epi32(a, b)
        }

        #[target_feature(enable = $features)]
        fn smaller(a: Vector, b: Vector) -> Vector {
            _mm512_min_epi32(a, b)
        }

        /// `new` where `score` is larger than `best`, `old` elsewhere.
        #[target_feature(enable = $features)]
        fn choose(old: Vector, new: Vector, score: Vector, best: Vector) -> Vector {
            _mm512_mask_mov_epi32(old, _mm512_cmpgt_epi32_mask(score, best), new)
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use super::{Found, GROUP, SearchCentres, TILE, coarsen};
    use std::arch::x86_64::*;

    avx512_operations!("avx512f,avx512bw");

    #[target_feature(enable = "avx512f,avx512bw")]
    fn multiply_add(sum: Vector, a: Vector, b: Vector) -> Vector {
        _mm512_add_epi32(sum, _mm512_madd_epi16(a, b))
    }

    vector_search!("avx512f,avx512bw", unit: 2 tiles, next: |tile_len| tile_len);
}

#[cfg(target_arch = "x86_64")]
mod avx512vnni {
    use super::{Found, GROUP, SearchCentres, TILE, coarsen};
    use std::arch::x86_64::*;

    avx512_operations!("avx512f,avx512bw,avx512vnni");

    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    fn multiply_add(sum: Vector, a: Vector, b: Vector) -> Vector {
        _mm512_dpwssd_epi32(sum, a, b)
    }

    vector_search!("avx512f,avx512bw,avx512vnni", unit: 2 tiles, next: |tile_len| tile_len);
}
