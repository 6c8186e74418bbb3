//! Differentially private clustering for a trusted holder of a table, the *curator*.
//!
//! A method asks a [`Scan`](shoal_scan::Scan) about the rows, adds exact noise to the answers, and returns an [`Outcome`] with its
//! guarantee. [`methods`] lists all of them; `auto` predicts from public numbers which way has the smallest error.
//!
//! ```
//! use shoal_curator::{DesignSize, Settings, find_method};
//! use shoal_files::PointStore;
//! use shoal_lattice::LatticePoints;
//! use shoal_noise::OsNoise;
//! use shoal_privacy::Allowance;
//! use shoal_scan::LocalScan;
//!
//! let mut points = LatticePoints::new(1);
//! for row in 0..1000 {
//!     points.push_row(&[if row % 2 == 0 { -20_000 } else { 9_000 }]);
//! }
//! let scan = LocalScan::new(PointStore::InMemory(points));
//!
//! let settings = Settings::new(2, "1".parse()?, DesignSize::Public(1000));
//! let method = find_method("auto").ok_or("no such method")?.build(&settings, 1)?;
//! let allowance = Allowance::without_ledger(method.claim());
//! let found = method.run(&scan, allowance, &mut OsNoise::new()?)?;
//! println!("{:?}: {}", found.centres, found.guarantee);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate `shoal` does this for files, with a ledger, and adds the conditions of reading to the guarantee.
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
//! | [`Auto`] | docs/auto.md: `auto`, and its routes `mean`, `directions`, `grid`, `fixed-tree`, `looks`, `refined-tree` |
//! | [`Tree`] | docs/private-tree.md: `tree` |

pub(crate) mod auto;
pub(crate) mod bounds;
pub(crate) mod catalogue;
pub mod certainty;
pub(crate) mod decision;
pub(crate) mod design_size;
pub(crate) mod expected_error;
pub(crate) mod forecast;
pub mod internals;
pub(crate) mod lloyd;
pub(crate) mod mechanisms;
pub(crate) mod merged;
pub(crate) mod plan;
pub(crate) mod settings;
pub(crate) mod synopsis;
pub mod synopsis_file;
pub(crate) mod system;
pub(crate) mod systems;

// The crate's own files use them by their short names, too.
pub(crate) use internals::*;

pub use auto::{Auto, AutoParams, Choice, MOST_CHOSEN, MOST_DIMS, NicvEstimate, Route};
pub use bounds::{ColumnBounds, EstimatedBounds, PrivateBounds};
pub use catalogue::{Method, find_method, methods, plus_minus};
pub use certainty::{Certainty, Evidence, Explained, GapOfK, Range};
pub use decision::{BudgetPart, ColumnInterval, Decision, PredictedRoute, Purpose, SilhouetteOfK};
pub use design_size::DesignSize;
pub use expected_error::{ExpectedError, SWAMPED, Unit, swamped_clusters};
pub use forecast::{Accuracy, DataGuess, Found, predict_accuracy};
pub use mechanisms::{RowMechanism, StepBudget};
pub use merged::{MergedCells, MergedCentres, ReleasedCentre};
pub use plan::{Prediction, predictions};
pub use settings::{Knobs, Settings};
pub use shoal_kernel::Matching;
pub use synopsis::{
    Cells, CutRule, GridRule, MOST_CELLS, NegativeCounts, Synopsis, SynopsisClusters, SynopsisKMeans, TreeBoxes,
    TreeLimits, TreeReleaseParams,
};
pub use system::{FitError, MOST_CENTRES, Outcome, Step, System, Watch};
pub use systems::{
    Blocks, DpLloyd, DpLloydParams, Eugkm, EugkmParams, Gkm, GkmParams, Hybrid, HybridParams, KNormLloyd,
    KNormLloydParams, Kccm, KccmParams, Merge, Pgkm, PgkmParams, RangeRule, Rounds, Shares, Start, Tree, TreeParams,
};
