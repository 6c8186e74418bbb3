//! Files that are released: reports of a crowd, codes of a consortium, synopses of a curator. Nothing here is sensitive.
//!
//! All of them are *sealed*: a file carries a versioned JSON description under one key and a [`Seal`], the number of its rows
//! and a CRC-32, under another. Readers refuse files of another kind or version, damaged and truncated ones, descriptions
//! that contradict themselves, and several files that were not made in the same way. A room supplies what is its own:
//! a [`SealedKind`] with its keys and words, a [`Content`] with its description, its columns, and the guarantee, which it
//! computes again from the description because anyone can forge a file.
//!
//! - [`SealedParquet`] and [`SealedWriter`] read and write any columns.
//! - [`read_integers`] and [`IntegerWriter`] read and write columns of whole numbers, as Parquet or as text.
//! - [`Joined`] checks that several files go together.

mod content;
mod error;
mod form;
pub(crate) mod integer_file;
mod integer_writer;
pub(crate) mod kinds;
pub(crate) mod released_file;
mod released_parquet;
mod seal;
mod sealed_parquet;
mod sealed_writer;
mod versioned;

pub use content::{Addition, Content, Described, Joined, invalid};
pub use error::{Difference, SealedError};
pub use form::Form;
pub use integer_file::{IntegerContent, read_integers};
pub use integer_writer::{IntegerLayout, IntegerWriter};
pub use kinds::{CODES, REPORTS, SYNOPSIS, SealForm, SealedKind};
pub use released_parquet::plain_error;
pub use seal::{Seal, Sealing};
pub use sealed_parquet::SealedParquet;
pub use sealed_writer::{ParquetLayout, SealedColumn, SealedWriter, missing_column};
