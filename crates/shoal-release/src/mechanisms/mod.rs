//! Mechanisms: an exact answer in, noisy integers out, and what that costs.

pub(crate) mod capped_cost;
pub(crate) mod distribution;
pub(crate) mod gaussian_counts;
pub(crate) mod gaussian_sums;
pub(crate) mod knorm_sums;
pub(crate) mod noisy_column_counts;
pub(crate) mod noisy_counts;
pub(crate) mod row_mechanism;
pub(crate) mod scaled_sums;
pub mod transcript;
