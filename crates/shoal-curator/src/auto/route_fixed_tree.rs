//! A tree of fixed depth cut where the data vary, k-means on its boxes, and rounds that refine the centres.
//!
//! As [`crate::auto::route_tree`], with one difference: all boxes are cut equally often, to a depth that follows from public
//! numbers, and counted in one query ([`FixedTreeRelease`]). With a few hundred rows per cluster, the budget that decides which
//! boxes to cut is worth more on the counts.
//!
//! *Privacy.* The losses of the moments (10 %), the counts (40 %) and the rounds (50 %) add to the whole budget. The cuts
//! follow from the released moments, and the depth from public numbers.
//!
//! *Utility.* For four to seven attributes. Where noise on a centre is below a twentieth of its cluster's width, the tree of
//! `refined-tree`, which looks closer where rows are, is better.
//!
//! *Runtime.* One scan for the moments, one for the boxes, one for each round.

use crate::Decision;
use crate::FitError;
use crate::auto::choose_k;
use crate::auto::placed_cells::PlacedCells;
use crate::auto::posterior_counts::posterior_counts;
use crate::auto::refinement::refine;
use crate::auto::route_tree::informed_cuts;
use crate::auto::run::{Found, ReleasedCells, Run};
use crate::certainty::evidence::Stage;
use crate::{BudgetPart, FixedTreeRelease, Purpose};

/// Parts of the budget, in thousandths: moments, counts, rounds.
const MOMENTS: u64 = 100;
const COUNTS: u64 = 400;
pub const REFINEMENT: u64 = 500;

/// Cuts above a box at most.
const MOST_DEPTH: u32 = 13;

/// How the budget is divided.
pub fn parts() -> Vec<BudgetPart> {
    [(Purpose::Moments, MOMENTS), (Purpose::Tree, COUNTS), (Purpose::Refinement, REFINEMENT)]
        .map(|(purpose, thousandths)| BudgetPart { purpose, share: thousandths as f64 / 1000.0 })
        .to_vec()
}

/// Runs the route.
pub fn run(run: &mut Run<'_>) -> Result<Found, FitError> {
    let depth = depth(run)?;
    let released = release(run, depth)?;
    let cells = &released.placed;
    let evidence = choose_k::weigh(&released, run);
    let best = cells.kmeans(&run.kmeans, run.noise, run.watch);
    let refined = refine(cells, best.centres, &run.part(REFINEMENT), run.scan, run.accountant, run.noise)?;
    run.decisions.push(Decision::Budget { parts: parts(), rounds: refined.rounds });
    let nicv = Some(cells.clusters(&refined.centres).nicv());
    let sizes = sizes(&released, &refined.centres);
    Ok(Found { centres: refined.centres, variances: refined.variances, sizes, cells: Some(released), nicv, evidence })
}

/// The depth that public numbers ask for: about one standard deviation of noise in rows for each box, and a box for each
/// cluster.
pub fn depth(run: &Run<'_>) -> Result<u32, FitError> {
    let sd = std::f64::consts::SQRT_2 / run.pure_part(COUNTS)?.to_f64_up();
    let wanted = (run.rows / sd).log2().round().clamp(0.0, f64::from(MOST_DEPTH)) as u32;
    let clusters = run.choose_up_to.unwrap_or(run.kmeans.k).max(1);
    Ok(wanted.max(clusters.next_power_of_two().ilog2()))
}

/// Moments, and the counts of all boxes of this depth.
pub fn release(run: &mut Run<'_>, depth: u32) -> Result<ReleasedCells, FitError> {
    let cuts = informed_cuts(run, MOMENTS)?;
    let release = FixedTreeRelease::new(run.scan.dims(), depth, &cuts, &run.pure_part(COUNTS)?)?;
    let synopsis = release.run(run.scan, run.accountant, run.noise, &mut run.decisions)?;
    // Noise on so many counts adds up, and about how many rows there are is known.
    let weights = scaled(posterior_counts(&synopsis.counts, release.count_decay()), run.rows);
    let placed = PlacedCells::of_boxes(&synopsis.cells.boxes(), &cuts, weights);
    Ok(ReleasedCells { synopsis, placed, laws: cuts, stage: Stage::FixedTree(depth) })
}

/// Sizes of the clusters around `centres`, and the standard deviation of their noise. They add up to the released counts: the
/// number of rows that a design is for may be anyone's guess.
pub fn sizes(released: &ReleasedCells, centres: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (expected, noise) = released.placed.clusters(centres).sizes(released.synopsis.count_noise);
    let counted = released.synopsis.counts.iter().map(|&count| count as f64).sum::<f64>().max(1.0);
    (scaled(expected, counted), noise)
}

/// The same in proportion, with this sum.
fn scaled(mut numbers: Vec<f64>, sum: f64) -> Vec<f64> {
    let factor = sum / numbers.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    if factor.is_finite() {
        numbers.iter_mut().for_each(|x| *x *= factor);
    }
    numbers
}
