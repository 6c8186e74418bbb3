//! A tree of fixed depth cut where the data vary, k-means on its boxes, and rounds that refine the centres.
//!
//! As [`crate::auto::route_tree`], with one difference: all boxes are cut equally often, to a depth that follows from public
//! numbers, and counted in one query ([`FixedTreeRelease`]). With a few hundred rows per cluster, the budget that decides which
//! boxes to cut is worth more on the counts.
//!
//! *Privacy.* The losses of the moments (10 %), the counts (40 %) and the rounds (50 %), or for few rows of the counts (60 %)
//! and the rounds (40 %), add to the whole budget. The cuts
//! follow from the released moments, and the depth from public numbers.
//!
//! *Utility.* For three to thirteen attributes. Where noise on a centre is below a twentieth of its cluster's width, the tree of
//! `refined-tree`, which looks closer where rows are, is better.
//!
//! *Runtime.* One scan for the moments, one for the boxes, one for each round.

use crate::Decision;
use crate::FitError;
use crate::auto::axis_law::AxisLaw;
use crate::auto::choose_k;
use crate::auto::informed_cuts::InformedCuts;
use crate::auto::placed_cells::PlacedCells;
use crate::auto::posterior_counts::{CountNoise, posterior_counts};
use crate::auto::refinement::refine;
use crate::auto::route_rules::MOMENT_ROWS;
use crate::auto::route_tree::{has_looked, informed_cuts};
use crate::auto::run::{Found, LastRound, ReleasedCells, Run};
use crate::certainty::evidence::Stage;
use crate::{BudgetPart, FixedTreeRelease, Purpose};

/// Cuts above a box at most.
const MOST_DEPTH: u32 = 13;

/// How the budget is divided, in thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Division {
    /// For the moments; none for few rows.
    pub moments: u64,
    /// For the counts.
    pub counts: u64,
    /// For the rounds after them.
    pub refinement: u64,
    /// For a look at the rows where no clusters show ([`crate::auto::counts_along`]).
    pub look: u64,
}

impl Division {
    /// For about `rows` rows. With few, moments are too noisy to be worth their price, and boxes are halved along their widest
    /// side.
    pub fn plan(rows: f64) -> Self {
        if rows < MOMENT_ROWS {
            Self { moments: 0, counts: 600, refinement: 400, look: 0 }
        } else {
            Self { moments: 100, counts: 400, refinement: 500, look: 0 }
        }
    }

    /// The same when a look at the rows takes half of the refinement, because no clusters show.
    pub fn with_look(self, looked: bool) -> Self {
        let look = if looked { self.refinement / 2 } else { 0 };
        Self { refinement: self.refinement - look, look, ..self }
    }

    /// The same as shares.
    pub fn parts(self) -> Vec<BudgetPart> {
        let parts = [
            (Purpose::Moments, self.moments),
            (Purpose::Tree, self.counts),
            (Purpose::Heaps, self.look),
            (Purpose::Refinement, self.refinement),
        ];
        let spent = parts.into_iter().filter(|&(_, thousandths)| thousandths > 0);
        spent.map(|(purpose, thousandths)| BudgetPart { purpose, share: thousandths as f64 / 1000.0 }).collect()
    }
}

/// Runs the route.
pub fn run(run: &mut Run<'_>) -> Result<Found, FitError> {
    let division = Division::plan(run.rows);
    let depth = depth(run, division)?;
    let released = release(run, division, depth)?;
    let cells = &released.placed;
    let evidence = choose_k::weigh(&released, run, Some(division.with_look(true).look))?;
    let division = division.with_look(has_looked(&run.decisions));
    let best = cells.kmeans(&run.kmeans, run.releaser.randomness(), run.watch);
    let refined = refine(cells, best.centres, &run.part(division.refinement), run.releaser)?;
    run.decisions.push(Decision::Budget { parts: division.parts(), rounds: refined.rounds });
    let nicv = Some(cells.clusters(&refined.centres).nicv());
    let sizes = sizes(&released, &refined.centres);
    let last_round = Some(LastRound { rounds: refined.rounds, moved: refined.last_moved });
    let (centres, variances) = (refined.centres, refined.variances);
    Ok(Found { centres, variances, sizes, cells: Some(released), nicv, evidence, last_round })
}

/// The depth that public numbers ask for: about one standard deviation of noise in rows for each box, and a box for each
/// cluster.
pub fn depth(run: &Run<'_>, division: Division) -> Result<u32, FitError> {
    let sd = run.louder() * std::f64::consts::SQRT_2 / run.pure_part(division.counts)?.to_f64_up();
    let wanted = (run.rows / sd).log2().round().clamp(0.0, f64::from(MOST_DEPTH)) as u32;
    let clusters = run.choose_up_to.unwrap_or(run.kmeans.k).max(1);
    Ok(wanted.max(clusters.next_power_of_two().ilog2()))
}

/// Moments, and the counts of all boxes of this depth.
pub fn release(run: &mut Run<'_>, division: Division, depth: u32) -> Result<ReleasedCells, FitError> {
    let cuts = match division.moments {
        0 => InformedCuts::new(vec![AxisLaw::UNIFORM; run.dims()]),
        moments => informed_cuts(run, moments)?,
    };
    let release = FixedTreeRelease::new(run.dims(), depth, &cuts, &run.pure_part(division.counts)?)?;
    let synopsis = release.run_with(run.releaser, &mut run.decisions)?;
    let expected =
        posterior_counts(&synopsis.counts, CountNoise::laplace(release.count_decay(), run.releaser.copies()));
    let weights = scaled(expected, total_rows(&synopsis.counts, synopsis.count_noise, run.rows));
    let placed = PlacedCells::of_boxes(&synopsis.cells.boxes(), &cuts, weights);
    Ok(ReleasedCells { synopsis, placed, laws: cuts, stage: Stage::FixedTree(division, depth) })
}

/// Sizes of the clusters around `centres`, and the standard deviation of their noise. They add up to the released counts: the
/// number of rows that a design is for may be anyone's guess.
pub fn sizes(released: &ReleasedCells, centres: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (expected, noise) = released.placed.clusters(centres).sizes(released.synopsis.count_noise);
    let counted = released.synopsis.counts.iter().map(|&count| count as f64).sum::<f64>().max(1.0);
    (scaled(expected, counted), noise)
}

/// How many rows there are. Noise on so many counts adds up, so a known number is better than their sum, unless the counts rule
/// it out: a bought number may be all noise.
fn total_rows(counts: &[i64], count_noise: f64, known: f64) -> f64 {
    let counted = counts.iter().map(|&count| count as f64).sum::<f64>();
    let off = 3.0 * count_noise * (counts.len() as f64).sqrt();
    if (known - counted).abs() <= off { known } else { counted.max(1.0) }
}

/// The same in proportion, with this sum.
fn scaled(mut numbers: Vec<f64>, sum: f64) -> Vec<f64> {
    let factor = sum / numbers.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    if factor.is_finite() {
        numbers.iter_mut().for_each(|x| *x *= factor);
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_number_of_rows_is_used_unless_the_counts_rule_it_out() {
        // Noise of 3·10·√4 = 60 rows at most.
        assert_eq!([190.0, 250.0, 1e7].map(|known| total_rows(&[50, 50, 50, 50], 10.0, known)), [190.0, 250.0, 200.0]);
        assert_eq!(total_rows(&[-500, 3, 0, 1], 1.0, 1e7), 1.0);
    }
}
