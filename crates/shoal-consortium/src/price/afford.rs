//! The other way round: bits and ε per bit for a total that the codes of a record may give away.
//!
//! With every bit the loss grows, while the distance error falls with the root of the number of bits only: at a fixed total
//! few bits are best. The ε found are decimals, rounded down, and the promise recomputed from each stays within the total.

use serde::Serialize;
use shoal_privacy::{Amount, Epsilon};

use crate::price::distance_error::{shrinkage, standard_deviation};
use crate::price::mean_error;
use crate::promise::loss_of_bits;
use crate::{Attribute, Flips, Scale, Terms, TermsError};
use crate::{Limit, Partition, Promise};

/// Numbers of bits that are tried.
pub const GRID: &[u32] = &[1, 2, 3, 5, 7, 10, 20, 50, 100, 200, 500, 1000, 2000];
/// Significant digits of an ε per bit.
const DIGITS: i32 = 6;
/// Beyond this a flip has never been seen; more would change nothing.
const MOST_PER_BIT: f64 = 100.0;
const MOST_TRIALS: usize = 60;

/// Numbers of bits, each with the ε per bit that fits a total.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Afford {
    /// One for each number of bits that can be agreed on, ascending.
    pub rows: Vec<AffordRow>,
    /// The row with the smallest error.
    pub best: usize,
}

/// A number of bits and what comes of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AffordRow {
    /// Bits of each attribute.
    pub bits: u32,
    /// The largest ε per bit that fits.
    pub epsilon_per_bit: Epsilon,
    /// Standard deviation of the distance of equal values in the first attribute, in its unit.
    pub at_zero: f64,
    /// The mean absolute error of distances between uniform records, in the terms' scale.
    pub mean_absolute_error: f64,
}

/// Terms with each number of bits of the [`GRID`], and with `also`, whose promise stays within a total.
///
/// # Errors
/// When the attributes cannot be agreed on at all.
pub fn afford(
    total: &Limit,
    attributes: &[Attribute],
    scale: Scale,
    partition: Partition,
    also: Option<u32>,
) -> Result<Afford, TermsError> {
    let mut numbers: Vec<u32> = GRID.iter().copied().chain(also).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut rows = Vec::new();
    let mut refused = None;
    for bits in numbers {
        match row(total, attributes, scale, partition, bits) {
            Ok(Some(row)) => rows.push(row),
            Ok(None) => {}
            Err(error) => refused = Some(error),
        }
    }
    let best = rows.iter().enumerate().min_by(|a, b| a.1.mean_absolute_error.total_cmp(&b.1.mean_absolute_error));
    match (best.map(|(i, _)| i), refused) {
        (Some(best), _) => Ok(Afford { rows, best }),
        (None, Some(error)) => Err(error),
        (None, None) => Ok(Afford { rows, best: 0 }),
    }
}

fn row(
    total: &Limit,
    attributes: &[Attribute],
    scale: Scale,
    partition: Partition,
    bits: u32,
) -> Result<Option<AffordRow>, TermsError> {
    let agreed = |flips| Terms::new(attributes.to_vec(), bits, flips, scale);
    let differing = Promise::of_terms(&agreed(Flips::None)?, partition, None)?.differing.bits;
    let Some(epsilon_per_bit) = largest_per_bit(total, differing) else { return Ok(None) };
    let terms = agreed(Flips::PerBit(epsilon_per_bit.clone()))?;
    let coded = if partition == Partition::Records { terms.clone() } else { terms.decomposed()? };
    let at_zero = standard_deviation(&coded.attributes()[0], coded.bits(), shrinkage(coded.flips()), 0);
    Ok(Some(AffordRow { bits, epsilon_per_bit, at_zero, mean_absolute_error: mean_error(&terms, partition)? }))
}

/// The largest ε per bit, in decimals, for which this many differing bits stay within a total; `None` where none does.
pub fn largest_per_bit(total: &Limit, differing: u64) -> Option<Epsilon> {
    let allowed = total.loss();
    let fits = |epsilon: f64| {
        let epsilon = rounded_down(epsilon).filter(|epsilon| !epsilon.amount().is_zero())?;
        loss_of_bits(&epsilon, differing, total.delta.as_ref()).implies(&allowed).then_some(epsilon)
    };
    // Without a δ this is the answer, and with one a start: rounding down at most takes a digit off it.
    let pure = total.epsilon.amount().split(differing.max(1)).to_f64_down().min(MOST_PER_BIT);
    let mut low = pure;
    let mut best = fits(low)?;
    if total.delta.is_none() || pure >= MOST_PER_BIT {
        return Some(best);
    }
    let mut high = 2.0 * low;
    while let Some(epsilon) = fits(high) {
        (low, best) = (high, epsilon);
        if high >= MOST_PER_BIT {
            return Some(best);
        }
        high *= 2.0;
    }
    for _ in 0..MOST_TRIALS {
        if high / low < 1.0 + 1e-6 {
            break;
        }
        let middle = (low * high).sqrt();
        match fits(middle) {
            Some(epsilon) => (low, best) = (middle, epsilon),
            None => high = middle,
        }
    }
    Some(best)
}

/// So many significant decimal digits, cut.
fn rounded_down(epsilon: f64) -> Option<Epsilon> {
    if !(epsilon.is_finite() && epsilon > 0.0) {
        return None;
    }
    let exponent = epsilon.log10().floor() as i32 - (DIGITS - 1);
    // A quotient a hair below a whole number of digits, such as 0.001, is that number; the caller checks what comes out.
    let digits = (epsilon / 10_f64.powi(exponent) * (1.0 + 1e-12)).floor();
    format!("{digits}e{exponent}").parse::<Amount>().ok().map(Epsilon::new)
}
