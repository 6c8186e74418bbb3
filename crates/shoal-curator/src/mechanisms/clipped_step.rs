//! One step from centres to noisy clipped sums, with cube noise or with Gaussian noise, whichever the budget is for.
//!
//! *Privacy.* That of [`KNormSumsMechanism`] or [`GaussianSumsMechanism`]. The scan is asked with the very reach that the
//! noise was made for, so no caller can mix them up.

use shoal_noise::{NoiseError, NoiseSource};
use shoal_privacy::{Accountant, Amount, Claim, Sensitive};

use crate::FitError;
use crate::GaussianSumsMechanism;
use crate::KNormSumsMechanism;
use crate::RowMechanism;
use crate::ScaledSums;
use crate::StepBudget;
use shoal_kernel::{ClusterSums, LatticeCentres, Reach};
use shoal_scan::{Scan, ScanError, ScanExt};

/// The noise of one step.
#[derive(Clone)]
pub enum ClippedStep {
    /// Pure ε.
    KNorm(KNormSumsMechanism),
    /// Concentrated ρ.
    Gaussian(GaussianSumsMechanism),
}

impl ClippedStep {
    /// Noise for sums clipped to `reach`, with or without counts.
    pub fn new(reach: &Reach, budget: &StepBudget, with_count: bool) -> Result<Self, NoiseError> {
        Ok(match budget {
            StepBudget::Pure(epsilon) => Self::KNorm(KNormSumsMechanism::new(reach, epsilon, with_count)?),
            StepBudget::Concentrated(rho) if with_count => Self::Gaussian(GaussianSumsMechanism::new(reach, rho)?),
            StepBudget::Concentrated(rho) => {
                Self::Gaussian(GaussianSumsMechanism::with_count_share(reach, rho, &Amount::ZERO)?)
            }
        })
    }

    /// What the step promises.
    pub fn claim(&self) -> Claim {
        match self {
            Self::KNorm(noise) => noise.claim(),
            Self::Gaussian(noise) => noise.claim(),
        }
    }

    /// The reach that sums are clipped to.
    pub fn reach(&self) -> &Reach {
        match self {
            Self::KNorm(noise) => noise.reach(),
            Self::Gaussian(noise) => noise.reach(),
        }
    }

    /// The exact numbers for rows that go to the nearest of `centres`.
    fn ask(&self, scan: &dyn Scan, centres: &LatticeCentres) -> Result<Sensitive<ClusterSums>, ScanError> {
        scan.clipped_sums(centres, self.reach())
    }

    /// Scans for rows that go to the nearest of `centres`, and releases their noisy sums, charged to `accountant`.
    pub fn release(
        &self,
        scan: &dyn Scan,
        centres: &LatticeCentres,
        accountant: &mut Accountant,
        noise: &mut dyn NoiseSource,
    ) -> Result<ScaledSums, FitError> {
        let exact = self.ask(scan, centres)?;
        let released = match self {
            Self::KNorm(mechanism) => accountant.release(exact, mechanism.with(noise))?,
            Self::Gaussian(mechanism) => accountant.release(exact, mechanism.with(noise))?,
        };
        Ok(released.into_inner())
    }

    /// Variance of the noise on a sum of centre `j`, in units of half a box width.
    pub fn sum_variance(&self, j: usize, axis: usize) -> f64 {
        match self {
            Self::KNorm(noise) => noise.sum_variance(j, axis),
            Self::Gaussian(noise) => noise.sum_variance(j, axis),
        }
    }

    /// Variance of the noise on the count of centre `j`, where counts are released.
    pub fn count_variance(&self, j: usize) -> Option<f64> {
        match self {
            Self::KNorm(noise) => noise.count_variance(j),
            Self::Gaussian(noise) => noise.count_variance(),
        }
    }
}
