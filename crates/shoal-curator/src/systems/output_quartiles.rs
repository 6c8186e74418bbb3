//! Noisy quartiles of what blocks of rows hand in, by the exponential mechanism over fixed positions.
//!
//! Every one of ℓ blocks hands in k centres, so each of the k·d coordinates has ℓ values. For each coordinate this
//! chooses a position near the 25 % and one near the 75 % quantile of its values. As in
//! [`crate::mechanisms::private_quantile`] the score of position c is q(c) = −|4·R(c) − a·ℓ|, a = 1 or 3, with R(c) the
//! number of blocks at or below c.
//!
//! *Privacy.* Pure ε-DP for adding or removing one row, which changes what one block hands in ([`BlockDraw`]),
//! arbitrarily: a coordinate moves from u to v. No value is added or removed, and ℓ is public, so a·ℓ stays; R(c) changes
//! by one for c between u and v and not at all elsewhere. So q(c) changes by at most Δ = 4, up on one side of the quantile
//! and down on the other: each choice loses 2·Δ times its decay, and the 2·k·d choices add up. (With Δ = 3, the
//! sensitivity of a row that is added to a table, they would cost 4/3 of their charge.)
//!
//! *Distribution.* P(c) ∝ e^(−(ε′/2)·|R(c) − p·ℓ|) with ε′ = ε/(2·k·d), drawn exactly.
//!
//! *Utility.* With probability 19/20 a rank is off by at most [`OutputQuartilesMechanism::rank_error`]. Where no value lies
//! between two positions they share their score: if all blocks hand in the same number, a quartile may be anywhere on one
//! side of it, and the range comes out wide.
//!
//! *Runtime.* One exponential for each of 4,096 positions, 2·k·d times.
//!
//! *Assumes.* Public bounds; one row per person; a public number of blocks; rows dealt to blocks independently.
//!
//! *Paper.* GUPT (Mohan et al. 2012), whose program finds the range of its outputs from their noisy percentiles (Smith
//! 2011). *Deviations.* Its weights lack a half, as [`crate::mechanisms::private_quantile`] explains. Positions are 16
//! lattice units apart: a range is many times as wide.
//!
//! [`BlockDraw`]: shoal_scan::BlockDraw

use dashu_ratio::RBig;
use shoal_lattice::HALF_WIDTH;
use shoal_noise::{ExponentialMechanism, NoiseError, NoiseSource, ScoreKind};
use shoal_privacy::{Epsilon, Loss};

use crate::RowMechanism;
use crate::mechanisms::private_quantile::rank_scores;
use shoal_release::Part;
use shoal_release::pure;

/// Scores go both ways when a block changes.
const KIND: ScoreKind = ScoreKind::General;

/// b of p = a/b, and the most by which one block changes a score.
const WHOLE: u32 = 4;

/// a of p = a/b.
const PARTS: [u32; 2] = [1, 3];

/// Lattice units between two positions.
pub(crate) const STEP: i32 = 16;

/// Positions along an attribute.
pub(crate) const POSITIONS: usize = (2 * HALF_WIDTH / STEP + 1) as usize;

/// The probability of a larger rank error than [`OutputQuartilesMechanism::rank_error`] reports.
const MISSED: f64 = 0.05;

/// The choice of two noisy quartiles for each coordinate that blocks hand in, with its loss.
#[derive(Clone)]
pub struct OutputQuartilesMechanism {
    coordinates: usize,
    law: ExponentialMechanism,
}

impl OutputQuartilesMechanism {
    /// For ε on all choices together; blocks hand in so many coordinates each.
    pub fn new(coordinates: usize, epsilon: &Epsilon) -> Result<Self, NoiseError> {
        let each = epsilon.split(2 * coordinates.max(1) as u64);
        let law = ExponentialMechanism::new(each.amount().as_rational(), &RBig::from(WHOLE), KIND)?;
        Ok(Self { coordinates, law })
    }

    /// How good each position is: for each coordinate first for the lower quartile, then for the upper one.
    pub fn scores(&self, results: &[Vec<i16>]) -> Vec<Vec<i128>> {
        let counts = |coordinate: usize| {
            let mut counts = vec![0_u64; POSITIONS];
            for centres in results {
                assert_eq!(centres.len(), self.coordinates, "the loss was computed for this many coordinates");
                counts[((i32::from(centres[coordinate]) + HALF_WIDTH).max(0) / STEP) as usize] += 1;
            }
            counts
        };
        let both = |coordinate| {
            let counts = counts(coordinate);
            PARTS.map(|part| rank_scores(part, WHOLE, &counts))
        };
        (0..self.coordinates).flat_map(both).collect()
    }

    /// How many blocks a rank is off by at most, with probability 19/20 or more: a position whose score is t below the best
    /// is chosen with probability at most e^(−decay·t), and there are so many positions.
    pub fn rank_error(&self) -> f64 {
        (POSITIONS as f64 / MISSED).ln() / (self.law.decay().to_f64().value() * f64::from(WHOLE))
    }
}

impl RowMechanism for OutputQuartilesMechanism {
    /// Per block: its centres, one after the other.
    type Input = Vec<Vec<i16>>;
    /// For each coordinate the position of the lower quartile and that of the upper one, from zero.
    type Output = Vec<usize>;

    fn loss(&self) -> Loss {
        let each = self.law.decay() * RBig::from(WHOLE) * RBig::from(KIND.spread());
        pure(each * RBig::from(2 * self.coordinates as u64))
    }

    fn distribution(&self, results: &Vec<Vec<i16>>) -> Option<Vec<Part<'_>>> {
        let part = |scores| Part::Choice { of: "a quartile of the blocks' centres", scores, picks: 1, law: &self.law };
        Some(self.scores(results).into_iter().map(part).collect())
    }

    fn draw(&self, results: Vec<Vec<i16>>, noise: &mut dyn NoiseSource) -> Vec<usize> {
        // Unwrap safety: there are positions, and far fewer than the most candidates allowed.
        self.scores(&results).iter().map(|scores| self.law.prepare(scores).unwrap().sample(noise)).collect()
    }
}
