//! Mean and variance of an attribute within intervals, remembered: boxes share their sides, and a law is slow to ask.
//!
//! Millions of look-ups go here, so the hash is one multiplication. Keys are lattice coordinates that follow from released
//! numbers: nobody chooses them to collide.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Mean and variance by axis and interval.
#[derive(Debug, Default)]
pub struct SideMoments {
    known: HashMap<u64, (f64, f64), BuildHasherDefault<OneMultiplication>>,
}

impl SideMoments {
    /// What is known of an interval of an axis, or what `compute` finds out.
    pub fn get(&mut self, axis: usize, low: i16, high: i16, compute: impl FnOnce() -> (f64, f64)) -> (f64, f64) {
        *self.known.entry(key(axis, low, high)).or_insert_with(compute)
    }
}

/// Different for all axes, below 2³², and intervals.
fn key(axis: usize, low: i16, high: i16) -> u64 {
    (axis as u64) << 32 | u64::from(low as u16) << 16 | u64::from(high as u16)
}

/// A hash of one 64-bit number.
#[derive(Default)]
struct OneMultiplication(u64);

impl Hasher for OneMultiplication {
    fn write_u64(&mut self, key: u64) {
        // The table takes its place from the low bits and a check from the high ones; a product is good at the top only.
        let product = (self.0 ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ (product >> 32);
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_side_has_its_own_moments() {
        let mut known = SideMoments::default();
        let sides =
            |axis: usize| [(-32_767, 32_767), (-1, 0), (0, -1), (0, 1), (5, 5)].map(|(low, high)| (axis, low, high));
        let all: Vec<(usize, i16, i16)> = [0, 1, 2, 70_000].into_iter().flat_map(sides).collect();
        for (i, &(axis, low, high)) in all.iter().enumerate() {
            assert_eq!(known.get(axis, low, high, || (i as f64, 0.5)), (i as f64, 0.5));
        }
        for (i, &(axis, low, high)) in all.iter().enumerate() {
            assert_eq!(known.get(axis, low, high, || unreachable!()), (i as f64, 0.5));
        }
    }

    #[test]
    fn hashes_of_neighbours_differ_in_the_bits_that_count() {
        let hash = |key: u64| {
            let mut hasher = OneMultiplication::default();
            hasher.write_u64(key);
            hasher.finish()
        };
        let keys: Vec<u64> =
            (0..64).flat_map(|low| (0..64).map(move |high| key(3, low * 512, high * 512 + 511))).collect();
        let mut places: Vec<u64> = keys.iter().map(|&key| hash(key) % 8192).collect();
        places.sort_unstable();
        places.dedup();
        // 4,096 keys at random would fill 3,223 of 8,192 places.
        assert!(places.len() > 2900, "{}", places.len());
    }
}
