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
//! | [`Tree`] | docs/private-tree.md: `tree` |

mod any_synopsis;
mod block_kmeans;
mod block_sums;
mod breeding;
mod build;
mod cut_rule;
mod design_size;
mod dplloyd;
mod eugkm;
mod expected_error;
mod gkm;
mod grid_size;
mod hybrid;
mod kccm;
mod method;
mod noisy_counts;
mod noisy_lloyd;
mod noisy_sums;
mod pgkm;
mod private_quantile;
mod row_mechanism;
mod select_by_cost;
mod sphere_packing;
mod synopsis;
mod system;
mod tree;
mod tree_growth;
mod tree_plan;
mod tree_release;
mod tree_split;
mod tree_synopsis;

pub use any_synopsis::AnySynopsis;
pub use block_kmeans::{BlockKMeans, Matching};
pub use block_sums::{BlockSumsMechanism, OutputRange};
pub use build::{Knobs, Settings};
pub use cut_rule::{CutRule, WidestSide};
pub use design_size::{DesignSize, Settled, SizeStep};
pub use dplloyd::{DpLloyd, DpLloydParams, Start};
pub use eugkm::{Eugkm, EugkmParams};
pub use expected_error::{ExpectedError, SWAMPED, centre_noise, swamped_clusters};
pub use gkm::{Blocks, Gkm, GkmParams};
pub use grid_size::{ChosenGrid, GridRule, MOST_CELLS};
pub use hybrid::{Hybrid, HybridParams};
pub use kccm::{Kccm, KccmParams, Shares};
pub use method::{METHODS, MethodInfo, find_method, plus_minus};
pub use noisy_counts::NoisyCountsMechanism;
pub use noisy_sums::{NoisySums, NoisySumsMechanism};
pub use pgkm::{MOST_PUBLISHED_ROUNDS, Pgkm, PgkmParams, Rounds};
pub use private_quantile::QuantileMechanism;
pub use row_mechanism::{RowMechanism, Running};
pub use select_by_cost::SelectByCostMechanism;
pub use sphere_packing::sphere_packing;
pub use synopsis::{Synopsis, SynopsisClusters, SynopsisKMeans};
pub use system::{FitError, MOST_CENTRES, Outcome, Step, System, Watch};
pub use tree::{Tree, TreeParams};
pub use tree_growth::TreeLimits;
pub use tree_release::{TreeRelease, TreeReleaseParams};
pub use tree_split::{SplitShape, TreeSplitMechanism};
pub use tree_synopsis::TreeSynopsis;
