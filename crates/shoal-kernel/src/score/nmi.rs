//! NMI, the normalised mutual information: how much one labelling reveals about the other, as a share of what it could.

use crate::score::contingency::{Contingency, Counts};
use crate::score::error::ScoreError;
use crate::score::sum::Sum;

/// What mutual information is divided by.
///
/// Papers rarely say which they use. On the same labels the scores rise from `Max` over `Arithmetic` and `Geometric` to
/// `Min`, so a higher score may only be another divisor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Normalizer {
    /// The mean of the two entropies: the default of scikit-learn, also called V-measure.
    #[default]
    Arithmetic,
    /// The root of their product (Strehl and Ghosh 2002).
    Geometric,
    /// The smaller of the two.
    Min,
    /// The larger of the two.
    Max,
}

/// The normalised mutual information, between 0 and 1.
///
/// One cluster on both sides is full agreement and gives 1. One cluster on one side only reveals nothing about the other
/// and gives 0.
pub fn normalized_mutual_information<A, B>(table: &Contingency<A, B>, normalizer: Normalizer) -> Result<f64, ScoreError>
where
    A: Ord + Clone,
    B: Ord + Clone,
{
    let counts = table.counts()?;
    match (counts.left.len(), counts.right.len()) {
        (1, 1) => return Ok(1.0),
        (1, _) | (_, 1) => return Ok(0.0),
        _ => {}
    }
    let (left, right) = (entropy(&counts.left, counts.rows), entropy(&counts.right, counts.rows));
    let divisor = match normalizer {
        Normalizer::Arithmetic => (left + right) / 2.0,
        Normalizer::Geometric => (left * right).sqrt(),
        Normalizer::Min => left.min(right),
        Normalizer::Max => left.max(right),
    };
    // Rounding may step out of the range by a last digit.
    Ok((mutual_information(&counts) / divisor).clamp(0.0, 1.0))
}

/// Σ (n_ij/n) ln(n·n_ij / (a_i·b_j)), in nats.
fn mutual_information(counts: &Counts) -> f64 {
    let rows = u128::from(counts.rows);
    let term = |cell: &crate::score::contingency::Cell| {
        let (seen, expected) = (rows * u128::from(cell.both), u128::from(cell.left) * u128::from(cell.right));
        // ln(1 + x) with an exact x keeps labellings that are nearly, or wholly, independent from drowning in rounding.
        let excess = if seen >= expected { (seen - expected) as f64 } else { -((expected - seen) as f64) };
        cell.both as f64 / counts.rows as f64 * (excess / expected as f64).ln_1p()
    };
    counts.cells.iter().map(term).collect::<Sum>().value()
}

/// Entropy of a labelling from its cluster sizes, in nats.
fn entropy(sizes: &[u64], rows: u64) -> f64 {
    let rows = rows as f64;
    sizes.iter().map(|&size| -(size as f64 / rows) * (size as f64 / rows).ln()).collect::<Sum>().value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn independent_labels_score_exactly_zero() {
        let mut table = Contingency::default();
        for (left, right) in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)] {
            table.add_count(&left, &right, 333_333_333);
        }
        assert_eq!(normalized_mutual_information(&table, Normalizer::default()), Ok(0.0));
    }

    #[test]
    fn names_and_order_do_not_change_a_bit() {
        let left = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8];
        let right = [2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5];
        let score = |pairs: &mut dyn Iterator<Item = (i32, i32)>| {
            let mut table = Contingency::default();
            pairs.for_each(|(left, right)| table.add(&left, &right));
            normalized_mutual_information(&table, Normalizer::Geometric).unwrap().to_bits()
        };
        let plain = score(&mut left.into_iter().zip(right));
        assert_eq!(score(&mut left.into_iter().zip(right).rev()), plain);
        assert_eq!(score(&mut left.map(|label| -label).into_iter().zip(right.map(|label| 77 * label % 13))), plain);
    }
}
