//! Public bounds, the lattice that values are rounded to, and its units.

mod bounds;
mod lattice;
mod lattice_map;
pub mod names;
#[cfg(feature = "points")]
mod points;

pub use bounds::{Bounds, BoundsError, Interval, IntervalFault};
pub use lattice::{HALF_WIDTH, STEPS};
pub use lattice_map::LatticeMap;
#[cfg(feature = "points")]
pub use points::{LatticePoints, TILE};
