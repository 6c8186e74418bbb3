//! Clustering without noise, for public or released data and inside scans.
//!
//! [`assign`] and [`sums_and_counts`] are the kernel: which centre is nearest, and what each cluster adds up to, in
//! integers that no machine or thread count can change. On it stand [`kmeans()`] for large tables and
//! [`kmeans_restarts`] for weighted cells. [`assign_min_cost`] matches two sets of centres.
//!
//! Where only distances are known, in a [`Condensed`] triangle or from a source of [`Distances`], there are [`KCluster`],
//! [`Dbscan`] and hierarchical clustering into a [`Dendrogram`].
//!
//! ```
//! use shoal::data::LatticePoints;
//! use shoal::plain::{Restarts, kmeans_restarts};
//!
//! let mut points = LatticePoints::new(1);
//! for x in [-20_000, -19_000, 9_000, 11_000] {
//!     points.push_row(&[x]);
//! }
//! let mut seed = 0u64;
//! let mut draw = || {
//!     seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
//!     seed
//! };
//! let found = kmeans_restarts(&points, None, &Restarts { clusters: 2, restarts: 5, iterations: 20 }, &mut draw);
//! let mut centres: Vec<f64> = found.centres.iter().map(|c| c * 32_767.0).collect();
//! centres.sort_by(f64::total_cmp);
//! assert!((centres[0] + 19_500.0).abs() < 1e-6 && (centres[1] - 10_000.0).abs() < 1e-6);
//! ```

mod capped_cost;
mod clipped_sums;
mod coarse;
mod condensed;
mod dbscan;
mod grid_kmeans;
mod grid_pass;
mod hierarchical;
mod hungarian;
mod kcluster;
mod kernel;
mod kmeans;
mod kmeanspp;
mod lloyd;
mod moments;
mod nearest;
mod reach;
mod second_look;
mod sums;
mod to_clusters;
mod weighted;

pub use capped_cost::{Cap, capped_cost};
pub use clipped_sums::{ClipLimits, clipped_sums};
pub use coarse::SearchCentres;
pub use condensed::{Condensed, Distances};
pub use dbscan::{Dbscan, DbscanClustering, DbscanError};
pub use grid_kmeans::WeightedGrid;
pub use hierarchical::{Dendrogram, HierarchicalError, Linkage, Merge};
pub use hungarian::{Assignment, assign_min_cost};
pub use kcluster::{KCluster, KClusterError, KClustering, OwnRecord};
pub use kernel::Path;
pub use kmeans::{KMeans, kmeans};
pub use kmeanspp::{kmeanspp, usual_candidates};
pub use lloyd::LloydState;
pub use moments::{MomentSums, moment_sums, stretched_square};
pub use nearest::{LatticeCentres, assign};
pub use reach::Reach;
pub use sums::{ClusterSums, sums_and_counts, sums_and_counts_parallel};
pub(crate) use to_clusters::Members;
pub use to_clusters::{ToClusters, WithOwn};
pub use weighted::{BestKMeans, Restarts, kmeans_from, kmeans_restarts};

#[cfg(test)]
mod border_tests;
#[cfg(test)]
mod tests;
