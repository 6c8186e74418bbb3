//! The sum of squared distances to the nearest centre, each cut off at a cap, exact.

use std::ops::Range;

use crate::SearchCentres;
use crate::{LatticeCentres, assign};
use shoal_lattice::{LatticePoints, TILE};

/// Distances beyond this count as this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Cap {
    /// What a row counts at most, in units.
    pub most: u64,
    /// A unit is this power of two of squared lattice units.
    pub shift: u32,
}

impl Cap {
    /// Units in all that a row can count: enough for a share of a millionth, few enough for any noise.
    const UNITS: u64 = 1 << 20;

    /// A cap near `squared` (lattice units), in steps of about a millionth of it.
    pub fn near(squared: u64) -> Self {
        let shift = (squared.max(1) / Self::UNITS).checked_ilog2().map_or(0, |log| log + 1);
        Self { most: (squared >> shift).max(1), shift }
    }

    /// What a squared distance counts, rounded to the nearest unit.
    fn of(self, squared: u64) -> u64 {
        let half = (1u64 << self.shift) >> 1;
        ((squared + half) >> self.shift).min(self.most)
    }
}

/// What the rows of some tiles count, in units.
pub fn capped_cost(
    points: &LatticePoints,
    tiles: Range<usize>,
    centres: &LatticeCentres,
    search: &SearchCentres,
    cap: Cap,
) -> u128 {
    let rows = tiles.start * TILE..(tiles.end * TILE).min(points.rows());
    let mut labels = vec![0; rows.len()];
    assign(points, tiles, search, &mut labels);
    let mut row = vec![0; points.dims()];
    let mut cost = 0;
    for (r, &label) in rows.zip(&labels) {
        points.copy_row(r, &mut row);
        let of_axis = |(&x, &c): (&i16, &i16)| (i64::from(x) - i64::from(c)).pow(2) as u64;
        let squared: u64 = row.iter().zip(centres.centre(label as usize)).map(of_axis).sum();
        cost += u128::from(cap.of(squared));
    }
    cost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_count_their_squared_distance_up_to_the_cap() {
        let mut points = LatticePoints::new(2);
        [[0, 0], [3, 4], [-10, 0], [32_767, 32_767]].iter().for_each(|row| points.push_row(row));
        let centres = LatticeCentres::new(2, vec![0, 0, 20_000, 20_000]);
        let search = SearchCentres::new(&centres);
        let cost = |cap| capped_cost(&points, 0..points.tiles(), &centres, &search, cap);
        assert_eq!(cost(Cap { most: 1000, shift: 0 }), 25 + 100 + 1000);
        assert_eq!(cost(Cap { most: 50, shift: 0 }), 25 + 50 + 50);
        assert_eq!(cost(Cap { most: 1 << 40, shift: 0 }), 125 + 2 * 12_767 * 12_767);
        assert_eq!(cost(Cap { most: 50, shift: 2 }), 6 + 25 + 50);
    }

    #[test]
    fn caps_have_about_a_million_steps() {
        for squared in [0, 1, 1 << 20, (1 << 21) + 7, 1 << 40, u64::MAX] {
            let cap = Cap::near(squared);
            assert!(cap.most >= 1 && cap.most <= 1 << 20, "{squared}: {cap:?}");
            assert!(squared < 1 << 20 || cap.most > 1 << 18);
        }
    }
}
