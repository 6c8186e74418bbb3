//! Which way is taken: the error of each route, predicted from public numbers.
//!
//! Let τ be the noise, in half box widths, that the whole budget would leave on one mean of all rows, and v = 0.12 the variance
//! per attribute of a table of which nothing is known. Then, per attribute,
//!
//! | route | what it cannot resolve | noise |
//! |---|---|---|
//! | `mean` | v | τ²·o/(τ² + o), o = 0.15 the squared distance of a mean from the middle |
//! | `directions` | 0.75·v | 2.3·τ² |
//! | `refined-tree` | 0.5·v | 2.5·k^(−2/d)·(kτ)², and what too few rows per cluster leave uncut |
//! | `fixed-tree` | 0.5·v | 2.5·k^(−2/d)·(kτ)² |
//! | `grid` | 0.5·v | the width of the cells, and their noise |
//!
//! Where [`crate::auto::route_rules`] knows which of two is better, their predictions are put in that order.
//!
//! τ² and (kτ)² are what noise does to one mean and to the mean of a k-th of the rows; the factors are those with which the
//! routes change places where they did in trials on made-up tables. The data decide how good a route really is, so these
//! numbers rank; they do not promise.
//!
//! *Privacy.* Rows are a design size, public or bought, so nothing here is about the data.

use serde::{Deserialize, Serialize};

use crate::StepBudget;
use crate::auto::noise_size::{pure_part, step_sd};
use crate::auto::route_grid::Layout;
use crate::auto::route_rules::{MANY_CLUSTERS, Order, Rules, rows_epsilon};

/// Variance of an attribute within a table of which nothing is known, in box units.
pub(crate) const VARIANCE: f64 = 0.12;

/// Squared distance of an attribute's mean from the middle, in a table of which nothing is known.
pub(crate) const OFFSET: f64 = 0.15;

/// Rows per cluster times ε below which a grid beats a tree, for four attributes or fewer.
const GRID_ROWS: f64 = 120.0;

/// Attributes up to which that holds; with each further one fewer rows speak for a grid.
const GRID_DIMS: f64 = 4.0;

/// How far apart the predictions of two routes are put where a rule orders them.
const APART: f64 = 1.01;

/// What is expected of `looks`, against a tree that grows by hidden comparisons: from a prototype.
const LOOKS: f64 = 1.005;

/// A way through the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Route {
    /// One shrunk mean.
    Mean,
    /// One round in random directions from a mean.
    Directions,
    /// k-means on a grid.
    Grid,
    /// k-means on a tree of fixed depth, refined.
    FixedTree,
    /// k-means on a tree whose boxes are cut by released counts, refined.
    Looks,
    /// k-means on a tree, refined.
    RefinedTree,
}

impl Route {
    /// All, from the coarsest.
    pub const ALL: [Self; 6] =
        [Self::Mean, Self::Directions, Self::Grid, Self::FixedTree, Self::Looks, Self::RefinedTree];

    /// The name after `--method`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Directions => "directions",
            Self::Grid => "grid",
            Self::FixedTree => "fixed-tree",
            Self::Looks => "looks",
            Self::RefinedTree => "refined-tree",
        }
    }

    /// The route of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|route| route.name() == name)
    }

    /// True when it releases cells.
    pub fn has_cells(self) -> bool {
        matches!(self, Self::Grid | Self::FixedTree | Self::Looks | Self::RefinedTree)
    }

    /// True when it takes nothing from the rows but steps ([`shoal_release::Step`]), so that rows may be in several places.
    pub fn is_of_steps(self) -> bool {
        self != Self::RefinedTree
    }

    /// The NICV to expect, for about `rows` rows: that of the formulas, in the order of the rules.
    pub fn predicted_nicv(self, rows: f64, dims: usize, k: usize, budget: &StepBudget) -> f64 {
        let formula = |route: Self| route.formula(rows, dims, k, budget);
        let predicted = |route: Self| route.predicted_nicv(rows, dims, k, budget);
        // Like the refined tree, but for what its structure costs: see docs/auto.md.
        if self == Self::Looks {
            return predicted(Self::RefinedTree) * LOOKS;
        }
        let own = formula(self);
        let rules = Rules::new(rows, dims, k, budget);
        let coarser = match self {
            Self::Mean | Self::Directions | Self::Looks => return own,
            Self::Grid => formula(Self::Mean).min(formula(Self::Directions)),
            Self::FixedTree => {
                [Self::Mean, Self::Directions, Self::Grid].map(predicted).into_iter().fold(f64::INFINITY, f64::min)
            }
            Self::RefinedTree if rules.has_fixed_tree() => predicted(Self::FixedTree),
            Self::RefinedTree => predicted(Self::Grid),
        };
        match rules.order(self) {
            Order::Better => own.min(coarser / APART),
            Order::Worse => own.max(coarser * APART),
            Order::ByFormula => own,
        }
    }

    /// The NICV by the formula of the route alone.
    fn formula(self, rows: f64, dims: usize, k: usize, budget: &StepBudget) -> f64 {
        let d = dims as f64;
        let tau = step_sd(dims, budget, 1.0) / rows;
        // Rows are measured from their centre, as far as a k-th of the box reaches.
        let reach = (k as f64).powf(-2.0 / d);
        let rounds = 2.5 * reach * (k as f64 * tau).powi(2);
        let per_attribute = match self {
            // A mean that is mostly noise is pulled to the middle, and costs no more than its distance from there.
            Self::Mean => VARIANCE + tau * tau * OFFSET / (tau * tau + OFFSET),
            Self::Directions => 0.75 * VARIANCE + 2.3 * tau * tau,
            Self::Grid => 0.5 * VARIANCE + cell_error(rows, dims, k, budget) + cell_noise(rows, dims, k, budget),
            Self::FixedTree => 0.5 * VARIANCE + rounds,
            Self::Looks | Self::RefinedTree => {
                let too_few = grid_rows(dims) / rows_epsilon(rows, k, budget);
                0.5 * VARIANCE + rounds + cell_error(rows, dims, k, budget) * too_few.powi(2)
            }
        };
        // Nothing is worse than guessing anywhere in the box.
        d * per_attribute.min(2.0 / 3.0)
    }
}

/// Rows per cluster times ε below which a grid is better.
fn grid_rows(dims: usize) -> f64 {
    GRID_ROWS * (GRID_DIMS / dims as f64).powf(1.3).min(1.0)
}

/// What a grid's cells leave, per attribute: along an axis that is cut, a third of the variance of a uniform law in a cell;
/// along one that is not, all of the variance and the distance of the mean from the middle.
fn cell_error(rows: f64, dims: usize, k: usize, budget: &StepBudget) -> f64 {
    let Layout { along, cut } = Layout::plan(rows, dims, k, pure_part(budget, 1.0));
    let width = 2.0 / f64::from(along);
    let cut = cut as f64 / dims as f64;
    cut * 0.35 * width * width / 12.0 + (1.0 - cut) * (0.5 * VARIANCE + OFFSET)
}

/// What the noise on a grid's cells adds, per attribute: SCL16 eq. (9), an eighth of it, since most cells are empty and the
/// noise on these is taken out. With many clusters each has few cells, and their noise moves it less.
fn cell_noise(rows: f64, dims: usize, k: usize, budget: &StepBudget) -> f64 {
    let epsilon = pure_part(budget, 1.0);
    let cells = Layout::plan(rows, dims, k, epsilon).cells();
    0.12 * cells * 2.0 * k.min(MANY_CLUSTERS) as f64 / (3.0 * (epsilon * rows).powi(2))
}

/// A route with the noise it is to use.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The way.
    pub route: Route,
    /// What it may spend, in the unit of its noise.
    pub budget: StepBudget,
    /// What is expected of it.
    pub predicted_nicv: f64,
}

/// The route with the least predicted error among those that `fits`, over all budgets that promise the same.
pub fn choose(
    rows: f64,
    dims: usize,
    k: usize,
    budgets: &[StepBudget],
    fits: impl Fn(Route) -> bool,
) -> Option<Choice> {
    let candidates = budgets.iter().flat_map(|budget| Route::ALL.map(|route| (route, budget)));
    let predicted = candidates.filter(|&(route, _)| fits(route)).map(|(route, budget)| Choice {
        route,
        budget: budget.clone(),
        predicted_nicv: route.predicted_nicv(rows, dims, k, budget),
    });
    predicted.min_by(|a, b| a.predicted_nicv.total_cmp(&b.predicted_nicv))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(rows: f64, dims: usize, k: usize, epsilon: &str) -> Route {
        choose(rows, dims, k, &[StepBudget::Pure(epsilon.parse().unwrap())], |_| true).unwrap().route
    }

    #[test]
    fn few_rows_and_many_attributes_get_what_they_can_pay_for() {
        assert_eq!(route(180.0, 13, 3, "0.1"), Route::Mean);
        assert_eq!(route(180.0, 13, 3, "1"), Route::Directions);
        assert_eq!(route(600.0, 30, 2, "0.1"), Route::Mean);
        assert_eq!(route(10_000.0, 10, 5, "1"), Route::RefinedTree);
        assert_eq!(route(50_000.0, 6, 5, "0.1"), Route::RefinedTree);
        assert_eq!(route(5_000.0, 2, 15, "0.1"), Route::Grid);
        assert_eq!(route(150.0, 4, 3, "1"), Route::Grid);
        assert_eq!(route(150.0, 4, 3, "2"), Route::FixedTree);
        assert_eq!(route(748.0, 4, 4, "0.25"), Route::FixedTree);
        assert_eq!(route(3_000.0, 2, 100, "0.1"), Route::Grid);
        assert_eq!(route(3_000.0, 4, 30, "1"), Route::Grid);
        assert_eq!(route(1e8, 2, 3, "1"), Route::RefinedTree);
        assert_eq!(route(10.0, 200, 3, "0.01"), Route::Mean);
    }

    #[test]
    fn more_budget_never_predicts_more_error() {
        for route in Route::ALL {
            for (rows, dims, k) in [(100.0, 2, 3), (1e4, 10, 5), (1e6, 64, 20), (500.0, 30, 2)] {
                let at =
                    |epsilon: &str| route.predicted_nicv(rows, dims, k, &StepBudget::Pure(epsilon.parse().unwrap()));
                assert!(at("0.1") >= at("1") && at("1") >= at("10"), "{route:?} {rows} {dims} {k}");
            }
        }
    }
}
