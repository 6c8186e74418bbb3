//! Noisy cells of a grid or a tree, released to be clustered.

pub(crate) mod any_synopsis;
pub(crate) mod cut_rule;
pub(crate) mod grid_size;
pub(crate) mod grid_synopsis;
pub(crate) mod tree_growth;
pub(crate) mod tree_plan;
pub(crate) mod tree_release;
pub(crate) mod tree_split;
pub(crate) mod tree_synopsis;

pub use any_synopsis::AnySynopsis;
pub use cut_rule::{CutRule, WidestSide};
pub use grid_size::{ChosenGrid, GridRule, MOST_CELLS};
pub use grid_synopsis::{Synopsis, SynopsisClusters, SynopsisKMeans};
pub use tree_growth::TreeLimits;
pub use tree_release::{TreeRelease, TreeReleaseParams};
pub use tree_split::{SplitShape, TreeSplitMechanism};
pub use tree_synopsis::TreeSynopsis;
