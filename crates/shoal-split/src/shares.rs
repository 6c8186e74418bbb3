//! Additive shares modulo 2^64.
//!
//! *What.* Numbers a are divided into h shares that add up to a modulo 2^64. All but the first are the output of ChaCha20 on
//! a seed of their own, so their helpers get 32 bytes; the first is a less all of these.
//!
//! *Privacy.* Given uniform pads, any h − 1 of the shares are independent of a and uniform: without the first they are pads;
//! with it one pad is missing, and that pad hides the first. ChaCha20 and HMAC stand for uniform functions here.
//!
//! *Fresh pads.* A seed is HMAC(secret, run, round, bound, helper), where `bound` is the hash of the question, of its
//! noise and of everything before it (R4). So equal numbers under another question, round or run have other pads, and
//! whoever sees two first shares never sees the difference of two exact answers.

use shoal_noise::{NoiseSource, SeededNoise};

use crate::hash::{Hash, hmac};
use crate::message::RunId;

/// What a pad is expanded from. As secret as the numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Seed(pub [u8; 32]);

impl Seed {
    /// The seed of one helper's pad for one answer of one run.
    pub fn derived(secret: &[u8; 32], run: &RunId, round: u32, bound: &Hash, helper: usize) -> Self {
        let message =
            [&b"shoal split 1 seed"[..], &run.0, &round.to_le_bytes(), &bound.0, &(helper as u64).to_le_bytes()];
        Self(hmac(secret, &message.concat()))
    }

    /// The pad: as many uniform words as asked for.
    pub fn pad(&self, numbers: usize) -> Vec<u64> {
        let mut words = SeededNoise::from_key(self.0);
        (0..numbers).map(|_| words.next_u64()).collect()
    }
}

/// What one helper gets of an answer.
#[derive(Clone, PartialEq, Eq)]
pub enum Share {
    /// For the first helper: the numbers less all pads.
    Words(Vec<u64>),
    /// For the others: what their pad is expanded from.
    Seed(Seed),
}

impl Share {
    /// The share as numbers.
    pub fn words(&self, numbers: usize) -> Vec<u64> {
        match self {
            Self::Words(words) => words.clone(),
            Self::Seed(seed) => seed.pad(numbers),
        }
    }
}

/// Divides numbers into one share more than there are seeds.
pub fn split(mut numbers: Vec<u64>, seeds: &[Seed]) -> Vec<Share> {
    for seed in seeds {
        let pad = seed.pad(numbers.len());
        subtract(&mut numbers, &pad);
    }
    let others = seeds.iter().map(|&seed| Share::Seed(seed));
    std::iter::once(Share::Words(numbers)).chain(others).collect()
}

/// Adds modulo 2^64.
pub fn add(total: &mut [u64], more: &[u64]) {
    assert_eq!(total.len(), more.len(), "lengths follow from the question");
    total.iter_mut().zip(more).for_each(|(total, more)| *total = total.wrapping_add(*more));
}

fn subtract(total: &mut [u64], less: &[u64]) {
    total.iter_mut().zip(less).for_each(|(total, less)| *total = total.wrapping_sub(*less));
}

/// Reads numbers modulo 2^64 as signed.
pub fn signed(words: &[u64]) -> Vec<i64> {
    words.iter().map(|&word| word as i64).collect()
}

/// Signed numbers modulo 2^64.
pub fn wrapped(numbers: &[i64]) -> Vec<u64> {
    numbers.iter().map(|&number| number as u64).collect()
}
