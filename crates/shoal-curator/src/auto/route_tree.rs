//! A private tree of boxes cut where the data vary, k-means on its leaves, and rounds that refine the centres.
//!
//! 1. Noisy means and variances of the attributes ([`crate::auto::moments`]).
//! 2. A tree whose boxes are cut where these say that rows differ most ([`InformedCuts`], [`TreeRelease`]).
//! 3. k-means with restarts on the leaves, each placed where the attributes' laws put its rows and weighted with what its
//!    noisy count says ([`posterior_counts`]). The best of all starts is found on the synopsis: free.
//! 4. Rounds of noisy sums relative to the centres ([`crate::auto::refinement`]).
//!
//! *Privacy.* The losses of 1, 2 and 4 add to the whole budget. What each step is told about the table was released by those
//! before it.
//!
//! *Utility.* The synopsis finds the clusters, and one or two rounds put the centres right.
//!
//! *Runtime.* A few scans for the tree, one for the moments and for each round.

use std::sync::Arc;

use shoal_noise::MAX_DIMENSIONS;
use shoal_privacy::Amount;

use crate::Decision;
use crate::FitError;
use crate::StepBudget;
use crate::TreeLimits;
use crate::auto::axis_law::AxisLaw;
use crate::auto::choose_k;
use crate::auto::informed_cuts::InformedCuts;
use crate::auto::moments::{self, MomentKind, expected_sd};
use crate::auto::placed_cells::PlacedCells;
use crate::auto::plan::Route;
use crate::auto::posterior_counts::{CountNoise, posterior_counts};
use crate::auto::refinement::refine;
use crate::auto::run::{Found, LastRound, ReleasedCells, Run};
use crate::certainty::evidence::Stage;
use crate::{BudgetPart, Purpose};
use crate::{TreeRelease, TreeReleaseParams};
use shoal_release::Local;

/// Noise on a mean that the moments are bought for.
const WANTED: f64 = 0.03;

/// Above this noise, one variance for all attributes tells more than one for each.
const TOO_NOISY: f64 = 0.13;

/// Attributes up to which clusters are counted well with the usual tree.
const COUNTED_WELL: usize = 4;

/// How a budget is divided, in thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Division {
    /// For the moments.
    pub moments: u64,
    /// For the tree and its counts.
    pub tree: u64,
    /// For the rounds after it.
    pub refinement: u64,
    /// For a look at the rows where no clusters show ([`crate::auto::counts_along`]).
    pub look: u64,
}

impl Division {
    /// For about `rows` rows: as much for the moments as they need, half for the rounds, and more of it with many attributes,
    /// where sums are what costs. With many attributes and a number of clusters that is to be chosen on the tree, most goes
    /// to the tree.
    pub fn plan(rows: f64, dims: usize, chooses_k: bool, budget: &StepBudget) -> Self {
        let whole = expected_sd(MomentKind::EachVariance, dims, budget, 1.0, rows);
        let needed = match budget {
            StepBudget::Pure(_) => whole / WANTED,
            StepBudget::Concentrated(_) => (whole / WANTED).powi(2),
        };
        let moments = (1000.0 * needed).clamp(50.0, 200.0) as u64;
        let refinement = match (few_attributes(dims), chooses_k) {
            (_, true) if dims > COUNTED_WELL => 200,
            (true, _) => 500,
            (false, _) => 600,
        };
        Self { moments, refinement, tree: 1000 - moments - refinement, look: 0 }
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
            (Purpose::Tree, self.tree),
            (Purpose::Heaps, self.look),
            (Purpose::Refinement, self.refinement),
        ];
        let spent = parts.into_iter().filter(|(purpose, thousandths)| *purpose != Purpose::Heaps || *thousandths > 0);
        spent.map(|(purpose, thousandths)| BudgetPart { purpose, share: thousandths as f64 / 1000.0 }).collect()
    }
}

/// With few attributes boxes soon get small, and it pays to look everywhere; with many, only where rows are.
pub fn few_attributes(dims: usize) -> bool {
    dims <= 6
}

/// The share of the tree's budget that decides which boxes are cut.
pub fn structure_share() -> Amount {
    Amount::ratio(3, 5)
}

/// Whether rows were counted along a line.
pub fn has_looked(decisions: &[Decision]) -> bool {
    decisions.iter().any(|decision| matches!(decision, Decision::CountedAlong { .. }))
}

/// Runs the route.
pub fn run(run: &mut Run<'_>) -> Result<Found, FitError> {
    let released = release(run)?;
    let cells = &released.placed;
    let division = Division::plan(run.rows, run.dims(), run.choose_up_to.is_some(), &run.felt());
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

/// Steps 1 and 2: moments and the tree.
pub fn release(run: &mut Run<'_>) -> Result<ReleasedCells, FitError> {
    let dims = run.dims();
    let division = Division::plan(run.rows, dims, run.choose_up_to.is_some(), &run.felt());
    let cuts = informed_cuts(run, division.moments)?;
    let usual = TreeReleaseParams::new(dims);
    let params = TreeReleaseParams {
        structure_share: structure_share(),
        rule: Arc::new(cuts.clone()),
        limits: TreeLimits { boxes_per_look: boxes_per_look(run.rows), ..usual.limits },
        ..usual
    };
    let release = TreeRelease::new(params, &run.pure_part(division.tree)?, dims)?;
    let method = Route::RefinedTree.name();
    let Local { scan, accountant, noise } = run.releaser.local().ok_or(FitError::NeedsAllRows { method })?;
    let synopsis = release.run(scan, accountant, noise, &mut run.decisions)?;
    let weights = posterior_counts(&synopsis.counts, CountNoise::laplace(release.count_decay(), 1));
    let placed = PlacedCells::of_boxes(&synopsis.cells.boxes(), &cuts, weights);
    Ok(ReleasedCells { synopsis, placed, laws: cuts, stage: Stage::Tree })
}

/// Cuts by noisy moments, for some thousandths of the budget.
pub fn informed_cuts(run: &mut Run<'_>, thousandths: u64) -> Result<InformedCuts, FitError> {
    let dims = run.dims();
    let share = thousandths as f64 / 1000.0;
    let each = expected_sd(MomentKind::EachVariance, dims, &run.felt(), share, run.rows);
    // Cube noise has an end to its numbers.
    let drawable = MomentKind::EachVariance.numbers(dims) <= MAX_DIMENSIONS;
    let kind = if each < TOO_NOISY && drawable { MomentKind::EachVariance } else { MomentKind::OneVariance };
    let part = run.part(thousandths);
    let moments = moments::release(kind, run.rows, &part, run.releaser)?;
    let laws: Vec<AxisLaw> = moments.laws(if few_attributes(dims) { 0.5 } else { 0.0 });
    Ok(InformedCuts::new(laws))
}

/// Boxes that one scan asks about: planning one costs about as much as looking up a few rows.
fn boxes_per_look(rows: f64) -> usize {
    (rows / 8.0).clamp(256.0, 131_072.0) as usize
}
