//! Picks the cheapest of several sets of centres with the exponential mechanism: PrivGene's selection (SCL16 §4.1.3).
//!
//! *Privacy.* Pure m·a·Δ-DP for adding or removing one row, with m picks, decay a per squared lattice unit and Δ =
//! d·(2·`HALF_WIDTH`)². Proof. The cost of set i is a sum over rows of the squared distance to the nearest centre, so a
//! row x that comes raises it by δᵢ = min_c ‖x − c‖², and 0 ≤ δᵢ ≤ Δ, the squared diagonal of the box: all costs move
//! in the same direction. With weights wᵢ = e^(−a·costᵢ) the chance of picking i changes by the factor
//!
//! > e^(−aδᵢ) · (Σⱼ wⱼ) / (Σⱼ wⱼ e^(−aδⱼ)).
//!
//! The first factor is between e^(−aΔ) and 1, the second between 1 and e^(aΔ), so the product is between e^(−aΔ) and
//! e^(aΔ): one pick loses a·Δ, without the usual factor 2. Later picks choose among the sets that are left. Which these
//! are is known from the earlier picks, and the bound holds for any sets; so the ordered list of m picks loses m·a·Δ.
//!
//! *Law.* Each pick: P(i) ∝ e^(−a·costᵢ) over the sets that are left, drawn exactly. ε′ per pick is a = ε′/Δ.
//!
//! *Utility.* A pick from n sets costs at most ln(n)/a more than the best of them, in expectation.
//!
//! *Runtime.* m·n exponentials.
//!
//! *Assumes.* Sets that were chosen without looking at the data beyond what is already released; one row per person.
//!
//! *Deviations.* PrivGene has an "enhanced" exponential mechanism of its own, which could not be checked; this is the
//! standard one, with the range bound for scores that move together.

use dashu_ratio::RBig;
use shoal_noise::{ExponentialMechanism, NoiseError, NoiseSource, ScoreKind};
use shoal_privacy::{Amount, Epsilon, Loss};

use crate::RowMechanism;
use shoal_lattice::HALF_WIDTH;
use shoal_release::Part;

/// Picks without replacement among sets of centres over `dims` attributes, with their loss.
#[derive(Clone)]
pub struct SelectByCostMechanism {
    dims: usize,
    picks: usize,
    law: ExponentialMechanism,
}

impl SelectByCostMechanism {
    /// Picks that may cost ε together, each the same part of it.
    pub fn new(dims: usize, picks: usize, epsilon: &Epsilon) -> Result<Self, NoiseError> {
        let each = epsilon.split(picks.max(1) as u64);
        let law = ExponentialMechanism::new(each.amount().as_rational(), &sensitivity(dims), ScoreKind::Monotone)?;
        Ok(Self { dims, picks, law })
    }

    /// What one unit of squared lattice distance takes from the logarithm of a set's weight.
    pub fn decay(&self) -> &RBig {
        self.law.decay()
    }

    /// The loss of one pick: decay times sensitivity.
    pub fn per_pick(&self) -> Epsilon {
        // Unwrap safety: the sampler refuses a decay that is not positive.
        Epsilon::new(Amount::from_rational(self.law.decay() * sensitivity(self.dims)).unwrap())
    }

    /// How much more than the best of `sets` sets the first pick costs at most, in expectation, in squared interval
    /// widths: ln(n)/a, where a is ε′/d per squared interval width.
    pub fn expected_excess(&self, sets: usize) -> f64 {
        (sets as f64).ln() * self.dims as f64 / self.per_pick().to_f64_up()
    }
}

/// The squared diagonal of the box, in lattice units: the farthest that a row can be from a centre.
fn sensitivity(dims: usize) -> RBig {
    RBig::from(dims as u64) * RBig::from((2 * i64::from(HALF_WIDTH)).pow(2))
}

impl RowMechanism for SelectByCostMechanism {
    /// The cost of each set; at least as many sets as picks, or it panics.
    type Input = Vec<u128>;
    /// The numbers of the picked sets, in the order of the picks.
    type Output = Vec<usize>;

    fn loss(&self) -> Loss {
        Loss::Pure(self.per_pick().times(&Amount::ratio(self.picks as u64, 1)))
    }

    fn distribution(&self, costs: &Vec<u128>) -> Option<Vec<Part<'_>>> {
        let scores = costs.iter().map(|&cost| -(cost as i128)).collect();
        Some(vec![Part::Choice { of: "sets of centres", scores, picks: self.picks, law: &self.law }])
    }

    fn draw(&self, costs: Vec<u128>, noise: &mut dyn NoiseSource) -> Vec<usize> {
        let picks = self.picks;
        assert!(picks <= costs.len(), "{picks} sets are picked from at least as many");
        // No sum of squared distances comes near 2^127.
        let mut scores: Vec<i128> = costs.iter().map(|&cost| -(cost as i128)).collect();
        let mut left: Vec<usize> = (0..costs.len()).collect();
        let pick = |_| {
            // Unwrap safety: a set is left, and a population is far smaller than what the sampler takes.
            let at = self.law.choose(noise, &scores).unwrap();
            scores.swap_remove(at);
            left.swap_remove(at)
        };
        (0..picks).map(pick).collect()
    }
}
