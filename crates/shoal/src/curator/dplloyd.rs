//! DPLloyd (SCL16 §4.1.1; Blum, Dwork, McSherry, Nissim 2005): Lloyd's algorithm with noisy sums and counts.
//!
//! From random centres, T times: scan the rows for the sum and the number of the rows nearest to each centre, add
//! noise, and move each centre to noisy sum / noisy count.
//!
//! *Privacy.* Pure ε-DP for adding or removing one row. Each of the T steps is a [`NoisySumsMechanism`] with loss
//! ε/T, the budget split exactly; the losses add (SCL16: "the global sensitivity of DPLloyd is (dr+1)t"). The start
//! looks at no record, and everything after the noise is post-processing.
//!
//! *Law.* Discrete Laplace noise on the lattice, scale (d·r + 1)·T/ε with r = 1 (SCL16 §4.1.1).
//!
//! *Utility.* See [`super::expected_error`]. Few, large, well-separated clusters in few attributes; k and d hurt.
//!
//! *Runtime.* T scans of n·k·d.
//!
//! *Assumes.* Public bounds; one row per person. The number of rows is not used.
//!
//! *Deviations.* (1) A centre whose noisy count is not positive stays where it is: the paper is silent. (2) Centres
//! are clamped into the box after each step: the paper is silent, and a centre outside helps nobody. (3) Noise is
//! discrete, exact, on the lattice of the data, with the paper's scale.

use shoal_noise::NoiseSource;
use shoal_noise::uniform::unit_f64;
use shoal_privacy::{Accountant, Allowance, Claim, Epsilon, Guarantee};

use super::expected_error::{ExpectedError, centre_noise};
use super::noisy_sums::{NoisySums, NoisySumsMechanism};
use super::outcome::{FitError, Outcome};
use super::sphere_packing;
use crate::data::HALF_WIDTH;
use crate::plain::LatticeCentres;
use crate::scan::Scan;

/// Sphere packing takes time that grows with the square of k: about ten seconds for this many.
const MOST_CENTRES: usize = 10_000;

/// Where the centres start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Uniformly at random in the box, as in PINQ: `dplloyd`.
    Uniform,
    /// Apart from each other and from the borders: `dplloyd-impr`, "DPLloyd-Impr" in SCL16.
    SpherePacking,
}

/// What DPLloyd can be told, not yet checked.
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
/// use shoal::curator::{DpLloyd, DpLloydParams};
/// use shoal::data::{LatticePoints, PointStore};
/// use shoal::scan::LocalScan;
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
    step: NoisySumsMechanism,
}

impl DpLloyd {
    /// Checks the parameters for a table of `dims` attributes.
    pub fn new(params: DpLloydParams, dims: usize) -> Result<Self, FitError> {
        if params.k == 0 {
            return Err(FitError::NoCentres);
        }
        if params.k > MOST_CENTRES {
            return Err(FitError::TooManyCentres { k: params.k, most: MOST_CENTRES });
        }
        if params.iterations == 0 {
            return Err(FitError::NoIterations);
        }
        if dims == 0 {
            return Err(FitError::NoAttributes);
        }
        if params.epsilon.amount().is_zero() {
            return Err(FitError::NoBudget);
        }
        let step = NoisySumsMechanism::per_step(dims, &params.epsilon.split(params.iterations.into()))?;
        Ok(Self { params, dims, step })
    }

    /// What a run promises, composed of its steps.
    pub fn claim(&self) -> Claim {
        let step = self.step.claim();
        // Unwrap safety: claims about the same neighbours with pure losses always compose.
        (1..self.params.iterations).fold(step.clone(), |total, _| total.then(&step).unwrap())
    }

    /// The error to expect from `rows` rows in clusters of equal size, before anything is spent.
    pub fn expected_error(&self, rows: f64) -> ExpectedError {
        let per_cluster = rows / self.params.k as f64;
        // A centre is anywhere in the box: its mean square coordinate is that of a uniform one.
        let spread = vec![(1.0_f64 / 3.0).sqrt(); self.dims];
        ExpectedError::of(&[centre_noise(&self.step, &spread, per_cluster)], &[per_cluster])
    }

    /// Clusters the rows behind `scan`.
    pub fn run<N: NoiseSource>(
        &self,
        scan: &dyn Scan,
        allowance: Allowance,
        noise: &mut N,
    ) -> Result<Outcome, FitError> {
        let mut accountant = Accountant::new(allowance);
        let k = self.params.k;
        let mut centres: Vec<f64> = match self.params.start {
            Start::Uniform => (0..k * self.dims).map(|_| 2.0 * unit_f64(noise) - 1.0).collect(),
            Start::SpherePacking => sphere_packing(k, self.dims, noise),
        };
        let mut sizes = vec![0; k];
        for _ in 0..self.params.iterations {
            let exact = scan.sums_and_counts(&LatticeCentres::from_unit(self.dims, &centres))?;
            let noisy = accountant.release(exact, self.step.with(noise))?.into_inner();
            self.update(&mut centres, &noisy);
            sizes = noisy.counts;
        }
        let sizes: Vec<f64> = sizes.into_iter().map(|size| size.max(0) as f64).collect();
        let centres: Vec<Vec<f64>> = centres.chunks_exact(self.dims).map(<[f64]>::to_vec).collect();
        let noise_per_centre =
            centres.iter().zip(&sizes).map(|(centre, &size)| centre_noise(&self.step, centre, size)).collect();
        let charged = accountant.spent().clone();
        let guarantee = Guarantee::of(charged.clone(), noise.is_seeded());
        let size_noise = self.step.count_variance().sqrt();
        Ok(Outcome { centres, sizes, size_noise, noise_per_centre, guarantee, charged: charged.loss })
    }

    /// SCL16 eq. (2) on noisy numbers: a centre moves to the mean of its rows.
    fn update(&self, centres: &mut [f64], noisy: &NoisySums) {
        let rows = centres.chunks_exact_mut(self.dims).zip(noisy.sums.chunks_exact(self.dims)).zip(&noisy.counts);
        for ((centre, sums), &count) in rows {
            if count <= 0 {
                continue;
            }
            for (x, &sum) in centre.iter_mut().zip(sums) {
                *x = (sum as f64 / count as f64 / f64::from(HALF_WIDTH)).clamp(-1.0, 1.0);
            }
        }
    }
}
