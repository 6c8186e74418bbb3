//! Clustering for a trusted holder of a table (the *curator*): one file per system of a paper, and the parts they share.
//!
//! | systems | |
//! |---|---|
//! | [`DpLloyd`] | SCL16 §4.1.1: `dplloyd`, `dplloyd-impr` |
//! | [`Gkm`] | SCL16 §4.1.2: `gkm`, `gkm-3k` |
//! | [`Pgkm`] | SCL16 §4.1.3: `pgkm` |
//! | [`Eugkm`] | SCL16 §4.2.1: `eugkm` |
//! | [`Hybrid`] | SCL16 §6.3: `hybrid` |
//! | [`Kccm`] | NQC21: `kccm`, `average-k`, `allocation-k`, `average-nk`, `allocation-nk` |

mod block_kmeans;
mod block_sums;
mod breeding;
mod build;
mod design_size;
mod dplloyd;
mod eugkm;
mod expected_error;
mod gkm;
mod grid_size;
mod hybrid;
mod kccm;
mod method;
mod noisy_column_counts;
mod noisy_counts;
mod noisy_lloyd;
mod noisy_sums;
mod outer_evidence;
mod pgkm;
mod private_bounds;
mod private_quantile;
mod row_mechanism;
mod select_by_cost;
mod sphere_packing;
mod synopsis;
mod system;

pub use block_kmeans::{BlockKMeans, Matching};
pub use block_sums::{BlockSumsMechanism, OutputRange};
pub use build::{Knobs, Settings};
pub use design_size::{DesignSize, Settled, SizeStep};
pub use dplloyd::{DpLloyd, DpLloydParams, Start};
pub use eugkm::{Eugkm, EugkmParams};
pub use expected_error::{ExpectedError, SWAMPED, centre_noise, swamped_clusters};
pub use gkm::{Blocks, Gkm, GkmParams};
pub use grid_size::{ChosenGrid, GridRule, MOST_CELLS};
pub use hybrid::{Hybrid, HybridParams};
pub use kccm::{Kccm, KccmParams, Shares};
pub use method::{METHODS, MethodInfo, find_method, plus_minus};
pub use noisy_column_counts::NoisyColumnCountsMechanism;
pub use noisy_counts::NoisyCountsMechanism;
pub use noisy_sums::{NoisySums, NoisySumsMechanism};
pub use outer_evidence::{Evidence, Thresholds};
pub use pgkm::{MOST_PUBLISHED_ROUNDS, Pgkm, PgkmParams, Rounds};
pub use private_bounds::{ColumnBounds, EstimatedBounds, PrivateBounds};
pub use private_quantile::QuantileMechanism;
pub use row_mechanism::{RowMechanism, Running};
pub use select_by_cost::SelectByCostMechanism;
pub use sphere_packing::sphere_packing;
pub use synopsis::{Synopsis, SynopsisClusters, SynopsisKMeans};
pub use system::{FitError, MOST_CENTRES, Outcome, Step, System, Watch};
