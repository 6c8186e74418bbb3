//! A person's name without the name: 128 bits of SipHash-2-4 under a key that lasts as long as the run.
//!
//! Two persons with the same hash would be taken for one, and the promise about either would break. Under a secret key SipHash
//! is indistinguishable from a random function (Aumasson and Bernstein 2012), so among N persons that has a probability of
//! about N²/2^129: 2^−82 for ten million, less than a flaw of the machine. As with the noise, "exact" is exact given uniform
//! words.

use std::hash::Hasher;

use siphasher::sip::SipHasher24;
use siphasher::sip128::{Hasher128, SipHasher24 as SipHasher24Of128};

/// The key of a run's persons. Draw it from the run's source of noise: what is chosen among a person's rows follows from it.
#[derive(Clone, Copy)]
pub struct PersonKey {
    of_names: [u64; 2],
    of_rows: [u64; 2],
}

impl PersonKey {
    /// A key of four uniform words.
    pub fn new(words: [u64; 4]) -> Self {
        let [a, b, c, d] = words;
        Self { of_names: [a, b], of_rows: [c, d] }
    }

    /// What stands for a person.
    pub(crate) fn of(&self, name: &[u8]) -> u128 {
        let mut hasher = SipHasher24Of128::new_with_keys(self.of_names[0], self.of_names[1]);
        hasher.write(name);
        hasher.finish128().as_u128()
    }

    /// A uniform number for the `nth` row of a person. The rows with the smallest numbers are a uniform choice among the
    /// person's, which nobody else's rows influence.
    pub(crate) fn lot(&self, person: u128, nth: u64) -> u64 {
        let mut hasher = SipHasher24::new_with_keys(self.of_rows[0], self.of_rows[1]);
        hasher.write(&person.to_le_bytes());
        hasher.write(&nth.to_le_bytes());
        hasher.finish()
    }
}
