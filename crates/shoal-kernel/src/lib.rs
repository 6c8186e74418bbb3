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
//! use shoal_lattice::LatticePoints;
//! use shoal_kernel::{Restarts, kmeans_restarts};
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

mod assignment;
mod by_distance;
pub mod internals;
mod kmeans;
mod nearest;
pub mod score;

pub use assignment::{Assignment, assign_min_cost};
pub use by_distance::{
    Condensed, Dbscan, DbscanClustering, DbscanError, Dendrogram, Distances, HierarchicalError, KCluster,
    KClusterError, KClustering, Linkage, Members, Merge, OwnRecord, ToClusters, WithOwn,
};
pub use kmeans::{
    BestKMeans, BlockKMeans, KMeans, Matching, Restarts, WeightedGrid, kmeans, kmeans_from, kmeans_restarts, kmeanspp,
    sphere_packing, usual_candidates,
};
pub use nearest::{
    Cap, ClipLimits, ClusterSums, LatticeCentres, MomentSums, Reach, SearchCentres, ShapeError, assign, capped_cost,
    clipped_sums, moment_sums, sums_and_counts,
};

#[cfg(test)]
mod border_tests;
#[cfg(test)]
mod tests;
