//! How certain the result of a route of `auto` is.
//!
//! A rerun takes the same route with the same division of the budget: moments, tree or grid, counts, k-means on the cells,
//! refinement. `mean` and `directions` release no cells to simulate a table from, and have the intervals of
//! [`super::from_noise`].
//!
//! *Privacy.* See [`super::of_cells`]: the inputs are released or public, and the reruns have an accountant of their own
//! for a table that is made up.

use shoal_noise::SeededNoise;
use shoal_privacy::{Accountant, Allowance, Amount, Assumption, Claim, Loss, Neighbours, Numerics};

use crate::auto::refinement::refine;
use crate::auto::run::{Found, Run};
use crate::auto::{route_fixed_tree, route_grid, route_looks, route_tree};
use crate::certainty::Certainty;
use crate::certainty::evidence::Stage;
use crate::certainty::explained::of_rerun;
use crate::certainty::of_cells::OnCells;
use crate::certainty::reruns::Rerun;
use crate::certainty::rivals::solutions;
use crate::certainty::simulated_table::SimulatedTable;
use crate::{FitError, NicvEstimate, StepBudget, SynopsisKMeans};
use shoal_lattice::BoxPosition;
use shoal_release::LocalReleaser;

/// Fresh initialisations on the cells of a rerun, next to the optimum of the simulated table and the best on the released
/// cells.
const STARTS: usize = 4;

/// A run of `auto` as it was.
pub struct OfAuto<'a> {
    /// What the route could spend.
    pub budget: StepBudget,
    /// How cells were clustered, with the number of clusters that was used.
    pub kmeans: SynopsisKMeans,
    /// The most clusters that could be chosen, if they were.
    pub choose_up_to: Option<usize>,
    /// Whether rows were counted along a line before they were refined.
    pub looked: bool,
    /// How many noises each released number has.
    pub copies: u32,
    /// What was found.
    pub found: &'a Found,
    /// The mean squared distance, where it was bought.
    pub nicv: Option<NicvEstimate>,
}

impl OfAuto<'_> {
    /// The intervals; none where the route released no cells, or too few.
    pub fn certainty(&self) -> Option<Certainty> {
        let cells = self.found.cells.as_ref()?;
        let sd: Vec<f64> = self.found.variances.iter().map(|variance| variance.sqrt()).collect();
        let on_cells = OnCells {
            boxes: &cells.synopsis.cells.boxes(),
            laws: &cells.laws,
            cells: &cells.placed,
            count_noise: cells.synopsis.count_noise,
            centres: &self.found.centres,
            noise: &sd,
            sizes: &self.found.sizes.0,
            size_noise: &self.found.sizes.1,
            nicv: self.nicv,
            last_round: self.found.last_round.as_ref(),
            reruns: self.kmeans.reruns,
        };
        on_cells.certainty(|table, starts, noise| self.rerun(table, starts, noise).ok())
    }

    fn rerun(&self, table: &SimulatedTable, starts: &[&[f64]], noise: &mut SeededNoise) -> Result<Rerun, FitError> {
        let rows = table.points.rows() as f64;
        let budget = scaled(&self.budget, table.scale);
        let mut accountant = Accountant::new(Allowance::without_ledger(claim(&budget)));
        let mut run = Run {
            releaser: &mut LocalReleaser::new(&table.scan, &mut accountant, noise).with_copies(self.copies),
            watch: &|_| (),
            rows,
            budget,
            kmeans: self.kmeans,
            choose_up_to: self.choose_up_to,
            decisions: Vec::new(),
        };
        // The same cells as before: other ones would have other errors.
        let stage = self.found.cells.as_ref().map_or(Stage::Tree, |cells| cells.stage);
        let released = match stage {
            Stage::Grid(layout) => route_grid::release(&mut run, layout)?,
            Stage::FixedTree(division, depth) => route_fixed_tree::release(&mut run, division, depth)?,
            Stage::Tree => route_tree::release(&mut run)?,
            Stage::Looks => route_looks::release(&mut run)?,
        };
        let cells = &released.placed;
        let mut fresh = crate::certainty::reruns::public_random(run.releaser.randomness().next_u64());
        let runs = solutions(cells, starts, STARTS.min(self.kmeans.inits), &mut fresh);
        // Unwrap safety: there is at least one start.
        let best = runs.into_iter().min_by(|a, b| a.cost.total_cmp(&b.cost)).unwrap().centres;
        let refinement = match stage {
            Stage::Grid(_) => 0,
            Stage::FixedTree(division, _) => division.with_look(self.looked).refinement,
            Stage::Tree | Stage::Looks => {
                let (dims, chooses_k) = (table.points.dims(), self.choose_up_to.is_some());
                route_tree::Division::plan(rows, dims, chooses_k, &run.felt()).with_look(self.looked).refinement
            }
        };
        let (centres, on_cells, sizes) = if refinement == 0 {
            let sizes = released.synopsis.describe(&BoxPosition::list(&best)).sizes;
            (best, Vec::new(), sizes)
        } else {
            let part = run.part(refinement);
            let refined = refine(cells, best.clone(), &part, run.releaser)?;
            let sizes = match stage {
                Stage::FixedTree(..) => route_fixed_tree::sizes(&released, &refined.centres).0,
                _ => cells.clusters(&refined.centres).sizes(released.synopsis.count_noise).0,
            };
            (refined.centres, best, sizes)
        };
        Ok(Rerun { explained: Some(of_rerun(cells, &centres, table)), centres, on_cells, sizes })
    }
}

/// The budget under which noise on a table with `scale` times fewer rows is as large in proportion.
fn scaled(budget: &StepBudget, scale: f64) -> StepBudget {
    let factor = Amount::ratio((scale * 1e6).round() as u64, 1_000_000);
    match budget {
        StepBudget::Pure(_) => budget.times(&factor),
        // A standard deviation falls with the root of ρ.
        StepBudget::Concentrated(_) => budget.times(&factor).times(&factor),
    }
}

/// All that a rerun may spend: it concerns nobody.
fn claim(budget: &StepBudget) -> Claim {
    let loss = match budget {
        StepBudget::Pure(epsilon) => Loss::Pure(epsilon.clone()),
        StepBudget::Concentrated(rho) => Loss::Zcdp(rho.times(&Amount::ratio(2, 1))),
    };
    Claim {
        neighbours: Neighbours::AddRemoveOne,
        loss,
        numerics: Numerics::Exact,
        assumes: [Assumption::BoundsPublic, Assumption::OneRowPerPerson].into(),
    }
}
