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

pub mod auto;
pub(crate) mod bounds;
pub(crate) mod catalogue;
pub(crate) mod decision;
pub(crate) mod design_size;
pub(crate) mod expected_error;
pub(crate) mod lloyd;
pub(crate) mod mechanisms;
pub(crate) mod plan;
pub(crate) mod settings;
pub(crate) mod synopsis;
pub mod synopsis_file;
pub(crate) mod system;
pub(crate) mod systems;

pub use auto::{Auto, AutoParams, NicvEstimate, Route};
pub use bounds::{ColumnBounds, EstimatedBounds, Evidence, PrivateBounds, Thresholds};
pub use catalogue::{Method, find_method, methods, plus_minus};
pub use decision::{BudgetPart, ColumnInterval, Decision, PredictedRoute, Purpose, SilhouetteOfK};
pub use design_size::{DesignSize, Settled, SizeStep};
pub use expected_error::{ExpectedError, SWAMPED, Unit, centre_noise, swamped_clusters};
pub use mechanisms::{
    ClippedStep, GaussianCountsMechanism, GaussianSumsMechanism, KNormSumsMechanism, NoisyColumnCountsMechanism,
    NoisyCountsMechanism, NoisySums, NoisySumsMechanism, QuantileMechanism, RowMechanism, Running, ScaledSums,
    StepBudget,
};
pub use plan::{Prediction, predictions};
pub use settings::{Knobs, Settings};
pub use shoal_kernel::{BlockKMeans, Matching, sphere_packing};
pub use synopsis::{
    Cells, ChosenGrid, CutRule, GridRule, MOST_CELLS, SplitShape, Synopsis, SynopsisClusters, SynopsisKMeans,
    TreeBoxes, TreeLimits, TreeRelease, TreeReleaseParams, TreeSplitMechanism, WidestSide,
};
pub use system::{FitError, MOST_CENTRES, Outcome, Step, System, Watch};
pub use systems::{
    BlockSumsMechanism, Blocks, DpLloyd, DpLloydParams, Eugkm, EugkmParams, Genome, Gkm, GkmParams, Hybrid,
    HybridParams, KNormLloyd, KNormLloydParams, Kccm, KccmParams, MOST_PUBLISHED_ROUNDS, OutputRange, Pgkm, PgkmParams,
    Rounds, SelectByCostMechanism, Shares, Start, Tree, TreeParams, children, random_genome,
};
