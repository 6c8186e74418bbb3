//! The attacker SZY19 §VI ends with: no anchors, but some records whose values are known beside their codes.
//!
//! The paper places y at x_a ± d̂(x_a, y). With several known records the sides are settled and the errors average out. Over
//! the draw of anchors and flips each Hamming distance to a known record is binomial (eq. 12, level beyond 2t); taken as
//! normal and independent, they give a posterior over the range, whose mean is the place. Where the codes say nothing that
//! is the middle.

use shoal_consortium::Terms;
use shoal_consortium::aggregator::{Decoder, hamming};
use shoal_lattice::STEPS;

/// Places at which the posterior is computed: finer than any error that attackers make.
const PLACES: i32 = 2048;

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

    /// Where the value with this code is, in lattice steps: the mean of the posterior.
    pub fn locate(&self, code: &[u64]) -> f64 {
        let seen: Vec<(i32, f64)> =
            self.known.iter().map(|(x, known)| (*x, f64::from(hamming::distance(known, code)))).collect();
        let bits = f64::from(self.decoder.bits());
        let ln_likelihood = |y: i32| -> f64 {
            let of_one = |(x, differing): &(i32, f64)| {
                let q = self.decoder.differs(f64::from(x.abs_diff(y)) * self.step);
                // Without flips q may be 0, where any bit that differs rules the place out; a whole bit is kept as doubt.
                let variance = (bits * q * (1.0 - q)).max(1.0);
                -(differing - bits * q).powi(2) / (2.0 * variance) - variance.ln() / 2.0
            };
            seen.iter().map(of_one).sum()
        };
        let places: Vec<i32> =
            (0..PLACES).map(|i| (i64::from(i) * STEPS as i64 / i64::from(PLACES - 1)) as i32).collect();
        let likelihoods: Vec<f64> = places.iter().map(|y| ln_likelihood(*y)).collect();
        let most = likelihoods.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b));
        let weights = || likelihoods.iter().map(|l| (l - most).exp());
        let mean: f64 = places.iter().zip(weights()).map(|(y, w)| f64::from(*y) * w).sum();
        mean / weights().sum::<f64>()
    }
}
