//! The samplers, one distribution per file. All of them are re-exported at the root of the crate.

pub mod bit_flips;
pub mod euclidean_laplace;
pub mod euclidean_laplace_doubles;
pub mod exponential;
pub mod gaussian;
pub mod geometric;
pub mod knorm;
pub mod laplace;
pub mod noisy_max;
pub mod radial;
pub mod scores;
pub mod tabled_gaussian;
