//! Clustering without noise, for public or released data and inside scans.

mod kernel;
mod kmeans;
mod lloyd;
mod nearest;
mod sums;

pub use kernel::Path;
pub use kmeans::{KMeans, kmeans};
pub use lloyd::LloydState;
pub use nearest::{LatticeCentres, SearchCentres, assign, coarse, coarse_shift};
pub use sums::{ClusterSums, sums_and_counts, sums_and_counts_parallel};

#[cfg(test)]
mod tests;
