//! Parquet files of released numbers: their description and a column of whole numbers, exactly.
//!
//! They come from other people as often as from this program, so they are read with the same care as tables.

use parquet::basic::Type;
use parquet::column::reader::ColumnReader;
use std::sync::Arc;

use super::error::DataError;
use super::input::{Input, Source};
use super::parquet_pages::guarded;
use super::parquet_table::ParquetTable;
use super::table::PARQUET;

/// Values read at a time.
const BATCH: usize = 1 << 16;

/// A file that may be one of released numbers.
pub(crate) struct ReleasedParquet {
    name: String,
    /// Nothing when the file is of another kind.
    table: Option<ParquetTable>,
}

impl ReleasedParquet {
    /// Opens a source; `stream_limit` is the most memory a stream may take.
    pub(crate) fn open(source: Source, stream_limit: u64) -> Result<Self, DataError> {
        let input = Arc::new(Input::open(source, stream_limit)?);
        let name = input.name().to_string();
        let start = input.bytes(0, input.len().min(4) as usize).map_err(|error| input.failed(error))?;
        let table = if *start == PARQUET { Some(ParquetTable::open(input)?) } else { None };
        Ok(Self::new(name, table))
    }

    pub(super) fn new(name: String, table: Option<ParquetTable>) -> Self {
        Self { name, table }
    }

    /// The name for messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is a Parquet file at all.
    pub(crate) fn is_parquet(&self) -> bool {
        self.table.is_some()
    }

    /// The text that the file has under `key`.
    pub(crate) fn described(&self, key: &str) -> Option<&str> {
        self.table.as_ref()?.described(key)
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.table.as_ref().map_or(0, ParquetTable::rows)
    }

    /// A whole column, or nothing when there is no such column of whole numbers without gaps.
    pub(crate) fn integers(&self, column: &str) -> Result<Option<Vec<i64>>, DataError> {
        let Some(table) = &self.table else { return Ok(None) };
        let Some(at) = table.names.iter().position(|name| name == column) else { return Ok(None) };
        if !table.holds_only(at, Type::INT64) {
            return Ok(None);
        }
        let mut values = Vec::new();
        let bytes = table.rows().saturating_mul(8);
        values.try_reserve_exact(table.rows()).map_err(|_| DataError::OutOfMemory { bytes })?;
        for (group, rows) in table.groups().enumerate() {
            let ColumnReader::Int64ColumnReader(mut reader) = table.reader(group, at)? else {
                return Err(table.damaged());
            };
            let end = values.len() + rows;
            while values.len() < end {
                let before = values.len();
                let mut next = || reader.read_records(BATCH.min(end - before), None, None, &mut values);
                guarded(&mut next).map_err(|error| table.failed(error))?;
                // A column that ends before its row group does is damage.
                if values.len() == before || values.len() > end {
                    return Err(table.damaged());
                }
            }
        }
        Ok(Some(values))
    }
}

/// What the operating system said, without the words of the Parquet library around it.
pub(crate) fn plain_error(error: parquet::errors::ParquetError) -> std::io::Error {
    match error {
        parquet::errors::ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(error) => *error,
            Err(inner) => std::io::Error::other(inner),
        },
        other => std::io::Error::other(other),
    }
}
