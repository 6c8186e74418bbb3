//! Gaussian noise on clipped sums and counts: a step of Lloyd's algorithm where a small δ is allowed.
//!
//! *Privacy.* ρ-zCDP for adding or removing one row. The row changes the numbers of one centre: sum i by at most the
//! half-width w_i, the count by 1. A discrete Gaussian of parameter σ² that is moved by the integer Δ has Rényi
//! divergence at most α·Δ²/(2σ²) from where it was, for every order α (Canonne, Kamath, Steinke 2020, Proposition 5), and
//! divergences of independent noise add. So ρ = Σ_i w_i²/(2σ_i²) + 1/(2σ_c²), in exact rationals. The noise is made for
//! the box of half-widths, not for a ball within it: a row clipped to a ball would have to be rounded, and the
//! rounded row may lie outside.
//!
//! *Law.* P(z) ∝ e^(−z²/(2σ²)) on the integers, drawn exactly; σ_i² = w_i²·d/(2ρ(1 − q)) and σ_c² = 1/(2ρq) for a share
//! q of ρ for the count.
//!
//! *Utility.* Standard deviation w_i·√(d/(2ρ(1 − q))) on a sum and 1/√(2ρq) on a count. It grows with the root of d where
//! cube noise grows with d.
//!
//! *Runtime.* k·(d + 1) draws; one sampler for each half-width that occurs, a fraction of a millisecond each.
//!
//! *Assumes.* Centres, reference and half-widths public or released before; bounds chosen without looking at the data.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use dashu_ratio::RBig;
use rayon::prelude::*;
use shoal_noise::{DiscreteGaussian, NoiseError, NoiseSource};
use shoal_privacy::{Amount, Loss, Rho};

use crate::mechanisms::distribution::Part;
use crate::mechanisms::row_mechanism::RowMechanism;
use crate::mechanisms::row_mechanism::{concentrated, noisy};
use crate::mechanisms::scaled_sums::ScaledSums;
use shoal_kernel::{ClusterSums, Reach};
use shoal_lattice::HALF_WIDTH;

/// Gaussian noise for the clipped sums and counts of a reach, with its loss.
#[derive(Clone)]
pub struct GaussianSumsMechanism {
    reach: Arc<Reach>,
    sum_laws: Arc<HashMap<u32, DiscreteGaussian>>,
    count_law: Option<Arc<DiscreteGaussian>>,
}

impl GaussianSumsMechanism {
    /// Noise for one step that may cost ρ, for sums clipped to `reach` and counts, the same part of ρ for each number.
    pub fn new(reach: &Reach, rho: &Rho) -> Result<Self, NoiseError> {
        Self::with_count_share(reach, rho, &Amount::ratio(1, reach.dims() as u64 + 1))
    }

    /// Noise for one step that may cost ρ, a share of it for the count. A share of zero leaves the count out.
    ///
    /// # Errors
    /// When ρ is zero, the share is one or more, or the noise would be too wide to draw.
    pub fn with_count_share(reach: &Reach, rho: &Rho, count_share: &Amount) -> Result<Self, NoiseError> {
        let twice = rho.amount().as_rational() * RBig::from(2);
        let for_counts = &twice * count_share.as_rational();
        let for_sums = &twice - &for_counts;
        if for_sums <= RBig::ZERO {
            return Err(NoiseError::NonPositiveVariance { given: "infinite, since no ρ is left for the sums".into() });
        }
        let per_square = RBig::from(reach.dims() as u64) / for_sums;
        Self::build(reach, &per_square, (!count_share.is_zero()).then(|| RBig::ONE / for_counts))
    }

    /// Noise of variance `per_square`·w² on a number that one row moves by w: the half-width for a sum, 1 for a count.
    pub fn with_variance(reach: &Reach, per_square: &RBig, with_count: bool) -> Result<Self, NoiseError> {
        Self::build(reach, per_square, with_count.then(|| per_square.clone()))
    }

    fn build(reach: &Reach, per_square: &RBig, of_count: Option<RBig>) -> Result<Self, NoiseError> {
        let widths: BTreeSet<u32> = (0..reach.count()).flat_map(|j| reach.half_widths(j)).copied().collect();
        let law = |width: u32| DiscreteGaussian::new(per_square * RBig::from(u64::from(width).pow(2)));
        let sum_laws: HashMap<_, _> =
            widths.into_par_iter().map(|width| Ok((width, law(width)?))).collect::<Result<_, NoiseError>>()?;
        let count_law = of_count.map(DiscreteGaussian::new).transpose()?.map(Arc::new);
        Ok(Self { reach: Arc::new(reach.clone()), sum_laws: Arc::new(sum_laws), count_law })
    }

    /// The reach that sums must be clipped to: the loss was computed for it.
    pub fn reach(&self) -> &Reach {
        &self.reach
    }

    /// The law of the noise on a sum of centre `j`.
    pub fn sum_law(&self, j: usize, axis: usize) -> &DiscreteGaussian {
        &self.sum_laws[&self.reach.half_widths(j)[axis]]
    }

    /// The law of the noise on a count, where counts are released.
    pub fn count_law(&self) -> Option<&DiscreteGaussian> {
        self.count_law.as_deref()
    }

    /// Variance of the noise on a sum of centre `j`, in units of half a box width.
    pub fn sum_variance(&self, j: usize, axis: usize) -> f64 {
        self.sum_law(j, axis).variance() / f64::from(HALF_WIDTH).powi(2)
    }

    /// Variance of the noise on a count, where counts are released.
    pub fn count_variance(&self) -> Option<f64> {
        self.count_law.as_deref().map(DiscreteGaussian::variance)
    }
}

/// Δ²/(2σ²).
fn cost(moved: u32, law: &DiscreteGaussian) -> RBig {
    RBig::from(u64::from(moved).pow(2)) / (law.sigma_squared() * RBig::from(2))
}

impl RowMechanism for GaussianSumsMechanism {
    type Input = ClusterSums;
    type Output = ScaledSums;

    /// What one row can change in a number, against that number's noise; d sums at the price of the dearest, and the count.
    fn loss(&self) -> Loss {
        let of_sum = self.sum_laws.iter().map(|(&width, law)| cost(width, law)).max().unwrap_or(RBig::ZERO);
        let of_count = self.count_law.as_ref().map_or(RBig::ZERO, |law| cost(1, law));
        concentrated(of_sum * RBig::from(self.reach.dims() as u64) + of_count)
    }

    fn distribution(&self, exact: &ClusterSums) -> Option<Vec<Part<'_>>> {
        let dims = self.reach.dims();
        let sum = |(i, &x): (usize, &i64)| {
            let law = self.sum_law(i / dims, i % dims);
            Part::Gaussian { of: "sum", exact: vec![x.into()], law }
        };
        let counts = self.count_law().map(|law| {
            let exact = exact.counts.iter().map(|&n| n.into()).collect();
            Part::Gaussian { of: "counts", exact, law }
        });
        Some(exact.sums.iter().enumerate().map(sum).chain(counts).collect())
    }

    fn draw(&self, exact: ClusterSums, noise: &mut dyn NoiseSource) -> ScaledSums {
        let (dims, k) = (self.reach.dims(), self.reach.count());
        assert_eq!((exact.sums.len(), exact.counts.len()), (k * dims, k), "the loss was computed for these numbers");
        let mut sums = Vec::with_capacity(k * dims);
        for j in 0..k {
            for (axis, &sum) in exact.sum(j).iter().enumerate() {
                sums.push(noisy(sum, self.sum_law(j, axis).sample(noise)));
            }
        }
        let counts =
            self.count_law.as_ref().map(|law| exact.counts.iter().map(|&n| noisy(n, law.sample(noise))).collect());
        ScaledSums { dims, scale: 1, sums, counts }
    }
}
