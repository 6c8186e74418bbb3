//! The cells of many rows in a grid.
//!
//! A tile at a time, attribute by attribute, sixteen rows side by side. The place along an axis is ⌊p·m/65,535⌋ for position
//! p from 0 to 65,534 and m cells. With n = p·m, which 32 bits hold, that is (n + ⌊n/2¹⁶⌋ + 1) / 2¹⁶ rounded down, since
//! 65,535 = 2¹⁶ − 1: no division is left.

use crate::Grid;
use shoal_lattice::{HALF_WIDTH, LatticePoints, TILE};

/// A grid, as its cells per axis.
pub(super) struct GridWalk<'a> {
    along: &'a [u32],
}

impl<'a> GridWalk<'a> {
    /// The walk of a grid whose cells 32 bits can number.
    pub fn new(grid: &'a Grid) -> Self {
        Self { along: grid.cells_per_axis() }
    }

    /// The cells of the rows of a tile; those of its padding mean nothing.
    pub fn cells(&self, points: &LatticePoints, tile: usize) -> [u32; TILE] {
        let pairs = points.tile_cells(tile..tile + 1);
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            #[target_feature(enable = "avx2")]
            fn with_avx2(walk: &GridWalk<'_>, pairs: &[i16]) -> [u32; TILE] {
                walk.cells_in(pairs)
            }
            // SAFETY: the processor has been asked.
            return unsafe { with_avx2(self, pairs) };
        }
        self.cells_in(pairs)
    }

    #[inline(always)]
    fn cells_in(&self, pairs: &[i16]) -> [u32; TILE] {
        let mut cells = [0u32; TILE];
        for (pair, along) in pairs.as_chunks::<{ 2 * TILE }>().0.iter().zip(self.along.chunks(2)) {
            for (odd, &along) in along.iter().enumerate().filter(|(_, along)| **along > 1) {
                for lane in 0..TILE {
                    let position = (i32::from(pair[2 * lane + odd]) + HALF_WIDTH) as u32;
                    // A grid with more than 2³² cells is refused before; what would wrap is the padding's.
                    cells[lane] = cells[lane].wrapping_mul(along).wrapping_add(place(position, along));
                }
            }
        }
        cells
    }
}

/// ⌊position·along/65,535⌋, for positions below 65,535.
#[inline(always)]
fn place(position: u32, along: u32) -> u32 {
    let n = position.wrapping_mul(along);
    (n + (n >> 16) + 1) >> 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use shoal_lattice::Lattice;

    #[test]
    fn places_are_those_of_the_division() {
        for along in [1, 2, 3, 4, 5, 7, 22, 255, 256, 257, 1000, 32_767, 32_768, 65_533, 65_534, 65_535] {
            let grid = Grid::new(vec![along], 100_000).unwrap();
            for coordinate in -HALF_WIDTH..=HALF_WIDTH {
                let expected = grid.along(0, Lattice(coordinate as i16));
                assert_eq!(place((coordinate + HALF_WIDTH) as u32, along), expected, "{coordinate} of {along}");
            }
        }
    }

    proptest! {
        #[test]
        fn cells_are_those_of_each_row(
            along in prop::collection::vec(prop_oneof![1u32..6, 1u32..70], 1..7),
            values in prop::collection::vec(prop_oneof![-32_767i16..=32_767, Just(32_767i16), Just(-32_767i16)], 7..300),
        ) {
            let grid = Grid::new(along.clone(), u32::MAX as usize);
            prop_assume!(grid.is_ok());
            let grid = grid.unwrap();
            let walk = GridWalk::new(&grid);
            let mut points = LatticePoints::new(along.len());
            values.chunks_exact(along.len()).for_each(|row| points.push_row(row));
            for (row, coordinates) in values.chunks_exact(along.len()).enumerate() {
                let cells = walk.cells(&points, row / TILE);
                prop_assert_eq!(cells[row % TILE] as usize, grid.cell(coordinates));
            }
        }
    }
}
