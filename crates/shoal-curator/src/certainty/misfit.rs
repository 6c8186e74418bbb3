//! Whether the released cells are like the rows at all.
//!
//! A simulated table has the marginal distributions that were assumed within cells. Where real rows are in heaps that
//! cells do not resolve (most values of a column zero, say), refinement moves every centre along that column by far more
//! than it does in the reruns. With A the best solution on the cells, C the released centres, and a_b, t those of the reruns
//! and of the simulated table,
//!
//! Q = max over columns of √(mean over clusters of (A − C)²/mean_b (a_b − t)²).
//!
//! Where the simulated table is like the real one Q is about 1. A large Q alone does no harm, as long as refinement takes
//! centres all the way whatever the cells are: it is large for clearly separated clusters in ten columns. Where both Q
//! and the part that refinement leaves are large, intervals rest on cells that mislead, and are marked as lower bounds.
//! The two limits were set on the calibration families and on the table `adult`, the one real table up to ten columns that
//! exceeded them.

use crate::certainty::intervals::Spread;

/// Q from which on cells are not like the rows.
const UNLIKE: f64 = 4.0;

/// β/(1 − β) from which on the result rests on the cells.
const RESTS_ON_CELLS: f64 = 0.25;

impl Spread<'_> {
    /// Whether the result rests on cells that are not like the rows.
    pub fn cells_mislead(&self) -> bool {
        self.left() > RESTS_ON_CELLS && self.misfit() > UNLIKE
    }

    /// Q; 0 for methods that do not refine.
    fn misfit(&self) -> f64 {
        let reruns: Vec<&[f64]> = self.reruns.iter().map(|rerun| rerun.on_cells.as_slice()).collect();
        if reruns.iter().any(|on_cells| on_cells.len() != self.centres.len()) || reruns.is_empty() {
            return 0.0;
        }
        let dims = self.centres.len() / self.rivals.sizes.len();
        let usual = |i: usize| {
            let squares = reruns.iter().map(|on_cells| (on_cells[i] - self.optimum[i]).powi(2));
            squares.sum::<f64>() / reruns.len() as f64
        };
        let ratio = |i: usize| (self.rivals.best[i] - self.centres[i]).powi(2) / usual(i).max(1e-12);
        let column = |axis: usize| {
            let of: Vec<f64> = (axis..self.centres.len()).step_by(dims).map(ratio).collect();
            (of.iter().sum::<f64>() / of.len() as f64).sqrt()
        };
        (0..dims).map(column).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use crate::certainty::intervals::Spread;
    use crate::certainty::reruns::Rerun;
    use crate::certainty::rivals::Rivals;

    /// Two centres in one column at ±0.5 whose cells had them `off`, with reruns off by ±0.02 on their cells, of which they
    /// leave a part.
    fn mislead(off: f64, left: f64) -> bool {
        let rerun = |by: f64| Rerun {
            centres: vec![-0.5 + left * by, 0.5 + left * by],
            on_cells: vec![-0.5 + by, 0.5 + by],
            sizes: Vec::new(),
            explained: None,
        };
        let rivals = Rivals { best: vec![-0.5 + off, 0.5 + off], sizes: vec![10.0, 10.0], others: Vec::new() };
        let spread = Spread {
            centres: &[-0.5, 0.5],
            noise: &[0.01, 0.01],
            sizes: &[],
            size_noise: &[],
            optimum: &[-0.5, 0.5],
            optimum_sizes: &[10.0, 10.0],
            reruns: &[rerun(0.02), rerun(-0.02)],
            scale: 1.0,
            rivals: &rivals,
            last_round: None,
        };
        spread.cells_mislead()
    }

    #[test]
    fn cells_mislead_when_they_are_off_and_count() {
        assert!(mislead(0.1, 0.5));
        assert!(!mislead(0.03, 0.5), "off by as much as in the reruns");
        assert!(!mislead(0.1, 0.05), "refinement takes centres all the way");
    }
}
