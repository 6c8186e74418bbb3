//! The nearest centre of every row, and integer sums over the rows of each: exact, on 16-bit integers.

pub(crate) mod capped_cost;
pub(crate) mod centres;
pub(crate) mod clipped_sums;
pub(crate) mod coarse;
pub(crate) mod kernel;
pub(crate) mod moments;
pub(crate) mod reach;
pub(crate) mod second_look;
pub(crate) mod shape;
pub(crate) mod sums;

pub use capped_cost::{Cap, capped_cost};
pub use centres::{LatticeCentres, assign};
pub use clipped_sums::{ClipLimits, clipped_sums};
pub use coarse::SearchCentres;
pub use kernel::Path;
pub use moments::{MomentSums, moment_sums, stretched_square};
pub use reach::Reach;
pub use shape::ShapeError;
pub use sums::{ClusterSums, sums_and_counts, sums_and_counts_parallel};
