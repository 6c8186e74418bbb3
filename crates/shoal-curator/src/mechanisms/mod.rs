//! Mechanisms: an answer of a scan in, a noisy release out, and what that costs. Those that steps are made of are in
//! [`shoal_release`].

pub(crate) mod clipped_step;
pub(crate) mod noisy_sums;
pub(crate) mod private_quantile;

pub use clipped_step::ClippedStep;
pub use noisy_sums::{NoisySums, NoisySumsMechanism};
pub use private_quantile::QuantileMechanism;
pub use shoal_release::transcript::{Drawn, RecordedStep, Script, WitnessedNoise};
pub use shoal_release::{
    CappedCostMechanism, GaussianCountsMechanism, GaussianSumsMechanism, KNormSumsMechanism, Noise,
    NoisyColumnCountsMechanism, NoisyCountsMechanism, Part, RecordedPart, RowMechanism, Running, ScaledSums,
    StepBudget,
};
