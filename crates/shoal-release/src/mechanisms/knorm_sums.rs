//! Noise in the shape of a cube on clipped sums and counts: a step of Lloyd's algorithm at about half of Laplace's noise.
//!
//! *Privacy.* Pure ε-DP for adding or removing one row. The row changes the numbers of one centre: each of its d sums by
//! at most the half-width w_i, its count by 1, all at once. Everything is multiplied by a public g, so the changes are
//! within g times (w_1, …, w_d, 1). With N(z) = ⌈max(|z_1|/w_1, …, |z_d|/w_d, |z_c|)⌉, N(z + v) ≤ N(z) + g for every such
//! change v, so noise with P(z) ∝ e^(−a·N(z)) loses g·a, which is exactly ε for a = ε/g. Other centres' numbers do not
//! change, and their noise is independent. Without the count the same holds in d coordinates.
//!
//! *Law.* P(z) ∝ e^(−(ε/g)·N(z)) on the integers, drawn exactly ([`LInfinityKNorm`]; Hardt and Talwar 2010).
//!
//! *Utility.* With D released numbers per centre, standard deviation √((D + 1)(D + 2)/3)·w_i/ε on a sum and the same
//! with 1 for w_i on a count; independent Laplace noise has √2·D. A number that is not released (`with_count`) makes
//! the others better.
//!
//! *Runtime.* k·(d + 2) draws. Setting up takes d² steps for each shape that differs from the others: centres with equal
//! half-widths share one.
//!
//! *Assumes.* Centres, reference and half-widths public or released before; bounds chosen without looking at the data.

use std::collections::HashMap;
use std::sync::Arc;

use dashu_ratio::RBig;
use rayon::prelude::*;
use shoal_noise::{Geometric, LInfinityKNorm, NoiseError, NoiseSource};
use shoal_privacy::{Epsilon, Loss};

use crate::mechanisms::distribution::Part;
use crate::mechanisms::row_mechanism::RowMechanism;
use crate::mechanisms::row_mechanism::{noisy, pure};
use crate::mechanisms::scaled_sums::ScaledSums;
use shoal_kernel::{ClusterSums, Reach};
use shoal_lattice::HALF_WIDTH;

/// Largest g. It leaves sums of 2^34 rows below 2^61.
pub(crate) const FINEST: u32 = 1 << 10;

/// Cube noise for the clipped sums and counts of a reach, with its loss.
#[derive(Clone)]
pub struct KNormSumsMechanism {
    reach: Arc<Reach>,
    with_count: bool,
    /// g.
    scale: u32,
    decay: RBig,
    /// One for each shape that occurs.
    laws: Arc<[LInfinityKNorm]>,
    law_of: Arc<[u32]>,
}

impl KNormSumsMechanism {
    /// Noise for one step that may cost ε, for sums clipped to `reach`, with or without counts.
    pub fn new(reach: &Reach, epsilon: &Epsilon, with_count: bool) -> Result<Self, NoiseError> {
        let scale = scale(epsilon);
        Self::with_decay(reach, epsilon.amount().as_rational() / RBig::from(scale), scale, with_count)
    }

    /// Noise of the given decay per step of its shape, on numbers multiplied by `scale`.
    pub fn with_decay(reach: &Reach, decay: RBig, scale: u32, with_count: bool) -> Result<Self, NoiseError> {
        let (mut shapes, mut numbers): (Vec<&[u32]>, _) = (Vec::new(), HashMap::new());
        let law_of = (0..reach.count())
            .map(|j| {
                let shape = reach.half_widths(j);
                *numbers.entry(shape).or_insert_with(|| {
                    shapes.push(shape);
                    shapes.len() as u32 - 1
                })
            })
            .collect();
        let step = Geometric::new(decay.clone())?;
        let law = |shape: &&[u32]| {
            let count = with_count.then_some(1);
            let half_widths: Vec<u64> = shape.iter().map(|&w| u64::from(w)).chain(count).collect();
            LInfinityKNorm::with_step(step.clone(), &half_widths)
        };
        let laws = shapes.par_iter().map(law).collect::<Result<Vec<_>, _>>()?.into();
        Ok(Self { reach: Arc::new(reach.clone()), with_count, scale, decay, laws, law_of })
    }

    /// The reach that sums must be clipped to: the loss was computed for it.
    pub fn reach(&self) -> &Reach {
        &self.reach
    }

    /// What numbers are multiplied by before noise is added.
    pub fn scale(&self) -> u32 {
        self.scale
    }

    /// The law of the noise on the numbers of centre `j`: its sums, then its count.
    pub fn law(&self, j: usize) -> &LInfinityKNorm {
        &self.laws[self.law_of[j] as usize]
    }

    /// Variance of the noise on a sum of centre `j`, in units of half a box width.
    pub fn sum_variance(&self, j: usize, axis: usize) -> f64 {
        self.law(j).variance(axis) / (f64::from(HALF_WIDTH) * f64::from(self.scale)).powi(2)
    }

    /// Variance of the noise on the count of centre `j`, where counts are released.
    pub fn count_variance(&self, j: usize) -> Option<f64> {
        self.with_count.then(|| self.law(j).variance(self.reach.dims()) / f64::from(self.scale).powi(2))
    }
}

/// About a hundred steps of the noise's shape to each unit of 1/ε: the ceiling in N then costs less than one part in a
/// hundred. Tiny budgets need none, and keep the sampler's scale within what it can draw.
pub(crate) fn scale(epsilon: &Epsilon) -> u32 {
    let wanted = (128.0 * epsilon.to_f64_up()).min(f64::from(FINEST));
    (wanted.ceil() as u32).max(1).next_power_of_two()
}

impl RowMechanism for KNormSumsMechanism {
    type Input = ClusterSums;
    type Output = ScaledSums;

    /// How many cubes one row can move the numbers of its centre, times the decay per cube.
    fn loss(&self) -> Loss {
        pure(&self.decay * RBig::from(self.scale))
    }

    fn distribution(&self, exact: &ClusterSums) -> Option<Vec<Part<'_>>> {
        let scaled = |&x: &i64| i128::from(x) * i128::from(self.scale);
        let centre = |j: usize| {
            let count = self.with_count.then(|| &exact.counts[j]);
            let exact = exact.sum(j).iter().chain(count).map(scaled).collect();
            Part::KNorm { of: "the numbers of a centre", exact, law: self.law(j) }
        };
        Some((0..self.reach.count()).map(centre).collect())
    }

    fn draw(&self, exact: ClusterSums, noise: &mut dyn NoiseSource) -> ScaledSums {
        let (dims, k) = (self.reach.dims(), self.reach.count());
        assert_eq!((exact.sums.len(), exact.counts.len()), (k * dims, k), "the loss was computed for these numbers");
        let scaled = |x: i64| i128::from(x) * i128::from(self.scale);
        let mut vector = vec![0; dims + usize::from(self.with_count)];
        let (mut sums, mut counts) = (Vec::with_capacity(k * dims), Vec::with_capacity(k));
        for j in 0..k {
            self.law(j).sample(noise, &mut vector);
            sums.extend(exact.sum(j).iter().zip(&vector).map(|(&sum, &z)| noisy(scaled(sum), z)));
            counts.extend(vector.get(dims).map(|&z| noisy(scaled(exact.counts[j]), z)));
        }
        ScaledSums { dims, scale: self.scale, sums, counts: self.with_count.then_some(counts) }
    }
}
