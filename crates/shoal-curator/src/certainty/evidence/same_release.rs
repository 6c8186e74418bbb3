//! The release stage of a route on a made-up table: the same layout, the same division of the budget, noise of the same
//! size compared with the counts.
//!
//! A table of n' rows stands for the Σw rows that the cells show. All noise of these routes scales with 1/ε against counts,
//! so ε' = ε·Σw/n' (ρ' = ρ·(Σw/n')²) on n' rows behaves as ε on Σw rows, and the cost does not grow with the table.
//!
//! *Privacy.* The table is made up from released numbers, so nothing is spent; the accountant here counts for nobody.

use shoal_files::PointStore;
use shoal_lattice::LatticePoints;
use shoal_noise::SeededNoise;
use shoal_privacy::{Accountant, Allowance, Amount, Assumption, Claim, Epsilon, Loss, Neighbours, Numerics, Rho};
use shoal_release::LocalReleaser;
use shoal_scan::LocalScan;

use super::Release;
use crate::auto::placed_cells::PlacedCells;
use crate::auto::route_grid::{self, Layout};
use crate::auto::run::Run;
use crate::auto::{route_fixed_tree, route_looks, route_tree};
use crate::{FitError, StepBudget, SynopsisKMeans};

/// Which release stage it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Moments and a tree.
    Tree,
    /// Moments and a tree that is counted while it grows.
    Looks,
    /// A tree of this depth, after moments or without, by this division of the budget.
    FixedTree(route_fixed_tree::Division, u32),
    /// A grid of this layout.
    Grid(Layout),
}

/// A release stage with its settings.
pub struct SameRelease {
    stage: Stage,
    rows: f64,
    budget: StepBudget,
    kmeans: SynopsisKMeans,
    choose_up_to: Option<usize>,
    copies: u32,
}

impl SameRelease {
    /// The stage of a run that has shown about `shown` rows, for tables of `made_up` rows.
    pub fn new(stage: Stage, run: &Run<'_>, shown: f64, made_up: usize) -> Self {
        let factor = Amount::ratio((shown.round() as u64).max(1), made_up.max(1) as u64);
        let budget = match &run.budget {
            StepBudget::Pure(_) => run.budget.times(&factor),
            StepBudget::Concentrated(_) => run.budget.times(&factor).times(&factor),
        };
        let rows = run.rows * made_up as f64 / shown.max(1.0);
        Self { stage, rows, budget, kmeans: run.kmeans, choose_up_to: run.choose_up_to, copies: run.releaser.copies() }
    }
}

impl Release for SameRelease {
    fn cells(&self, table: LatticePoints, noise: &mut SeededNoise) -> Result<PlacedCells, FitError> {
        let scan = LocalScan::new(PointStore::InMemory(table));
        let loss = match &self.budget {
            StepBudget::Pure(epsilon) => Loss::Pure(Epsilon::new(epsilon.amount().times(&Amount::ratio(2, 1)))),
            StepBudget::Concentrated(rho) => Loss::Zcdp(Rho::new(rho.amount().times(&Amount::ratio(2, 1)))),
        };
        let claim = Claim {
            neighbours: Neighbours::AddRemoveOne,
            loss,
            numerics: Numerics::Exact,
            assumes: [Assumption::BoundsPublic, Assumption::OneRowPerPerson].into(),
        };
        let mut accountant = Accountant::new(Allowance::without_ledger(claim));
        let mut run = Run {
            releaser: &mut LocalReleaser::new(&scan, &mut accountant, noise).with_copies(self.copies),
            watch: &|_| (),
            rows: self.rows,
            budget: self.budget.clone(),
            kmeans: self.kmeans,
            choose_up_to: self.choose_up_to,
            decisions: Vec::new(),
        };
        let released = match self.stage {
            Stage::Tree => route_tree::release(&mut run)?,
            Stage::Looks => route_looks::release(&mut run)?,
            Stage::FixedTree(division, depth) => route_fixed_tree::release(&mut run, division, depth)?,
            Stage::Grid(layout) => route_grid::release(&mut run, layout)?,
        };
        Ok(released.placed)
    }
}
