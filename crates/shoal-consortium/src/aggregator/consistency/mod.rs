//! Distances beyond the window, through records in between (SZY19, Algorithm 1), attribute by attribute.
//!
//! Codes show distances up to 2t; values farther apart look 2t apart. But distances of values in one line add up
//! (Theorem 1), so a long one is the sum of short ones over records in between, where there are enough of them. Pairs that
//! no chain of records connects keep their estimate.
//!
//! | | needs | what it does |
//! |---|---|---|
//! | [`layered()`] | all pairs, t | the paper's flag matrix: a pair is extended through distances known before the round |
//! | [`as_printed()`] | all pairs | the eight lines of the paper without the flags, which change almost nothing |
//! | [`corrected()`] | all pairs, t | shortest paths over pairs that are safely in view |
//! | [`sweep()`] | codes without noise, t | the same as both of these from some fifteen rows of distances |
//!
//! Mean errors (eq. 24) at the paper's setting, range 25, t = 3, over ten draws of 100 records (`tests.rs` prints them):
//!
//! | ε for each bit, bits | as they are | as printed | layered | shortest paths |
//! |---|---|---|---|---|
//! | no noise, 1000 | 3.52 | 3.52 | 0.21 | 0.21 |
//! | 5, 1000 | 3.53 | 3.53 | 0.22 | 0.97 |
//! | 2, 1000 | 3.61 | 3.61 | 0.48 | 4.11 |
//! | 1, 1000 | 3.89 | 3.89 | 3.91 | 7.29 |
//! | 1, 5000 | 3.64 | 3.64 | 0.77 | 5.49 |
//!
//! So use [`layered()`]. The shortest of many noisy paths is the one whose errors are most negative, so that long distances
//! come out far too short. With much noise for the number of bits, which pairs are in view is itself a guess, and nothing
//! helps but a window of half the range, which makes every pair visible.

mod as_printed;
mod connected;
mod corrected;
mod layered;
mod sweep;

pub use as_printed::as_printed;
pub use connected::unconnected_share;
pub use corrected::{DEFAULT_SHARE, corrected};
pub use layered::layered;
pub use sweep::{Line, sweep};

use crate::aggregator::AggregatorError;
use crate::aggregator::estimate::Decoder;

/// The largest distance that counts as in view: a share of the largest distance that codes show.
fn reach(decoder: &Decoder, share: f64) -> Result<f64, AggregatorError> {
    if share > 0.0 && share < 1.0 { Ok(share * decoder.saturation()) } else { Err(AggregatorError::Share(share)) }
}

#[cfg(test)]
mod tests;
