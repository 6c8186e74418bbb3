//! A regular grid over the box.

use serde::{Deserialize, Serialize};
use shoal_lattice::{HALF_WIDTH, Lattice};

/// Lattice positions along an axis.
const POSITIONS: u64 = 2 * HALF_WIDTH as u64 + 1;

/// Cells of equal width along each axis (to within one lattice step), numbered with the last axis running fastest.
///
/// Written as its cells per axis. A grid that is read may have as many cells as 32 bits can number; whether a machine has
/// room for their counts is for [`Question::from_bytes`](crate::Question::from_bytes) to decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<u32>", into = "Vec<u32>")]
pub struct Grid {
    cells_per_axis: Vec<u32>,
    cells: usize,
}

/// Why a grid was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GridError {
    /// An axis without cells, or with more cells than lattice positions.
    #[error("axis {axis} asks for {cells} cells; give each axis between 1 and {POSITIONS}")]
    Axis {
        /// Which axis, from zero.
        axis: usize,
        /// The cells asked for.
        cells: u32,
    },
    /// More cells than the memory budget holds.
    #[error("the grid asks for more than {limit} cells; use fewer cells per axis or fewer columns")]
    TooManyCells {
        /// The most cells allowed.
        limit: usize,
    },
}

impl GridError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Axis { .. } => "grid-axis",
            Self::TooManyCells { .. } => "grid-too-large",
        }
    }
}

impl TryFrom<Vec<u32>> for Grid {
    type Error = GridError;

    fn try_from(cells_per_axis: Vec<u32>) -> Result<Self, GridError> {
        Self::new(cells_per_axis, u32::MAX as usize)
    }
}

impl From<Grid> for Vec<u32> {
    fn from(grid: Grid) -> Self {
        grid.cells_per_axis
    }
}

impl Grid {
    /// A grid with the given cells per axis and at most `limit` cells in all.
    pub fn new(cells_per_axis: Vec<u32>, limit: usize) -> Result<Self, GridError> {
        let mut cells = 1usize;
        for (axis, &along) in cells_per_axis.iter().enumerate() {
            if along == 0 || u64::from(along) > POSITIONS {
                return Err(GridError::Axis { axis, cells: along });
            }
            cells = cells
                .checked_mul(along as usize)
                .filter(|&product| product <= limit)
                .ok_or(GridError::TooManyCells { limit })?;
        }
        Ok(Self { cells_per_axis, cells })
    }

    /// Number of attributes.
    pub fn dims(&self) -> usize {
        self.cells_per_axis.len()
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// Cells along each axis.
    pub fn cells_per_axis(&self) -> &[u32] {
        &self.cells_per_axis
    }

    /// Position along one axis: the lattice positions are dealt out to the cells in order, as evenly as they go.
    pub fn along(&self, axis: usize, coordinate: Lattice) -> u32 {
        (coordinate.in_steps().0 as u64 * u64::from(self.cells_per_axis[axis]) / POSITIONS) as u32
    }

    /// The first and the last lattice coordinate of cell `index` along `axis`.
    pub fn edges(&self, axis: usize, index: u32) -> (Lattice, Lattice) {
        let along = u64::from(self.cells_per_axis[axis]);
        let first = |i: u64| (i * POSITIONS).div_ceil(along);
        let to_coordinate = |position: u64| Lattice((position as i64 - i64::from(HALF_WIDTH)) as i16);
        (to_coordinate(first(u64::from(index))), to_coordinate(first(u64::from(index) + 1) - 1))
    }

    /// The number of the cell that holds a row.
    pub fn cell(&self, row: &[i16]) -> usize {
        row.iter().enumerate().fold(0, |cell, (axis, &x)| {
            cell * self.cells_per_axis[axis] as usize + self.along(axis, Lattice(x)) as usize
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_is_in_the_cell_whose_edges_enclose_it() {
        for along in [1, 2, 3, 7, 22, 23, 1000, 65_534, 65_535] {
            let grid = Grid::new(vec![along], 100_000).unwrap();
            for coordinate in (-32_767..=32_767).map(Lattice) {
                let cell = grid.along(0, coordinate);
                let (first, last) = grid.edges(0, cell);
                assert!(cell < along && first <= coordinate && coordinate <= last);
            }
            assert_eq!((grid.edges(0, 0).0, grid.edges(0, along - 1).1), (Lattice(-32_767), Lattice(32_767)));
        }
    }

    #[test]
    fn cells_are_numbered_with_the_last_axis_fastest() {
        let grid = Grid::new(vec![2, 3], 6).unwrap();
        assert_eq!(grid.cell(&[-32_767, -32_767]), 0);
        assert_eq!(grid.cell(&[-32_767, 32_767]), 2);
        assert_eq!(grid.cell(&[32_767, -32_767]), 3);
        assert_eq!(grid.cells(), 6);
    }

    #[test]
    fn bad_grids_are_refused() {
        assert!(matches!(Grid::new(vec![0], 10), Err(GridError::Axis { axis: 0, .. })));
        assert!(matches!(Grid::new(vec![2, 70_000], 1 << 40), Err(GridError::Axis { axis: 1, .. })));
        assert_eq!(Grid::new(vec![1000; 10], 1 << 20), Err(GridError::TooManyCells { limit: 1 << 20 }));
    }
}
