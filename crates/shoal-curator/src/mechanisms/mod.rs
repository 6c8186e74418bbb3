//! Mechanisms: an answer of a scan in, a noisy release out, and what that costs.

pub(crate) mod clipped_step;
pub(crate) mod distribution;
pub(crate) mod gaussian_counts;
pub(crate) mod gaussian_sums;
pub(crate) mod knorm_sums;
pub(crate) mod noisy_column_counts;
pub(crate) mod noisy_counts;
pub(crate) mod noisy_sums;
pub(crate) mod private_quantile;
pub(crate) mod row_mechanism;
pub(crate) mod scaled_sums;
pub(crate) mod transcript;

pub use clipped_step::{ClippedStep, StepBudget};
pub use distribution::{Noise, Part, RecordedPart};
pub use gaussian_counts::GaussianCountsMechanism;
pub use gaussian_sums::GaussianSumsMechanism;
pub use knorm_sums::KNormSumsMechanism;
pub use noisy_column_counts::NoisyColumnCountsMechanism;
pub use noisy_counts::NoisyCountsMechanism;
pub use noisy_sums::{NoisySums, NoisySumsMechanism};
pub use private_quantile::QuantileMechanism;
pub use row_mechanism::{RowMechanism, Running};
pub use scaled_sums::ScaledSums;
pub use transcript::{Drawn, RecordedStep, Script, WitnessedNoise};
