//! Files: tables of people, which are sensitive, and files that are released.

mod kind;
pub mod sealed;
pub mod tables;

pub use kind::FileKind;
pub use sealed::{Form, SealedError, plain_error};
pub use tables::{
    Batch, BatchBuffers, BoundsSpec, CellLook, Column, DataError, LatticeRows, LoadOptions, Matrix, Missing,
    OrderedBatches, Place, PointStore, Progress, ReadOptions, Rows, Silent, Source, StreamedPoints, Table, Values,
    load_points,
};
