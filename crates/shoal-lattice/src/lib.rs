//! Public bounds, and the lattice that values are rounded to before anything private happens to them.
//!
//! Every column of a table has [`Bounds`]: an interval that somebody chose without looking at the data. A value is clamped
//! to its interval and rounded to one of [`STEPS`] + 1 equally spaced positions. From there on a record consists of whole
//! numbers, so sums over records are exact, whatever the order or the number of threads, and noise can be drawn exactly.
//!
//! ```
//! use shoal_lattice::{Bounds, Interval, LatticeMap};
//!
//! let bounds = Bounds::new(vec!["age".into()], vec![Interval::new(17.0, 90.0)?])?;
//! let map = LatticeMap::new(&bounds);
//! assert_eq!(map.to_lattice(0, 90.0), Some(32_767));
//! assert_eq!(map.to_lattice(0, 120.0), Some(32_767), "clamped");
//! assert_eq!(map.to_lattice(0, f64::NAN), None, "missing");
//! assert_eq!(map.from_lattice(0, 32_767), 90.0);
//! assert_eq!(map.to_steps(0, 17.0), Some(0));
//! # Ok::<(), shoal_lattice::BoundsError>(())
//! ```
//!
//! A position is counted in one of three ways, and [`LatticeMap`] converts between them and the user's units:
//!
//! | | lower bound | upper bound | used by |
//! |---|---|---|---|
//! | lattice coordinate | −[`HALF_WIDTH`] | [`HALF_WIDTH`] | tables in memory, sums |
//! | steps | 0 | [`STEPS`] | devices, reports |
//! | box units | −1 | 1 | centres |
//!
//! The feature `points` adds `LatticePoints`, whole tables in the layout of the nearest-centre kernel, filled on several
//! threads. Without it the crate has no threads and compiles for WebAssembly.

mod bounds;
mod lattice;
mod lattice_map;
pub mod names;
#[cfg(feature = "points")]
mod points;
mod units;

pub use bounds::{Bounds, BoundsError, Interval, IntervalFault};
pub use lattice::{HALF_WIDTH, STEPS};
pub use lattice_map::LatticeMap;
#[cfg(feature = "points")]
pub use points::{LatticePoints, TILE};
pub use units::{BoxPosition, Lattice, Steps, UnitPosition, Widths};
