//! Where the centres of blocks may lie, how that is found, and what the clamp can cost.
//!
//! GkM keeps the blocks' centres within a range, since its noise is in proportion to the range's width (SCL16 §4.1.2).
//! There are three rules for the range, [`RangeRule`].
//!
//! *What the clamp costs.* A mean over blocks that are clamped into [low, high] misses what the clamp takes away: on the
//! upper side the share p of blocks above `high` times how far they lie above it, at most p·(end of the bounds − high).
//! Nobody releases p, but it is bounded by released numbers: the clamped mean m is at least low + p·(high − low), and
//! where the range comes from quartiles of the blocks, p is at most 1/4 and the error of their rank. The lower side is
//! the same. What is reported is the root mean square of a bias that is anywhere between the two bounds.

use serde::{Deserialize, Serialize};
use shoal_lattice::{HALF_WIDTH, Widths};
use shoal_noise::NoiseSource;
use shoal_privacy::{Accountant, Claim, Epsilon, Sensitive};
use shoal_scan::{Grid, Scan, ScanExt};

use super::output_quartiles::{OutputQuartilesMechanism, STEP};
use crate::FitError;
use crate::QuantileMechanism;
use crate::RowMechanism;

/// Lattice positions along an attribute.
const POSITIONS: u32 = 2 * HALF_WIDTH as u32 + 1;

/// Root mean square of what quartiles cut off, before a run, in widths: for centres that are anywhere in bounds whose
/// quartiles lie halfway to the ends, √(1/2·(1/4)²/3).
const EXPECTED_BIAS_OF_QUARTILES: Widths = Widths(0.102_062_072_615_965_75);

/// How the range of the blocks' centres is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RangeRule {
    /// Noisy quartiles of what the blocks hand in, one pair for each coordinate of each centre, widened as GUPT does and cut
    /// to the bounds: what SCL16 calls the estimated output range.
    Outputs,
    /// The bounds themselves: all of ε is left for the noise on the means.
    Full,
    /// Noisy quartiles of the rows of each attribute. Narrow, so there is little noise; clusters beyond are moved to them.
    Quartiles,
}

/// Where one coordinate of a centre may lie, in lattice units.
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

    /// GUPT's range around two noisy quartiles of `blocks` values: their middle ± 4·ℓ^(1/3 + 1/10) times their distance
    /// (Smith 2011), within the bounds as in SCL16. Quartiles at the same position count as one position apart.
    pub fn around(quartiles: [usize; 2], blocks: u64) -> Self {
        let [a, b] = quartiles.map(|position| position as i64 * i64::from(STEP) - i64::from(HALF_WIDTH));
        // A position is the first of its lattice units.
        let (low, high) = (a.min(b), a.max(b) + i64::from(STEP));
        let times = (4.0 * (blocks as f64).powf(1.0 / 3.0 + 0.1)).ceil() as i64;
        let half = times.saturating_mul(high - low);
        let middle = (low + high) / 2;
        let within = |x: i64| x.clamp(-i64::from(HALF_WIDTH), HALF_WIDTH.into()) as i16;
        Self { low: within(middle.saturating_sub(half)), high: within(middle.saturating_add(half)) }
    }

    /// How far apart two places in it can be, at least one lattice unit.
    pub fn width(self) -> u32 {
        (i32::from(self.high) - i32::from(self.low)).max(1) as u32
    }

    /// The nearest place in it.
    pub fn clamp(self, x: i16) -> i64 {
        x.clamp(self.low, self.high).into()
    }

    /// Root mean square of what the clamp may take from a mean that was released as `mean`, when no more than `share` of
    /// the blocks lie beyond either end.
    pub fn bias(self, mean: f64, share: f64) -> Widths {
        let (low, high, end) = (f64::from(self.low), f64::from(self.high), f64::from(HALF_WIDTH));
        let place = (mean.clamp(low, high) - low) / f64::from(self.width());
        let above = place.min(share) * (end - high);
        let below = (1.0 - place).min(share) * (low + end);
        // Uniform between −below and above.
        Widths::of_lattice_length(((above * above - above * below + below * below) / 3.0).sqrt())
    }
}

/// The step that finds the range, with its mechanisms.
pub(crate) enum RangeStep {
    /// Nothing is asked.
    Full,
    /// The two quartiles of an attribute.
    Quartiles([QuantileMechanism; 2]),
    /// The two quartiles of every coordinate that blocks hand in.
    Outputs(OutputQuartilesMechanism),
}

impl RangeStep {
    /// `rule` for `epsilon`, which [`RangeRule::Full`] does not need.
    pub(crate) fn new(rule: RangeRule, epsilon: &Epsilon, k: usize, dims: usize) -> Result<Self, FitError> {
        Ok(match rule {
            RangeRule::Full => Self::Full,
            RangeRule::Quartiles => {
                // Two quantiles of each attribute, at equal parts.
                let each = epsilon.split(2 * dims as u64);
                Self::Quartiles([QuantileMechanism::new(1, 4, &each)?, QuantileMechanism::new(3, 4, &each)?])
            }
            RangeRule::Outputs => Self::Outputs(OutputQuartilesMechanism::new(k * dims, epsilon)?),
        })
    }

    /// What it costs in all, and then `next`.
    pub(crate) fn claim_before(&self, next: Claim, dims: usize) -> Claim {
        // Unwrap safety: all are pure and about the same neighbours.
        match self {
            Self::Full => next,
            Self::Quartiles(pair) => {
                let all = (0..dims).flat_map(|_| pair);
                all.fold(next, |claim, quantile| quantile.claim().then(&claim).unwrap())
            }
            Self::Outputs(quartiles) => quartiles.claim().then(&next).unwrap(),
        }
    }

    /// The bias that is expected before a run, where it does not follow from the range. A range of outputs that is as wide
    /// as the bounds, for which the noise is reported in advance, has none.
    pub(crate) fn expected_bias(&self) -> Widths {
        match self {
            Self::Quartiles(_) => EXPECTED_BIAS_OF_QUARTILES,
            _ => Widths(0.0),
        }
    }

    /// The share of blocks that can lie beyond an end of the range.
    pub(crate) fn share_beyond(&self, blocks: u64) -> f64 {
        match self {
            Self::Outputs(quartiles) => (0.25 + quartiles.rank_error() / blocks as f64).min(1.0),
            _ => 1.0,
        }
    }
}

/// The noisy quartiles of the rows of each attribute.
pub(crate) fn of_rows(
    quartiles: &[QuantileMechanism; 2],
    scan: &dyn Scan,
    accountant: &mut Accountant,
    noise: &mut dyn NoiseSource,
) -> Result<Vec<OutputRange>, FitError> {
    let attribute = |axis: usize| {
        let mut cells = vec![1; scan.dims()];
        cells[axis] = POSITIONS;
        let counts = scan.cell_counts(&Grid::new(cells, POSITIONS as usize)?)?;
        let mut quantile = |mechanism: &QuantileMechanism| -> Result<i16, FitError> {
            let position = accountant.release(counts.map_ref(Vec::clone), mechanism.with(noise))?.into_inner();
            Ok((position as i32 - HALF_WIDTH) as i16)
        };
        let [low, high] = quartiles;
        // Noise can reverse them: `between` takes them in either order.
        Ok(OutputRange::between(quantile(low)?, quantile(high)?))
    };
    (0..scan.dims()).map(attribute).collect()
}

/// A range around the noisy quartiles of each coordinate that the blocks handed in.
pub(crate) fn of_outputs(
    quartiles: &OutputQuartilesMechanism,
    results: &Sensitive<Vec<Vec<i16>>>,
    blocks: u64,
    accountant: &mut Accountant,
    noise: &mut dyn NoiseSource,
) -> Result<Vec<OutputRange>, FitError> {
    let found = accountant.release(results.map_ref(Vec::clone), quartiles.with(noise))?.into_inner();
    Ok(found.chunks_exact(2).map(|pair| OutputRange::around([pair[0], pair[1]], blocks)).collect())
}
