//! Noisy steps of Lloyd's algorithm from given centres: the part that DPLloyd, Hybrid and DP-KCCM have in common.
//!
//! In each step the rows are scanned for the sum and the number of the rows nearest to each centre, noise is added, and
//! each centre moves to noisy sum / noisy count.
//!
//! *Privacy.* One [`NoisySumsMechanism`] per step; their losses add. The centres of a step depend on the data only
//! through what the steps before released.
//!
//! *Runtime.* One scan of n·k·d per step.
//!
//! *Deviations.* (1) A centre whose noisy count is not positive stays where it is: the papers are silent. (2) Centres
//! are clamped into the box after each step: the papers are silent, and a centre outside helps nobody.

use shoal_noise::NoiseSource;
use shoal_privacy::{Accountant, Claim, Epsilon, Parameter};

use crate::FitError;
use crate::RowMechanism;
use crate::centre_noise;
use crate::{NoisySums, NoisySumsMechanism};
use shoal_kernel::LatticeCentres;
use shoal_lattice::{BoxPosition, HALF_WIDTH, Widths};
use shoal_scan::{Scan, ScanExt};

/// Steps at most: more would leave nothing for each.
const MOST_STEPS: usize = 10_000;

/// The noise of every step, in order.
pub(crate) struct NoisyLloyd {
    dims: usize,
    steps: Vec<NoisySumsMechanism>,
}

/// What the last step left.
pub(crate) struct Refined {
    /// Box units, centre after centre.
    pub centres: Vec<f64>,
    /// Noisy; may be negative.
    pub counts: Vec<i64>,
}

impl NoisyLloyd {
    /// One step for each budget.
    pub fn new(dims: usize, budgets: &[Epsilon]) -> Result<Self, FitError> {
        if budgets.is_empty() {
            return Err(FitError::NoIterations);
        }
        if budgets.len() > MOST_STEPS {
            let (given, wanted) = (budgets.len().to_string(), format!("at most {MOST_STEPS}"));
            return Err(FitError::Parameter { what: Parameter::ITERATIONS, given, wanted });
        }
        // Many steps often share one budget, and setting a sampler up takes a while.
        let mut steps: Vec<NoisySumsMechanism> = Vec::with_capacity(budgets.len());
        for (i, budget) in budgets.iter().enumerate() {
            let step = match i.checked_sub(1).filter(|&before| budgets[before] == *budget) {
                Some(before) => steps[before].clone(),
                None => NoisySumsMechanism::per_step(dims, budget)?,
            };
            steps.push(step);
        }
        Ok(Self { dims, steps })
    }

    /// What all steps promise together.
    pub fn claim(&self) -> Claim {
        // Unwrap safety: claims about the same neighbours with pure losses always compose, and there is a step.
        self.steps.iter().map(NoisySumsMechanism::claim).reduce(|all, step| all.then(&step).unwrap()).unwrap()
    }

    /// The step that the released numbers come from.
    pub fn last(&self) -> &NoisySumsMechanism {
        // Unwrap safety: there is at least one step.
        self.steps.last().unwrap()
    }

    /// All steps, from `centres` on.
    pub fn run(
        &self,
        scan: &dyn Scan,
        accountant: &mut Accountant,
        noise: &mut dyn NoiseSource,
        mut centres: Vec<f64>,
    ) -> Result<Refined, FitError> {
        let mut counts = Vec::new();
        for step in &self.steps {
            let exact = scan.sums_and_counts(&LatticeCentres::from_unit(self.dims, &centres))?;
            let noisy = accountant.release(exact, step.with(noise))?.into_inner();
            move_to_noisy_means(&mut centres, self.dims, &noisy);
            counts = noisy.counts;
        }
        Ok(Refined { centres, counts })
    }
}

impl Refined {
    /// The centres one by one.
    pub fn rows(&self, dims: usize) -> Vec<Vec<BoxPosition>> {
        self.centres.chunks_exact(dims).map(BoxPosition::list).collect()
    }

    /// Noisy counts that are not below zero.
    pub fn sizes(&self) -> Vec<f64> {
        self.counts.iter().map(|&count| count.max(0) as f64).collect()
    }

    /// Standard deviation of each centre's noise.
    pub fn noise(&self, step: &NoisySumsMechanism, dims: usize) -> Vec<Vec<Widths>> {
        let rows = self.rows(dims).into_iter().zip(self.sizes());
        rows.map(|(centre, size)| centre_noise(step, &centre, size)).collect()
    }
}

/// SCL16 eq. (2), NQC21 eq. (9), on noisy numbers: a centre moves to the mean of its rows.
fn move_to_noisy_means(centres: &mut [f64], dims: usize, noisy: &NoisySums) {
    let rows = centres.chunks_exact_mut(dims).zip(noisy.sums.chunks_exact(dims)).zip(&noisy.counts);
    for ((centre, sums), &count) in rows {
        if count <= 0 {
            continue;
        }
        for (x, &sum) in centre.iter_mut().zip(sums) {
            *x = (sum as f64 / count as f64 / f64::from(HALF_WIDTH)).clamp(-1.0, 1.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centres_move_to_noisy_means_or_stay() {
        let half = i64::from(HALF_WIDTH);
        let mut centres = vec![0.1, -0.1, 0.2, -0.2, 0.3, -0.3, 0.4, -0.4];
        let noisy = NoisySums {
            sums: vec![5 * half, -5 * half, 3 * half, half, -half, half, 900 * half, -900 * half],
            counts: vec![10, 0, -4, 7],
        };
        move_to_noisy_means(&mut centres, 2, &noisy);
        // A mean; counts that are not positive leave a centre where it is; means outside end at the border.
        assert_eq!(centres, [0.5, -0.5, 0.2, -0.2, 0.3, -0.3, 1.0, -1.0]);
    }

    #[test]
    fn steps_have_the_budgets_that_were_given() {
        let budgets: Vec<Epsilon> = ["1/24", "1/24", "1/8", "1/24"].iter().map(|b| b.parse().unwrap()).collect();
        let steps = NoisyLloyd::new(2, &budgets).unwrap();
        let losses: Vec<_> = steps.steps.iter().map(NoisySumsMechanism::loss).collect();
        assert_eq!(losses, budgets.into_iter().map(shoal_privacy::Loss::Pure).collect::<Vec<_>>());
        assert_eq!(steps.claim().loss, shoal_privacy::Loss::Pure("1/4".parse().unwrap()));
        assert!(matches!(NoisyLloyd::new(2, &[]), Err(FitError::NoIterations)));
    }

    #[test]
    fn sizes_are_not_below_zero_and_no_rows_leave_a_blind_guess() {
        let refined = Refined { centres: vec![0.5, -0.5, 0.0], counts: vec![-3, 0, 1_000_000] };
        assert_eq!(refined.sizes(), [0.0, 0.0, 1e6]);
        let step = NoisySumsMechanism::per_step(1, &"1".parse().unwrap()).unwrap();
        let noise = refined.noise(&step, 1);
        assert!(noise[0][0].0 > 0.4 && noise[1][0].0 > 0.4 && noise[2][0].0 < 1e-5, "{noise:?}");
    }
}
