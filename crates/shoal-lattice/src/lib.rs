//! Public bounds, and the lattice that values are rounded to before anything private happens to them.
//!
//! Every column of a table has [`Bounds`]: an interval that somebody chose without looking at the data. A value is clamped
//! to its interval and rounded to one of [`STEPS`] + 1 equally spaced positions. From there on a record consists of whole
//! numbers, so sums over records are exact, whatever the order or the number of threads, and noise can be drawn exactly.
//!
//! ```
//! use shoal_lattice::{Bounds, Interval, Lattice, LatticeMap, Steps};
//!
//! let bounds = Bounds::new(vec!["age".into()], vec![Interval::new(17.0, 90.0)?])?;
//! let map = LatticeMap::new(&bounds);
//! assert_eq!(map.to_lattice(0, 90.0), Some(Lattice(32_767)));
//! assert_eq!(map.to_lattice(0, 120.0), Some(Lattice(32_767)), "clamped");
//! assert_eq!(map.to_lattice(0, f64::NAN), None, "missing");
//! assert_eq!(map.from_lattice(0, Lattice(32_767)), 90.0);
//! assert_eq!(map.to_steps(0, 17.0), Some(Steps(0)));
//! # Ok::<(), shoal_lattice::BoundsError>(())
//! ```
//!
//! A position is counted in one of four ways, each a type of its own, so that the compiler refuses to mix them up.
//! [`LatticeMap`] converts between them and the user's units:
//!
//! | | lower bound | upper bound | used by |
//! |---|---|---|---|
//! | [`Lattice`] coordinate | −[`HALF_WIDTH`] | [`HALF_WIDTH`] | tables in memory, sums |
//! | [`Steps`] | 0 | [`STEPS`] | devices, reports |
//! | [`BoxPosition`] | −1 | 1 | centres of the curator |
//! | [`UnitPosition`] | 0 | 1 | centres of reports |
//!
//! Lengths and errors are [`Widths`], where 1 is the whole interval, or [`BoxLength`], where it is 2.
//!
//! A column may have a [`Scale`], such as its logarithm, and a weight: the lattice is then a grid of the stretched values, on
//! all or on a part of its positions. A [`Category`] is a column of words with public levels, each of which is a coordinate. All
//! of this is public and belongs to the [`Bounds`].
//!
//! The feature `points` adds `LatticePoints`, whole tables in the layout of the nearest-centre kernel, filled on several
//! threads. Without it the crate has no threads and compiles for WebAssembly.

mod bounds;
mod category;
mod lattice;
mod lattice_map;
pub mod names;
#[cfg(feature = "points")]
mod points;
mod scale;
mod scaling;
mod units;

pub use bounds::{Bounds, BoundsError, Interval, IntervalFault};
pub use category::Category;
pub use lattice::{HALF_WIDTH, STEPS};
pub use lattice_map::LatticeMap;
#[cfg(feature = "points")]
pub use points::{LatticePoints, TILE};
pub use scale::Scale;
pub use scaling::Scaling;
pub use units::{BoxLength, BoxPosition, Lattice, Steps, UnitPosition, Widths};
