//! Noisy counts of the cells of a grid or the boxes of a tree, released so that they can be clustered.

pub(crate) mod box_cells;
pub(crate) mod counted_tree;
pub(crate) mod cut_rule;
pub(crate) mod fixed_tree;
pub(crate) mod grid_cells;
pub(crate) mod grid_size;
mod released;
pub(crate) mod tree_growth;
pub(crate) mod tree_plan;
pub(crate) mod tree_release;
pub(crate) mod tree_split;

pub use box_cells::TreeBoxes;
pub use cut_rule::{CutRule, WidestSide};
pub use fixed_tree::FixedTreeRelease;
pub use grid_size::{ChosenGrid, GridRule, MOST_CELLS};
pub use released::{Cells, NegativeCounts, Synopsis, SynopsisClusters, SynopsisKMeans};
pub use tree_growth::TreeLimits;
pub use tree_release::{TreeRelease, TreeReleaseParams};
pub use tree_split::{SplitShape, TreeSplitMechanism};
