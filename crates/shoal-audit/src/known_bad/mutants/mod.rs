//! Shoal's own mechanisms with an error of a tenth, or one slip, put in: how small a fault an audit still sees.
//!
//! The claim is what the unchanged mechanism says of itself; the runs are those of the mutant. Runs on each input for
//! which a mutant is caught with probability 0.99 or more at α = 10⁻⁶ (half of them choose the event, half test it):
//!
//! | mutant | ε | runs on each input |
//! |---|---|---|
//! | noisy count, noise for 1.1·ε | 0.5 | 130,000 |
//! | the same | 1 | 56,000 |
//! | the same | 2 | 28,000 |
//! | the same | 4 | 44,000 |
//! | a flipped bit, coins for 1.1·ε | 1 | 56,000 |
//! | a report of BPM at d = 1, noise for 1.1·ε | 2 | 70,000 |
//! | a noisy sum with a count, noise for 0.9 of the sensitivity | 2 | 130,000 |
//! | DPLloyd, three steps and two charged | 1 | 150,000 |
//! | a coordinate in the clear | 1 | 4,000 |

mod coordinate_in_clear;
mod epsilon_times_eleven_tenths;
mod short_sensitivity;
mod uncharged_iteration;

pub use coordinate_in_clear::CoordinateInClear;
pub use epsilon_times_eleven_tenths::{EpsilonOfBits, EpsilonOfCounts, EpsilonOfReports};
pub use short_sensitivity::ShortSensitivity;
pub use uncharged_iteration::UnchargedIteration;
