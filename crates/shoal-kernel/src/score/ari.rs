//! ARI, the adjusted Rand index: of all pairs of rows, how often two labellings agree on whether the two belong
//! together, rescaled so that chance alone gives 0 on average and full agreement gives 1 (Hubert and Arabie 1985).

use crate::score::contingency::Contingency;
use crate::score::error::ScoreError;

/// The adjusted Rand index, between −0.5 and 1.
///
/// Where the formula is 0/0 (both labellings have one cluster, or both have only singletons, or there is one row) the
/// labellings are the same and the index is 1. Pairs are counted exactly up to about four billion rows, and in doubles
/// beyond.
pub fn adjusted_rand_index<A, B>(table: &Contingency<A, B>) -> Result<f64, ScoreError>
where
    A: Ord + Clone,
    B: Ord + Clone,
{
    let counts = table.counts()?;
    let together_in_both: i128 = counts.cells.iter().map(|cell| pairs(cell.both)).sum();
    let left_only = counts.left.iter().copied().map(pairs).sum::<i128>() - together_in_both;
    let right_only = counts.right.iter().copied().map(pairs).sum::<i128>() - together_in_both;
    let apart_in_both = pairs(counts.rows) - together_in_both - left_only - right_only;
    if left_only == 0 && right_only == 0 {
        return Ok(1.0);
    }
    // The usual quotient (index − expected) / (mean − expected), multiplied out so that no fraction is left above or
    // below the line.
    let exact = || -> Option<f64> {
        let above = together_in_both.checked_mul(apart_in_both)?.checked_sub(left_only.checked_mul(right_only)?)?;
        let below = (together_in_both + left_only)
            .checked_mul(left_only + apart_in_both)?
            .checked_add((together_in_both + right_only).checked_mul(right_only + apart_in_both)?)?;
        Some(2.0 * (above as f64 / below as f64))
    };
    Ok(exact().unwrap_or_else(|| {
        let all = pairs(counts.rows) as f64;
        let [both, left, right, neither] =
            [together_in_both, left_only, right_only, apart_in_both].map(|count| count as f64 / all);
        2.0 * (both * neither - left * right) / ((both + left) * (left + neither) + (both + right) * (right + neither))
    }))
}

/// How many pairs there are among `count` rows: at most 2¹²⁷.
fn pairs(count: u64) -> i128 {
    let count = i128::from(count);
    // One of the two is even; halving it first keeps 2⁶⁴ rows in range.
    if count % 2 == 0 { count / 2 * (count - 1) } else { (count - 1) / 2 * count }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ari(cells: &[(u8, u8, u64)]) -> f64 {
        let mut table = Contingency::default();
        cells.iter().for_each(|(left, right, count)| table.add_count(left, right, *count));
        adjusted_rand_index(&table).unwrap()
    }

    #[test]
    fn billions_of_rows_do_not_overflow_and_more_still_have_a_score() {
        let shape = [(0, 0, 3), (0, 1, 1), (1, 1, 4), (2, 0, 2)];
        let scaled = |factor: u64| ari(&shape.map(|(left, right, count)| (left, right, count * factor)));
        let limit = scaled(100_000_000);
        assert!((limit - scaled(1_000_000)).abs() < 1e-6);
        // The first in integers, the second in doubles.
        assert!((limit - scaled(1_000_000_000_000)).abs() < 1e-8);
        assert!(scaled(u64::MAX / 10).is_finite());
        assert_eq!(ari(&[(0, 0, u64::MAX)]), 1.0);
    }

    #[test]
    fn worse_than_chance_is_negative() {
        assert_eq!(ari(&[(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 1)]), -0.5);
    }
}
