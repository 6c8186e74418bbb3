//! A small answer to "was this identifier seen?": no for certain, or perhaps.
//!
//! A Bloom filter in blocks of one cache line. Identifiers come from anyone, so places are chosen by a keyed hash: nobody
//! can pick identifiers that fill one block.

use std::hash::Hasher;

use shoal_device::wire::ReportId;
use siphasher::sip128::{Hasher128, SipHasher13};

/// Bits for each identifier: one in about 150 that were not seen is asked for in vain.
const BITS: usize = 12;

/// Bits that are set for each.
const SET: u32 = 6;

/// Words of a block: 512 bits.
const WORDS: usize = 8;

/// The filter of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Filter {
    key: [u8; 16],
    words: Vec<u64>,
}

impl Filter {
    /// An empty filter for so many identifiers.
    pub(super) fn new(count: usize, key: [u8; 16]) -> Self {
        let blocks = (count * BITS).div_ceil(64 * WORDS).max(1);
        Self { key, words: vec![0; blocks * WORDS] }
    }

    fn place(&self, id: &ReportId) -> (usize, u64) {
        let mut hasher = SipHasher13::new_with_key(&self.key);
        hasher.write(&id.0);
        let hash = hasher.finish128();
        let blocks = (self.words.len() / WORDS) as u64;
        (((u128::from(hash.h1) * u128::from(blocks)) >> 64) as usize * WORDS, hash.h2)
    }

    fn bits(mut hash: u64) -> impl Iterator<Item = (usize, u64)> {
        (0..SET).map(move |_| {
            let bit = hash & 511;
            hash >>= 9;
            ((bit / 64) as usize, 1 << (bit % 64))
        })
    }

    /// Adds an identifier.
    pub(super) fn add(&mut self, id: &ReportId) {
        let (block, hash) = self.place(id);
        Self::bits(hash).for_each(|(word, bit)| self.words[block + word] |= bit);
    }

    /// Whether an identifier may have been added.
    pub(super) fn may_have(&self, id: &ReportId) -> bool {
        let (block, hash) = self.place(id);
        Self::bits(hash).all(|(word, bit)| self.words[block + word] & bit != 0)
    }

    /// The key and the words as bytes.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.key.to_vec();
        self.words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        bytes
    }

    /// Reads what [`Self::to_bytes`] wrote for so many identifiers.
    pub(super) fn from_bytes(bytes: &[u8], count: usize) -> Option<Self> {
        let (key, rest) = bytes.split_first_chunk::<16>()?;
        let mut filter = Self::new(count, *key);
        let (words, left) = rest.as_chunks::<8>();
        if words.len() != filter.words.len() || !left.is_empty() {
            return None;
        }
        filter.words.iter_mut().zip(words).for_each(|(word, bytes)| *word = u64::from_le_bytes(*bytes));
        Some(filter)
    }

    /// Bytes of a filter for so many identifiers.
    pub(super) fn length(count: usize) -> usize {
        16 + 8 * Self::new(count, [0; 16]).words.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shoal_noise::SeededNoise;

    #[test]
    fn what_was_added_is_found_and_little_else() {
        let mut noise = SeededNoise::new(1);
        let mut filter = Filter::new(50_000, [7; 16]);
        let ids: Vec<ReportId> = (0..50_000).map(|_| ReportId::random(&mut noise)).collect();
        ids.iter().for_each(|id| filter.add(id));
        assert!(ids.iter().all(|id| filter.may_have(id)));
        let others = (0..50_000).filter(|_| filter.may_have(&ReportId::random(&mut noise))).count();
        assert!(others < 1000, "{others} of 50000");
        assert_eq!(Filter::from_bytes(&filter.to_bytes(), 50_000).as_ref(), Some(&filter));
        assert_eq!(filter.to_bytes().len(), Filter::length(50_000));
        assert_eq!(Filter::from_bytes(&filter.to_bytes(), 60_000), None);
    }
}
