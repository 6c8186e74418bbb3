//! What the kernels are made of, for audits, tests and measurements.
//!
//! **No stability is promised here**: names and signatures may change with every version.

pub use crate::kmeans::LloydState;
pub use crate::nearest::{Path, stretched_square, sums_and_counts_parallel};
