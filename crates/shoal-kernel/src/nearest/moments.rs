//! Sums of coordinates and of their squares, exact.
//!
//! A square is stretched over the same range as a coordinate, so that one row moves all of these sums by at most
//! `HALF_WIDTH`: t = round(2x²/H) − H, between −H for the middle of the interval and H for its ends.

use std::ops::Range;

use shoal_lattice::{HALF_WIDTH, LatticePoints, TILE};

/// Sums over rows, in lattice units.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct MomentSums {
    /// Of the coordinates, per attribute.
    pub sums: Vec<i64>,
    /// Of the stretched squares, per attribute.
    pub squares: Vec<i64>,
    /// Of each row's mean stretched square, rounded down.
    pub mean_squares: i64,
}

impl MomentSums {
    /// All zero.
    pub fn zero(dims: usize) -> Self {
        Self { sums: vec![0; dims], squares: vec![0; dims], mean_squares: 0 }
    }

    /// Adds the sums of other rows.
    pub fn merge(&mut self, other: &Self) {
        self.sums.iter_mut().zip(&other.sums).for_each(|(a, b)| *a += b);
        self.squares.iter_mut().zip(&other.squares).for_each(|(a, b)| *a += b);
        self.mean_squares += other.mean_squares;
    }
}

/// The stretched square of a coordinate.
pub fn stretched_square(x: i16) -> i32 {
    let square = 2 * i64::from(x) * i64::from(x);
    ((square + i64::from(HALF_WIDTH) / 2) / i64::from(HALF_WIDTH)) as i32 - HALF_WIDTH
}

/// Adds up the rows of some tiles.
pub fn moment_sums(points: &LatticePoints, tiles: Range<usize>) -> MomentSums {
    let dims = points.dims();
    let mut sums = MomentSums::zero(dims);
    let mut row = vec![0; dims];
    for r in tiles.start * TILE..(tiles.end * TILE).min(points.rows()) {
        points.copy_row(r, &mut row);
        let mut of_row = 0;
        for (axis, &x) in row.iter().enumerate() {
            let square = i64::from(stretched_square(x));
            sums.sums[axis] += i64::from(x);
            sums.squares[axis] += square;
            of_row += square;
        }
        sums.mean_squares += of_row.div_euclid(dims as i64);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn squares_fill_the_range_of_a_coordinate() {
        assert_eq!([0, 32_767, -32_767].map(stretched_square), [-32_767, 32_767, 32_767]);
        for x in -32_767..=32_767i16 {
            let exact = 2.0 * f64::from(x).powi(2) / 32_767.0 - 32_767.0;
            assert!(
                (f64::from(stretched_square(x)) - exact).abs() <= 0.5 + 1e-9 && stretched_square(x).abs() <= 32_767
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn a_row_moves_every_sum_by_half_a_box_at_most(
            rows in prop::collection::vec(prop::collection::vec(-32_767i16..=32_767, 3), 0..40),
            more in prop::collection::vec(prop_oneof![Just(-32_767i16), Just(32_767), Just(0), -32_767i16..=32_767], 3),
        ) {
            let sums_of = |rows: &[Vec<i16>]| {
                let mut points = LatticePoints::new(3);
                rows.iter().for_each(|row| points.push_row(row));
                moment_sums(&points, 0..points.tiles())
            };
            let (before, mut longer) = (sums_of(&rows), rows.clone());
            longer.push(more.clone());
            let after = sums_of(&longer);
            let half = i64::from(HALF_WIDTH);
            for (axis, &x) in more.iter().enumerate() {
                prop_assert_eq!(after.sums[axis] - before.sums[axis], i64::from(x));
                prop_assert!((after.squares[axis] - before.squares[axis]).abs() <= half);
            }
            prop_assert!((after.mean_squares - before.mean_squares).abs() <= half);
        }
    }
}
