//! Writing sealed Parquet files.

use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterPropertiesBuilder;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::io::{self, Write};
use std::sync::Arc;

use crate::sealed::content::{Content, Described};
use crate::sealed::kinds::SealedKind;
use crate::sealed::released_parquet::plain_error;
use crate::sealed::seal::Seal;

/// A column of a sealed file. None has gaps.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum SealedColumn {
    /// Whole numbers of 64 bits.
    Integers,
    /// Doubles.
    Reals,
    /// UTF-8 text.
    Texts,
    /// Byte strings of this length.
    Bytes(i32),
}

impl SealedColumn {
    fn field(self, name: &str) -> ParquetResult<Arc<Type>> {
        let physical = match self {
            Self::Integers => PhysicalType::INT64,
            Self::Reals => PhysicalType::DOUBLE,
            Self::Texts => PhysicalType::BYTE_ARRAY,
            Self::Bytes(_) => PhysicalType::FIXED_LEN_BYTE_ARRAY,
        };
        let field = Type::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED);
        let field = match self {
            Self::Texts => field.with_logical_type(Some(LogicalType::String)),
            Self::Bytes(length) => field.with_length(length),
            Self::Integers | Self::Reals => field,
        };
        field.build().map(Arc::new)
    }
}

/// How a sealed Parquet file is laid out.
pub struct ParquetLayout {
    /// The name of the schema.
    pub root: &'static str,
    /// Names and types of the columns.
    pub columns: Vec<(String, SealedColumn)>,
    /// Compression, encoding and statistics.
    pub properties: WriterPropertiesBuilder,
    /// Version of the program that writes the file.
    pub shoal: String,
}

/// A sealed Parquet file that is being written.
pub struct SealedWriter<W: Write + Send> {
    parquet: SerializedFileWriter<W>,
    kind: &'static SealedKind,
}

impl<W: Write + Send> SealedWriter<W> {
    /// Starts a file. The seal comes at its end, or with the description if it is known already.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn start<C: Content>(
        out: W,
        described: &Described<C>,
        layout: ParquetLayout,
        seal: Option<&Seal>,
    ) -> io::Result<Self> {
        let kind = C::KIND;
        let mut pairs = Vec::new();
        if let Some(seal) = seal {
            pairs.push(KeyValue::new(kind.seal_key.into(), seal.to_text(kind.seal)?));
        }
        pairs.push(KeyValue::new(kind.key.into(), described.text.clone()));
        let ParquetLayout { root, columns, properties, shoal } = layout;
        let properties =
            properties.set_created_by(format!("shoal {shoal}")).set_key_value_metadata(Some(pairs)).build();
        let start = || {
            let fields = columns.iter().map(|(name, column)| column.field(name)).collect::<ParquetResult<_>>()?;
            let schema = Type::group_type_builder(root).with_fields(fields).build()?;
            SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))
        };
        Ok(Self { parquet: start().map_err(plain_error)?, kind })
    }

    /// Writes a row group.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn group(
        &mut self,
        write: impl FnOnce(&mut SerializedRowGroupWriter<'_, W>) -> ParquetResult<()>,
    ) -> io::Result<()> {
        let all = || {
            let mut group = self.parquet.next_row_group()?;
            write(&mut group)?;
            group.close().map(|_| ())
        };
        all().map_err(plain_error)
    }

    /// Ends a file whose seal was not known when it was started.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn finish_with(mut self, seal: &Seal) -> io::Result<()> {
        let text = seal.to_text(self.kind.seal)?;
        self.parquet.append_key_value_metadata(KeyValue::new(self.kind.seal_key.into(), text));
        self.finish()
    }

    /// Ends a file whose seal was written with its description.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn finish(self) -> io::Result<()> {
        self.parquet.close().map(|_| ()).map_err(plain_error)
    }
}

/// The error for a row group with fewer columns than were to be written.
pub fn missing_column() -> ParquetError {
    ParquetError::General("the schema has fewer columns than the rows".into())
}
