//! Tables of people: bounds, lattice points, readers.
//!
//! A [`Source`] is opened as a [`Table`]; [`BoundsSpec`] is resolved against its columns to [`Bounds`]; a
//! [`LatticeMap`] takes values through them; [`load_points`] gives a [`PointStore`] to scan.
//!
//! ```
//! use shoal::data::*;
//! let source = Source::Memory(b"age,hours\n39,40\n50,13\n".to_vec());
//! let table = Table::open(source, &ReadOptions::default())?;
//! let bounds = BoundsSpec::parse("age=17:90,hours=1:99")?.resolve(table.columns(), table.all_columns())?;
//! let points = load_points(table, LatticeMap::new(&bounds), &LoadOptions::default(), &Silent)?;
//! assert_eq!((points.rows(), points.dims()), (2, 2));
//! # Ok::<(), DataError>(())
//! ```

mod batch;
mod bounds;
mod bounds_spec;
mod cell;
mod csv_table;
mod error;
mod input;
mod lattice;
mod lattice_map;
mod names;
mod parquet_column;
mod parquet_load;
mod parquet_pages;
mod parquet_slices;
mod parquet_table;
mod progress;
mod released_file;
mod released_parquet;
mod seal;
mod select;
mod store;
mod table;
mod versioned;

pub use batch::{Batch, Missing};
pub use bounds::{Bounds, BoundsError, Interval, IntervalFault};
pub use bounds_spec::BoundsSpec;
pub use error::{CellLook, DataError, Place};
pub use input::Source;
pub use lattice::{HALF_WIDTH, LatticePoints, TILE};
pub use lattice_map::LatticeMap;
pub(crate) use names::listed;
pub use progress::{Progress, Silent};
pub(crate) use released_file::{ReleasedFile, ReleasedText};
pub(crate) use released_parquet::{ReleasedParquet, plain_error};
pub(crate) use seal::Seal;
pub use select::ReadOptions;
pub use store::{LoadOptions, PointStore, StreamedPoints, load_points};
pub use table::Table;
pub(crate) use versioned::{VersionedFault, read_versioned};
