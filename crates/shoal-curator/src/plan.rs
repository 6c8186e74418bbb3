//! What every method is expected to reach, from public numbers: the list from which a method is picked before anything is
//! spent.
//!
//! The prediction is an NICV in the box `[-1, 1]^d`. For `auto` and its routes it is that of [`Route::predicted_nicv`]. For
//! the others it is, per attribute,
//!
//! unresolved·v + s·b/(s + b), s = weight·(2·rmse)²,
//!
//! where v is the variance of an attribute in a table of which nothing is known, *unresolved* the part of it that the method
//! does not find even without noise (half of it is within the clusters of the best k-means; the rest are local minima, merged
//! centres, blocks, a short search), rmse what [`crate::System::expected_error`] reports in interval widths, and b what is left when
//! noise is all there is. For methods that scatter k centres b falls as k^(−1/d), since rows go to the nearest one. Cells that
//! hold nothing but noise still have their middles: routes with cells are never predicted to be far above one centre for all rows.
//!
//! The three constants of a method were set on made-up tables alone (`bench/made_up_tables.py`: mixtures of Gaussians, 300 to
//! 30,000 rows, 2 to 30 attributes, 2 to 15 clusters, more and less apart), at ε from 0.1 to 2, so that the order of the
//! methods comes out; `bench/src/bin/plan_ranks.rs` measures how well it does on tables that were not used for it. The numbers
//! rank; they do not promise.
//!
//! *Privacy.* Rows are a design size, public or bought, so nothing here is about the data.

use serde::Serialize;
use shoal_lattice::Widths;
use shoal_privacy::{Amount, Delta, Epsilon, largest_rho_down};

use crate::DesignSize;
use crate::FitError;
use crate::Route;
use crate::Settings;
use crate::StepBudget;
use crate::auto::plan::{OFFSET, VARIANCE, choose};
use crate::{Method, methods};

/// What a method is expected to reach.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Prediction {
    /// Its name after `--method`.
    pub method: &'static str,
    /// Mean squared distance of a row to its nearest centre, in the box `[-1, 1]^d`.
    pub nicv: f64,
    /// What the number is made of, or why the method would refuse.
    pub why: String,
}

/// NICV per attribute of a guess that knows nothing: two places anywhere in the box.
const BLIND: f64 = 2.0 / 3.0;

/// What Lloyd's algorithm does not find even without noise.
pub(crate) const LOCAL_MINIMUM: &str = "a local minimum";

/// What k-means on cells does not find even without noise.
pub(crate) const CELL_WIDTH: &str = "the width of the cells";

/// How a method's error is predicted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Forecast {
    /// `auto`, or one of its routes.
    Routes(Option<Route>),
    /// From the noise that the method reports in advance.
    Noise(Constants),
}

/// How a method's noise becomes an NICV.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constants {
    /// The part of the variance that is left without noise.
    unresolved: f64,
    /// How much of the reported noise counts.
    weight: f64,
    /// What noise comes to when there is nothing else, per attribute.
    saturated: f64,
    /// How the size of the noise is read off the method.
    scale: Scale,
    /// What the method does not find even without noise, in words.
    limits: &'static str,
    /// How many cuts in two a table of d attributes gets for rows·ε, where the method clusters cells.
    cuts: Option<fn(f64, f64) -> f64>,
}

/// How noise larger than the box is read off a method that reports no more than a blind guess.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scale {
    /// A centre's noise is inverse to the number of rows.
    Rows,
    /// It is inverse to ε.
    Budget,
    /// It is reported in full, or there is nothing to report.
    Reported,
}

impl Forecast {
    const fn noise(unresolved: f64, weight: f64, saturated: f64, scale: Scale, limits: &'static str) -> Self {
        Self::Noise(Constants { unresolved, weight, saturated, scale, limits, cuts: None })
    }

    /// For a method whose noise on a centre is inverse to the number of rows.
    pub(crate) const fn per_rows(unresolved: f64, weight: f64, saturated: f64, limits: &'static str) -> Self {
        Self::noise(unresolved, weight, saturated, Scale::Rows, limits)
    }

    /// For a method whose noise on a centre is inverse to ε.
    pub(crate) const fn per_epsilon(unresolved: f64, weight: f64, saturated: f64, limits: &'static str) -> Self {
        Self::noise(unresolved, weight, saturated, Scale::Budget, limits)
    }

    /// For a method that reports its noise in full.
    pub(crate) const fn reported(unresolved: f64, weight: f64, saturated: f64, limits: &'static str) -> Self {
        Self::noise(unresolved, weight, saturated, Scale::Reported, limits)
    }

    /// For k-means on cells, which get `cuts` cuts in two for d attributes and rows·ε.
    pub(crate) const fn on_cells(
        unresolved: f64,
        weight: f64,
        limits: &'static str,
        cuts: fn(f64, f64) -> f64,
    ) -> Self {
        let (saturated, scale) = (BLIND, Scale::Reported);
        Self::Noise(Constants { unresolved, weight, saturated, scale, limits, cuts: Some(cuts) })
    }
}

/// What each of [`methods`] is expected to reach on about `rows` rows of `dims` attributes, the best first. Methods
/// without a use for δ keep a pure ε; one that would refuse comes last and says why.
///
/// ```
/// use shoal_curator::predictions;
/// use shoal_privacy::Delta;
///
/// let predicted = predictions(10_000.0, 10, 5, &"1".parse()?, &Delta::ZERO);
/// assert_eq!(predicted[0].method, "auto");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn predictions(rows: f64, dims: usize, k: usize, epsilon: &Epsilon, delta: &Delta) -> Vec<Prediction> {
    let rows = if rows >= 1.0 { rows } else { 1.0 };
    let of = |method: &'static Method| {
        let delta = if method.info.delta { delta.clone() } else { Delta::ZERO };
        let size = DesignSize::Public(rows as u64);
        let asked = Asked { rows, dims, settings: Settings { delta, ..Settings::new(k, epsilon.clone(), size) } };
        let (nicv, why) =
            asked.prediction(method).unwrap_or_else(|error| (f64::INFINITY, format!("it would refuse: {error}")));
        Prediction { method: method.info.name, nicv, why }
    };
    let mut all: Vec<Prediction> = methods().map(of).collect();
    // Stable: `auto` stays before the route it takes.
    all.sort_by(|a, b| a.nicv.total_cmp(&b.nicv));
    all
}

/// A table and what is to be done with it, in public numbers.
struct Asked {
    rows: f64,
    dims: usize,
    settings: Settings,
}

impl Asked {
    fn prediction(&self, method: &'static Method) -> Result<(f64, String), FitError> {
        let system = method.build(&self.settings, self.dims)?;
        let constants = match method.forecast {
            Forecast::Routes(route) => return Ok(self.of_routes(route)),
            Forecast::Noise(constants) => constants,
        };
        let d = self.dims as f64;
        let Constants { unresolved, weight, mut saturated, scale, limits, .. } = constants;
        if scale != Scale::Reported {
            // Many centres that lie anywhere are near every row.
            saturated *= (self.settings.k as f64).powf(-1.0 / d);
        }
        let rmse = match scale {
            Scale::Rows => {
                const MORE: f64 = 1e6;
                Widths(MORE * system.expected_error(MORE * self.rows).center_rmse.0)
            }
            Scale::Budget => {
                const MORE: u64 = 1000;
                let epsilon = self.settings.epsilon.times(&Amount::ratio(MORE, 1));
                let eased = method.build(&Settings { epsilon, ..self.settings.clone() }, self.dims)?;
                Widths(MORE as f64 * eased.expected_error(self.rows).center_rmse.0)
            }
            Scale::Reported => system.expected_error(self.rows).center_rmse,
        };
        let noise = weight * rmse.in_box().squared();
        let excess = noise * saturated / (noise + saturated);
        let floor = unresolved * VARIANCE + self.uncut(&constants) * ((1.0 - unresolved) * VARIANCE + OFFSET);
        let why = format!(
            "{:.3} from {limits}, {:.3} from noise{}",
            d * floor,
            d * excess,
            if noise > saturated { ", which hides the data" } else { "" }
        );
        Ok((d * (floor + excess), why))
    }

    /// The part of the attributes that cells do not cut, since there are too few of them: along these, centres are in the middle.
    fn uncut(&self, constants: &Constants) -> f64 {
        let (d, budget) = (self.dims as f64, self.rows * self.settings.epsilon.to_f64_up());
        constants.cuts.map_or(0.0, |cuts| (1.0 - cuts(d, budget) / d).max(0.0))
    }

    /// `auto`, or one of its routes.
    fn of_routes(&self, route: Option<Route>) -> (f64, String) {
        let Settings { k, epsilon, delta, .. } = &self.settings;
        let mut budgets = vec![StepBudget::Pure(epsilon.clone())];
        if !delta.amount().is_zero() {
            budgets.extend(largest_rho_down(epsilon, delta).map(StepBudget::Concentrated));
        }
        let least = |fits: &dyn Fn(Route) -> bool| {
            // Unwrap safety: there is a route and a budget.
            choose(self.rows, self.dims, *k, &budgets, fits).unwrap()
        };
        let best = least(&|_| true);
        let Some(route) = route else {
            return (best.predicted_nicv, format!("it takes the route {}", best.route.name()));
        };
        let alone = least(&|other| other == route);
        let noise = match alone.budget {
            StepBudget::Pure(_) => "",
            StepBudget::Concentrated(_) => ", with Gaussian noise",
        };
        let (most, why) = match route {
            Route::Mean => (f64::INFINITY, "one centre for all rows"),
            Route::Directions => (f64::INFINITY, "one round from a noisy mean"),
            Route::Grid => (GRID_AT_MOST, "the width and the noise of the cells"),
            Route::FixedTree => (TREE_AT_MOST, "boxes of one depth, and the noise of the rounds after them"),
            Route::Looks => (TREE_AT_MOST, "boxes cut by released counts, and the noise of the rounds after them"),
            Route::RefinedTree => (TREE_AT_MOST, "the boxes of the tree, and the noise of the rounds after it"),
        };
        let most = most * VARIANCE * self.dims as f64;
        (alone.predicted_nicv.min(most).max(best.predicted_nicv), format!("{why}{noise}"))
    }
}

/// A grid of cells that are nothing but noise gives about one centre for all rows: in parts of the variance.
const GRID_AT_MOST: f64 = 1.15;

/// A tree that was not cut does, too, and its rounds add noise.
const TREE_AT_MOST: f64 = 1.5;
