//! Exact discrete noise on integer lattices.
//!
//! Noise drawn in floating point leaks: which doubles can occur depends on the value that was
//! hidden. Here every statistic is an integer count of lattice steps, every parameter is an exact
//! rational, and every sampler meets its law exactly, given uniform random words.
//!
//! | to release | use | loss |
//! |---|---|---|
//! | a count or sum | [`DiscreteLaplace`] | pure, steps moved × decay |
//! | many sums under zCDP | [`DiscreteGaussian`] | concentrated, steps² / 2σ² |
//! | a vector one row moves within a box | [`LInfinityKNorm`] | pure, decay per box |
//! | a record itself, to a server nobody trusts | [`EuclideanLaplace`] | metric, distance × decay |
//! | a record's bits, to a server nobody trusts | [`BitFlips`] | pure, bits that differ × ε |
//! | the best of some candidates | [`ExponentialMechanism`], [`NoisyMax`] | pure |
//!
//! [`TabledGaussian`] is the second of these again, faster. [`EuclideanLaplaceDoubles`] alone works in doubles, and
//! says what that costs.
//!
//! Random words come from a [`NoiseSource`]: [`OsNoise`] for releases, [`SeededNoise`] for tests
//! and papers. Uniform integers, and uniform reals for public randomness, are in [`uniform`].
//!
//! ```
//! use shoal_noise::{DiscreteLaplace, NoiseSource, OsNoise, RBig};
//!
//! let epsilon = RBig::from_parts(1.into(), 10_u8.into());
//! let noise = DiscreteLaplace::new(epsilon)?;
//! let mut source = OsNoise::new()?;
//! let count = 1234;
//! let released = count + noise.sample(&mut source);
//! # let _ = released;
//! assert!(!source.is_seeded());
//! # Ok::<(), shoal_noise::NoiseError>(())
//! ```
//!
//! Each module says what its sampler promises: privacy, law, utility, runtime, assumptions, paper.
//!
//! # From the unit of the data to lattice steps
//!
//! With a lattice of step h, noise of scale b in the unit of the data has decay h / b per step,
//! a standard deviation σ has the variance parameter (σ / h)², and a sensitivity Δ is Δ / h
//! steps. A draw z stands for z h. The scale may be up to 2^52 steps.
//!
//! # Why exact and fast at once
//!
//! Every random decision compares a uniform real with a probability. The first 63 bits of the
//! real nearly always settle it against a probability known only roughly; when they do not, both
//! are refined, in integer arithmetic with proven bounds, until they part. The fast path so gives
//! the very answer of infinite precision. Every sampler can be told to refine always
//! (`exact_only`), which changes no draw, and [`mod@reference`] holds the textbook samplers that work
//! another way; the tests compare all three.

#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod band;
mod band_edges;
pub mod bit_flips;
mod enclosure;
mod error;
pub mod euclidean_laplace;
pub mod euclidean_laplace_doubles;
pub mod exponential;
mod gamma;
pub mod gaussian;
pub mod geometric;
pub mod knorm;
pub mod laplace;
mod lazy;
pub mod noisy_max;
pub mod reference;
mod scaled;
pub mod scores;
mod shells;
pub mod source;
pub mod tabled_gaussian;
mod tails;
mod theta;
pub mod uniform;
mod ziggurat;

pub use bit_flips::BitFlips;
/// The type of every parameter, named here so that callers need not pin its crate.
pub use dashu_ratio::RBig;
pub use error::NoiseError;
pub use euclidean_laplace::EuclideanLaplace;
pub use euclidean_laplace_doubles::EuclideanLaplaceDoubles;
pub use exponential::{ExponentialChoice, ExponentialMechanism, MAX_CANDIDATES};
pub use gaussian::DiscreteGaussian;
pub use geometric::{Geometric, MAX_SCALE_BITS};
pub use knorm::{LInfinityKNorm, MAX_DIMENSIONS};
pub use laplace::DiscreteLaplace;
pub use noisy_max::{MaxNoise, NoisyMax};
pub use scores::ScoreKind;
pub use source::{NoiseSource, OsNoise, SeededNoise};
pub use tabled_gaussian::TabledGaussian;
