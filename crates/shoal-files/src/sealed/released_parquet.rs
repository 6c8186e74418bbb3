//! Parquet files of released numbers: their metadata, and columns of whole numbers, text or byte strings, exactly.
//!
//! They come from other people as often as from this program, so they are read with the same care as tables.

use parquet::basic::Type;
use parquet::column::reader::ColumnReader;

use crate::DataError;
use crate::tables::parquet_pages::guarded;
use crate::tables::parquet_table::ParquetTable;

/// Values read at a time.
const BATCH: usize = 1 << 16;

/// Byte strings read at a time: each is a code or a name and may be long.
const BATCH_OF_BYTES: usize = 1 << 10;

/// An opened Parquet file.
pub(crate) struct ReleasedParquet {
    name: String,
    table: ParquetTable,
}

impl ReleasedParquet {
    pub fn new(name: String, table: ParquetTable) -> Self {
        Self { name, table }
    }

    /// The name for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text that the file has under `key`.
    pub fn described(&self, key: &str) -> Option<&str> {
        self.table.described(key)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.table.rows()
    }

    /// A whole column, or nothing when there is no such column of whole numbers without gaps.
    pub fn integers(&self, column: &str) -> Result<Option<Vec<i64>>, DataError> {
        let Some((table, at)) = self.column(column, Type::INT64) else { return Ok(None) };
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

    /// Hands every row's value of a column of byte strings of this length to `each`, with the row's number. False when
    /// there is no such column without gaps.
    pub fn fixed_bytes(
        &self,
        column: &str,
        length: usize,
        mut each: impl FnMut(usize, &[u8]),
    ) -> Result<bool, DataError> {
        let Some((table, at)) = self.column(column, Type::FIXED_LEN_BYTE_ARRAY) else { return Ok(false) };
        if table.byte_length(at) != i32::try_from(length).ok() {
            return Ok(false);
        }
        let mut row = 0;
        for (group, rows) in table.groups().enumerate() {
            let ColumnReader::FixedLenByteArrayColumnReader(mut reader) = table.reader(group, at)? else {
                return Err(table.damaged());
            };
            let end = row + rows;
            let mut values = Vec::new();
            while row < end {
                values.clear();
                let mut next = || reader.read_records(BATCH_OF_BYTES.min(end - row), None, None, &mut values);
                guarded(&mut next).map_err(|error| table.failed(error))?;
                if values.is_empty() || values.len() > end - row || values.iter().any(|value| value.len() != length) {
                    return Err(table.damaged());
                }
                for value in &values {
                    each(row, value.data());
                    row += 1;
                }
            }
        }
        Ok(true)
    }

    /// A whole column of text, or nothing when there is no such column without gaps.
    pub fn texts(&self, column: &str) -> Result<Option<Vec<String>>, DataError> {
        let Some((table, at)) = self.column(column, Type::BYTE_ARRAY) else { return Ok(None) };
        let mut texts = Vec::new();
        for (group, rows) in table.groups().enumerate() {
            let ColumnReader::ByteArrayColumnReader(mut reader) = table.reader(group, at)? else {
                return Err(table.damaged());
            };
            let end = texts.len() + rows;
            let mut values = Vec::new();
            while texts.len() < end {
                values.clear();
                let mut next = || reader.read_records(BATCH_OF_BYTES.min(end - texts.len()), None, None, &mut values);
                guarded(&mut next).map_err(|error| table.failed(error))?;
                if values.is_empty() || values.len() > end - texts.len() {
                    return Err(table.damaged());
                }
                for value in &values {
                    texts.push(value.as_utf8().map_err(|_| table.damaged())?.to_string());
                }
            }
        }
        Ok(Some(texts))
    }

    fn column(&self, name: &str, physical: Type) -> Option<(&ParquetTable, usize)> {
        let table = &self.table;
        let at = table.names.iter().position(|known| known == name)?;
        table.holds_only(at, physical).then_some((table, at))
    }
}

/// The error of the operating system, without what the Parquet library puts around it.
pub fn plain_error(error: parquet::errors::ParquetError) -> std::io::Error {
    match error {
        parquet::errors::ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(error) => *error,
            Err(inner) => std::io::Error::other(inner),
        },
        other => std::io::Error::other(other),
    }
}
