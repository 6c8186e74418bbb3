//! Noise for differential privacy, drawn exactly on integer lattices.
//!
//! Noise in floating point leaks: which doubles can occur depends on the value that was hidden. Here every statistic is
//! an integer number of lattice steps, every parameter is an exact rational, and every sampler has exactly the
//! distribution that its documentation states, given uniform random words.
//!
//! ```
//! use shoal_noise::{DiscreteLaplace, OsNoise, RBig};
//!
//! // ε = 1/10 for a count that one row changes by at most 1.
//! let noise = DiscreteLaplace::new(RBig::from_parts(1.into(), 10_u8.into()))?;
//! let released = 1234 + noise.sample(&mut OsNoise::new()?);
//! # let _ = released;
//! # Ok::<(), shoal_noise::NoiseError>(())
//! ```
//!
//! | to release | use | privacy loss |
//! |---|---|---|
//! | a count or sum | [`DiscreteLaplace`] | pure, steps moved × decay |
//! | many sums under zCDP | [`DiscreteGaussian`], or [`TabledGaussian`], which is faster | concentrated, steps² / 2σ² |
//! | a vector that one row moves within a box | [`LInfinityKNorm`] | pure, decay per box |
//! | a record, to a server that nobody trusts | [`EuclideanLaplace`] | metric, distance × decay |
//! | a record's bits, to a server that nobody trusts | [`BitFlips`] | pure, bits that differ × ε |
//! | the best of some candidates | [`ExponentialMechanism`], [`NoisyMax`] | pure |
//!
//! One sampler works in doubles, [`EuclideanLaplaceDoubles`], and its page describes what that costs.
//!
//! Random words come from a [`NoiseSource`]: [`OsNoise`] for releases, [`SeededNoise`] for tests and papers,
//! [`TapeNoise`] for comparing implementations byte for byte. [`uniform`] has uniform integers, and uniform reals for
//! public randomness.
//!
//! Every module in [`samplers`] documents its sampler under the same headings: privacy, distribution, utility, runtime,
//! assumptions, paper.
//!
//! # From the unit of the data to lattice steps
//!
//! On a lattice of step h, noise of scale b in the unit of the data has decay h / b per step, a standard deviation σ has
//! the variance parameter (σ / h)², and a sensitivity Δ is Δ / h steps. A draw z means z h. The scale may be up to
//! 2^52 steps.
//!
//! # Why exact and fast at once
//!
//! Every random decision compares a uniform real with a probability. The first 63 bits of the real nearly always decide
//! the comparison, even against a rough estimate of the probability. When they do not, both numbers are refined, in
//! integer arithmetic with proven bounds, until they differ. So the fast path gives the answer of infinite precision.
//! `exact_only` makes a sampler refine every time, which changes no draw, and [`mod@reference`] has textbook samplers
//! that work in another way; the tests compare all three.
//!
//! # Browsers
//!
//! The feature `wasm` takes randomness from the browser's `crypto.getRandomValues`, for the target
//! `wasm32-unknown-unknown`.

#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod error;
mod exact;
pub mod reference;
pub mod samplers;
pub mod source;
mod tape;
pub mod uniform;

/// The type of every parameter, named here so that callers need not pin its crate.
pub use dashu_ratio::RBig;
pub use error::NoiseError;
pub use samplers::bit_flips::BitFlips;
pub use samplers::euclidean_laplace::EuclideanLaplace;
pub use samplers::euclidean_laplace_doubles::EuclideanLaplaceDoubles;
pub use samplers::exponential::{ExponentialChoice, ExponentialMechanism, MAX_CANDIDATES};
pub use samplers::gaussian::DiscreteGaussian;
pub use samplers::geometric::{Geometric, MAX_SCALE_BITS};
pub use samplers::knorm::{LInfinityKNorm, MAX_DIMENSIONS};
pub use samplers::laplace::DiscreteLaplace;
pub use samplers::noisy_max::{MaxNoise, NoisyMax};
pub use samplers::radial::RadialParameters;
pub use samplers::scores::ScoreKind;
pub use samplers::tabled_gaussian::TabledGaussian;
#[doc(no_inline)]
pub use samplers::{
    bit_flips, euclidean_laplace, euclidean_laplace_doubles, exponential, gaussian, geometric, knorm, laplace,
    noisy_max, scores, tabled_gaussian,
};
pub use source::{NoiseSource, OsNoise, SeededNoise};
pub use tape::TapeNoise;
