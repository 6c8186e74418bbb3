//! How far distances from decomposed codes are from the truth (eqs 21–23).

use shoal_noise::SeededNoise;

use crate::price::binomial::Binomial;
use crate::price::distance_error::{bit_differs, decoded, shrinkage, uniform_value};
use crate::{Terms, TermsError};

const PAIRS: usize = 2000;
const SEED: u64 = 0x5059_1925;

/// The mean absolute error over uniform records, simulated from the distribution of the one Hamming distance that a pair
/// has. The two scalars of a pair differ by the squared distance, which is all that their distribution depends on.
///
/// # Errors
/// When the ranges make no pairs; see [`Terms::decomposed`].
pub fn mean_absolute_error_of_pairs(terms: &Terms) -> Result<f64, TermsError> {
    let pair = terms.decomposed()?;
    let (attribute, tau) = (&pair.attributes()[0], shrinkage(terms.flips()));
    let mut noise = SeededNoise::new(SEED);
    let mut one = || {
        let squared: f64 = (0..terms.dims())
            .map(|i| (uniform_value(&mut noise).abs_diff(uniform_value(&mut noise)) as f64 * terms.step(i)).powi(2))
            .sum();
        let steps = (squared / attribute.step()).round() as u64;
        let law = Binomial::new(pair.bits().into(), bit_differs(attribute, tau, steps));
        let found = decoded(attribute, pair.bits(), tau, law.sample(&mut noise)) * attribute.step();
        // A root of less than nothing is read as no distance.
        (found.max(0.0).sqrt() - squared.sqrt()).abs()
    };
    Ok((0..PAIRS).map(|_| one()).sum::<f64>() / PAIRS as f64)
}
