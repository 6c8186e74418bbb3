//! Laplace noise on sums of block results: the aggregation of sample-and-aggregate (SCL16 §4.1.2, eq. (3)).
//!
//! Every block hands in k centres. Each coordinate is clamped into the output range of its attribute and summed over
//! the blocks, and noise goes on each of the k·d sums.
//!
//! *Privacy.* Pure ε-DP for adding or removing one row, which changes the result of one block ([`BlockDraw`]),
//! arbitrarily. The clamp is part of this mechanism, so that a sum over attribute i changes by at most its width w_i
//! whatever the blocks hand in. With discrete Laplace noise of decay a_i per lattice unit, the log-ratio of any outcome
//! is at most k·Σ a_i·w_i: exactly ε for a_i = ε/(k·d·w_i).
//!
//! *Law.* P(z) ∝ e^(−a_i|z|) on the integers, drawn exactly.
//!
//! *Utility.* Standard deviation √2·k·d·w_i/(ℓ·ε) on a mean over ℓ blocks.
//!
//! *Runtime.* k·d draws.
//!
//! *Assumes.* Ranges and the number of blocks public or released; rows dealt to blocks independently.
//!
//! *Deviations.* A range of no width counts as one lattice unit wide, so that every sum gets noise.
//!
//! [`BlockDraw`]: shoal_scan::BlockDraw

use dashu_ratio::RBig;
use shoal_noise::{DiscreteLaplace, NoiseError, NoiseSource};
use shoal_privacy::{Epsilon, Loss};

use crate::RowMechanism;
use crate::mechanisms::distribution::Part;
use crate::mechanisms::row_mechanism::{noisy, pure};
use shoal_lattice::HALF_WIDTH;

/// Where the centres of one attribute may lie, in lattice units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputRange {
    low: i16,
    high: i16,
}

impl OutputRange {
    /// The whole interval.
    pub const FULL: Self = Self { low: -(HALF_WIDTH as i16), high: HALF_WIDTH as i16 };

    /// Between two places, in either order.
    pub fn between(a: i16, b: i16) -> Self {
        Self { low: a.min(b), high: a.max(b) }
    }

    /// How far apart two places in it can be, at least one lattice unit.
    pub fn width(self) -> u32 {
        (i32::from(self.high) - i32::from(self.low)).max(1) as u32
    }

    fn clamp(self, x: i16) -> i64 {
        x.clamp(self.low, self.high).into()
    }
}

/// Noise for the sums of `k` centres per block, with its loss.
#[derive(Clone)]
pub struct BlockSumsMechanism {
    k: usize,
    ranges: Vec<OutputRange>,
    /// Noise on a sum, per attribute.
    laws: Vec<DiscreteLaplace>,
}

impl BlockSumsMechanism {
    /// The noise of eq. (3), for ε on all sums together; one range per attribute.
    pub fn new(k: usize, epsilon: &Epsilon, ranges: Vec<OutputRange>) -> Result<Self, NoiseError> {
        let sums = k as u64 * ranges.len() as u64;
        let per_sum = epsilon.split(sums.max(1));
        // Eq. (3): scale k·d·w_i/ε on a sum, hence k·d·w_i/(ℓ·ε) on a mean over ℓ blocks.
        let law =
            |range: &OutputRange| DiscreteLaplace::new(per_sum.amount().as_rational() / RBig::from(range.width()));
        let laws = ranges.iter().map(law).collect::<Result<_, _>>()?;
        Ok(Self { k, ranges, laws })
    }

    /// Each coordinate clamped into its range, summed over the blocks.
    fn clamped_sums(&self, results: &[Vec<i16>]) -> Vec<i64> {
        let mut sums = vec![0; self.k * self.ranges.len()];
        for centres in results {
            assert_eq!(centres.len(), sums.len(), "the loss was computed for this many coordinates");
            for ((sum, &x), range) in sums.iter_mut().zip(centres).zip(self.ranges.iter().cycle()) {
                *sum += range.clamp(x);
            }
        }
        sums
    }

    /// Variance of the noise on a sum over each attribute, in squared lattice units.
    pub fn variances(&self) -> impl Iterator<Item = f64> + '_ {
        self.laws.iter().map(DiscreteLaplace::variance)
    }
}

impl RowMechanism for BlockSumsMechanism {
    /// Per block: k centres, one after the other.
    type Input = Vec<Vec<i16>>;
    /// Per coordinate: the noisy sum over all blocks.
    type Output = Vec<i64>;

    /// What one block can change, weighed with the noise's decay.
    fn loss(&self) -> Loss {
        let each = self.laws.iter().zip(&self.ranges).map(|(law, range)| law.decay() * RBig::from(range.width()));
        pure(each.fold(RBig::ZERO, |sum, loss| sum + loss) * RBig::from(self.k as u64))
    }

    fn distribution(&self, results: &Vec<Vec<i16>>) -> Option<Vec<Part<'_>>> {
        let sums = self.clamped_sums(results);
        let sum = |(&sum, law): (&i64, _)| Part::Laplace { of: "a sum over blocks", exact: vec![sum.into()], law };
        Some(sums.iter().zip(self.laws.iter().cycle()).map(sum).collect())
    }

    fn draw(&self, results: Vec<Vec<i16>>, noise: &mut dyn NoiseSource) -> Vec<i64> {
        let sums = self.clamped_sums(&results);
        sums.iter().zip(self.laws.iter().cycle()).map(|(&sum, law)| noisy(sum, law.sample(noise))).collect()
    }
}
