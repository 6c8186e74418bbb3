//! Tables of people: readers of CSV and Parquet, columns, points on the lattice. Everything here is sensitive.

pub(crate) mod batch;
pub(crate) mod bounds_spec;
pub(crate) mod cell;
pub(crate) mod column_ref;
pub(crate) mod csv_blank_lines;
pub(crate) mod csv_quotes;
pub(crate) mod csv_table;
pub(crate) mod error;
pub(crate) mod input;
pub(crate) mod lattice_rows;
pub(crate) mod matrix;
pub(crate) mod ordered_batches;
pub(crate) mod parquet_column;
pub(crate) mod parquet_load;
pub(crate) mod parquet_pages;
pub(crate) mod parquet_slices;
pub(crate) mod parquet_table;
pub(crate) mod progress;
pub(crate) mod rows;
pub(crate) mod select;
pub(crate) mod store;
pub(crate) mod table;

pub use batch::{Batch, Missing};
pub use bounds_spec::BoundsSpec;
pub use column_ref::ColumnRef;
pub use error::{CellLook, DataError, Place};
pub use input::Source;
pub use lattice_rows::LatticeRows;
pub use matrix::{Column, Matrix, Values};
pub use ordered_batches::{BatchBuffers, OrderedBatches};
pub use progress::{Progress, Silent};
pub use rows::Rows;
pub use select::ReadOptions;
pub use store::{LoadOptions, PointStore, StreamedPoints, load_points};
pub use table::Table;
