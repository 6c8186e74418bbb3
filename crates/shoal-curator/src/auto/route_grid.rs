//! k-means on a grid whose cells are chosen for k-means: for few attributes and few rows per cluster.
//!
//! As EUGkM, with two changes. The number of cells per axis m is that of Muthukrishnan and Tandon (2026), the root of
//! m^(d/2+2) − ηγk^(1/d)·m − η(1−γ)k^(2/d) = 0 with γ = 1/(1 + √(n/3)) and η = (ε/d)·√(8n/3)/γ, which weighs the width of a
//! cell against the noise on k centres; EUG's own rule weighs it against range queries. And every count is lowered by 1/ε, down
//! to zero (soft thresholding): most cells are empty, and what is left of their noise would pull centres into the void.
//!
//! *Privacy.* Pure ε-DP: one [`NoisyCountsMechanism`](crate::NoisyCountsMechanism) on the cells. The grid follows from public numbers.
//!
//! *Utility.* m^d cells: for four attributes at most.
//!
//! *Runtime.* One scan, then k-means on the cells.

use crate::Decision;
use crate::FitError;
use crate::Synopsis;
use crate::auto::axis_law::AxisLaw;
use crate::auto::choose_k;
use crate::auto::informed_cuts::InformedCuts;
use crate::auto::placed_cells::PlacedCells;
use crate::auto::run::{Found, ReleasedCells, Run};
use crate::auto::steps::counts;
use crate::certainty::evidence::Stage;
use crate::synopsis::grid_cells::boxes;
use shoal_lattice::BoxPosition;
use shoal_scan::{Grid, Question};

/// Cells at most.
const MOST_CELLS: usize = 1 << 20;

/// Runs the route.
pub fn run(run: &mut Run<'_>) -> Result<Found, FitError> {
    let layout = layout(run)?;
    let released = release(run, layout)?;
    let cells = &released.placed;
    let evidence = choose_k::weigh(&released, run, None)?;
    let best = cells.kmeans(&run.kmeans, run.releaser.randomness(), run.watch);
    let nicv = Some(cells.clusters(&best.centres).nicv());
    // Sizes are sums of the counts as they are: lowered ones would not add up to the rows.
    let described = released.synopsis.describe(&BoxPosition::list(&best.centres));
    Ok(Found {
        variances: described.noise_per_centre.iter().flatten().map(|sd| sd.in_box().squared()).collect(),
        sizes: (described.sizes, described.size_noise),
        nicv,
        cells: Some(released),
        evidence,
        last_round: None,
        centres: best.centres,
    })
}

/// The cells that public numbers ask for.
pub fn layout(run: &Run<'_>) -> Result<Layout, FitError> {
    let planned = run.choose_up_to.map_or(run.kmeans.k, choose_k::planned);
    Ok(Layout::plan(run.rows, run.dims(), planned, run.pure_part(1000)?.to_f64_up() / run.louder()))
}

/// The grid and its counts.
pub fn release(run: &mut Run<'_>, layout: Layout) -> Result<ReleasedCells, FitError> {
    let dims = run.dims();
    let epsilon = run.pure_part(1000)?;
    let grid = layout.grid(dims)?;
    let (noisy, variance) = counts(run.releaser, Question::CellCounts { grid: grid.clone() }, &epsilon)?;
    run.decisions.push(Decision::Grid { cells_per_axis: grid.cells_per_axis().to_vec(), asked: None });
    let weights = lowered(&noisy, run.louder() / epsilon.to_f64_up());
    let laws = InformedCuts::new(vec![AxisLaw::UNIFORM; dims]);
    let placed = PlacedCells::of_boxes(&boxes(&grid), &laws, weights);
    let synopsis = Synopsis::new(grid, noisy, variance.sqrt(), run.releaser.promised(), run.releaser.is_seeded());
    Ok(ReleasedCells { synopsis: synopsis.decided(&run.decisions), placed, laws, stage: Stage::Grid(layout) })
}

/// Counts lowered by `by`, not below zero; all alike where nothing is left.
fn lowered(noisy: &[i64], by: f64) -> Vec<f64> {
    let lowered: Vec<f64> = noisy.iter().map(|&count| (count as f64 - by).max(0.0)).collect();
    if lowered.iter().any(|&count| count > 0.0) { lowered } else { vec![1.0; noisy.len()] }
}

/// Axes that are always cut: so many halves are few enough for any table.
const ALWAYS_CUT: f64 = 8.0;

/// How a grid is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Cells along each axis that is cut.
    pub along: u32,
    /// Axes that are cut, from the first.
    pub cut: usize,
}

impl Layout {
    /// For about `rows` rows.
    pub fn plan(rows: f64, dims: usize, k: usize, epsilon: f64) -> Self {
        // In the plane cells are cheap for their width, and lowered counts bear fewer, wider ones better.
        let exact = cells_per_axis(rows, dims, k, epsilon) * if dims <= 2 { 0.85 } else { 1.0 };
        if exact < 2.0 {
            // Too few rows for two cells along every one of many axes: as many are cut as keep the number of cells.
            let wanted = (dims as f64 * exact.max(1.0).log2()).round().max(ALWAYS_CUT);
            return Self { along: 2, cut: (wanted as usize).min(dims).min(MOST_CELLS.ilog2() as usize) };
        }
        // Cells multiply, so the next whole number is the one that is nearer as a factor.
        let below = exact.floor();
        let mut along = if exact > (below * (below + 1.0)).sqrt() { below + 1.0 } else { below };
        while along > 2.0 && along.powi(dims as i32) > MOST_CELLS as f64 {
            along -= 1.0;
        }
        Self { along: along.min(65_535.0) as u32, cut: dims.min(MOST_CELLS.ilog(along as usize) as usize) }
    }

    /// Number of cells.
    pub fn cells(self) -> f64 {
        f64::from(self.along).powi(self.cut as i32)
    }

    fn grid(self, dims: usize) -> Result<Grid, FitError> {
        let cells = (0..dims).map(|axis| if axis < self.cut { self.along } else { 1 });
        Ok(Grid::new(cells.collect(), MOST_CELLS)?)
    }
}

/// The root m, by bisection: the left side rises from below zero once m is past its only minimum.
pub fn cells_per_axis(rows: f64, dims: usize, k: usize, epsilon: f64) -> f64 {
    let (d, k) = (dims as f64, k as f64);
    let gamma = 1.0 / (1.0 + (rows / 3.0).sqrt());
    let eta = (epsilon / d) * (8.0 * rows / 3.0).sqrt() / gamma;
    let side =
        |m: f64| m.powf(d / 2.0 + 2.0) - eta * gamma * k.powf(1.0 / d) * m - eta * (1.0 - gamma) * k.powf(2.0 / d);
    let (mut low, mut high) = (0.5, 65_536.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if side(middle) > 0.0 { high = middle } else { low = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_cells_is_the_root_of_the_rule() {
        // By an independent bisection in Python, for iris at four budgets and S1 at ε = 0.1.
        for (rows, dims, k, epsilon, root) in [
            (150.0, 4, 3, 0.1, 1.638_169_219),
            (150.0, 4, 3, 0.5, 2.496_302_508),
            (150.0, 4, 3, 1.0, 2.999_786_543),
            (150.0, 4, 3, 2.0, 3.610_851_728),
        ] {
            assert!((cells_per_axis(rows, dims, k, epsilon) - root).abs() < 1e-6);
        }
        let along = |rows, dims, epsilon| Layout::plan(rows, dims, 3, epsilon).along;
        assert_eq!([0.1, 0.5, 1.0, 2.0].map(|epsilon| along(150.0, 4, epsilon)), [2, 3, 3, 4]);
    }

    #[test]
    fn every_layout_is_a_grid_within_the_limit() {
        for (rows, dims, k, epsilon) in [
            (1e12, 1, 3, 1e6),
            (1e12, 2, 3, 1e6),
            (1.0, 12, 3, 1e-6),
            (1.0, 1000, 9, 1.0),
            (1e9, 40, 2, 10.0),
            (1e9, 12, 2, 10.0),
            (1000.0, 9, 5, 0.1),
        ] {
            let layout = Layout::plan(rows, dims, k, epsilon);
            let grid = layout.grid(dims).unwrap();
            assert_eq!(grid.cells() as f64, layout.cells());
            assert!(layout.along >= 2 && layout.cut >= 1 && layout.cut >= dims.min(8), "{layout:?}");
        }
        let along = Layout::plan(1000.0, 9, 5, 0.1).grid(9).unwrap().cells_per_axis().to_vec();
        assert_eq!(along, [2, 2, 2, 2, 2, 2, 2, 2, 1]);
    }

    #[test]
    fn counts_are_lowered_and_never_all_zero() {
        assert_eq!(lowered(&[10, -3, 2, 1], 2.0), [8.0, 0.0, 0.0, 0.0]);
        assert_eq!(lowered(&[-10, 1], 2.0), [1.0, 1.0]);
    }
}
