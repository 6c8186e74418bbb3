//! Writing reports as they come, however many there are.

use parquet::basic::{Compression, Encoding, Repetition, Type as PhysicalType};
use parquet::data_type::Int64Type;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::io::{self, Write};
use std::sync::Arc;

use crate::report_file::csv::CsvBody;
use crate::report_file::description::Description;
use crate::report_file::seal::Sealing;
use crate::report_file::{Form, KEY, SEAL_KEY, check};
use shoal_device::Design;
use shoal_device::Promises;
use shoal_files::Seal;
use shoal_files::plain_error;

/// Bytes of values in a row group, which are held until it is full.
const GROUP_BYTES: usize = 8 << 20;

/// A file of reports being written.
pub struct ReportWriter<W: Write + Send> {
    body: Body<W>,
    sealing: Sealing,
    dims: usize,
}

enum Body<W: Write + Send> {
    Csv(CsvBody<W>),
    Parquet(Box<ParquetBody<W>>),
}

impl<W: Write + Send> ReportWriter<W> {
    /// Starts a file. `promises` are those of the reports: `with_seeded_noise` when `seeded`.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] for a design, or a promise, that could not be read again.
    pub fn new(out: W, design: &Design, promises: &Promises, seeded: bool, form: Form) -> io::Result<Self> {
        let about = Description::new(design, promises, seeded);
        let invalid = |why: String| io::Error::new(io::ErrorKind::InvalidInput, why);
        check::shape(&about).map_err(invalid)?;
        check::promises(&about, design).map_err(invalid)?;
        let text = serde_json::to_string(&about)?;
        let sealing = Sealing::new(&text);
        let body = match form {
            Form::Csv => Body::Csv(CsvBody::new(out, &text, &about.columns)?),
            Form::Parquet => Body::Parquet(Box::new(ParquetBody::new(out, text, &about).map_err(plain_error)?)),
        };
        Ok(Self { body, sealing, dims: about.columns.len() })
    }

    /// Adds reports, given as one list of values for each attribute.
    ///
    /// # Panics
    /// When there is not one list for each attribute, or the lists differ in length.
    pub fn append(&mut self, columns: &[Vec<i64>]) -> io::Result<()> {
        assert_eq!(columns.len(), self.dims, "one list of values per attribute");
        assert!(columns.iter().all(|column| column.len() == columns[0].len()), "one value per report");
        self.sealing.add(columns);
        match &mut self.body {
            Body::Csv(body) => body.append(columns),
            Body::Parquet(body) => body.append(columns).map_err(plain_error),
        }
    }

    /// Ends the file and returns the number of reports in it.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] when there are none: such a file could not be read again.
    pub fn finish(self) -> io::Result<u64> {
        let seal = self.sealing.finish();
        if seal.rows == 0 {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "there are no reports"));
        }
        match self.body {
            Body::Csv(body) => body.finish(&seal)?,
            Body::Parquet(body) => body.finish(&seal).map_err(plain_error)?,
        }
        Ok(seal.rows)
    }
}

struct ParquetBody<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    /// Reports for the next row group.
    waiting: Vec<Vec<i64>>,
    /// Rows of a full row group.
    group: usize,
}

impl<W: Write + Send> ParquetBody<W> {
    fn new(out: W, text: String, about: &Description) -> Result<Self> {
        let field = |name: &String| {
            let field = Type::primitive_type_builder(name, PhysicalType::INT64);
            field.with_repetition(Repetition::REQUIRED).build().map(Arc::new)
        };
        let fields = about.columns.iter().map(field).collect::<Result<_>>()?;
        let schema = Type::group_type_builder("reports").with_fields(fields).build()?;
        // Noise does not compress; packing small numbers into few bits is all that can be saved.
        let properties = WriterProperties::builder()
            .set_compression(Compression::UNCOMPRESSED)
            .set_dictionary_enabled(false)
            .set_encoding(Encoding::DELTA_BINARY_PACKED)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_created_by(format!("shoal {}", about.shoal))
            .set_key_value_metadata(Some(vec![KeyValue::new(KEY.into(), text)]))
            .build();
        let writer = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))?;
        let dims = about.columns.len();
        Ok(Self { writer, waiting: vec![Vec::new(); dims], group: (GROUP_BYTES / 8 / dims).max(1024) })
    }

    fn append(&mut self, columns: &[Vec<i64>]) -> Result<()> {
        let rows = columns[0].len();
        let mut done = 0;
        while done < rows {
            let part = done..rows.min(done + self.group - self.waiting[0].len());
            done = part.end;
            for (waiting, column) in self.waiting.iter_mut().zip(columns) {
                waiting.extend_from_slice(&column[part.clone()]);
            }
            if self.waiting[0].len() == self.group {
                self.write_group()?;
            }
        }
        Ok(())
    }

    fn write_group(&mut self) -> Result<()> {
        let mut group = self.writer.next_row_group()?;
        let mut columns = self.waiting.iter_mut();
        while let (Some(mut writer), Some(values)) = (group.next_column()?, columns.next()) {
            writer.typed::<Int64Type>().write_batch(values, None, None)?;
            writer.close()?;
            values.clear();
        }
        group.close().map(|_| ())
    }

    fn finish(mut self, seal: &Seal) -> Result<()> {
        if !self.waiting[0].is_empty() {
            self.write_group()?;
        }
        let seal = serde_json::to_string(seal).map_err(|error| ParquetError::External(error.into()))?;
        self.writer.append_key_value_metadata(KeyValue::new(SEAL_KEY.into(), seal));
        self.writer.close().map(|_| ())
    }
}
