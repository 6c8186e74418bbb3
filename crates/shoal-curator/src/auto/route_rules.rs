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
//! | attributes | clusters | `grid` | `fixed-tree` | `refined-tree` |
//! |---|---|---|---|---|
//! | 1, 2 | fewer than 20 | otherwise | – | q from 3000, 150 on |
//! | 3 | fewer than 20 | otherwise | 0.05 ≤ ρ ≤ 0.35 and ε·n from 150 on | ρ < 0.05 |
//! | 4 to 7 | fewer than 20 | by the formulas | 0.05 ≤ ρ ≤ 0.35 (below 250 rows 0.08 for 4, 0.3 for more) | ρ < 0.05 |
//! | 8 to 13 | fewer than 20 | never | 0.12 ≤ ρ ≤ 0.2, 250 rows or more | ρ < 0.12, or by the formulas |
//! | 1 to 4 | 20 or more | otherwise | – | q from 3000, 1000, 300, 150 on |
//! | all others | | up to 7 attributes, by the formulas | – | by the formulas |
//!
//! A grid pays most where clusters are round and fill the box, and costs most where columns are skewed or have long tails:
//! which of them a table is like is not public. The rules have the least regret on average over both kinds.
//!
//! *Privacy.* Rows are a design size, public or bought, so nothing here is about the data.

use crate::StepBudget;
use crate::auto::noise_size::{pure_part, step_sd};
use crate::auto::plan::Route;

/// Clusters from which on a grid of few attributes is better for longer.
pub const MANY_CLUSTERS: usize = 20;

/// Rows per cluster times ε up to which a grid is better than a tree, for 1, 2, 3 and 4 attributes and many clusters.
const GRID_UP_TO: [f64; 4] = [3000.0, 1000.0, 300.0, 150.0];

/// The same for 1 and 2 attributes and fewer clusters.
const GRID_UP_TO_OF_FEW: [f64; 2] = [3000.0, 150.0];

/// Attributes from which on a grid has too few cells along each.
const NO_GRID: usize = 8;

/// Rows from which on moments are worth their price in a tree of fixed depth.
pub const MOMENT_ROWS: f64 = 250.0;

/// Rows times ε from which on a tree of fixed depth is better than a grid in three attributes.
const FIXED_TREE_ROWS: f64 = 150.0;

/// Noise on a centre below which a tree that looks closer where rows are is better.
const REFINED_TREE_NOISE: f64 = 0.05;

/// The same with so many attributes that a tree of fixed depth cuts few of them.
const REFINED_TREE_NOISE_OF_MANY: f64 = 0.12;

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

    /// Whether a tree of fixed depth comes between the coarser routes and the refined tree.
    pub fn has_fixed_tree(&self) -> bool {
        (3..=13).contains(&self.dims) && self.k < MANY_CLUSTERS
    }

    /// The most noise on a centre for which a tree of fixed depth is better than what is coarser.
    fn fixed_tree_noise(&self) -> f64 {
        match self.dims {
            3 if self.rows_epsilon * self.k as f64 >= FIXED_TREE_ROWS => 0.35,
            4..=7 if self.rows >= MOMENT_ROWS => 0.35,
            4 => 0.08,
            5..=7 => 0.3,
            8..=13 if self.rows >= MOMENT_ROWS => 0.2,
            _ => 0.0,
        }
    }

    /// The noise on a centre below which a refined tree is better than one of fixed depth.
    fn refined_tree_noise(&self) -> f64 {
        if self.dims < NO_GRID { REFINED_TREE_NOISE } else { REFINED_TREE_NOISE_OF_MANY }
    }

    /// Rows per cluster times ε up to which a grid is better than a refined tree, where that is all there is to say.
    fn grid_up_to(&self) -> Option<f64> {
        let of: &[f64] = if self.k < MANY_CLUSTERS { &GRID_UP_TO_OF_FEW } else { &GRID_UP_TO };
        of.get(self.dims.checked_sub(1)?).copied()
    }

    /// How a route compares with the coarser ones: a grid and a tree of fixed depth with all that are, a refined tree with the
    /// next.
    pub fn order(&self, route: Route) -> Order {
        let better = |yes: bool| if yes { Order::Better } else { Order::Worse };
        let fixed_tree = self.has_fixed_tree() && self.centre_noise <= self.fixed_tree_noise();
        match route {
            Route::Mean | Route::Directions | Route::Looks => Order::ByFormula,
            Route::Grid => {
                if self.dims >= NO_GRID {
                    Order::Worse
                } else {
                    Order::ByFormula
                }
            }
            Route::FixedTree => better(fixed_tree),
            Route::RefinedTree if self.dims >= NO_GRID && !fixed_tree => Order::ByFormula,
            Route::RefinedTree if self.has_fixed_tree() => better(self.centre_noise < self.refined_tree_noise()),
            Route::RefinedTree => {
                self.grid_up_to().map_or(Order::ByFormula, |up_to| better(self.rows_epsilon >= up_to))
            }
        }
    }
}

/// q, with the ε of the steps that count rows.
pub fn rows_epsilon(rows: f64, k: usize, budget: &StepBudget) -> f64 {
    rows * pure_part(budget, 0.4) / 0.4 / k as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(route: Route, rows: f64, dims: usize, k: usize, epsilon: &str) -> Order {
        Rules::new(rows, dims, k, &StepBudget::Pure(epsilon.parse().unwrap())).order(route)
    }

    #[test]
    fn the_numbers_are_those_of_the_documentation() {
        let rules = Rules::new(748.0, 4, 4, &StepBudget::Pure("1/4".parse().unwrap()));
        // c² = 5·6/3; ρ = √10·4/(0.125·748).
        assert!((rules.centre_noise - 10f64.sqrt() * 4.0 / 93.5).abs() < 1e-9);
        assert!((rules.rows_epsilon - 46.75).abs() < 1e-9);
    }

    #[test]
    fn each_rule_holds_on_its_side_of_its_border_only() {
        use Order::{Better, ByFormula, Worse};
        use Route::{FixedTree, Grid, RefinedTree};
        for (route, rows, dims, k, epsilon, wanted) in [
            (RefinedTree, 1499.0, 2, 10, "1", Worse),
            (RefinedTree, 1500.0, 2, 10, "1", Better),
            (RefinedTree, 3000.0, 2, 25, "1", Worse),
            (RefinedTree, 25_000.0, 2, 25, "1", Better),
            (RefinedTree, 7_000.0, 3, 25, "1", Worse),
            (RefinedTree, 7_000.0, 4, 25, "1", Better),
            (RefinedTree, 7_000.0, 5, 25, "1", ByFormula),
            (FixedTree, 1000.0, 3, 4, "0.1", Worse),
            (FixedTree, 2000.0, 3, 4, "0.1", Better),
            (FixedTree, 748.0, 4, 4, "0.05", Worse),
            (FixedTree, 748.0, 4, 4, "0.25", Better),
            (FixedTree, 150.0, 4, 3, "1", Worse),
            (FixedTree, 150.0, 4, 3, "2", Better),
            (FixedTree, 220.0, 6, 3, "0.25", Worse),
            (FixedTree, 220.0, 6, 3, "0.5", Better),
            (FixedTree, 748.0, 4, 20, "1", Worse),
            (FixedTree, 980.0, 10, 4, "0.25", Worse),
            (FixedTree, 10_000.0, 10, 10, "0.1", Better),
            (FixedTree, 10_000.0, 14, 10, "0.2", Worse),
            (RefinedTree, 748.0, 4, 4, "0.5", Worse),
            (RefinedTree, 748.0, 4, 4, "1", Better),
            (RefinedTree, 980.0, 10, 4, "0.25", ByFormula),
            (RefinedTree, 980.0, 10, 4, "0.5", Better),
            (RefinedTree, 10_000.0, 10, 10, "0.1", Worse),
            (RefinedTree, 10_000.0, 10, 10, "1", Better),
            (Grid, 600.0, 7, 4, "0.25", ByFormula),
            (Grid, 600.0, 8, 4, "0.25", Worse),
        ] {
            assert_eq!(
                order(route, rows, dims, k, epsilon),
                wanted,
                "{route:?} {rows} × {dims}, k = {k}, ε = {epsilon}"
            );
        }
    }
}
