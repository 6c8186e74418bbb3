//! k-means on points, on weighted points and on grids.

pub(crate) mod block_kmeans;
pub(crate) mod grid_kmeans;
pub(crate) mod grid_pass;
pub(crate) mod kmeanspp;
pub(crate) mod lattice_kmeans;
pub(crate) mod lloyd;
mod rows_that_count;
mod seed_distances;
pub(crate) mod sphere_packing;
pub(crate) mod weighted;

pub use block_kmeans::{BlockKMeans, Matching};
pub use grid_kmeans::WeightedGrid;
pub use kmeanspp::{kmeanspp, usual_candidates};
pub use lattice_kmeans::{KMeans, kmeans};
pub use lloyd::LloydState;
pub use sphere_packing::sphere_packing;
pub use weighted::{BestKMeans, Restarts, kmeans_from, kmeans_restarts};
