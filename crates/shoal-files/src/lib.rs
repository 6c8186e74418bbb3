//! Files: tables of people, which are sensitive, and files that are released.

mod kind;
pub mod sealed;
pub mod tables;

pub use kind::{CODES_KEY, FileKind, REPORTS_KEY, SYNOPSIS_KEY, description_of_reports};
pub use sealed::{
    Form, ReleasedFile, ReleasedParquet, ReleasedText, Seal, VersionedFault, plain_error, read_versioned,
};
pub use tables::{
    Batch, BoundsSpec, CellLook, Column, DataError, LoadOptions, Matrix, Missing, Place, PointStore, Progress,
    ReadOptions, Rows, Silent, Source, StreamedPoints, Table, Values, load_points,
};
