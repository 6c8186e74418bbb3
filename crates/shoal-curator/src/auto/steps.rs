//! The steps that routes are made of: noisy sums and noisy counts, with the size of their noise.
//!
//! *Privacy.* A [`Step`] computes what it costs, and the releaser charges it. What is asked follows from public numbers and from
//! what was released before.

use shoal_kernel::{LatticeCentres, Reach};
use shoal_lattice::HALF_WIDTH;
use shoal_privacy::Epsilon;
use shoal_release::{PreparedStep, Releaser, Step, Take};
use shoal_scan::Question;

use crate::{FitError, ScaledSums, StepBudget};

/// Noisy sums, and counts where they were asked for.
pub struct ReleasedSums {
    /// As they were released.
    pub sums: ScaledSums,
    prepared: PreparedStep,
    copies: f64,
}

impl ReleasedSums {
    /// Sums over rows of their clipped distances, each row with the nearest of `centres`.
    pub fn clipped(
        releaser: &mut dyn Releaser,
        centres: &LatticeCentres,
        reach: &Reach,
        take: Take,
        budget: &StepBudget,
    ) -> Result<Self, FitError> {
        let question = Question::ClippedSums { centres: centres.clone(), reach: reach.clone() };
        Self::release(releaser, question, take, reach.dims(), budget)
    }

    /// The moments of all rows.
    pub fn moments(releaser: &mut dyn Releaser, take: Take, budget: &StepBudget) -> Result<Self, FitError> {
        let dims = releaser.dims();
        let numbers = if take == Take::OneVariance { dims + 1 } else { 2 * dims };
        Self::release(releaser, Question::Moments { dims }, take, numbers, budget)
    }

    fn release(
        releaser: &mut dyn Releaser,
        question: Question,
        take: Take,
        dims: usize,
        budget: &StepBudget,
    ) -> Result<Self, FitError> {
        let step = Step::for_budget(question, take, budget)?;
        let prepared = step.prepare()?;
        let mut sums = releaser.release(&step)?.into_inner();
        let counts = (take == Take::SumsAndCounts).then(|| sums.split_off(sums.len() / (dims + 1) * dims));
        let sums = ScaledSums { dims, scale: step.scale(), sums, counts };
        Ok(Self { sums, prepared, copies: f64::from(releaser.copies()) })
    }

    /// Variance of the noise on a sum of centre `j`, in units of half a box width.
    pub fn sum_variance(&self, j: usize, axis: usize) -> f64 {
        let unit = f64::from(HALF_WIDTH) * f64::from(self.sums.scale);
        self.copies * self.prepared.variance(j * self.sums.dims + axis) / unit.powi(2)
    }

    /// Variance of the noise on the count of centre `j`, where counts were released.
    pub fn count_variance(&self, j: usize) -> Option<f64> {
        let scale = f64::from(self.sums.scale);
        self.sums.counts.as_ref()?;
        Some(self.copies * self.prepared.variance(self.sums.sums.len() + j) / scale.powi(2))
    }
}

/// Noisy counts of disjoint parts of the table, and the variance of their noise.
pub fn counts(releaser: &mut dyn Releaser, question: Question, epsilon: &Epsilon) -> Result<(Vec<i64>, f64), FitError> {
    let take = if matches!(question, Question::SumsAndCounts { .. }) { Take::Counts } else { Take::Whole };
    let step = Step::for_budget(question, take, &StepBudget::Pure(epsilon.clone()))?;
    let variance = f64::from(releaser.copies()) * step.prepare()?.variance(0);
    Ok((releaser.release(&step)?.into_inner(), variance))
}
