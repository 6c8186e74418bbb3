//! DPLloyd (SCL16 §4.1.1; Blum, Dwork, McSherry, Nissim 2005): Lloyd's algorithm with noisy sums and counts.
//!
//! From random centres, T times: scan the rows for the sum and the number of the rows nearest to each centre, add
//! noise, and move each centre to noisy sum / noisy count.
//!
//! *Privacy.* Pure ε-DP for adding or removing one row. Each of the T steps is a [`super::NoisySumsMechanism`] with loss
//! ε/T, the budget split exactly; the losses add (SCL16: "the global sensitivity of DPLloyd is (dr+1)t"). The start
//! looks at no record, and everything after the noise is post-processing.
//!
//! *Law.* Discrete Laplace noise on the lattice, scale (d·r + 1)·T/ε with r = 1 (SCL16 §4.1.1).
//!
//! *Utility.* See [`crate::expected_error`]. Few, large, well-separated clusters in few attributes; k and d hurt.
//!
//! *Runtime.* T scans of n·k·d.
//!
//! *Assumes.* Public bounds; one row per person. The number of rows is not used.
//!
//! *Deviations.* Those of [`crate::lloyd::noisy_lloyd`]; and noise is discrete, exact, on the lattice of the data, with the
//! paper's scale.

use shoal_noise::NoiseSource;
use shoal_noise::uniform::unit_f64;
use shoal_privacy::{Accountant, Allowance, Claim, Epsilon, MethodInfo};

use crate::catalogue::SCL16;
use crate::expected_error::RHO;
use crate::lloyd::noisy_lloyd::NoisyLloyd;
use crate::plan::{Forecast, LOCAL_MINIMUM};
use crate::sphere_packing;
use crate::system::check_basics;
use crate::{ExpectedError, FitError, Method, Outcome, Settings, System, Watch};
use shoal_scan::Scan;

/// From random centres, and from centres that keep their distance.
pub(crate) const METHODS: &[Method] = &[
    Method {
        info: MethodInfo {
            name: "dplloyd",
            summary: "Lloyd's algorithm with noisy sums and counts, from uniformly random centres",
            options: &["iterations"],
            ..SCL16
        },
        build: |settings, dims| build(settings, Start::Uniform, dims),
        forecast: Forecast::per_rows(0.66, 0.5, 0.5, LOCAL_MINIMUM),
    },
    Method {
        info: MethodInfo {
            name: "dplloyd-impr",
            summary: "Lloyd's algorithm with noisy sums and counts, from centres that keep their distance (sphere packing)",
            options: &["iterations"],
            ..SCL16
        },
        build: |settings, dims| build(settings, Start::SpherePacking, dims),
        forecast: Forecast::per_rows(0.65, 0.5, 0.5, LOCAL_MINIMUM),
    },
];

fn build(settings: &Settings, start: Start, dims: usize) -> Result<Box<dyn System>, FitError> {
    let params = DpLloydParams::new(settings.k, settings.epsilon.clone());
    let iterations = settings.knobs.iterations.unwrap_or(params.iterations);
    Ok(Box::new(DpLloyd::new(DpLloydParams { iterations, start, ..params }, dims)?))
}

/// Where the centres start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Uniformly at random in the box, as in PINQ: `dplloyd`.
    Uniform,
    /// Apart from each other and from the borders: `dplloyd-impr`, "DPLloyd-Impr" in SCL16.
    SpherePacking,
}

/// The parameters of DPLloyd, not yet checked.
#[derive(Clone, Debug)]
pub struct DpLloydParams {
    /// Number of centres.
    pub k: usize,
    /// The whole budget.
    pub epsilon: Epsilon,
    /// Number of steps; 5 in SCL16, after PINQ.
    pub iterations: u32,
    /// Where the centres start.
    pub start: Start,
}

impl DpLloydParams {
    /// The paper's values: five steps from sphere packing.
    pub fn new(k: usize, epsilon: Epsilon) -> Self {
        Self { k, epsilon, iterations: 5, start: Start::SpherePacking }
    }
}

/// DPLloyd with parameters that make sense.
///
/// ```
/// use shoal_curator::{DpLloyd, DpLloydParams, System};
/// use shoal_lattice::LatticePoints;
/// use shoal_files::PointStore;
/// use shoal_scan::LocalScan;
/// use shoal_noise::SeededNoise;
/// use shoal_privacy::Allowance;
///
/// let mut points = LatticePoints::new(1);
/// for i in 0..10_000 {
///     points.push_row(&[if i % 2 == 0 { -20_000 } else { 16_000 }]);
/// }
/// let fit = DpLloyd::new(DpLloydParams::new(2, "1".parse()?), 1)?;
/// let scan = LocalScan::new(PointStore::InMemory(points));
/// // A seed is for examples and tests; use `OsNoise` to protect people.
/// let outcome = fit.run(&scan, Allowance::without_ledger(fit.claim()), &mut SeededNoise::new(1))?;
/// assert_eq!(outcome.centres.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DpLloyd {
    params: DpLloydParams,
    dims: usize,
    steps: NoisyLloyd,
}

impl DpLloyd {
    /// Checks the parameters for a table of `dims` attributes.
    pub fn new(params: DpLloydParams, dims: usize) -> Result<Self, FitError> {
        check_basics(params.k, &params.epsilon, dims)?;
        let budget = params.epsilon.split(params.iterations.max(1).into());
        let steps = NoisyLloyd::new(dims, &vec![budget; params.iterations as usize])?;
        Ok(Self { params, dims, steps })
    }
}

impl System for DpLloyd {
    fn claim(&self) -> Claim {
        self.steps.claim()
    }

    fn expected_error(&self, rows: f64) -> ExpectedError {
        ExpectedError::of_equal_clusters(self.steps.last(), self.dims, rows / self.params.k as f64, RHO)
    }

    fn run_watched(
        &self,
        scan: &dyn Scan,
        allowance: Allowance,
        noise: &mut dyn NoiseSource,
        _: Watch<'_>,
    ) -> Result<Outcome, FitError> {
        let mut accountant = Accountant::new(allowance);
        let k = self.params.k;
        let start = match self.params.start {
            Start::Uniform => (0..k * self.dims).map(|_| 2.0 * unit_f64(noise) - 1.0).collect(),
            Start::SpherePacking => sphere_packing(k, self.dims, noise),
        };
        let found = self.steps.run(scan, &mut accountant, noise, start)?;
        let last = self.steps.last();
        let outcome = Outcome::new(found.rows(self.dims), found.noise(last, self.dims), &accountant, noise);
        Ok(outcome.with_sizes(found.sizes(), vec![last.count_variance().sqrt(); k]))
    }
}
