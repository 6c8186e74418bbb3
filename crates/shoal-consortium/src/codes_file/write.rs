//! Writing codes as they come, however many there are.

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{ByteArray, ByteArrayType, FixedLenByteArray, FixedLenByteArrayType};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::io::{self, Write};
use std::sync::Arc;

use crate::Terms;
use crate::codes_file::description::Description;
use crate::codes_file::seal::Sealing;
use crate::codes_file::{About, KEY, SEAL_KEY, check};
use shoal_files::plain_error;

/// Bytes of codes in a row group, which are held until it is full.
const GROUP_BYTES: usize = 8 << 20;

/// A file of codes being written.
pub struct CodesWriter<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    sealing: Sealing,
    about: Description,
    /// Words of a code, its bytes in the file, and codes of a row.
    words: usize,
    bytes: usize,
    dims: usize,
    /// Codes for the next row group, column by column, and the names that go with them.
    waiting: Vec<Vec<u8>>,
    names: Vec<ByteArray>,
    waiting_rows: usize,
    group_rows: usize,
}

impl<W: Write + Send> CodesWriter<W> {
    /// Starts a file.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] for a description that could not be read again.
    pub fn new(out: W, about: &About) -> io::Result<Self> {
        let about = Description::new(about);
        let invalid = |why: String| io::Error::new(io::ErrorKind::InvalidInput, why);
        let columns = check::shape(&about).map_err(invalid)?;
        check::promise(&about).map_err(invalid)?;
        let text = serde_json::to_string(&about)?;
        let (words, bytes, dims) = (columns.words(), columns.bits().div_ceil(8) as usize, columns.dims());
        let sealing = Sealing::new(&text, words, bytes);
        let writer = start(out, text, &about, &columns, bytes).map_err(plain_error)?;
        Ok(Self {
            writer,
            sealing,
            about,
            words,
            bytes,
            dims,
            waiting: vec![Vec::new(); dims],
            names: Vec::new(),
            waiting_rows: 0,
            group_rows: (GROUP_BYTES / (bytes * dims)).max(1),
        })
    }

    /// Words of a row.
    pub fn record_words(&self) -> usize {
        self.words * self.dims
    }

    /// Adds rows, each as the words of all its codes, with their names if the file has a column of them.
    ///
    /// # Panics
    /// When the words do not make whole rows, or there is not a name for each exactly if the file has names.
    pub fn append(&mut self, rows: &[u64], ids: Option<&[String]>) -> io::Result<()> {
        assert_eq!(rows.len() % self.record_words(), 0, "whole rows");
        assert_eq!(self.about.id.is_some(), ids.is_some(), "names for a column of names");
        assert!(ids.is_none_or(|ids| ids.len() == rows.len() / self.record_words()), "a name for each row");
        for (i, record) in rows.chunks_exact(self.record_words()).enumerate() {
            let id = ids.map(|ids| ids[i].as_str());
            self.sealing.add(id, record);
            self.names.extend(id.map(ByteArray::from));
            for (column, code) in self.waiting.iter_mut().zip(record.chunks_exact(self.words)) {
                let end = column.len() + self.bytes;
                column.extend(code.iter().flat_map(|word| word.to_le_bytes()));
                column.truncate(end);
            }
            self.waiting_rows += 1;
            if self.waiting_rows == self.group_rows {
                self.write_group().map_err(plain_error)?;
            }
        }
        Ok(())
    }

    /// Ends the file and returns the number of rows in it.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] when there are none, or not as many as were announced: such a file could not be
    /// read again.
    pub fn finish(mut self) -> io::Result<u64> {
        if self.waiting_rows > 0 {
            self.write_group().map_err(plain_error)?;
        }
        let seal = self.sealing.finish();
        let invalid = |why: String| io::Error::new(io::ErrorKind::InvalidInput, why);
        if seal.rows == 0 {
            return Err(invalid("there are no records".into()));
        }
        check::rows(&self.about, seal.rows).map_err(invalid)?;
        let text = serde_json::to_string(&seal)?;
        self.writer.append_key_value_metadata(KeyValue::new(SEAL_KEY.into(), text));
        self.writer.close().map_err(plain_error)?;
        Ok(seal.rows)
    }

    fn write_group(&mut self) -> Result<()> {
        let mut group = self.writer.next_row_group()?;
        if self.about.id.is_some() {
            let mut writer = group.next_column()?.ok_or_else(missing_column)?;
            writer.typed::<ByteArrayType>().write_batch(&self.names, None, None)?;
            writer.close()?;
            self.names.clear();
        }
        for column in &mut self.waiting {
            let all = Bytes::from(std::mem::take(column));
            let value =
                |i: usize| FixedLenByteArray::from(ByteArray::from(all.slice(i * self.bytes..(i + 1) * self.bytes)));
            let values: Vec<FixedLenByteArray> = (0..self.waiting_rows).map(value).collect();
            let mut writer = group.next_column()?.ok_or_else(missing_column)?;
            writer.typed::<FixedLenByteArrayType>().write_batch(&values, None, None)?;
            writer.close()?;
        }
        self.waiting_rows = 0;
        group.close().map(|_| ())
    }
}

fn missing_column() -> ParquetError {
    ParquetError::General("the schema has fewer columns than codes".into())
}

fn start<W: Write + Send>(
    out: W,
    text: String,
    about: &Description,
    columns: &Terms,
    bytes: usize,
) -> Result<SerializedFileWriter<W>> {
    let mut fields = Vec::new();
    if let Some(id) = &about.id {
        let field = Type::primitive_type_builder(id, PhysicalType::BYTE_ARRAY);
        let field = field.with_logical_type(Some(LogicalType::String)).with_repetition(Repetition::REQUIRED);
        fields.push(Arc::new(field.build()?));
    }
    for attribute in columns.attributes() {
        let field = Type::primitive_type_builder(&attribute.name, PhysicalType::FIXED_LEN_BYTE_ARRAY);
        let field = field.with_length(bytes as i32).with_repetition(Repetition::REQUIRED);
        fields.push(Arc::new(field.build()?));
    }
    let schema = Type::group_type_builder("codes").with_fields(fields).build()?;
    // Noisy bits do not compress, and the least and greatest of them say nothing.
    let properties = WriterProperties::builder()
        .set_compression(Compression::UNCOMPRESSED)
        .set_dictionary_enabled(false)
        .set_encoding(Encoding::PLAIN)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_created_by(format!("shoal {}", about.shoal))
        .set_key_value_metadata(Some(vec![KeyValue::new(KEY.into(), text)]))
        .build();
    SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))
}
