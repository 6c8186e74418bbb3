//! A quantile of one attribute by the exponential mechanism over all lattice positions.
//!
//! The p-quantile, p = a/b, is the position c whose rank R(c), the number of rows at or below c, is closest to p·n. So
//! the score of c is q(c) = −|b·R(c) − a·n|, a whole number.
//!
//! *Privacy.* Pure ε-DP for adding or removing one row. A new row at v turns n into n + 1, and R(c) into R(c) + 1 for
//! c ≥ v: so b·R(c) − a·n changes by b − a for c ≥ v and by −a for c < v, and as |·| never stretches, q(c) changes by
//! at most Δ = max(a, b − a). Some scores rise while others fall, so the loss is 2·Δ times the decay (general scores in
//! [`shoal_noise::exponential`]). Every position is a candidate, whether rows lie there or not.
//!
//! *Law.* P(c) ∝ e^(−(ε/2)·|R(c) − p·n| / max(p, 1 − p)), drawn exactly.
//!
//! *Utility.* A rank off by about 2·max(p, 1 − p)·ln(65,535)/ε at most. Positions between two values share their score.
//!
//! *Runtime.* One exponential per position.
//!
//! *Assumes.* Public bounds; one row per person.
//!
//! *Paper.* GUPT (Mohan et al. 2012) estimates quartiles to find the range of its outputs. *Deviations.* The weights of
//! GUPT's program, e^(−ε|R − p·n|), lack the half: since R − p·n moves by 3/4 at a quartile, they cost 1.5 ε. (A later
//! version adds Laplace noise to scores that hold the logarithm of the gap between two rows, which a new row changes
//! without limit.) Here the candidates are fixed, and dividing by max(p, 1 − p) uses up all of ε and no more.

use dashu_ratio::RBig;
use shoal_noise::{ExponentialChoice, ExponentialMechanism, NoiseError, NoiseSource, ScoreKind};
use shoal_privacy::{Epsilon, Loss};

use crate::RowMechanism;
use shoal_release::Part;
use shoal_release::pure;

/// Scores go both ways when a row comes.
const KIND: ScoreKind = ScoreKind::General;

/// How near each position is to the a/b-quantile, from the number of values at each: −|b·R(c) − a·n|.
pub(crate) fn rank_scores(part: u32, whole: u32, counts: &[u64]) -> Vec<i128> {
    let values: i128 = counts.iter().map(|&count| i128::from(count)).sum();
    let goal = i128::from(part) * values;
    let mut rank = 0;
    let score = |&count: &u64| {
        rank += i128::from(count);
        -(i128::from(whole) * rank - goal).abs()
    };
    counts.iter().map(score).collect()
}

/// The choice of the a/b-quantile from the number of rows at each position, with its loss.
#[derive(Clone)]
pub struct QuantileMechanism {
    /// a of p = a/b.
    part: u32,
    /// b of p = a/b.
    whole: u32,
    sensitivity: RBig,
    law: ExponentialMechanism,
}

impl QuantileMechanism {
    /// The `part`/`whole`-quantile for ε.
    ///
    /// # Panics
    /// When the fraction is not between 0 and 1.
    pub fn new(part: u32, whole: u32, epsilon: &Epsilon) -> Result<Self, NoiseError> {
        assert!(part <= whole && whole > 0, "a quantile is a part of the whole");
        let sensitivity = RBig::from(part.max(whole - part));
        let law = ExponentialMechanism::new(epsilon.amount().as_rational(), &sensitivity, KIND)?;
        Ok(Self { part, whole, sensitivity, law })
    }

    /// How good each position is, from the number of rows at each: −|b·R(c) − a·n|.
    pub fn scores(&self, counts: &[u64]) -> Vec<i128> {
        rank_scores(self.part, self.whole, counts)
    }

    /// The law of the chosen position. Holds functions of the data: do not release.
    pub fn choice(&self, counts: &[u64]) -> Result<ExponentialChoice, NoiseError> {
        self.law.prepare(&self.scores(counts))
    }
}

impl RowMechanism for QuantileMechanism {
    /// The number of rows at each position, one position at least.
    type Input = Vec<u64>;
    /// The chosen position, from zero.
    type Output = usize;

    fn loss(&self) -> Loss {
        pure(self.law.decay() * &self.sensitivity * RBig::from(KIND.spread()))
    }

    fn distribution(&self, counts: &Vec<u64>) -> Option<Vec<Part<'_>>> {
        Some(vec![Part::Choice { of: "a position", scores: self.scores(counts), picks: 1, law: &self.law }])
    }

    fn draw(&self, counts: Vec<u64>, noise: &mut dyn NoiseSource) -> usize {
        // Unwrap safety: a grid has a cell, and a grid along one axis has far fewer than the most candidates allowed.
        self.choice(&counts).unwrap().sample(noise)
    }
}
