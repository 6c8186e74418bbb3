//! Shoal's own mechanisms with an error of a tenth, or one slip, put in: how small a fault an audit still sees.
//!
//! The promise is what the unchanged mechanism says of itself; the runs are those of the mutant. Runs on each input for
//! which a mutant is caught with probability 0.99 or more at α = 10⁻⁶ (half of them choose the event, half test it):
//!
//! | mutant | ε | runs on each input |
//! |---|---|---|
//! | discrete Laplace count, ε × 1.1 | 0.5 | [`COUNT_RUNS`] |
//! | the same | 1 | [`COUNT_RUNS`] |
//! | the same | 2 | [`COUNT_RUNS`] |
//! | the same | 4 | [`COUNT_RUNS`] |

mod coordinate_in_clear;
mod epsilon_times_eleven_tenths;
mod short_sensitivity;
mod uncharged_iteration;

pub use coordinate_in_clear::CoordinateInClear;
pub use epsilon_times_eleven_tenths::{COUNT_RUNS, EpsilonOfBits, EpsilonOfCounts, EpsilonOfReports};
pub use short_sensitivity::ShortSensitivity;
pub use uncharged_iteration::UnchargedIteration;
