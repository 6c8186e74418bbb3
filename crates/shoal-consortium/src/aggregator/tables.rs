//! Sums of a cluster's ones over the bits that a record has set.
//!
//! For every four bits of a code a table holds the sums of all sixteen cases, byte by byte, so that one instruction looks
//! up 32 records at once. Tables beat counting the ones of records and bit planes together, which takes as many steps
//! for each word as counters have bits.

use crate::aggregator::hamming::Kernel;

/// Records looked up at once.
pub(super) const RECORDS: usize = 32;

/// Four bits of 32 records, a byte each.
pub(super) type HalfBytes = [u8; RECORDS];

/// Halves of bytes in a word.
const HALVES: usize = 16;

/// Half-bytes whose looked-up bytes fit in 16 bits: 256 · 255 < 2^16.
const ROOM: usize = 256;

/// The tables of one cluster and some words: for each four bits and each byte of the sums, sixteen bytes.
pub(super) struct Tables {
    bytes: Vec<[u8; 16]>,
    /// Bytes of a sum.
    planes: usize,
}

impl Tables {
    /// From the ones of each bit, of a cluster with so many records.
    pub(super) fn of(ones: &[u32], size: usize) -> Self {
        let most = 4 * size as u64;
        let planes = (1..4).find(|planes| most < 1 << (8 * planes)).unwrap_or(4);
        let mut bytes = vec![[0; 16]; ones.len() / 4 * planes];
        for (ones, tables) in ones.as_chunks::<4>().0.iter().zip(bytes.chunks_exact_mut(planes)) {
            for case in 0..16 {
                let sum: u32 = (0..4).filter(|bit| case >> bit & 1 == 1).map(|bit| ones[bit]).sum();
                for (plane, table) in tables.iter_mut().enumerate() {
                    table[case] = (sum >> (8 * plane)) as u8;
                }
            }
        }
        Self { bytes, planes }
    }

    /// The sums for 32 records over the code that starts at a word of the record.
    pub(super) fn sums(&self, kernel: Kernel, first_word: usize, halves: &[HalfBytes]) -> [u32; RECORDS] {
        let start = first_word * HALVES * self.planes;
        let tables = &self.bytes[start..start + halves.len() * self.planes];
        let mut sums = [0; RECORDS];
        for (halves, tables) in halves.chunks(ROOM).zip(tables.chunks(ROOM * self.planes)) {
            match (kernel, self.planes) {
                // SAFETY: a kernel is only named where this machine can run it; those with 512 bits have these, too.
                #[cfg(target_arch = "x86_64")]
                (Kernel::Avx2 | Kernel::Avx512, 1) => unsafe { avx2::add::<1>(tables, halves, &mut sums) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                (Kernel::Avx2 | Kernel::Avx512, 2) => unsafe { avx2::add::<2>(tables, halves, &mut sums) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                (Kernel::Avx2 | Kernel::Avx512, 3) => unsafe { avx2::add::<3>(tables, halves, &mut sums) },
                _ => self.add(tables, halves, &mut sums),
            }
        }
        sums
    }

    fn add(&self, tables: &[[u8; 16]], halves: &[HalfBytes], sums: &mut [u32; RECORDS]) {
        for (halves, tables) in halves.iter().zip(tables.chunks_exact(self.planes)) {
            for (plane, table) in tables.iter().enumerate() {
                for (sum, &half) in sums.iter_mut().zip(halves) {
                    *sum += u32::from(table[usize::from(half & 15)]) << (8 * plane);
                }
            }
        }
    }
}

/// Takes the codes of up to 32 records apart into half-bytes, all records side by side. Missing records have no ones.
pub(super) fn split<'a>(codes: impl Iterator<Item = &'a [u64]>, halves: &mut [HalfBytes]) {
    let mut missing = RECORDS;
    for (r, code) in codes.take(RECORDS).enumerate() {
        missing -= 1;
        for (word, halves) in code.iter().zip(halves.as_chunks_mut::<HALVES>().0) {
            for (byte, pair) in word.to_le_bytes().into_iter().zip(halves.as_chunks_mut::<2>().0) {
                pair[0][r] = byte & 15;
                pair[1][r] = byte >> 4;
            }
        }
    }
    for half in halves {
        half[RECORDS - missing..].fill(0);
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{HalfBytes, RECORDS, ROOM};

    #[target_feature(enable = "avx2")]
    pub(super) fn add<const PLANES: usize>(tables: &[[u8; 16]], halves: &[HalfBytes], sums: &mut [u32; RECORDS]) {
        assert!(halves.len() <= ROOM, "sums of bytes fit 16 bits");
        let zero = _mm256_setzero_si256();
        // Pairs of bytes, the upper ones pushing the lower ones' sums up, and the upper ones alone.
        let (mut both, mut upper) = ([zero; PLANES], [zero; PLANES]);
        for (half, tables) in halves.iter().zip(tables.as_chunks::<PLANES>().0) {
            // SAFETY: there are 32 bytes.
            let half = unsafe { _mm256_loadu_si256(half.as_ptr().cast()) };
            for plane in 0..PLANES {
                // SAFETY: there are 16 bytes.
                let table = unsafe { _mm_loadu_si128(tables[plane].as_ptr().cast()) };
                let found = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), half);
                both[plane] = _mm256_add_epi16(both[plane], found);
                upper[plane] = _mm256_add_epi16(upper[plane], _mm256_srli_epi16::<8>(found));
            }
        }
        for plane in 0..PLANES {
            let lower = _mm256_sub_epi16(both[plane], _mm256_slli_epi16::<8>(upper[plane]));
            let (mut even, mut odd) = ([0u16; RECORDS / 2], [0u16; RECORDS / 2]);
            // SAFETY: there are 32 bytes in each.
            unsafe {
                _mm256_storeu_si256(even.as_mut_ptr().cast(), lower);
                _mm256_storeu_si256(odd.as_mut_ptr().cast(), upper[plane]);
            }
            for (pair, (even, odd)) in sums.as_chunks_mut::<2>().0.iter_mut().zip(even.into_iter().zip(odd)) {
                pair[0] += u32::from(even) << (8 * plane);
                pair[1] += u32::from(odd) << (8 * plane);
            }
        }
    }
}
