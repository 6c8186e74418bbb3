//! Laplace noise on sums of block results: the aggregation of sample-and-aggregate (SCL16 §4.1.2, eq. (3)).
//!
//! Every block hands in k centres. Each coordinate is clamped into its output range and summed over the blocks, and noise goes
//! on each of the k·d sums.
//!
//! *Privacy.* Pure ε-DP for adding or removing one row, which changes the result of one block ([`BlockDraw`]),
//! arbitrarily. The clamp is part of this mechanism, so that the sum of attribute i of centre j changes by at most the width
//! w_ji of its range whatever the blocks hand in. With discrete Laplace noise of decay a_ji per lattice unit, the log-ratio
//! of any outcome is at most Σ a_ji·w_ji: exactly ε for a_ji = ε/(k·d·w_ji).
//!
//! *Law.* P(z) ∝ e^(−a_ji|z|) on the integers, drawn exactly.
//!
//! *Utility.* Standard deviation √2·k·d·w_ji/(ℓ·ε) on a mean over ℓ blocks.
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
use crate::systems::OutputRange;
use shoal_release::Part;
use shoal_release::{noisy, pure};

/// Noise for the sums of the centres' coordinates, with its loss.
#[derive(Clone)]
pub struct BlockSumsMechanism {
    /// One for each coordinate of each centre.
    ranges: Vec<OutputRange>,
    /// Noise for each width that a range has, with that width: there may be millions of sums, and few widths.
    laws: Vec<(u32, DiscreteLaplace)>,
    /// Which of them each sum gets.
    of_sum: Vec<u32>,
}

impl BlockSumsMechanism {
    /// The noise of eq. (3), for ε on all sums together; one range per attribute, the same for `k` centres.
    pub fn per_attribute(k: usize, epsilon: &Epsilon, ranges: &[OutputRange]) -> Result<Self, NoiseError> {
        Self::new(epsilon, ranges.repeat(k))
    }

    /// The noise of eq. (3), for ε on all sums together; one range per coordinate, centre after centre.
    pub fn new(epsilon: &Epsilon, ranges: Vec<OutputRange>) -> Result<Self, NoiseError> {
        let per_sum = epsilon.split((ranges.len() as u64).max(1));
        // Eq. (3): scale k·d·w_ji/ε on a sum, hence k·d·w_ji/(ℓ·ε) on a mean over ℓ blocks.
        let law = |width: u32| {
            let decay = per_sum.amount().as_rational() / RBig::from(width);
            DiscreteLaplace::new(decay).map(|law| (width, law))
        };
        let mut widths: Vec<u32> = ranges.iter().map(|range| range.width()).collect();
        widths.sort_unstable();
        widths.dedup();
        // Unwrap safety: every width is among them.
        let place = |range: &OutputRange| widths.binary_search(&range.width()).unwrap() as u32;
        let of_sum = ranges.iter().map(place).collect();
        let laws = widths.iter().map(|&width| law(width)).collect::<Result<_, _>>()?;
        Ok(Self { ranges, laws, of_sum })
    }

    /// Noise on each sum.
    fn of_sums(&self) -> impl Iterator<Item = &DiscreteLaplace> {
        self.of_sum.iter().map(|&place| &self.laws[place as usize].1)
    }

    /// Each coordinate clamped into its range, summed over the blocks.
    fn clamped_sums(&self, results: &[Vec<i16>]) -> Vec<i64> {
        let mut sums = vec![0; self.ranges.len()];
        for centres in results {
            assert_eq!(centres.len(), sums.len(), "the loss was computed for this many coordinates");
            for ((sum, &x), range) in sums.iter_mut().zip(centres).zip(&self.ranges) {
                *sum += range.clamp(x);
            }
        }
        sums
    }

    /// Variance of the noise on a sum of each coordinate, centre after centre, in squared lattice units.
    pub fn variances(&self) -> impl Iterator<Item = f64> + '_ {
        self.of_sums().map(DiscreteLaplace::variance)
    }
}

impl RowMechanism for BlockSumsMechanism {
    /// Per block: k centres, one after the other.
    type Input = Vec<Vec<i16>>;
    /// Per coordinate: the noisy sum over all blocks.
    type Output = Vec<i64>;

    /// What one block can change, weighed with the noise's decay.
    fn loss(&self) -> Loss {
        let mut sums = vec![0_u64; self.laws.len()];
        self.of_sum.iter().for_each(|&place| sums[place as usize] += 1);
        let each = self.laws.iter().zip(sums).map(|((width, law), n)| law.decay() * RBig::from(*width) * RBig::from(n));
        pure(each.fold(RBig::ZERO, |sum, loss| sum + loss))
    }

    fn distribution(&self, results: &Vec<Vec<i16>>) -> Option<Vec<Part<'_>>> {
        let sums = self.clamped_sums(results);
        let sum = |(&sum, law): (&i64, _)| Part::Laplace { of: "a sum over blocks", exact: vec![sum.into()], law };
        Some(sums.iter().zip(self.of_sums()).map(sum).collect())
    }

    fn draw(&self, results: Vec<Vec<i16>>, noise: &mut dyn NoiseSource) -> Vec<i64> {
        let sums = self.clamped_sums(&results);
        sums.iter().zip(self.of_sums()).map(|(&sum, law)| noisy(sum, law.sample(noise))).collect()
    }
}
