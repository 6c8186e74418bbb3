//! Files: tables of people, which are sensitive, and files that are released.
//!
//! | folder | what it reads and writes |
//! |---|---|
//! | [`tables`] | rows of people: CSV, Parquet, Arrow and workbooks, from a file, a pipe or memory; columns, bounds, missing values |
//! | [`sealed`] | reports of a crowd, codes of a consortium, synopses of a curator: described, versioned, sealed with a checksum |
//!
//! [`FileKind::of`] opens a file once and says which of them it is, by its content.
//!
//! ```
//! use shoal_files::{BoundsSpec, FileKind, LoadOptions, PointStore, ReadOptions, Silent, Source, Table, load_points};
//! use shoal_lattice::LatticeMap;
//!
//! let source = Source::Memory(b"name,age,hours\nAnn,39,40\nBea,50,13\n".to_vec());
//! assert_eq!(FileKind::of(&source), FileKind::Table);
//!
//! // The columns that have public bounds, in pieces that fit in memory; values outside are moved to the nearest limit.
//! let columns = Some(vec!["age".into(), "hours".into()]);
//! let table = Table::open(source, &ReadOptions { columns, ..ReadOptions::default() })?;
//! let bounds = BoundsSpec::parse("age=17:90,hours=1:99")?.resolve(table.columns(), table.all_columns())?;
//! let points = load_points(table, LatticeMap::new(&bounds), &LoadOptions::default(), &Silent)?;
//! assert!(matches!(points, PointStore::InMemory(points) if points.rows() == 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Errors name the file, the row and the column, and never quote a value of a record.

mod kind;
pub mod sealed;
pub mod tables;

pub use kind::FileKind;
pub use sealed::{Form, SealedError, plain_error};
pub use tables::{
    ArrowRows, ArrowValues, Batch, BatchBuffers, BoundsSpec, CellLook, Column, ColumnHead, ColumnRef, DataError,
    DateOrder, DecimalMark, KeptKind, LabelLine, LabelsWriter, LatticeRows, LoadOptions, Matrix, Missing, Numbers,
    OrderedBatches, PerPerson, PerPersonError, PersonKey, PersonRows, Place, PointStore, Progress, ReadOptions, Rows,
    Silent, Source, StreamedPoints, Table, TableFormat, TableHead, Texts, Values, categories, load_persons,
    load_points, looks_like_a_key,
};
