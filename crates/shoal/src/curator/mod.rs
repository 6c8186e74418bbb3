//! Clustering for a trusted holder of a table (the *curator*): one file per system of a paper.

mod dplloyd;
mod expected_error;
mod method;
mod noisy_sums;
mod outcome;
mod sphere_packing;

pub use dplloyd::{DpLloyd, DpLloydParams, Start};
pub use expected_error::{ExpectedError, SWAMPED, centre_noise, swamped_clusters};
pub use method::{METHODS, MethodInfo, find_method};
pub use noisy_sums::{NoisySums, NoisySumsMechanism};
pub use outcome::{FitError, Outcome};
pub use sphere_packing::sphere_packing;
