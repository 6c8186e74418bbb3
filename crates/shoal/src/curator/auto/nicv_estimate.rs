//! How good the result is, told privately: a noisy mean squared distance with an interval that covers the true one.
//!
//! *Privacy.* Pure ε-DP for adding or removing one row: discrete Laplace noise on a sum to which a row adds at most the cap
//! ([`Scan::capped_cost`]), with decay ε/cap.
//!
//! *Law.* P(z) ∝ e^(−(ε/cap)·|z|): the interval of confidence 1 − α reaches ln(1/α)·cap/ε to either side.
//!
//! *Utility.* A row that is farther than the cap counts as the cap: eight times the mean that the synopsis expects. The number
//! of rows it is divided by is public, or noisy, too: then its noise widens the interval.

use dashu_ratio::RBig;
use serde::{Deserialize, Serialize};
use shoal_noise::{DiscreteLaplace, NoiseError, NoiseSource};
use shoal_privacy::{Accountant, Epsilon, Loss};

use crate::curator::expected_error::Unit;
use crate::curator::row_mechanism::{RowMechanism, noisy, pure};
use crate::curator::system::FitError;
use crate::data::HALF_WIDTH;
use crate::plain::{Cap, LatticeCentres};
use crate::scan::Scan;

/// The cap, in units of the NICV that the synopsis expects.
const CAP: f64 = 8.0;

/// The chance that the interval misses.
const MISS: f64 = 0.05;

/// Noise on a capped cost, with its loss.
pub struct CappedCostMechanism {
    law: DiscreteLaplace,
    cap: Cap,
}

impl CappedCostMechanism {
    /// Noise for a sum of distances cut off at `cap` that may cost ε.
    pub fn new(cap: Cap, epsilon: &Epsilon) -> Result<Self, NoiseError> {
        Ok(Self { law: DiscreteLaplace::new(epsilon.amount().as_rational() / RBig::from(cap.most))?, cap })
    }
}

impl RowMechanism for CappedCostMechanism {
    type Input = u128;
    type Output = i64;

    fn loss(&self) -> Loss {
        pure(self.law.decay() * RBig::from(self.cap.most))
    }

    fn draw(&self, exact: u128, noise: &mut dyn NoiseSource) -> i64 {
        // No number of rows comes near 2^40, so the sum is below 2^61.
        noisy(i128::try_from(exact).unwrap_or(i128::MAX), self.law.sample(noise))
    }
}

/// A private NICV in box units.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NicvEstimate {
    /// Mean squared distance of a row from its centre, as far as noise lets it be seen.
    #[serde(rename = "estimate")]
    pub nicv: f64,
    /// At least this, with the confidence given.
    pub low: f64,
    /// At most this, with the confidence given.
    pub high: f64,
    /// The chance that the interval holds the true value.
    pub confidence: f64,
    /// Squared distances beyond count as this.
    pub capped_at: f64,
    /// The unit: always the box.
    pub unit: Unit,
}

/// Half the width of the interval as a part of the NICV, before anything is spent.
pub fn expected_width(rows: f64, epsilon: f64) -> f64 {
    CAP * (1.0 / MISS).ln() / (epsilon * rows)
}

/// Releases the NICV of `centres`, expected to be about `expected`, for a number of rows with some noise.
pub fn estimate(
    centres: &[f64],
    expected: f64,
    (rows, rows_noise): (f64, f64),
    epsilon: &Epsilon,
    scan: &dyn Scan,
    accountant: &mut Accountant,
    noise: &mut dyn NoiseSource,
) -> Result<NicvEstimate, FitError> {
    let half = f64::from(HALF_WIDTH);
    let cap = Cap::near((CAP * expected.max(1e-9) * half * half).min(2f64.powi(60)) as u64);
    let unit = 2f64.powi(cap.shift as i32) / (half * half);
    let mechanism = CappedCostMechanism::new(cap, epsilon)?;
    let exact = scan.capped_cost(&LatticeCentres::from_unit(scan.dims(), centres), cap)?;
    let cost = accountant.release(exact, mechanism.with(noise))?.into_inner() as f64 * unit;
    let rows = rows.max(1.0);
    let nicv = (cost / rows).max(0.0);
    let of_cost = (1.0 / MISS).ln() * cap.most as f64 * unit / epsilon.to_f64_up() / rows;
    // Both reach at their own confidence at the same time only by chance; adding them is on the safe side.
    let of_rows = nicv * 2.0 * rows_noise / rows;
    let width = of_cost + of_rows;
    Ok(NicvEstimate {
        nicv,
        low: (nicv - width).max(0.0),
        high: nicv + width,
        confidence: 1.0 - MISS,
        capped_at: cap.most as f64 * unit,
        unit: Unit::Box,
    })
}
