//! What can go wrong when a sampler is built. Drawing never fails.

use thiserror::Error;

/// A rejected parameter, or an operating system that gave no randomness.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoiseError {
    /// The decay per lattice step was zero or negative.
    #[error(
        "the decay per lattice step is {given}, so the noise would have no finite scale; pass \
         step / scale, a rational above zero"
    )]
    NonPositiveDecay {
        /// The rejected value.
        given: String,
    },
    /// The variance parameter was zero or negative.
    #[error(
        "the variance parameter is {given}; pass sigma squared in squared lattice units, a \
         rational above zero"
    )]
    NonPositiveVariance {
        /// The rejected value.
        given: String,
    },
    /// The sensitivity was zero or negative.
    #[error("the sensitivity is {given}; pass how far one row can move a score, above zero")]
    NonPositiveSensitivity {
        /// The rejected value.
        given: String,
    },
    /// The ε of a coin was zero or negative.
    #[error("ε of a bit is {given}, so nothing of the bit would be left; pass a rational above zero, for example 1/10")]
    NonPositiveEpsilon {
        /// The rejected value.
        given: String,
    },
    /// The noise would be wider than 64-bit lattice coordinates can hold.
    #[error(
        "the noise scale is above 2^{max_bits} lattice steps and would not fit 64-bit \
         coordinates; use a coarser lattice"
    )]
    ScaleTooLarge {
        /// Largest accepted base-two logarithm of the scale.
        max_bits: u32,
    },
    /// A vector sampler was asked for no coordinates.
    #[error("a noise vector needs at least one coordinate; pass the dimension of the sum")]
    NoDimensions,
    /// A vector sampler was asked for more coordinates than it can set up in reasonable time.
    #[error("{given} coordinates are more than the supported {max}; split the vector")]
    TooManyDimensions {
        /// The rejected dimension.
        given: usize,
        /// The largest supported one.
        max: usize,
    },
    /// A coordinate of a vector sampler had half-width zero.
    #[error("coordinate {index} has half-width 0; leave out a coordinate no row can move")]
    ZeroHalfWidth {
        /// Which coordinate.
        index: usize,
    },
    /// The lattice of records had a side of zero steps.
    #[error("the records span 0 lattice steps per coordinate; pass the number of steps from one end to the other")]
    ZeroSide,
    /// The radius beyond which reports are uniform was zero.
    #[error("the radius is 0 lattice steps, so reports would not depend on records; pass at least 1")]
    ZeroRadius,
    /// The box of reports would not fit 64-bit lattice coordinates with room for squares.
    #[error("side {side} and radius {radius} go beyond 2^{max_bits} lattice steps; use a coarser lattice")]
    BoxTooLarge {
        /// Steps per coordinate that records span.
        side: u64,
        /// The radius in steps.
        radius: u64,
        /// Largest accepted base-two logarithm of either.
        max_bits: u32,
    },
    /// A selection was asked to choose from an empty list.
    #[error("there is no candidate to choose from; pass at least one score")]
    NoCandidates,
    /// A selection was asked to choose from more candidates than its error bound covers.
    #[error("{given} candidates are more than the supported {max}; choose in two stages")]
    TooManyCandidates {
        /// The rejected number.
        given: usize,
        /// The largest supported one.
        max: usize,
    },
    /// The operating system's generator failed.
    #[error(
        "the operating system gave no randomness ({reason}); nothing was released, try again \
         where a system random source is available"
    )]
    NoSystemRandomness {
        /// The error of the system.
        reason: String,
    },
}

impl NoiseError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NonPositiveDecay { .. } => "noise-decay",
            Self::NonPositiveVariance { .. } => "noise-variance",
            Self::NonPositiveSensitivity { .. } => "noise-sensitivity",
            Self::NonPositiveEpsilon { .. } => "noise-epsilon",
            Self::ScaleTooLarge { .. } => "noise-scale",
            Self::NoDimensions => "noise-no-dimensions",
            Self::TooManyDimensions { .. } => "noise-dimensions",
            Self::ZeroHalfWidth { .. } => "noise-half-width",
            Self::ZeroSide => "noise-side",
            Self::ZeroRadius => "noise-radius",
            Self::BoxTooLarge { .. } => "noise-box",
            Self::NoCandidates => "no-candidates",
            Self::TooManyCandidates { .. } => "too-many-candidates",
            Self::NoSystemRandomness { .. } => "no-system-randomness",
        }
    }
}
