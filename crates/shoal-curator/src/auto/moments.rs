//! A first look at the whole table: noisy means and variances of the attributes.
//!
//! *Privacy.* The noise of one [`ClippedStep`](crate::ClippedStep) on sums that one row moves by at most `HALF_WIDTH` each ([`ScanExt::moments`]): the
//! coordinates and their stretched squares, 2d numbers at once, or where noise would drown so many, the coordinates and
//! the mean square over all attributes, d + 1 numbers. Loss ε (cube noise) or ρ (Gaussian noise), as the step says.
//!
//! *Law.* That of [`KNormSumsMechanism`] or [`GaussianSumsMechanism`], without a count.
//!
//! *Utility.* Means are pulled towards the middle of the box by as much as noise alone would account for (James and Stein),
//! variances towards their common mean, and that towards [`USUAL_VARIANCE`].
//!
//! *Assumes.* Public bounds; a design size that is public or was bought; one row per person.

use shoal_noise::{NoiseError, NoiseSource};
use shoal_privacy::Accountant;

use crate::FitError;
use crate::GaussianSumsMechanism;
use crate::KNormSumsMechanism;
use crate::RowMechanism;
use crate::ScaledSums;
use crate::StepBudget;
use crate::auto::axis_law::AxisLaw;
use crate::auto::noise_size::cube_sd;
use crate::auto::steps::ReleasedSums;
use shoal_kernel::{ClusterSums, MomentSums, Reach};
use shoal_lattice::HALF_WIDTH;
use shoal_privacy::Amount;
use shoal_release::{Releaser, Take};
use shoal_scan::{Scan, ScanExt};

/// Variance of an attribute in box units that is expected of a table of which nothing is known.
pub const USUAL_VARIANCE: f64 = 0.15;

/// Variance, over tables, of that expectation.
const VARIANCE_OF_USUAL: f64 = 0.01;

/// Which moments are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MomentKind {
    /// The variance of each attribute.
    EachVariance,
    /// One variance for all.
    OneVariance,
}

impl MomentKind {
    /// Numbers that are released.
    pub fn numbers(self, dims: usize) -> usize {
        match self {
            Self::EachVariance => 2 * dims,
            Self::OneVariance => dims + 1,
        }
    }

    /// The sums that noise is added to.
    pub fn sums(self, exact: MomentSums) -> ClusterSums {
        let squares = match self {
            Self::EachVariance => exact.squares,
            Self::OneVariance => vec![exact.mean_squares],
        };
        ClusterSums::of_one(exact.sums.into_iter().chain(squares).collect())
    }
}

/// The noise on the moments.
pub enum MomentsMechanism {
    /// Pure ε.
    Cube(KNormSumsMechanism),
    /// Concentrated ρ.
    Gaussian(GaussianSumsMechanism),
}

/// Released means and variances in box units.
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    /// Of each attribute.
    pub means: Vec<f64>,
    /// Of each attribute.
    pub variances: Vec<f64>,
}

impl MomentsMechanism {
    /// Noise for `numbers` sums that may cost `budget`.
    pub fn new(numbers: usize, budget: &StepBudget) -> Result<Self, NoiseError> {
        let reach = Reach::whole_box(1, numbers);
        Ok(match budget {
            StepBudget::Pure(epsilon) => Self::Cube(KNormSumsMechanism::new(&reach, epsilon, false)?),
            StepBudget::Concentrated(rho) => {
                Self::Gaussian(GaussianSumsMechanism::with_count_share(&reach, rho, &Amount::ZERO)?)
            }
        })
    }

    /// Standard deviation of the noise on a sum, in units of half a box width.
    pub fn sd(&self) -> f64 {
        match self {
            Self::Cube(noise) => noise.sum_variance(0, 0).sqrt(),
            Self::Gaussian(noise) => noise.sum_variance(0, 0).sqrt(),
        }
    }

    /// Scans for the moments and releases them, for a table of about `rows` rows.
    pub fn release(
        &self,
        kind: MomentKind,
        rows: f64,
        scan: &dyn Scan,
        accountant: &mut Accountant,
        noise: &mut dyn NoiseSource,
    ) -> Result<Moments, FitError> {
        let exact = scan.moments()?.map(|exact| kind.sums(exact));
        let released = match self {
            Self::Cube(mechanism) => accountant.release(exact, mechanism.with(noise))?,
            Self::Gaussian(mechanism) => accountant.release(exact, mechanism.with(noise))?,
        };
        Ok(Moments::of(kind, &released.into_inner(), scan.dims(), rows, self.sd() / rows))
    }
}

/// Releases the moments of a table of about `rows` rows as a step.
pub fn release(
    kind: MomentKind,
    rows: f64,
    budget: &StepBudget,
    releaser: &mut dyn Releaser,
) -> Result<Moments, FitError> {
    let take = match kind {
        MomentKind::EachVariance => Take::EachVariance,
        MomentKind::OneVariance => Take::OneVariance,
    };
    let released = ReleasedSums::moments(releaser, take, budget)?;
    Ok(Moments::of(kind, &released.sums, releaser.dims(), rows, released.sum_variance(0, 0).sqrt() / rows))
}

impl Moments {
    /// From released sums, for noise of standard deviation `sd` on a mean.
    fn of(kind: MomentKind, released: &ScaledSums, dims: usize, rows: f64, sd: f64) -> Self {
        let at = |i: usize| released.sum(0, i) / f64::from(HALF_WIDTH) / rows;
        let raw: Vec<f64> = (0..dims).map(at).collect();
        let means: Vec<f64> = shrunk_means(&raw, sd).iter().map(|m| m.clamp(-1.0, 1.0)).collect();
        // From the stretched square 2x² − 1 back to x².
        let square = |i: usize| (at(dims + i) + 1.0) / 2.0;
        let variances = match kind {
            MomentKind::OneVariance => {
                let own = means.iter().map(|m| m * m).sum::<f64>() / dims as f64;
                vec![common_variance(square(0) - own, sd * sd / 4.0); dims]
            }
            MomentKind::EachVariance => {
                let raw: Vec<f64> = means.iter().enumerate().map(|(axis, m)| square(axis) - m * m).collect();
                each_variance(&raw, sd * sd / 4.0)
            }
        };
        // A mean near a border leaves little room.
        // Where the mean itself is mostly noise, rows may be anywhere around it.
        let unsure = (sd * sd - 0.01).min(USUAL_VARIANCE);
        let fits = |(v, m): (f64, &f64)| v.min((0.999 * (1.0 - m * m)).max(1e-4)).max(unsure);
        Self { variances: variances.into_iter().zip(&means).map(fits).collect(), means }
    }

    /// The law of each attribute, `uniform` of it spread evenly.
    pub fn laws(&self, uniform: f64) -> Vec<AxisLaw> {
        self.means.iter().zip(&self.variances).map(|(&m, &v)| AxisLaw::with_moments(m, v, uniform)).collect()
    }
}

/// Means pulled towards the middle by what noise alone accounts for.
pub fn shrunk_means(raw: &[f64], sd: f64) -> Vec<f64> {
    let squares: f64 = raw.iter().map(|m| m * m).sum();
    let factor = (1.0 - raw.len() as f64 * sd * sd / squares.max(1e-12)).max(0.0);
    raw.iter().map(|m| m * factor).collect()
}

/// One noisy variance and the usual one, weighed by how sure they are.
fn common_variance(noisy: f64, of_noise: f64) -> f64 {
    let weight = 1.0 / of_noise.max(1e-12);
    let both = (noisy * weight + USUAL_VARIANCE / VARIANCE_OF_USUAL) / (weight + 1.0 / VARIANCE_OF_USUAL);
    both.clamp(0.003, 0.33)
}

/// Noisy variances, pulled towards their mean by what noise alone accounts for.
fn each_variance(raw: &[f64], of_noise: f64) -> Vec<f64> {
    let mean = raw.iter().sum::<f64>() / raw.len() as f64;
    let common = common_variance(mean, of_noise / raw.len() as f64);
    let apart = raw.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / raw.len() as f64;
    let signal = (apart - of_noise).max(0.0);
    let factor = signal / (signal + of_noise + 1e-12);
    let least = (0.02 * common).max(4e-4);
    raw.iter().map(|v| (common + factor * (v - mean)).clamp(least, 1.0 / 3.0)).collect()
}

/// Standard deviation of the noise on a mean, before anything is spent, for `share` of `budget`.
pub fn expected_sd(kind: MomentKind, dims: usize, budget: &StepBudget, share: f64, rows: f64) -> f64 {
    let numbers = kind.numbers(dims);
    match budget {
        StepBudget::Pure(epsilon) => cube_sd(numbers, share * epsilon.to_f64_up()) / rows,
        StepBudget::Concentrated(rho) => (numbers as f64 / (2.0 * share * rho.to_f64_up())).sqrt() / rows,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shoal_files::PointStore;
    use shoal_lattice::LatticePoints;
    use shoal_noise::SeededNoise;
    use shoal_privacy::{Allowance, Loss};
    use shoal_scan::LocalScan;

    fn table(rows: usize) -> LocalScan {
        let mut points = LatticePoints::new(2);
        for i in 0..rows {
            // Uniform between 0 and half of the box, and two places.
            points.push_row(&[(i * 16_383 / rows) as i16, if i % 2 == 0 { -32_767 } else { -16_384 }]);
        }
        LocalScan::new(PointStore::InMemory(points))
    }

    fn release(kind: MomentKind, epsilon: &str, rows: usize) -> Moments {
        let budget = StepBudget::Pure(epsilon.parse().unwrap());
        let mechanism = MomentsMechanism::new(kind.numbers(2), &budget).unwrap();
        let claim = match &mechanism {
            MomentsMechanism::Cube(noise) => noise.claim(),
            MomentsMechanism::Gaussian(noise) => noise.claim(),
        };
        assert_eq!(claim.loss, Loss::Pure(epsilon.parse().unwrap()));
        let mut accountant = Accountant::new(Allowance::without_ledger(claim));
        mechanism.release(kind, rows as f64, &table(rows), &mut accountant, &mut SeededNoise::new(1)).unwrap()
    }

    #[test]
    fn with_much_budget_the_moments_are_those_of_the_table() {
        let found = release(MomentKind::EachVariance, "10", 100_000);
        assert!((found.means[0] - 0.25).abs() < 0.01 && (found.means[1] + 0.75).abs() < 0.01, "{found:?}");
        assert!(
            (found.variances[0] - 1.0 / 48.0).abs() < 0.002 && (found.variances[1] - 0.0625).abs() < 0.002,
            "{found:?}"
        );
        let found = release(MomentKind::OneVariance, "10", 100_000);
        assert!(found.variances.iter().all(|v| (v - (1.0 / 48.0 + 0.0625) / 2.0).abs() < 0.002), "{found:?}");
    }

    #[test]
    fn with_little_budget_they_are_those_of_no_table() {
        let found = release(MomentKind::EachVariance, "1/10000", 100);
        assert!(found.means.iter().all(|m| m.abs() <= 1.0));
        assert!(found.variances.iter().all(|v| (0.1..=0.34).contains(v)), "{found:?}");
    }

    #[test]
    fn what_is_expected_before_is_what_the_noise_has() {
        for kind in [MomentKind::EachVariance, MomentKind::OneVariance] {
            for budget in [StepBudget::Pure("1/3".parse().unwrap()), StepBudget::Concentrated("1/50".parse().unwrap())]
            {
                let half = budget.times(&Amount::ratio(1, 2));
                let sd = MomentsMechanism::new(kind.numbers(5), &half).unwrap().sd() / 1000.0;
                let expected = expected_sd(kind, 5, &budget, 0.5, 1000.0);
                assert!((sd / expected - 1.0).abs() < 0.03, "{kind:?} {budget:?}: {sd} {expected}");
            }
        }
    }
}
