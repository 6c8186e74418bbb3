//! Clusters of what several holders of tables released, each on its own: post-processing of their releases.

mod cells;
mod centres;
mod simulated;

pub use cells::MergedCells;
pub use centres::{MergedCentres, ReleasedCentre};
