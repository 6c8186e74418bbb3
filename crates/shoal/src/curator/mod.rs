//! Clustering for a trusted holder of a table (the *curator*): one file per system of a paper, and the parts they share.
//!
//! | systems | |
//! |---|---|
//! | [`DpLloyd`] | SCL16 §4.1.1: `dplloyd`, `dplloyd-impr` |
//! | [`Gkm`] | SCL16 §4.1.2: `gkm`, `gkm-3k` |
//! | [`Pgkm`] | SCL16 §4.1.3: `pgkm` |
//! | [`Eugkm`] | SCL16 §4.2.1: `eugkm` |
//! | [`Hybrid`] | SCL16 §6.3: `hybrid` |
//! | [`KNormLloyd`] | own: `knorm-lloyd` |
//! | [`Kccm`] | NQC21: `kccm`, `average-k`, `allocation-k`, `average-nk`, `allocation-nk` |
//! | [`Auto`] | docs/auto.md: `auto`, and its routes `mean`, `directions`, `grid`, `refined-tree` |
//! | [`Tree`] | docs/private-tree.md: `tree` |

mod any_synopsis;
pub mod auto;
mod block_kmeans;
mod block_sums;
mod breeding;
mod build;
mod clipped_step;
mod cut_rule;
mod design_size;
mod dplloyd;
mod eugkm;
mod expected_error;
mod gaussian_counts;
mod gaussian_sums;
mod gkm;
mod grid_size;
mod hybrid;
mod kccm;
mod knorm_lloyd;
mod knorm_sums;
mod method;
mod noisy_column_counts;
mod noisy_counts;
mod noisy_lloyd;
mod noisy_sums;
mod outer_evidence;
mod pgkm;
mod plan;
mod private_bounds;
mod private_quantile;
mod row_mechanism;
mod scaled_sums;
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
pub use auto::{Auto, AutoParams, NicvEstimate, Route};
pub use block_kmeans::{BlockKMeans, Matching};
pub use block_sums::{BlockSumsMechanism, OutputRange};
pub use breeding::{Genome, children, random_genome};
pub use build::{Knobs, Settings};
pub use clipped_step::{ClippedStep, StepBudget};
pub use cut_rule::{CutRule, WidestSide};
pub use design_size::{DesignSize, Settled, SizeStep};
pub use dplloyd::{DpLloyd, DpLloydParams, Start};
pub use eugkm::{Eugkm, EugkmParams};
pub use expected_error::{ExpectedError, SWAMPED, Unit, centre_noise, swamped_clusters};
pub use gaussian_counts::GaussianCountsMechanism;
pub use gaussian_sums::GaussianSumsMechanism;
pub use gkm::{Blocks, Gkm, GkmParams};
pub use grid_size::{ChosenGrid, GridRule, MOST_CELLS};
pub use hybrid::{Hybrid, HybridParams};
pub use kccm::{Kccm, KccmParams, Shares};
pub use knorm_lloyd::{KNormLloyd, KNormLloydParams};
pub use knorm_sums::KNormSumsMechanism;
pub use method::{METHODS, MethodInfo, find_method, plus_minus};
pub use noisy_column_counts::NoisyColumnCountsMechanism;
pub use noisy_counts::NoisyCountsMechanism;
pub use noisy_sums::{NoisySums, NoisySumsMechanism};
pub use outer_evidence::{Evidence, Thresholds};
pub use pgkm::{MOST_PUBLISHED_ROUNDS, Pgkm, PgkmParams, Rounds};
pub use plan::{Prediction, predictions};
pub use private_bounds::{ColumnBounds, EstimatedBounds, PrivateBounds};
pub use private_quantile::QuantileMechanism;
pub use row_mechanism::{RowMechanism, Running};
pub use scaled_sums::ScaledSums;
pub use select_by_cost::SelectByCostMechanism;
pub use sphere_packing::sphere_packing;
pub use synopsis::{Synopsis, SynopsisClusters, SynopsisKMeans};
pub use system::{FitError, MOST_CENTRES, Outcome, Step, System, Watch};
pub use tree::{Tree, TreeParams};
pub use tree_growth::TreeLimits;
pub use tree_release::{TreeRelease, TreeReleaseParams};
pub use tree_split::{SplitShape, TreeSplitMechanism};
pub use tree_synopsis::TreeSynopsis;
