//! EUGkM (SCL16 §4.2.1): k-means on a noisy grid, the extended uniform grid.
//!
//! Count the rows in every cell of a grid, add noise, release the cells ([`Synopsis`]), and run k-means on them.
//!
//! *Privacy.* Pure ε-DP for adding or removing one row: one [`NoisyCountsMechanism`] with all of ε (after a bought
//! design size, [`crate::design_size`]). Everything after the noise is post-processing: starts, k-means, the choice of
//! the best, and any later clustering of the synopsis.
//!
//! *Law.* Discrete Laplace noise of scale 1/ε on each count.
//!
//! *Utility.* The variance of a centre by eq. (9), the coarseness of the cells by eq. (10). Few attributes; k hurts less
//! than in DPLloyd.
//!
//! *Runtime.* One scan, then 30 starts of k-means on the cells.
//!
//! *Assumes.* Public bounds; one row per person. The number of rows is used as a design size only.
//!
//! *Deviations.* Those of [`crate::synopsis::grid_size`] (a limit on cells), [`crate::synopsis::grid_synopsis`] and [`crate::design_size`]; and
//! noise is discrete, so noisy counts are whole.

use shoal_lattice::{BoxLength, Widths};
use shoal_noise::NoiseSource;
use shoal_privacy::{Accountant, Allowance, Claim, Epsilon, MethodInfo, Parameter};

use crate::Decision;
use crate::ExpectedError;
use crate::GridRule;
use crate::NoisyCountsMechanism;
use crate::RowMechanism;
use crate::catalogue::DESIGNED;
use crate::plan::{CELL_WIDTH, Forecast};
use crate::system::check_basics;
use crate::{DesignSize, SizeStep};
use crate::{FitError, Method, Outcome, Settings, System, Watch};
use crate::{Synopsis, SynopsisClusters, SynopsisKMeans};
use shoal_scan::{Scan, ScanExt};

/// What methods on the cells of a grid have in common.
pub(crate) const GRID: MethodInfo = MethodInfo {
    synopsis: true,
    plus_minus: "two standard deviations of the error from privacy noise and from the width of the cells",
    ..DESIGNED
};

/// How their error is predicted; eq. (4) is the number of cells, here as a number of cuts in two.
pub(crate) const GRID_FORECAST: Forecast =
    Forecast::on_cells(0.5, 0.35, CELL_WIDTH, |d, budget| 2.0 * d / (2.0 + d) * (budget / 10.0).max(1.0).log2());

/// The one form of EUGkM.
pub(crate) const METHODS: &[Method] = &[Method {
    info: MethodInfo {
        name: "eugkm",
        summary: "k-means on the noisy counts of a grid; best for two or three columns, and it keeps a synopsis",
        options: &["iterations", "theta", "inits", "cells", "max-cells", "negative", "count-share"],
        ..GRID
    },
    build: |settings, dims| Ok(Box::new(Eugkm::new(EugkmParams::of(settings), dims)?)),
    forecast: GRID_FORECAST,
}];

/// The parameters of EUGkM, not yet checked.
#[derive(Clone, Debug)]
pub struct EugkmParams {
    /// The whole budget.
    pub epsilon: Epsilon,
    /// For how many rows the grid is chosen.
    pub size: DesignSize,
    /// How the grid is chosen.
    pub grid: GridRule,
    /// How the cells are clustered.
    pub kmeans: SynopsisKMeans,
}

impl EugkmParams {
    /// The paper's values.
    pub fn new(k: usize, epsilon: Epsilon, size: DesignSize) -> Self {
        Self { epsilon, size, grid: GridRule::default(), kmeans: SynopsisKMeans::new(k) }
    }

    pub(crate) fn of(settings: &Settings) -> Self {
        let knobs = &settings.knobs;
        let params = Self::new(settings.k, settings.epsilon.clone(), settings.size.clone());
        let grid = GridRule {
            theta: knobs.theta.unwrap_or(params.grid.theta),
            most_cells: knobs.max_cells.unwrap_or(params.grid.most_cells),
            cells: knobs.cells,
        };
        Self { grid, kmeans: knobs.on_cells(params.kmeans), ..params }
    }

    pub(crate) fn check(&self, dims: usize) -> Result<(), FitError> {
        check_basics(self.kmeans.k, &self.epsilon, dims)?;
        let whole = |what, given: usize| match given {
            0 => Err(FitError::Parameter { what, given: "0".into(), wanted: "1 or more".into() }),
            _ => Ok(()),
        };
        whole(Parameter::INITS, self.kmeans.inits)?;
        whole(Parameter::ITERATIONS, self.kmeans.rounds)?;
        whole(Parameter::MAX_CELLS, self.grid.most_cells)?;
        whole(Parameter::CELLS, self.grid.cells.unwrap_or(1))?;
        if !(self.grid.theta > 0.0 && self.grid.theta.is_finite()) {
            let given = self.grid.theta.to_string();
            return Err(FitError::Parameter { what: Parameter::THETA, given, wanted: "a number above 0".into() });
        }
        Ok(())
    }
}

/// EUGkM with parameters that make sense.
///
/// ```
/// use shoal_curator::{DesignSize, Eugkm, EugkmParams, System};
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
/// let fit = Eugkm::new(EugkmParams::new(2, "1".parse()?, DesignSize::Public(10_000)), 2)?;
/// let scan = LocalScan::new(PointStore::InMemory(points));
/// // A seed is for examples and tests; use `OsNoise` to protect people.
/// let outcome = fit.run(&scan, Allowance::without_ledger(fit.claim()), &mut SeededNoise::new(1))?;
/// assert_eq!(outcome.synopsis.unwrap().counts.len(), 32 * 32);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Eugkm {
    params: EugkmParams,
    dims: usize,
    size: SizeStep,
    release: GridRelease,
}

impl Eugkm {
    /// Checks the parameters for a table of `dims` attributes.
    pub fn new(params: EugkmParams, dims: usize) -> Result<Self, FitError> {
        params.check(dims)?;
        let (size, rest) = params.size.split(&params.epsilon)?;
        Ok(Self { release: GridRelease::new(params.grid, &rest)?, params, dims, size })
    }
}

impl System for Eugkm {
    fn claim(&self) -> Claim {
        self.size.claim_with(self.release.claim())
    }

    fn expected_error(&self, rows: f64) -> ExpectedError {
        self.release.expected_error(self.size.expected(rows), rows, self.dims, self.params.kmeans.k)
    }

    fn run_watched(
        &self,
        scan: &dyn Scan,
        allowance: Allowance,
        noise: &mut dyn NoiseSource,
        watch: Watch<'_>,
    ) -> Result<Outcome, FitError> {
        let mut accountant = Accountant::new(allowance);
        let settled = self.size.settle(scan, &mut accountant, noise)?;
        let mut decisions: Vec<Decision> = settled.decision.into_iter().collect();
        let synopsis =
            self.release.run(settled.rows, scan, &mut accountant, noise, self.params.kmeans.k, &mut decisions)?;
        let found = synopsis.cluster_watched(&self.params.kmeans, noise, watch);
        Ok(outcome(found, synopsis, &self.params.kmeans, &accountant, noise).with_decisions(decisions))
    }
}

/// An outcome whose centres are those of the synopsis.
pub(crate) fn outcome(
    found: SynopsisClusters,
    synopsis: Synopsis,
    how: &SynopsisKMeans,
    accountant: &Accountant,
    noise: &dyn NoiseSource,
) -> Outcome {
    let outcome = Outcome::new(found.centres, found.noise_per_centre, accountant, noise);
    outcome.with_sizes(found.sizes, found.size_noise).on_cells(synopsis, how, false)
}

/// The release of a grid of noisy counts: EUGkM's one look at the data, and Hybrid's first.
pub(crate) struct GridRelease {
    rule: GridRule,
    epsilon: f64,
    counts: NoisyCountsMechanism,
}

impl GridRelease {
    pub fn new(rule: GridRule, epsilon: &Epsilon) -> Result<Self, FitError> {
        Ok(Self { rule, epsilon: epsilon.to_f64_up(), counts: NoisyCountsMechanism::new(epsilon)? })
    }

    pub fn claim(&self) -> Claim {
        self.counts.claim()
    }

    pub fn run(
        &self,
        design: u64,
        scan: &dyn Scan,
        accountant: &mut Accountant,
        noise: &mut dyn NoiseSource,
        k: usize,
        decisions: &mut Vec<Decision>,
    ) -> Result<Synopsis, FitError> {
        let chosen = self.rule.choose(design, self.epsilon, scan.dims())?;
        decisions.push(chosen.decision());
        let exact = scan.cell_counts(&chosen.grid)?;
        let noisy = accountant.release(exact, self.counts.with(noise))?.into_inner();
        let (cells, sd) = (chosen.grid.cells(), self.counts.variance().sqrt());
        let synopsis = Synopsis::new(chosen.grid, noisy, sd, accountant.spent().clone(), noise.is_seeded());
        let synopsis = synopsis.decided(decisions);
        if cells < k {
            decisions.push(Decision::FewCells { cells, k });
        }
        Ok(synopsis)
    }

    /// Eq. (9), per attribute, plus the middle of a cell for the rows in it.
    pub fn expected_error(&self, design: u64, rows: f64, dims: usize, k: usize) -> ExpectedError {
        let Ok(chosen) = self.rule.choose(design, self.epsilon, dims) else {
            return ExpectedError::of_width(Widths(1.0));
        };
        let (d, k, cells) = (dims as f64, k as f64, chosen.grid.cells() as f64);
        // Eq. (9) divided by d; the noise's variance stands for 2/ε², and r = 1.
        let variance = cells * k.powf((d - 2.0) / d) * self.counts.variance() / (3.0 * rows * rows);
        let width = cells.powf(-1.0 / d);
        let noise = BoxLength::variance_in_widths(variance);
        ExpectedError::of_width(Widths((noise + width * width / 12.0).sqrt()))
    }
}
