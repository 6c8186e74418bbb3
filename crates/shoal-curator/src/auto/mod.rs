//! `auto`: the route whose error is predicted to be least, and each route by its own name.
//!
//! | route | for |
//! |---|---|
//! | `route_mean.rs`: `mean` | tables too small for anything finer |
//! | `route_directions.rs`: `directions` | few rows, many attributes |
//! | `route_grid.rs`: `grid` | few attributes, few rows per cluster |
//! | `route_fixed_tree.rs`: `fixed-tree` | three to thirteen attributes, dozens to hundreds of rows per cluster |
//! | `route_looks.rs`: `looks` | where nobody holds all rows |
//! | `route_tree.rs`: `refined-tree` | everything else |
//!
//! *Privacy.* Pure ε-DP for adding or removing one row, or (ε, δ) where a δ is allowed and Gaussian noise is less: each route
//! spends exactly its budget, step by step, through the accountant. Which route is taken follows from public numbers, and
//! the number of rows among them is public or was bought ([`DesignSize`]). docs/auto.md explains it step by step.
//!
//! *Utility.* [`plan`].
//!
//! *Assumes.* Public bounds; one row per person. The number of rows is used as a design size only.

pub(crate) mod axis_law;
mod choose_k;
mod count_noise;
mod counts_along;
pub(crate) mod informed_cuts;
mod methods;
pub(crate) mod moments;
mod nicv_estimate;
pub(crate) mod noise_size;
pub(crate) mod placed_cells;
pub(crate) mod plan;
mod planned_budget;
pub(crate) mod posterior_counts;
pub(crate) mod refinement;
mod route_directions;
pub(crate) mod route_fixed_tree;
pub(crate) mod route_grid;
pub(crate) mod route_looks;
mod route_mean;
mod route_rules;
pub(crate) mod route_tree;
pub(crate) mod run;
mod side_moments;
pub(crate) mod singular_shrinkage;
pub(crate) mod steps;

use shoal_lattice::{BoxLength, BoxPosition, Widths};
use shoal_noise::NoiseSource;
use shoal_privacy::{
    Accountant, Allowance, Amount, Assumption, Claim, Delta, Epsilon, Loss, Neighbours, Numerics, Parameter, Rho,
    largest_rho_down, pure_to_zcdp,
};

pub use choose_k::MOST as MOST_CHOSEN;
pub(crate) use methods::METHODS;
pub use moments::{MomentKind, MomentsMechanism};
pub use nicv_estimate::NicvEstimate;
pub use plan::{Choice, Route};

use crate::Certainty;
use crate::Decision;
use crate::ExpectedError;
use crate::PredictedRoute;
use crate::StepBudget;
use crate::SynopsisKMeans;
use crate::certainty::OfAuto;
use crate::expected_error::HOPELESS;
use crate::system::{check_basics, rest_of};
use crate::{DesignSize, Settled, SizeStep};
use crate::{FitError, Outcome, System, Watch};
use run::{Found, Run};
use shoal_release::{LocalReleaser, Releaser};
use shoal_scan::Scan;

/// Attributes at most: cube noise is drawn for this many numbers at once, and the moments are one more.
pub const MOST_DIMS: usize = 1000;

/// The estimate of the NICV is bought when its interval is expected to be this wide at most, as a part of it.
const WIDEST: f64 = 0.5;

/// No step gets less than one of so many parts of the budget, unless nearly all goes to the estimate of the NICV.
const LEAST_PART: u64 = 10_000;

/// The parameters of `auto`, not yet checked.
#[derive(Clone, Debug)]
pub struct AutoParams {
    /// The whole budget.
    pub epsilon: Epsilon,
    /// Above zero, Gaussian noise may be used where it is less.
    pub delta: Delta,
    /// For how many rows the route is chosen.
    pub size: DesignSize,
    /// How cells are clustered.
    pub kmeans: SynopsisKMeans,
    /// When set, the number of clusters is chosen on the cells, up to this many.
    pub choose_up_to: Option<usize>,
    /// The route, if it is not to be chosen.
    pub route: Option<Route>,
    /// Only routes that release cells may be taken, since someone wants to keep them.
    pub keep_cells: bool,
    /// The share of ε that buys an estimate of the NICV, where it is enough for one.
    pub score_share: Amount,
}

impl AutoParams {
    /// The usual values.
    pub fn new(k: usize, epsilon: Epsilon, size: DesignSize) -> Self {
        Self {
            epsilon,
            delta: Delta::ZERO,
            size,
            kmeans: SynopsisKMeans::new(k),
            choose_up_to: None,
            route: None,
            keep_cells: false,
            score_share: Amount::ratio(1, 50),
        }
    }
}

/// `auto` with parameters that make sense.
///
/// ```
/// use shoal_curator::{Auto, AutoParams, DesignSize, System};
/// use shoal_lattice::LatticePoints;
/// use shoal_files::PointStore;
/// use shoal_scan::LocalScan;
/// use shoal_noise::SeededNoise;
/// use shoal_privacy::Allowance;
///
/// let mut points = LatticePoints::new(2);
/// for i in 0..10_000 {
///     points.push_row(&if i % 2 == 0 { [-20_000, 9_000] } else { [16_000, 9_000] });
/// }
/// let fit = Auto::new(AutoParams::new(2, "1".parse()?, DesignSize::Public(10_000)), 2)?;
/// let scan = LocalScan::new(PointStore::InMemory(points));
/// // A seed is for examples and tests; use `OsNoise` to protect people.
/// let outcome = fit.run(&scan, Allowance::without_ledger(fit.claim()), &mut SeededNoise::new(1))?;
/// let mut xs: Vec<f64> = outcome.centres.iter().map(|centre| centre[0].0 * 32_767.0).collect();
/// xs.sort_by(f64::total_cmp);
/// assert!((xs[0] + 20_000.0).abs() < 100.0 && (xs[1] - 16_000.0).abs() < 100.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Auto {
    params: AutoParams,
    dims: usize,
    size: SizeStep,
    /// What is left after the size, in each unit that may be used.
    budgets: Vec<StepBudget>,
    /// The rest of ε after the size.
    rest: Epsilon,
}

impl Auto {
    /// Checks the parameters for a table of `dims` attributes.
    pub fn new(params: AutoParams, dims: usize) -> Result<Self, FitError> {
        check_basics(params.choose_up_to.unwrap_or(params.kmeans.k), &params.epsilon, dims)?;
        if dims > MOST_DIMS {
            let (given, wanted) =
                (format!("{dims} columns"), format!("at most {MOST_DIMS}, or {} dplloyd-impr", Parameter::METHOD));
            return Err(FitError::Parameter { what: Parameter::COLUMNS, given, wanted });
        }
        for (what, given) in [(Parameter::INITS, params.kmeans.inits), (Parameter::ITERATIONS, params.kmeans.rounds)] {
            if given == 0 {
                return Err(FitError::Parameter { what, given: "0".into(), wanted: "1 or more".into() });
            }
        }
        if params.choose_up_to.is_some() && params.route.is_some_and(|route| !route.has_cells()) {
            let (given, wanted) = ("auto".into(), "a number: this method releases no cells to choose it on".into());
            return Err(FitError::Parameter { what: Parameter::K, given, wanted });
        }
        if params.keep_cells && params.route.is_some_and(|route| !route.has_cells()) {
            let (given, wanted) = ("given".into(), "it with a method that releases cells, such as auto".into());
            return Err(FitError::Parameter { what: Parameter::SYNOPSIS, given, wanted });
        }
        if !params.score_share.is_zero() {
            rest_of(&params.score_share, Parameter::SCORE_SHARE, "the estimate of the result's quality")?;
        }
        let (size, rest) = params.size.split(&params.epsilon)?;
        let mut budgets = vec![StepBudget::Pure(rest.clone())];
        // Noise that is too wide to be drawn is found before anything is spent.
        let least = |budget: &StepBudget| MomentsMechanism::new(1, &budget.times(&Amount::ratio(1, LEAST_PART)));
        least(&budgets[0])?;
        if !params.delta.amount().is_zero() {
            let rho = largest_rho_down(&params.epsilon, &params.delta);
            let left = rho.and_then(|rho| after_size(&rho, &params.epsilon, &rest)).map(StepBudget::Concentrated);
            budgets.extend(left.filter(|budget| least(budget).is_ok()));
        }
        Ok(Self { params, dims, size, budgets, rest })
    }

    /// The number of clusters that is planned for.
    fn planned_k(&self) -> usize {
        self.params.choose_up_to.map_or(self.params.kmeans.k, choose_k::planned)
    }

    /// The route for about `rows` rows.
    pub fn choice(&self, rows: f64) -> Choice {
        // Unwrap safety: every route is among the candidates, and one that chooses k has cells.
        self.choice_with(rows, With::ALONE).unwrap()
    }

    /// [`Auto::choice`] for a releaser; an error where none of its routes can do what is asked for.
    fn choice_with(&self, rows: f64, with: With) -> Result<Choice, FitError> {
        let felt: Vec<StepBudget> = self.budgets.iter().map(|budget| noise_size::felt(budget, with.copies)).collect();
        let chosen = plan::choose(rows, self.dims, self.planned_k(), &felt, |route| self.fits(route, with));
        let Some(chosen) = chosen else {
            return Err(FitError::NeedsAllRows { method: self.params.route.map_or("auto", Route::name) });
        };
        let budget = felt.iter().position(|felt| *felt == chosen.budget).unwrap_or(0);
        Ok(Choice { budget: self.budgets[budget].clone(), ..chosen })
    }

    /// True when the route can do what is asked for.
    fn fits(&self, route: Route, with: With) -> bool {
        let cells = self.params.choose_up_to.is_some() || self.params.keep_cells;
        self.params.route.is_none_or(|asked| asked == route)
            && (!cells || route.has_cells())
            && (with.all_rows || route.is_of_steps())
            // Where all rows are in one place, it is taken when it is asked for.
            && (route != Route::Looks || !with.all_rows || self.params.route == Some(Route::Looks))
    }

    /// The route, and why it was chosen where it was.
    fn reason(&self, choice: &Choice, rows: f64, with: With) -> Decision {
        let (k, columns, route) = (self.planned_k(), self.dims, choice.route);
        let gaussian = matches!(choice.budget, StepBudget::Concentrated(_));
        if self.params.route.is_some() {
            return Decision::Route { route, gaussian };
        }
        let others = Route::ALL.into_iter().filter(|&other| other != route && self.fits(other, with));
        let felt = noise_size::felt(&choice.budget, with.copies);
        let predicted =
            |route: Route| PredictedRoute { route, predicted_nicv: route.predicted_nicv(rows, columns, k, &felt) };
        let (predicted_nicv, others) = (choice.predicted_nicv, others.map(predicted).collect());
        Decision::ChoseRoute { route, gaussian, rows, columns, k, predicted_nicv, others }
    }

    /// The share of the budget that buys an estimate of the NICV, if it is enough for one.
    fn score_thousandths(&self, choice: &Choice, rows: f64, copies: u32) -> u64 {
        if self.params.score_share.is_zero() {
            return 0;
        }
        // Whole thousandths, and some for each part.
        let share = ((1000.0 * self.params.score_share.to_f64_up()).round() as u64).clamp(1, 999);
        let epsilon = noise_size::pure_part(&noise_size::felt(&choice.budget, copies), share as f64 / 1000.0);
        let enough = nicv_estimate::expected_width(rows, epsilon) <= WIDEST;
        if enough && choice.route.has_cells() { share } else { 0 }
    }

    fn run_route(&self, run: &mut Run<'_>, route: Route) -> Result<Found, FitError> {
        match route {
            Route::Mean => route_mean::run(run),
            Route::Directions => route_directions::run(run),
            Route::Grid => route_grid::run(run),
            Route::FixedTree => route_fixed_tree::run(run),
            Route::Looks => route_looks::run(run),
            Route::RefinedTree => route_tree::run(run),
        }
    }
}

/// What of a releaser matters for the plan.
#[derive(Clone, Copy)]
struct With {
    /// Noises in each number.
    copies: u32,
    /// Whether somebody holds all rows.
    all_rows: bool,
}

impl With {
    /// One party with all rows.
    const ALONE: Self = Self { copies: 1, all_rows: true };
}

/// What a bought size leaves of ρ. The accountant adds its pure loss as ε²/2, and so must be left that much: the ρ of the
/// rest of ε alone may be too much together with it.
fn after_size(rho: &Rho, epsilon: &Epsilon, rest: &Epsilon) -> Option<Rho> {
    let size = Epsilon::new(epsilon.amount().checked_sub(rest.amount())?);
    let left = rho.amount().checked_sub(pure_to_zcdp(&size).amount())?;
    (!left.is_zero()).then(|| Rho::new(left))
}

impl System for Auto {
    fn claim(&self) -> Claim {
        let delta = self.params.delta.clone();
        let loss = match self.budgets.len() {
            1 => Loss::Pure(self.rest.clone()),
            _ => Loss::Approximate { epsilon: self.rest.clone(), delta },
        };
        self.size.claim_with(Claim {
            neighbours: Neighbours::AddRemoveOne,
            loss,
            numerics: Numerics::Exact,
            assumes: [Assumption::BoundsPublic, Assumption::OneRowPerPerson].into(),
        })
    }

    /// The noise on a centre alone: that of the refining rounds, where there are some.
    fn expected_error(&self, rows: f64) -> ExpectedError {
        let choice = self.choice(rows);
        let per_cluster = rows / self.planned_k() as f64;
        let (share, width, size) = match choice.route {
            Route::Mean => (1.0, 1.0, rows),
            Route::Directions => {
                let share = (1000 - route_directions::MEAN) as f64 / 1000.0;
                (share, route_directions::corrected_width(), per_cluster)
            }
            Route::Grid => (1.0, 0.0, per_cluster),
            Route::FixedTree | Route::Looks | Route::RefinedTree => (0.5, 0.5, per_cluster),
        };
        let noise = BoxLength(width * noise_size::step_sd(self.dims, &choice.budget, share) / size).in_widths().0;
        let cells = if choice.route == Route::Grid {
            let epsilon = noise_size::pure_part(&choice.budget, 1.0);
            let layout = route_grid::Layout::plan(rows, self.dims, self.planned_k(), epsilon);
            // SCL16 eq. (9), per attribute.
            let (d, k) = (self.dims as f64, self.planned_k() as f64);
            let variance = layout.cells() * k.powf((d - 2.0) / d) * 2.0 / (3.0 * (epsilon * rows).powi(2));
            let noisy = BoxLength::variance_in_widths(variance);
            (f64::from(layout.along).powi(-2) / 12.0 + noisy).sqrt()
        } else {
            0.0
        };
        ExpectedError::of_width(Widths(noise.hypot(cells)))
    }

    fn plan(&self, rows: f64) -> Vec<Decision> {
        let choice = self.choice(rows);
        vec![self.reason(&choice, rows, With::ALONE), self.planned_budget(&choice, rows)]
    }

    fn run_watched(
        &self,
        scan: &dyn Scan,
        allowance: Allowance,
        noise: &mut dyn NoiseSource,
        watch: Watch<'_>,
    ) -> Result<Outcome, FitError> {
        let mut accountant = Accountant::new(allowance);
        self.run_with(&mut LocalReleaser::new(scan, &mut accountant, noise), watch)
    }
}

impl Auto {
    /// Runs `auto`, or the route that was asked for, on whatever the releaser releases: nothing else is taken from the rows,
    /// but for the hidden comparisons of `refined-tree`, which is left out where nobody holds all rows.
    ///
    /// Noise of several copies is in the plan, in every estimate and in the errors that the outcome states.
    pub fn run_with(&self, releaser: &mut dyn Releaser, watch: Watch<'_>) -> Result<Outcome, FitError> {
        let all_rows = releaser.local().is_some();
        if let Some(route) = self.params.route.filter(|route| !all_rows && !route.is_of_steps()) {
            // Before anything is spent on the number of rows.
            return Err(FitError::NeedsAllRows { method: route.name() });
        }
        let settled = self.size.settle_with(releaser)?;
        let mostly_noise = settled.is_mostly_noise();
        let blind = mostly_noise.then_some(Decision::RowsMostlyNoise);
        let Settled { rows, noise: rows_noise, decision } = settled;
        let with = With { copies: releaser.copies(), all_rows };
        let choice = self.choice_with(rows as f64, with)?;
        let score = self.score_thousandths(&choice, rows as f64, with.copies);
        let mut run = Run {
            releaser,
            watch,
            rows: rows as f64,
            budget: choice.budget.times(&Amount::ratio(1000 - score, 1000)),
            kmeans: self.params.kmeans,
            choose_up_to: self.params.choose_up_to,
            decisions: decision.into_iter().chain(blind).chain([self.reason(&choice, rows as f64, with)]).collect(),
        };
        let found = self.run_route(&mut run, choice.route)?;
        let (budget, kmeans) = (run.budget.clone(), run.kmeans);
        let scored = match (score, found.nicv) {
            (1.., Some(expected)) => {
                run.budget = choice.budget.clone();
                let epsilon = run.pure_part(score)?;
                let counted = (found.sizes.0.iter().sum(), found.sizes.1.iter().map(|sd| sd * sd).sum::<f64>().sqrt());
                let rows = match self.size.known_rows() {
                    // Someone's word for the number of rows is not their number.
                    Some(rows) if matches!(self.params.size, DesignSize::Disclosed(_)) => (rows as f64, 0.0),
                    Some(_) => counted,
                    None => {
                        if rows_noise < counted.1 {
                            (rows as f64, rows_noise)
                        } else {
                            counted
                        }
                    }
                };
                Some(nicv_estimate::estimate(&found.centres, expected, rows, &epsilon, run.releaser)?)
            }
            _ => None,
        };
        let claims = (run.releaser.promised(), run.releaser.spent());
        let seeded = run.releaser.is_seeded();
        let decisions = run.decisions;
        let choose_up_to = self.params.choose_up_to;
        let looked = route_tree::has_looked(&decisions);
        let certainty =
            OfAuto { budget, kmeans, choose_up_to, looked, copies: with.copies, found: &found, nicv: scored }
                .certainty();
        let error = |variance: &f64| BoxLength(variance.sqrt()).in_widths().at_most(HOPELESS);
        let mut errors: Vec<Widths> = found.variances.iter().map(error).collect();
        if mostly_noise && matches!(choice.route, Route::Mean | Route::FixedTree) {
            // A sum of rows divided by a number that may be all noise is a guess, whatever the noise on the sum.
            errors.fill(HOPELESS);
        }
        let centres = found.centres.chunks_exact(self.dims).map(BoxPosition::list).collect();
        let errors = errors.chunks_exact(self.dims).map(<[Widths]>::to_vec).collect();
        let outcome = Outcome::promising(centres, errors, claims, seeded);
        let (sizes, size_noise) = found.sizes;
        let mut outcome = outcome.with_sizes(sizes, size_noise).with_decisions(decisions);
        if self.size.known_rows().is_none() {
            // Noise has decided about the unit, and for other noise the loss would have been pure: only what both kinds of
            // run promise holds for all of them.
            outcome.also.clear();
        }
        let certainty = certainty.or(outcome.certainty).map(|known| Certainty { evidence: found.evidence, ..known });
        Ok(Outcome { synopsis: found.cells.map(|cells| cells.synopsis), nicv: scored, certainty, ..outcome })
    }
}
