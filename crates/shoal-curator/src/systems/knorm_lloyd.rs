//! Lloyd's algorithm with noise in the shape of a cube, or with Gaussian noise where a δ is allowed.
//!
//! DPLloyd (SCL16 §4.1.1) from sphere packing, with other noise: T times, the rows are scanned for the sum and the
//! number of the rows nearest to each centre, noise is added, and each centre moves to noisy sum / noisy count.
//!
//! *Privacy.* Pure ε-DP for adding or removing one row: each of the T steps is a [`super::KNormSumsMechanism`] with loss
//! ε/T. With δ above zero, (ε, δ)-DP: each step is a [`super::GaussianSumsMechanism`] with loss ρ/T, for the largest ρ
//! found whose zCDP implies (ε, δ) (Canonne, Kamath, Steinke 2020). Losses add. The start looks at no record, and
//! everything after the noise is post-processing.
//!
//! *Law.* That of the steps, on the lattice, exact. The reach is the whole box around its middle: nothing is clipped.
//!
//! *Utility.* Per step and half box width, standard deviation √((d + 2)(d + 3)/3)·T/ε on sums and counts, against
//! √2·(d + 1)·T/ε of DPLloyd; with a δ √((d + 1)·T/(2ρ)), which is less from about 26 attributes on (for two steps, ε = 1 and
//! δ = 1e-6). Two steps by default: with less noise a step finds more, but
//! every further one takes from those before.
//!
//! *Runtime.* T scans of n·k·d.
//!
//! *Assumes.* Public bounds; one row per person. The number of rows is not used. Without a δ, at most 1023 attributes.

use shoal_lattice::{BoxPosition, Widths};
use shoal_noise::NoiseSource;
use shoal_privacy::{Accountant, Allowance, Claim, Delta, Epsilon, Loss, MethodInfo, Parameter, largest_rho_down};

use crate::Decision;
use crate::ExpectedError;
use crate::catalogue::SCL16;
use crate::expected_error::{HOPELESS, RHO, coordinate_variance};
use crate::plan::{Forecast, LOCAL_MINIMUM};
use crate::sphere_packing;
use crate::system::check_basics;
use crate::{ClippedStep, StepBudget};
use crate::{FitError, Method, Outcome, Settings, System, Watch};
use shoal_kernel::{LatticeCentres, Reach};
use shoal_scan::Scan;

/// Steps at most: more would leave nothing for each.
const MOST_STEPS: u32 = 10_000;

/// The one form of the method.
pub(crate) const METHODS: &[Method] = &[Method {
    info: MethodInfo {
        name: "knorm-lloyd",
        paper: "HT10",
        published: "ε-DP of the K-norm mechanism",
        guarantee: "pure ε, or (ε, δ) by zCDP with a δ; add or remove one row, exact; needs public bounds",
        status: "own; the noise is that of the paper, in the maximum norm, on a lattice",
        summary: "dplloyd-impr with K-norm (cube-shaped) noise: about half as much for the same ε; Gaussian with a δ",
        options: &["iterations"],
        delta: true,
        ..SCL16
    },
    build,
    // More iterations would leave less unresolved, and more noise.
    forecast: Forecast::per_rows(0.68, 1.0, 0.3, LOCAL_MINIMUM),
}];

fn build(settings: &Settings, dims: usize) -> Result<Box<dyn System>, FitError> {
    let params = KNormLloydParams::new(settings.k, settings.epsilon.clone());
    let iterations = settings.knobs.iterations.unwrap_or(params.iterations);
    Ok(Box::new(KNormLloyd::new(KNormLloydParams { delta: settings.delta.clone(), iterations, ..params }, dims)?))
}

/// The parameters of the method, not yet checked.
#[derive(Clone, Debug)]
pub struct KNormLloydParams {
    /// Number of centres.
    pub k: usize,
    /// The whole budget.
    pub epsilon: Epsilon,
    /// Zero for cube noise and a pure ε; above it, noise is Gaussian.
    pub delta: Delta,
    /// Number of steps.
    pub iterations: u32,
}

impl KNormLloydParams {
    /// Two steps of cube noise.
    pub fn new(k: usize, epsilon: Epsilon) -> Self {
        Self { k, epsilon, delta: Delta::ZERO, iterations: 2 }
    }
}

/// The method with parameters that make sense.
pub struct KNormLloyd {
    params: KNormLloydParams,
    dims: usize,
    /// The noise of every step.
    step: ClippedStep,
}

impl KNormLloyd {
    /// Checks the parameters for a table of `dims` attributes.
    pub fn new(params: KNormLloydParams, dims: usize) -> Result<Self, FitError> {
        check_basics(params.k, &params.epsilon, dims)?;
        if params.iterations == 0 {
            return Err(FitError::NoIterations);
        }
        if params.iterations > MOST_STEPS {
            let (given, wanted) = (params.iterations.to_string(), format!("at most {MOST_STEPS}"));
            return Err(FitError::Parameter { what: Parameter::ITERATIONS, given, wanted });
        }
        let budget = if params.delta.amount().is_zero() {
            StepBudget::Pure(params.epsilon.clone())
        } else {
            let rho = largest_rho_down(&params.epsilon, &params.delta).ok_or_else(|| FitError::Parameter {
                what: Parameter::DELTA,
                given: params.delta.to_string(),
                wanted: "a larger one, such as 1e-6, or 0".into(),
            })?;
            StepBudget::Concentrated(rho)
        };
        let reach = Reach::whole_box(params.k, dims);
        let step = ClippedStep::new(&reach, &budget.split(params.iterations.into()), true)?;
        Ok(Self { params, dims, step })
    }

    /// Standard deviation that the last step's noise gives each coordinate of a centre.
    fn noise_of(&self, centre: &[BoxPosition], size: f64) -> Vec<Widths> {
        // All centres have the reach of the first.
        let of_count = self.step.count_variance(0).unwrap_or(0.0);
        let variance =
            |(axis, &x): (usize, &BoxPosition)| coordinate_variance(self.step.sum_variance(0, axis), of_count, x, size);
        centre.iter().enumerate().map(|place| Widths(variance(place).sqrt()).at_most(HOPELESS)).collect()
    }

    /// What a δ did.
    fn decision(&self) -> Option<Decision> {
        let delta = &self.params.delta;
        if delta.amount().is_zero() {
            return None;
        }
        let per_step = self.params.epsilon.to_f64_up() / f64::from(self.params.iterations);
        let pays = knorm_variance(self.dims, per_step) >= self.step.sum_variance(0, 0);
        Some(Decision::GaussianSteps { delta: delta.clone(), step: self.step.claim().loss, pays })
    }
}

/// Variance of K-norm noise on a sum over the whole box, on a fine lattice, in units of half a box width.
fn knorm_variance(dims: usize, epsilon: f64) -> f64 {
    let d = dims as f64;
    (d + 2.0) * (d + 3.0) / 3.0 / (epsilon * epsilon)
}

impl System for KNormLloyd {
    fn claim(&self) -> Claim {
        let step = self.step.claim();
        let (epsilon, delta) = (self.params.epsilon.clone(), self.params.delta.clone());
        let loss = match step.loss {
            Loss::Zcdp(_) => Loss::Approximate { epsilon, delta },
            // T equal parts of ε.
            _ => Loss::Pure(epsilon),
        };
        Claim { loss, ..step }
    }

    fn expected_error(&self, rows: f64) -> ExpectedError {
        // The same ρ as in the paper's methods; half a width is one unit of the box.
        let spread = vec![BoxPosition(2.0 * RHO); self.dims];
        let size = rows / self.params.k as f64;
        ExpectedError::of(&[self.noise_of(&spread, size)], &[size])
    }

    fn run_watched(
        &self,
        scan: &dyn Scan,
        allowance: Allowance,
        noise: &mut dyn NoiseSource,
        _: Watch<'_>,
    ) -> Result<Outcome, FitError> {
        let mut accountant = Accountant::new(allowance);
        let (k, dims) = (self.params.k, self.dims);
        let mut centres = sphere_packing(k, dims, noise);
        let mut sizes = vec![0.0; k];
        for _ in 0..self.params.iterations {
            let nearest_to = LatticeCentres::from_unit(dims, &centres);
            let released = self.step.release(scan, &nearest_to, &mut accountant, noise)?;
            for (j, centre) in centres.chunks_exact_mut(dims).enumerate() {
                let count = released.count(j).unwrap_or(0.0);
                // Less than a row is no row: such a mean would be noise over noise.
                if count >= 1.0 {
                    centre.copy_from_slice(&released.mean(j, count, self.step.reach()));
                }
                sizes[j] = count.max(0.0);
            }
        }
        let rows: Vec<Vec<BoxPosition>> = centres.chunks_exact(dims).map(BoxPosition::list).collect();
        let of_centres = rows.iter().zip(&sizes).map(|(centre, &size)| self.noise_of(centre, size)).collect();
        let size_noise = (0..k).map(|j| self.step.count_variance(j).unwrap_or(0.0).sqrt()).collect();
        let outcome = Outcome::new(rows, of_centres, &accountant, noise);
        Ok(outcome.with_sizes(sizes, size_noise).with_decisions(self.decision().into_iter().collect()))
    }
}
