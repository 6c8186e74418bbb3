//! How good the result is, told privately: a noisy mean squared distance with an interval that covers the true one.
//!
//! *Privacy.* Pure ε-DP for adding or removing one row: discrete Laplace noise on a sum to which a row adds at most the cap
//! ([`ScanExt::capped_cost`](shoal_scan::ScanExt::capped_cost)), with decay ε/cap.
//!
//! *Law.* P(z) ∝ e^(−(ε/cap)·|z|): the sum is within ln(1/α)·cap/ε + 1 of the noisy one with confidence 1 − α.
//!
//! *Utility.* A row that is farther than the cap counts as the cap: eight times the mean that the synopsis expects. So what is
//! estimated, and what the interval covers, is the mean of distances cut off there. The number of rows it is divided by is
//! known, or noisy, too: then a part of the chance to miss is for each, and the ends are divided by the most and the
//! fewest rows that there may be.

use serde::{Deserialize, Serialize};
use shoal_kernel::{Cap, LatticeCentres};
use shoal_lattice::HALF_WIDTH;
use shoal_privacy::Epsilon;
use shoal_release::{Releaser, Step, StepBudget, Take};
use shoal_scan::Question;

use crate::FitError;
use crate::Unit;

/// The cap, in units of the NICV that the synopsis expects.
const CAP: f64 = 8.0;

/// The chance that the interval misses.
const MISS: f64 = 0.05;

/// The part of it for a noisy number of rows.
const MISS_ROWS: f64 = 0.01;

/// Standard deviations of a Laplace law beyond which it is with that chance; less for sums of several draws.
const ROWS_REACH: f64 = 3.257;

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
    releaser: &mut dyn Releaser,
) -> Result<NicvEstimate, FitError> {
    let half = f64::from(HALF_WIDTH);
    let cap = Cap::near((CAP * expected.max(1e-9) * half * half).min(2f64.powi(60)) as u64);
    let unit = 2f64.powi(cap.shift as i32) / (half * half);
    let question = Question::CappedCost { centres: LatticeCentres::from_unit(releaser.dims(), centres), cap };
    let step = Step::for_budget(question, Take::Whole, &StepBudget::Pure(epsilon.clone()))?;
    let copies = releaser.copies();
    // Unwrap safety: a capped cost is one number.
    let cost = *releaser.release(&step)?.get().first().unwrap() as f64 * unit;
    let nicv = (cost / rows.max(1.0)).max(0.0);
    let (low, high) = interval(cost, unit, cap, (epsilon.to_f64_up(), copies), (rows, rows_noise));
    Ok(NicvEstimate {
        nicv,
        low: low.min(nicv),
        high: high.max(nicv),
        confidence: 1.0 - MISS,
        capped_at: cap.most as f64 * unit,
        unit: Unit::Box,
    })
}

/// How far from zero the sum of `copies` Laplace variables of scale one is with probability `miss`, or a little further.
fn far(miss: f64, copies: u32) -> f64 {
    if copies <= 1 {
        return (1.0 / miss).ln();
    }
    // e^(−t)·(1 + t/2) for two. Beyond, the sum is a difference of two gamma variables, and less than the larger of them:
    // twice e^(−t)·Σ_{i<h} t^i/i!.
    let beyond = |t: f64| {
        if copies == 2 {
            return libm::exp(-t) * (1.0 + t / 2.0);
        }
        let terms = (0..copies).scan(1.0, |term, i| {
            let this = *term;
            *term *= t / f64::from(i + 1);
            Some(this)
        });
        2.0 * libm::exp(-t) * terms.sum::<f64>()
    };
    let (mut low, mut high) = (0.0, 4.0 * (f64::from(copies) + (1.0 / miss).ln() + 1.0));
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if beyond(middle) > miss { low = middle } else { high = middle }
    }
    high
}

/// What a mean is between, from a noisy sum of `unit`s and a number of rows with some noise.
fn interval(
    cost: f64,
    unit: f64,
    cap: Cap,
    (epsilon, copies): (f64, u32),
    (rows, rows_noise): (f64, f64),
) -> (f64, f64) {
    let miss = if rows_noise > 0.0 { MISS - MISS_ROWS } else { MISS };
    // One unit more, since the law is one of whole units.
    let reach = unit * (far(miss, copies) * cap.most as f64 / epsilon + f64::from(copies.max(1)));
    // There is a row: without one there is no mean.
    let most = (rows + ROWS_REACH * rows_noise).max(1.0);
    let fewest = (rows - ROWS_REACH * rows_noise).max(1.0);
    // Distances were rounded to units.
    let rounding = if cap.shift > 0 { 0.5 * unit } else { 0.0 };
    (((cost - reach).max(0.0) / most - rounding).max(0.0), (cost + reach).max(0.0) / fewest + rounding)
}
