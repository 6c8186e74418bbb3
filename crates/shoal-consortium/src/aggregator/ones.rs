//! How many records of each cluster have each bit set.
//!
//! Counters are kept upright: plane j of a block holds bit j of 64 counters in each word, so that adding a record is a few
//! operations on whole words. Seven records at a time are first added up to three planes.

use rayon::prelude::*;

use crate::Codes;
use crate::aggregator::hamming::Kernel;
use shoal_kernel::Members;

/// Words whose counters are kept at once: eight planes of them fit the first-level cache many times.
const BLOCK: usize = 32;

/// Records added up before they are put on the counters.
const TOGETHER: usize = 7;

/// Planes of the counters between two looks at them, and how many records they have room for.
const PLANES: usize = 8;
const ROOM: usize = (1 << PLANES) - 1;

type Words = [u64; BLOCK];

/// The ones of every bit of a record, cluster after cluster.
pub(super) fn count(codes: &Codes, members: &Members, kernel: Kernel) -> Vec<u32> {
    let record_bits = codes.record_words() * 64;
    let mut ones = vec![0u32; members.clusters() * record_bits];
    ones.par_chunks_mut(record_bits).enumerate().for_each(|(cluster, ones)| {
        let records = members.cluster(cluster);
        ones.par_chunks_mut(BLOCK * 64).enumerate().for_each(|(block, ones)| match kernel {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a kernel is only named where this machine can run it.
            Kernel::Avx2 => unsafe { count_block_avx2(codes, records, block * BLOCK, ones) },
            _ => count_block(codes, records, block * BLOCK, ones),
        });
    });
    ones
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn count_block_avx2(codes: &Codes, records: &[u32], first_word: usize, ones: &mut [u32]) {
    count_block(codes, records, first_word, ones);
}

#[inline(always)]
fn count_block(codes: &Codes, records: &[u32], first_word: usize, ones: &mut [u32]) {
    let words = ones.len() / 64;
    for records in records.chunks(ROOM / TOGETHER * TOGETHER) {
        let mut planes = [[0; BLOCK]; PLANES];
        for records in records.chunks(TOGETHER) {
            let mut seven = [[0; BLOCK]; TOGETHER];
            for (to, &record) in seven.iter_mut().zip(records) {
                to[..words].copy_from_slice(&codes.record(record as usize)[first_word..first_word + words]);
            }
            add(&mut planes, &seven);
        }
        for (word, ones) in ones.as_chunks_mut::<64>().0.iter_mut().enumerate() {
            for (bit, ones) in ones.iter_mut().enumerate() {
                let counter = |(j, plane): (usize, &Words)| ((plane[word] >> bit) as u32 & 1) << j;
                *ones += planes.iter().enumerate().map(counter).sum::<u32>();
            }
        }
    }
}

/// Sum and carry of three bits, in every place.
#[inline(always)]
fn full(a: u64, b: u64, c: u64) -> (u64, u64) {
    let either = a ^ b;
    (either ^ c, (a & b) | (either & c))
}

#[inline(always)]
fn add(planes: &mut [Words; PLANES], x: &[Words; TOGETHER]) {
    for w in 0..BLOCK {
        let (one_a, two_a) = full(x[0][w], x[1][w], x[2][w]);
        let (one_b, two_b) = full(x[3][w], x[4][w], x[5][w]);
        let (one, two_c) = full(one_a, one_b, x[6][w]);
        let (two, four) = full(two_a, two_b, two_c);
        let mut carry = 0;
        for (plane, addend) in planes.iter_mut().zip([one, two, four, 0, 0, 0, 0, 0]) {
            (plane[w], carry) = full(plane[w], addend, carry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aggregator::naive_encoder::terms;
    use shoal_noise::{NoiseSource, SeededNoise, uniform};

    #[test]
    fn counters_are_those_of_single_bits() {
        for (dims, bits, rows, k) in [(1, 1, 1, 1), (2, 100, 700, 3), (3, 700, 30, 2), (1, 64, 2000, 1)] {
            let mut source = SeededNoise::new(bits as u64);
            let mut codes = Codes::new(&terms(dims, 1.0, 0.5, bits, None));
            let words: Vec<u64> = (0..rows * codes.record_words()).map(|_| source.next_u64()).collect();
            codes.extend(&words);
            // The last label is in no cluster.
            let labels: Vec<u32> = (0..rows).map(|_| uniform::below(&mut source, k as u64 + 1) as u32).collect();
            for kernel in [Kernel::Portable, Kernel::fastest()] {
                let found = count(&codes, &Members::of(&labels, k), kernel);
                for (at, ones) in found.into_iter().enumerate() {
                    let (cluster, bit) = (at / (codes.record_words() * 64), at % (codes.record_words() * 64));
                    let set = |r: &usize| codes.record(*r)[bit / 64] >> (bit % 64) & 1 == 1;
                    let naive = (0..rows).filter(|&r| labels[r] as usize == cluster).filter(set).count();
                    assert_eq!(ones as usize, naive);
                }
            }
        }
    }
}
