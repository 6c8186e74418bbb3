//! A tree of boxes cut by released counts in two or three looks, k-means on its leaves, and rounds that refine the centres.
//!
//! As [`crate::auto::route_tree`], with one difference: there, comparisons decide which boxes to cut, and these are made where
//! all rows are and never released. Here every look is a release: all boxes there are get a noisy count, and a box is then cut
//! as often as its count says that its parts will still stand out of the noise of the next look. The counts of all looks
//! together say how many rows each leaf has ([`CountedTree`]). So the whole route consists of steps
//! ([`shoal_release::Step`]), and rows may be in several places.
//!
//! *Privacy.* The boxes of a look are disjoint, so one row changes one count of it, by 1: a look costs its share of the tree's
//! budget. Which boxes the next look counts follows from released counts and public numbers. With the losses of the
//! moments and the rounds the shares add up to the whole budget.
//!
//! *Utility.* In a prototype with floating-point noise about that of `refined-tree`. Shares and factors come from that
//! prototype, and were not set on made-up tables yet. It shows all its counts.
//!
//! *Runtime.* One scan for the moments, one for each look, one for each round.

use shoal_privacy::Amount;
use shoal_release::{Step, Take};
use shoal_scan::Question;

use crate::Decision;
use crate::FitError;
use crate::StepBudget;
use crate::Synopsis;
use crate::auto::choose_k;
use crate::auto::noise_size::pure_part;
use crate::auto::placed_cells::PlacedCells;
use crate::auto::posterior_counts::{CountNoise, posterior_counts};
use crate::auto::refinement::refine;
pub use crate::auto::route_tree::Division;
use crate::auto::route_tree::{has_looked, informed_cuts};
use crate::auto::run::{Found, LastRound, ReleasedCells, Run};
use crate::certainty::evidence::Stage;
use crate::synopsis::counted_tree::CountedTree;

/// Leaves at most: a look is a message to whoever holds rows.
const MOST_LEAVES: usize = 1 << 16;

/// Cuts of the whole box before the first look, at least and at most.
const FIRST_CUTS: (f64, f64) = (2.0, 14.0);

/// Cuts between two looks at most.
const MOST_CUTS: u32 = 8;

/// How the tree's budget is divided among looks, and how far boxes are cut before each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Looks {
    /// Shares of the tree's budget in thousandths, look by look.
    pub shares: &'static [u64],
    /// Rows that boxes of the first look have on average, in standard deviations of its noise.
    pub first: f64,
    /// Rows that the parts of a box should have at least, in standard deviations of the next look's noise.
    pub next: f64,
}

impl Looks {
    /// Two looks.
    pub const TWO: Self = Self { shares: &[400, 600], first: 3.0, next: 2.0 };

    /// Three, which start coarser: many rows leave something to find at every scale.
    pub const THREE: Self = Self { shares: &[250, 300, 450], first: 6.0, next: 4.0 };

    /// From so many rows times ε on, three looks are better than two.
    const THREE_FROM: f64 = 20_000.0;

    /// For about `rows` rows and a tree's budget, as its noise is felt.
    pub fn plan(rows: f64, tree: &StepBudget) -> Self {
        if rows * pure_part(tree, 1.0) >= Self::THREE_FROM { Self::THREE } else { Self::TWO }
    }
}

/// Runs the route.
pub fn run(run: &mut Run<'_>) -> Result<Found, FitError> {
    let released = release(run)?;
    let cells = &released.placed;
    let division = division(run);
    let evidence = choose_k::weigh(&released, run, Some(division.with_look(true).look))?;
    let division = division.with_look(has_looked(&run.decisions));
    let best = cells.kmeans(&run.kmeans, run.releaser.randomness(), run.watch);
    let refined = refine(cells, best.centres, &run.part(division.refinement), run.releaser)?;
    run.decisions.push(Decision::Budget { parts: division.parts(), rounds: refined.rounds });
    let clusters = cells.clusters(&refined.centres);
    let nicv = Some(clusters.nicv());
    let sizes = clusters.sizes(released.synopsis.count_noise);
    let last_round = Some(LastRound { rounds: refined.rounds, moved: refined.last_moved });
    let (centres, variances) = (refined.centres, refined.variances);
    Ok(Found { centres, variances, sizes, cells: Some(released), nicv, evidence, last_round })
}

fn division(run: &Run<'_>) -> Division {
    Division::plan(run.rows, run.dims(), run.choose_up_to.is_some(), &run.felt())
}

/// Moments and the tree.
pub fn release(run: &mut Run<'_>) -> Result<ReleasedCells, FitError> {
    let dims = run.dims();
    let division = division(run);
    let cuts = informed_cuts(run, division.moments)?;
    let budget = run.part(division.tree);
    let looks = Looks::plan(run.rows, &crate::auto::noise_size::felt(&budget, run.releaser.copies()));
    let copies = run.releaser.copies();
    let of_look = |look: usize| budget.times(&Amount::ratio(looks.shares[look], 1000));
    let variance = |budget: &StepBudget| -> Result<f64, FitError> {
        let step = Step::for_budget(Question::RowCount, Take::Whole, budget)?;
        Ok(f64::from(copies) * step.prepare()?.variance(0))
    };
    let mut tree = CountedTree::whole(dims);
    let first = (run.rows / (looks.first * variance(&of_look(0))?.sqrt())).max(2.0).log2().round();
    tree.cut(0, first.clamp(FIRST_CUTS.0, FIRST_CUTS.1) as u32, &cuts, MOST_LEAVES);
    let mut boxes_of_looks = Vec::with_capacity(looks.shares.len());
    for look in 0..looks.shares.len() {
        let (question, boxes) = tree.question(dims);
        let budget = of_look(look);
        let step = Step::for_budget(Question::BoxCounts { tree: question }, Take::Whole, &budget)?;
        let noisy = run.releaser.release(&step)?.into_inner();
        tree.count(&boxes, &noisy, variance(&budget)?);
        boxes_of_looks.push(boxes.len());
        if look + 1 < looks.shares.len() {
            let next = variance(&of_look(look + 1))?.sqrt();
            for (number, times) in tree.wanted(&boxes, looks.next * next, MOST_CUTS) {
                tree.cut(number, times, &cuts, MOST_LEAVES);
            }
        }
    }
    let (question, boxes) = tree.question(dims);
    let known = tree.known(&boxes);
    let counts: Vec<i64> = known.iter().map(|known| known.rows.round() as i64).collect();
    let mean_variance = known.iter().map(|known| known.variance).sum::<f64>() / known.len() as f64;
    run.decisions.push(Decision::Looks { boxes: boxes_of_looks, counts: budget_of_counts(&budget) });
    // What least squares leave of Laplace noise has its tails when most leaves were counted once, and is near normal otherwise.
    let noise = match (&budget, copies) {
        (StepBudget::Pure(_), 1) => CountNoise::laplace((2.0 / mean_variance).sqrt(), 1),
        _ => CountNoise::normal(mean_variance),
    };
    let weights = posterior_counts(&counts, noise);
    let (promised, seeded) = (run.releaser.promised(), run.releaser.is_seeded());
    let synopsis = Synopsis::new(question, counts, mean_variance.sqrt(), promised, seeded).decided(&run.decisions);
    let placed = PlacedCells::of_boxes(&synopsis.cells.boxes(), &cuts, weights);
    Ok(ReleasedCells { synopsis, placed, laws: cuts, stage: Stage::Looks })
}

/// The ε that the counts cost, or one that costs as much.
fn budget_of_counts(budget: &StepBudget) -> shoal_privacy::Epsilon {
    match budget {
        StepBudget::Pure(epsilon) => epsilon.clone(),
        // For a sentence only.
        StepBudget::Concentrated(_) => {
            shoal_privacy::Epsilon::new(Amount::from_shortest_decimal(pure_part(budget, 1.0)).unwrap_or(Amount::ZERO))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_looks_are_the_whole_budget() {
        for looks in [Looks::TWO, Looks::THREE] {
            assert_eq!(looks.shares.iter().sum::<u64>(), 1000);
        }
        let tree: StepBudget = StepBudget::Pure("1".parse().unwrap());
        assert_eq!((Looks::plan(1000.0, &tree), Looks::plan(1e5, &tree)), (Looks::TWO, Looks::THREE));
    }
}
