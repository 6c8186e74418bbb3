//! What SZY19 compares itself with (§II-C, Table III): records under additive noise or a random projection, clustered by
//! k-means, and clustering of the records as they are.
//!
//! None of these gives a guarantee. Noise and projection are drawn in doubles, because nothing rests on them.
//!
//! ```
//! use shoal_reproduce::comparators::{Rows, additive_perturbation, kmeans_labels};
//! use shoal_noise::SeededNoise;
//!
//! let rows = Rows::new(1, vec![0.0, 1.0, 50.0, 51.0]);
//! let mut random = SeededNoise::new(1);
//! let noisy = additive_perturbation(&rows, 0.5, &mut random);
//! let labels = kmeans_labels(&noisy, 2, 5, &mut random);
//! assert!(labels[0] == labels[1] && labels[2] == labels[3] && labels[0] != labels[2]);
//! ```

mod adp;
mod comparison;
mod contest;
mod plain;
mod rows;
mod rsp;

pub use adp::additive_perturbation;
pub use comparison::{Compared, ComparedWay, Comparison, ComparisonError, Spread};
pub use contest::{CodeMetric, Contest, ContestError, Contested, Way};
pub use plain::{distances, kmeans_labels};
pub use rows::Rows;
pub use rsp::random_subspace_projection;
