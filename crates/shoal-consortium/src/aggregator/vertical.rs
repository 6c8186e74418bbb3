//! Distances where Alice holds some attributes of the records and Bob the others (SZY19, Section IV-B).
//!
//! Alice knows her part L² exactly and estimates Bob's part R², in one of two ways:
//! - *attribute by attribute* (eq. 20): Bob sends the codes of all his attributes, [`attribute_wise`];
//! - *decomposed* (eqs 21 to 23): for each *pair* of records Bob codes two scalars, Σ(p²+q²) and Σ2pq, whose distance is
//!   R² itself, [`decomposed`]. So every record is in n−1 pairs, and its loss adds up over them.
//!
//! Then d̂ = √max(0, L² + R̂²), [`combine`].
//!
//! *Deviations*: eq. 20 lacks the square of the decoded distances and is read with it; [`as_printed`] is eq. 20 to the
//! letter, with which distances are added to squares. Squares of estimates are too large
//! by the estimates' variance on average, which is subtracted unless the caller asks not to. Eq. 23's μ_max is
//! [`Terms::decomposed`]'s, extended by the window as everywhere. A negative sum is taken for zero.

use crate::aggregator::AggregatorError;
use crate::aggregator::estimate::Decoder;
use crate::aggregator::hamming::distance;
use crate::aggregator::hamming_sum::HammingSum;
use crate::aggregator::horizontal::Horizontal;
use crate::{Codes, Scale, Terms, pair_scalars};
use shoal_kernel::Condensed;

/// R̂² of all pairs from the codes of Bob's attributes (eq. 20, with its square). `subtract_variance` subtracts what
/// squares of estimates are too large by.
pub fn attribute_wise(terms: &Terms, codes: &Codes, subtract_variance: bool) -> Result<Condensed, AggregatorError> {
    let distances = Horizontal::new(terms, codes)?;
    let distances = if subtract_variance { distances.unbiased() } else { distances };
    Ok(distances.condensed_squares())
}

/// R̂² of all pairs from the codes of Bob's attributes by eq. 20 as the paper prints it: decoded distances are added up
/// without their square, so that next to nothing is left of Bob's part. For comparisons with the paper only.
pub fn as_printed(terms: &Terms, codes: &Codes) -> Result<Condensed, AggregatorError> {
    Ok(HammingSum::new(terms, codes)?.condensed())
}

/// R̂² of all pairs of so many records from the codes of their two scalars (eq. 23), without bias as it is. `pair_terms`
/// are [`Terms::decomposed`] of Bob's terms, and `code_pair` gives the codes of a pair by its number in the order (0,1),
/// (0,2), …, (n−2,n−1), of which there must be `given`.
pub fn decomposed<'a>(
    pair_terms: &Terms,
    records: usize,
    given: usize,
    code_pair: impl Fn(usize) -> (&'a [u64], &'a [u64]),
) -> Result<Condensed, AggregatorError> {
    let expected = records * records.saturating_sub(1) / 2;
    if given != expected {
        return Err(AggregatorError::Pairs { given, expected });
    }
    let decoder = Decoder::of(pair_terms, 0);
    let mut all = Condensed::new(records);
    for (pair, squared) in all.as_mut_slice().iter_mut().enumerate() {
        let (squares, products) = code_pair(pair);
        if squares.len() != pair_terms.words() || products.len() != pair_terms.words() {
            return Err(AggregatorError::OtherTerms {
                dims: 1,
                words: squares.len().max(products.len()),
                of_terms: 1,
                words_of_terms: pair_terms.words(),
            });
        }
        *squared = decoder.distance(distance(squares, products));
    }
    Ok(all)
}

/// d̂ of all pairs from L² of each pair and R̂² of all: √max(0, L² + R̂²).
pub fn combine(left_squared: impl Fn(usize, usize) -> f64, mut right_squared: Condensed) -> Condensed {
    let n = right_squared.len();
    let mut at = 0;
    for i in 0..n {
        for j in i + 1..n {
            let squared = &mut right_squared.as_mut_slice()[at];
            *squared = (left_squared(i, j) + *squared).max(0.0).sqrt();
            at += 1;
        }
    }
    right_squared
}

/// L²: the squared distance of two records in attributes that are known, in the unit in which the terms combine them.
/// Values outside their range are moved to its nearest end, as codes have it.
///
/// # Panics
/// When the records do not have one value for each attribute.
pub fn exact_squared(p: &[f64], q: &[f64], terms: &Terms) -> f64 {
    shifted(p, terms).zip(shifted(q, terms)).map(|(p, q)| (p - q) * (p - q)).sum()
}

/// The two scalars of a pair of records, Σ(p²+q²) and Σ2pq (eq. 22), of attributes shifted to begin at 0 and in the unit in
/// which the terms combine them.
///
/// ```
/// use shoal_consortium::aggregator::vertical::pair_scalars;
/// use shoal_consortium::{Attribute, Flips, Scale, Terms};
/// use shoal_lattice::Interval;
/// let x = Attribute::new("x", Interval::new(-10.0, 10.0)?, 10.0)?;
/// let terms = Terms::new(vec![x], 100, Flips::None, Scale::Own)?;
/// assert_eq!(pair_scalars(&[-8.0], &[-7.0], &terms), (4.0 + 9.0, 2.0 * 2.0 * 3.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// When the records do not have one value for each attribute.
pub fn pair_scalars(p: &[f64], q: &[f64], terms: &Terms) -> (f64, f64) {
    pair_scalars::pair_scalars(shifted(p, terms).zip(shifted(q, terms)))
}

fn shifted<'a>(record: &'a [f64], terms: &'a Terms) -> impl Iterator<Item = f64> + 'a {
    assert_eq!(record.len(), terms.dims(), "one value for each attribute");
    record.iter().zip(terms.attributes()).map(|(&x, attribute)| {
        let range = attribute.range;
        let from_lowest = x.clamp(range.lo(), range.hi()) - range.lo();
        match terms.scale() {
            Scale::Own => from_lowest,
            Scale::Range => from_lowest / range.width(),
        }
    })
}
