//! Clustering that asks only for distances between records.

pub(crate) mod condensed;
pub(crate) mod dbscan;
pub(crate) mod hierarchical;
pub(crate) mod kcluster;
pub(crate) mod to_clusters;

pub use condensed::{Condensed, Distances};
pub use dbscan::{Dbscan, DbscanClustering, DbscanError};
pub use hierarchical::{Dendrogram, HierarchicalError, Linkage, Merge};
pub use kcluster::{KCluster, KClusterError, KClustering, OwnRecord};
pub use to_clusters::{Members, ToClusters, WithOwn};
