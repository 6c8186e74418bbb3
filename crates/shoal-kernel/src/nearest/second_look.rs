//! The second look: rows whose quick scores leave a doubt are decided at full width.
//!
//! Only centres whose quick score comes within the margin of the best can be the nearest (see [`crate::nearest::coarse`]);
//! mostly those are two, and only they are compared in 64 bits. To find them, the row's quick scores are computed
//! again, eight centres at a time, which is cheaper than for every row to keep them all.

use crate::SearchCentres;
use crate::nearest::coarse::OCTET;
use shoal_lattice::TILE;

/// Room for one row.
pub(crate) struct SecondLook {
    words: Vec<i32>,
    row: Vec<i16>,
}

impl SecondLook {
    pub(crate) fn new(dims: usize) -> Self {
        Self { words: vec![0; dims.div_ceil(2)], row: vec![0; dims.div_ceil(2) * 2] }
    }

    /// Corrects the labels of one tile, given its coordinates, the quick ones, and per row the two best quick scores.
    #[inline]
    pub(crate) fn tile(
        &mut self,
        (tile, quick): (&[i16], &[i16]),
        (best, second): (&[i32; TILE], &[i32; TILE]),
        labels: &mut [i32],
        centres: &SearchCentres,
        margin: u32,
    ) {
        // The difference of two numbers in order is right without a sign, whatever their size.
        let close = |lane: usize| best[lane].wrapping_sub(second[lane]) as u32 <= margin;
        // Most tiles have no such row: one vectorised comparison shows it.
        if !(0..TILE).fold(false, |any, lane| any | close(lane)) {
            return;
        }
        for lane in (0..TILE).filter(|&lane| close(lane)) {
            labels[lane] = self.decide(tile, quick, lane, best[lane], centres, margin);
        }
    }

    /// The nearest centre of one row.
    fn decide(
        &mut self,
        tile: &[i16],
        quick: &[i16],
        lane: usize,
        best: i32,
        centres: &SearchCentres,
        margin: u32,
    ) -> i32 {
        let pairs =
            |tile| <[i16]>::as_chunks::<{ 2 * TILE }>(tile).0.iter().map(move |p| [p[2 * lane], p[2 * lane + 1]]);
        for (word, [even, odd]) in self.words.iter_mut().zip(pairs(quick)) {
            *word = i32::from(odd) << 16 | i32::from(even as u16);
        }
        for (to, pair) in self.row.as_chunks_mut::<2>().0.iter_mut().zip(pairs(tile)) {
            *to = pair;
        }
        let row = &self.row[..centres.dims];
        let mut nearest = (i64::MIN, 0);
        let octets = centres.octets.chunks_exact(self.words.len()).zip(centres.bias.chunks(OCTET)).enumerate();
        for (octet, (columns, bias)) in octets {
            let products = products(&self.words, columns, centres.path().has_avx2());
            for (lane, (&product, &bias)) in products.iter().zip(bias).enumerate() {
                if best.wrapping_sub(product + bias) as u32 > margin {
                    continue;
                }
                let j = octet * OCTET + lane;
                let product: i64 = row
                    .iter()
                    .zip(centres.exact.centre(j))
                    .map(|(&x, &c)| i64::from(i32::from(x) * i32::from(c)))
                    .sum();
                let score = 2 * product - centres.norms[j];
                if score > nearest.0 {
                    nearest = (score, j as i32);
                }
            }
        }
        nearest.1
    }
}

/// The products of one row and eight centres, all as pairs of 16-bit numbers.
fn products(row: &[i32], columns: &[[i32; OCTET]], avx2: bool) -> [i32; OCTET] {
    #[cfg(target_arch = "x86_64")]
    if avx2 {
        // SAFETY: the caller says so only of paths that include AVX2, which are in use only if the machine has it.
        return unsafe { products_avx2(row, columns) };
    }
    let mut sums = [0; OCTET];
    for (&x, column) in row.iter().zip(columns) {
        for (sum, &c) in sums.iter_mut().zip(column) {
            *sum += i32::from(x as i16) * i32::from(c as i16) + (x >> 16) * (c >> 16);
        }
    }
    sums
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn products_avx2(row: &[i32], columns: &[[i32; OCTET]]) -> [i32; OCTET] {
    use std::arch::x86_64::*;
    let mut sums = _mm256_setzero_si256();
    for (&x, column) in row.iter().zip(columns) {
        // SAFETY: eight words are one vector.
        let column = unsafe { _mm256_loadu_si256(column.as_ptr().cast()) };
        sums = _mm256_add_epi32(sums, _mm256_madd_epi16(_mm256_set1_epi32(x), column));
    }
    let mut out = [0; OCTET];
    // SAFETY: as above.
    unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), sums) };
    out
}
