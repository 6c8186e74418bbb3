//! How many cells: the extended uniform grid, EUG (SCL16 §4.2.1, eq. (4)), and its limit in memory.
//!
//! M = (n₀·ε/θ)^(2d/(2+d)) balances the noise of many cells against the coarseness of few. Along each axis there are
//! ⌊M^(1/d)⌋ cells, and axis after axis gets one more until there are more than M in all: the authors' own rule (S1 at
//! ε = 1: 23 × 22).
//!
//! *Privacy.* Only public numbers enter (n₀ is a design size), so the shape costs nothing.
//!
//! *Deviations.* M explodes with d: ten attributes, 10⁷ rows and ε = 1 ask for 10¹⁰ cells. Beyond `most_cells` the grid
//! is the largest of the same form that has no more cells than that. No axis has more cells than the lattice has
//! positions.

use shoal_scan::{Grid, GridError};

use crate::Decision;

/// Cells that a grid has at most unless the user says otherwise.
pub const MOST_CELLS: usize = 1 << 22;

/// Lattice positions along an axis.
const POSITIONS: f64 = 65_535.0;

/// What the grid is chosen for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridRule {
    /// θ of eq. (4): 10 in the paper.
    pub theta: f64,
    /// Cells in all, at most.
    pub most_cells: usize,
    /// M itself, in place of eq. (4), which θ then has no part in.
    pub cells: Option<usize>,
}

impl Default for GridRule {
    fn default() -> Self {
        Self { theta: 10.0, most_cells: MOST_CELLS, cells: None }
    }
}

/// A grid and how it came about.
#[derive(Clone, Debug, PartialEq)]
pub struct ChosenGrid {
    /// The grid.
    pub grid: Grid,
    /// M of eq. (4) or as given, before rounding and the limit.
    pub asked: f64,
    /// True when the limit, not M, decided.
    pub capped: bool,
}

impl GridRule {
    /// The grid for `rows` rows of `dims` attributes and budget ε.
    pub fn choose(&self, rows: u64, epsilon: f64, dims: usize) -> Result<ChosenGrid, GridError> {
        let d = dims as f64;
        let published = || (rows as f64 * epsilon / self.theta).powf(2.0 * d / (2.0 + d)); // eq. (4)
        let asked = self.cells.map_or_else(published, |cells| cells as f64);
        let published = along_axes(asked, dims);
        let cells = published.iter().try_fold(1usize, |all, &along| all.checked_mul(along as usize));
        let capped = cells.is_none_or(|cells| cells > self.most_cells);
        let along = if capped { largest_within(self.most_cells, dims) } else { published };
        Ok(ChosenGrid { grid: Grid::new(along, self.most_cells.max(1))?, asked, capped })
    }
}

impl ChosenGrid {
    /// What was decided.
    pub fn decision(&self) -> Decision {
        let asked = self.capped.then_some(self.asked);
        Decision::Grid { cells_per_axis: self.grid.cells_per_axis().to_vec(), asked }
    }
}

/// Cells per axis for about `cells` in all: each axis at the floor of the root, then one more, axis after axis, until
/// there are more than `cells`.
fn along_axes(cells: f64, dims: usize) -> Vec<u32> {
    let root = cells.max(1.0).powf(1.0 / dims as f64);
    // A root that is whole but for rounding is whole: then there is nothing to raise.
    let whole = (root - root.round()).abs() < 1e-9 * root;
    let floor = if whole { root.round() } else { root.floor() }.clamp(1.0, POSITIONS);
    let ceil = if whole { floor } else { (floor + 1.0).min(POSITIONS) };
    let mut along = vec![floor as u32; dims];
    let mut product = floor.powi(dims as i32);
    for axis in &mut along {
        if product > cells || ceil == floor {
            break;
        }
        product *= ceil / floor;
        *axis = ceil as u32;
    }
    along
}

/// The largest grid of that form with at most `most` cells.
fn largest_within(most: usize, dims: usize) -> Vec<u32> {
    let within = |along: &[u32]| {
        along.iter().try_fold(1usize, |all, &n| all.checked_mul(n as usize)).is_some_and(|cells| cells <= most)
    };
    let mut floor = (most as f64).powf(1.0 / dims as f64).floor().clamp(1.0, POSITIONS) as u32;
    // The root may be rounded either way.
    while floor > 1 && !within(&vec![floor; dims]) {
        floor -= 1;
    }
    while f64::from(floor) < POSITIONS && within(&vec![floor + 1; dims]) {
        floor += 1;
    }
    let mut along = vec![floor; dims];
    for axis in 0..dims {
        let mut more = along.clone();
        more[axis] += 1;
        if f64::from(more[axis]) > POSITIONS || !within(&more) {
            break;
        }
        along = more;
    }
    along
}

#[cfg(test)]
mod tests {
    use super::*;

    fn along(rows: u64, epsilon: f64, dims: usize) -> Vec<u32> {
        GridRule::default().choose(rows, epsilon, dims).unwrap().grid.cells_per_axis().to_vec()
    }

    #[test]
    fn the_authors_grids_come_out() {
        assert_eq!(along(5000, 1.0, 2), [23, 22]);
        assert_eq!(along(48_842, 1.0, 6), [9, 9, 9, 8, 8, 8]);
    }

    #[test]
    fn a_whole_root_is_not_raised() {
        // (1000·1/10)^(2·2/4) = 100 = 10².
        assert_eq!(along(1000, 1.0, 2), [10, 10]);
        assert_eq!(along(1010, 1.0, 2), [11, 10]);
    }

    #[test]
    fn a_given_number_of_cells_takes_the_place_of_the_rule_and_obeys_the_limit() {
        for (cells, expected) in [(100, [10, 10]), (1, [1, 1]), (111, [11, 11]), (105, [11, 10])] {
            for (rows, epsilon) in [(10, 0.01), (1 << 40, 5.0)] {
                let rule = GridRule { cells: Some(cells), ..GridRule::default() };
                let chosen = rule.choose(rows, epsilon, 2).unwrap();
                assert_eq!((chosen.grid.cells_per_axis(), chosen.capped), (&expected[..], false), "{cells}");
            }
        }
        let limited = GridRule { cells: Some(1000), most_cells: 100, ..GridRule::default() };
        let chosen = limited.choose(5000, 1.0, 2).unwrap();
        assert!(chosen.capped && chosen.grid.cells() == 100);
    }

    #[test]
    fn tiny_budgets_leave_one_cell() {
        assert_eq!(along(10, 1e-6, 3), [1, 1, 1]);
        assert_eq!(along(1, 1.0, 1), [1]);
    }

    #[test]
    fn no_grid_is_larger_than_allowed() {
        let huge = GridRule::default().choose(10_000_000, 1.0, 10).unwrap();
        assert!((huge.asked / 1e10 - 1.0).abs() < 1e-6, "{}", huge.asked);
        assert!(huge.capped && huge.grid.cells() <= MOST_CELLS && huge.grid.cells() > MOST_CELLS / 2);
        assert!(huge.decision().to_string().contains("10.0 billion"), "{}", huge.decision());
        for dims in [1, 2, 3, 7, 10, 64, 1000] {
            for most in [1, 2, 100, 65_536, 1 << 20] {
                let chosen = GridRule { most_cells: most, ..GridRule::default() }.choose(u64::MAX, 1e6, dims).unwrap();
                assert!(chosen.grid.cells() <= most, "{dims} attributes, at most {most}");
                assert!(chosen.grid.cells() * 4 > most.min(1 << dims.min(40)).min(65_535), "{dims}, {most}");
            }
        }
    }

    #[test]
    fn one_attribute_has_no_more_cells_than_positions() {
        let chosen = GridRule::default().choose(1 << 40, 100.0, 1).unwrap();
        assert_eq!(chosen.grid.cells(), 65_535);
    }
}
