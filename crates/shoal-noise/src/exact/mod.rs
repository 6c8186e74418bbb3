//! Internals: decisions in as many bits as they need, and the weights that the samplers pick by.
//!
//! - Real numbers in integers: [`enclosure`] (an interval around a number), [`scaled`] (with an exponent), [`theta`]
//!   (sums of e^(-tk²)).
//! - Decisions: [`lazy`] (a uniform real that is refined on demand), [`tails`] (geometric tails from one word).
//! - The cube: [`shells`]. The ball: [`band`] and [`band_edges`] (rings of integer distances), [`gamma`] (its mass).
//! - Doubles, for the one sampler that works in them: [`ziggurat`].

pub(crate) mod band;
pub(crate) mod band_edges;
pub(crate) mod enclosure;
pub(crate) mod gamma;
pub(crate) mod lazy;
pub(crate) mod scaled;
pub(crate) mod shells;
pub(crate) mod tails;
pub(crate) mod theta;
pub(crate) mod ziggurat;
