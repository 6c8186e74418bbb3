//! Where one route is known to be better than another, from public numbers.
//!
//! The formulas of [`crate::auto::plan`] compare noise with what a route cannot resolve, which is enough to choose between one
//! centre, directions and cells. Between one kind of cells and another they are too coarse. There, trials on made-up tables
//! (`bench/src/bin/routes.rs`) gave these rules, in two numbers:
//!
//! - q = ε·n/k, rows per cluster times ε;
//! - ρ = c·k/(ε·n/2), the noise on a centre in standard deviations of its cluster after one round with half of ε, c the
//!   standard deviation of the K-norm noise on one of d sums.
//!
//! | attributes, clusters | `grid` | `fixed-tree` | `refined-tree` |
//! |---|---|---|---|
//! | up to 3, or up to 4 with 20 clusters or more | q below F(d) | | q from F(d) on |
//! | 4 to 7, fewer than 20 clusters, 250 rows or more | by the formulas | 0.05 ≤ ρ ≤ 0.35 | ρ below 0.05 |
//! | all others | by the formulas | | by the formulas |
//!
//! *Privacy.* Rows are a design size, public or bought, so nothing here is about the data.

use crate::StepBudget;
use crate::auto::noise_size::{pure_part, step_sd};
use crate::auto::plan::Route;

/// Rows per cluster times ε up to which a grid is better than a tree, for 1, 2, 3 and 4 attributes.
const GRID_UP_TO: [f64; 4] = [1000.0, 1000.0, 300.0, 150.0];

/// Clusters from which on that holds in four attributes.
const MANY_CLUSTERS: usize = 20;

/// Rows from which on a tree of fixed depth is worth its moments.
const FIXED_TREE_ROWS: f64 = 250.0;

/// Noise on a centre above which a tree of fixed depth is too much.
const FIXED_TREE_NOISE: f64 = 0.35;

/// Noise on a centre below which a tree that looks closer where rows are is better.
const REFINED_TREE_NOISE: f64 = 0.05;

/// How a route with cells compares with the coarser ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// It is better.
    Better,
    /// It is worse.
    Worse,
    /// The formulas decide.
    ByFormula,
}

/// The numbers that rules look at.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    rows: f64,
    dims: usize,
    k: usize,
    /// q.
    rows_epsilon: f64,
    /// ρ.
    centre_noise: f64,
}

impl Rules {
    /// For about `rows` rows.
    pub fn new(rows: f64, dims: usize, k: usize, budget: &StepBudget) -> Self {
        let centre_noise = step_sd(dims, budget, 0.5) * k as f64 / rows;
        Self { rows, dims, k, rows_epsilon: rows_epsilon(rows, k, budget), centre_noise }
    }

    /// Whether a tree of fixed depth comes between the grid and the refined tree.
    pub fn has_fixed_tree(&self) -> bool {
        (4..=7).contains(&self.dims) && self.k < MANY_CLUSTERS
    }

    /// How a route compares with the next coarser one.
    pub fn order(&self, route: Route) -> Order {
        let better = |yes: bool| if yes { Order::Better } else { Order::Worse };
        match route {
            Route::FixedTree => {
                better(self.has_fixed_tree() && self.rows >= FIXED_TREE_ROWS && self.centre_noise <= FIXED_TREE_NOISE)
            }
            Route::RefinedTree if self.has_fixed_tree() => better(self.centre_noise < REFINED_TREE_NOISE),
            Route::RefinedTree if self.dims <= 3 || (self.dims == 4 && self.k >= MANY_CLUSTERS) => {
                better(self.rows_epsilon >= GRID_UP_TO[self.dims - 1])
            }
            _ => Order::ByFormula,
        }
    }
}

/// q, with the ε of the steps that count rows.
pub fn rows_epsilon(rows: f64, k: usize, budget: &StepBudget) -> f64 {
    rows * pure_part(budget, 0.4) / 0.4 / k as f64
}
