//! Bounds estimated from the data under differential privacy.

pub(crate) mod outer_evidence;
pub(crate) mod private_bounds;

pub use outer_evidence::{Evidence, MostRows, Thresholds};
pub use private_bounds::{ColumnBounds, EstimatedBounds, PrivateBounds};
