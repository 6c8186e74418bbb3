//! The attacker SZY19 §VI ends with: no anchors, but some records whose values are known beside their codes.
//!
//! The paper places y at x_a ± d̂(x_a, y). With several known records the sides are settled and the errors average out:
//! the value is the one whose expected Hamming distances (eq. 12, level beyond 2t) come closest to those seen.

use crate::consortium::Terms;
use crate::consortium::aggregator::{Decoder, hamming};
use crate::crowd::STEPS;

/// Positions tried first; the best is then looked at step by step.
const COARSE: i32 = 64;

/// An attacker who knows some records.
pub struct KnownPlaintext<'a> {
    decoder: Decoder,
    /// What a lattice step counts in the decoder's unit.
    step: f64,
    known: Vec<(i32, &'a [u64])>,
}

impl<'a> KnownPlaintext<'a> {
    /// An attacker who knows these values of an attribute, in lattice steps, and which codes are theirs.
    pub fn new(terms: &Terms, attribute: usize, known: Vec<(i32, &'a [u64])>) -> Self {
        Self { decoder: Decoder::of(terms, attribute), step: terms.step(attribute), known }
    }

    /// The most fitting position of the value with this code.
    pub fn locate(&self, code: &[u64]) -> i32 {
        let seen: Vec<(i32, f64)> =
            self.known.iter().map(|(x, known)| (*x, f64::from(hamming::distance(known, code)))).collect();
        let expected = |x: i32, y: i32| self.decoder.expected_hamming(f64::from(x.abs_diff(y)) * self.step);
        let misfit = |y: i32| -> f64 { seen.iter().map(|(x, bits)| (bits - expected(*x, y)).powi(2)).sum() };
        let last = STEPS as i32;
        let best = |candidates: &mut dyn Iterator<Item = i32>| {
            candidates.map(|y| (misfit(y), y)).min_by(|a, b| a.0.total_cmp(&b.0)).map_or(last / 2, |(_, y)| y)
        };
        let near = best(&mut (0..=last).step_by(COARSE as usize));
        best(&mut ((near - COARSE).max(0)..=(near + COARSE).min(last)))
    }
}
