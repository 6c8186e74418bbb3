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
    // At most 2^31, so 32 bits are enough.
    let (magnitude, half) = (u32::from(x.unsigned_abs()), HALF_WIDTH.unsigned_abs());
    ((2 * magnitude * magnitude + half / 2) / half) as i32 - HALF_WIDTH
}

/// Rows, or attributes, whose numbers of at most `HALF_WIDTH` each add up to less than 2^31.
const BEFORE_OVERFLOW: usize = 65_535;

/// Two attributes of the rows of a tile, as they lie in memory.
const PAIR: usize = 2 * TILE;

/// Adds up the rows of some tiles.
pub fn moment_sums(points: &LatticePoints, tiles: Range<usize>) -> MomentSums {
    let mut sums = MomentSums::zero(points.dims());
    let whole = if points.dims() <= BEFORE_OVERFLOW { tiles.end.min(points.rows() / TILE) } else { tiles.start };
    let mut first = tiles.start;
    while first < whole {
        let next = whole.min(first + BEFORE_OVERFLOW);
        add_whole_tiles(points, first..next, &mut sums);
        first = next;
    }
    add_rows(points, first * TILE..(tiles.end * TILE).min(points.rows()), &mut sums);
    sums
}

/// Tiles without padding rows, a pair of attributes at a time.
fn add_whole_tiles(points: &LatticePoints, tiles: Range<usize>, sums: &mut MomentSums) {
    let dims = points.dims();
    // Of each place in a pair, over all tiles: coordinates and their stretched squares.
    let mut totals = vec![([0_i32; PAIR], [0_i32; PAIR]); points.pairs()];
    for tile in tiles.clone() {
        let mut of_rows = [0_i32; PAIR];
        for (cells, (coordinates, squares)) in
            points.tile_cells(tile..tile + 1).as_chunks::<PAIR>().0.iter().zip(&mut totals)
        {
            for place in 0..PAIR {
                let square = stretched_square(cells[place]);
                coordinates[place] += i32::from(cells[place]);
                squares[place] += square;
                of_rows[place] += square;
            }
        }
        // The padding of an odd number of attributes counts as a coordinate of 0.
        let padding = if dims % 2 == 1 { stretched_square(0) } else { 0 };
        for of_row in of_rows.as_chunks::<2>().0 {
            sums.mean_squares += i64::from((of_row[0] + of_row[1] - padding).div_euclid(dims as i32));
        }
    }
    for axis in 0..dims {
        let (coordinates, squares) = &totals[axis / 2];
        let of_axis =
            |places: &[i32; PAIR]| places.iter().skip(axis % 2).step_by(2).map(|&x| i64::from(x)).sum::<i64>();
        sums.sums[axis] += of_axis(coordinates);
        sums.squares[axis] += of_axis(squares);
    }
}

/// Some rows, one after the other.
fn add_rows(points: &LatticePoints, rows: Range<usize>, sums: &mut MomentSums) {
    let dims = points.dims();
    let mut row = vec![0; dims];
    for r in rows {
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
        /// Whole tiles give what their rows give.
        #[test]
        fn tiles_add_up_like_rows(
            dims in 1..7_usize,
            values in prop::collection::vec(prop_oneof![Just(-32_767i16), Just(32_767), Just(0), -32_767i16..=32_767], 0..600),
            first in 0..3_usize,
        ) {
            let mut points = LatticePoints::new(dims);
            values.chunks_exact(dims).for_each(|row| points.push_row(row));
            let first = first.min(points.tiles());
            let mut expected = MomentSums::zero(dims);
            add_rows(&points, first * TILE..points.rows().max(first * TILE), &mut expected);
            prop_assert_eq!(moment_sums(&points, first..points.tiles()), expected);
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
