//! Writing sealed files with a column of whole numbers for each attribute, as Parquet or as text.

use parquet::data_type::Int64Type;
use parquet::file::properties::WriterPropertiesBuilder;
use std::io::{self, BufWriter, Write};

use crate::sealed::content::{Described, invalid};
use crate::sealed::form::Form;
use crate::sealed::integer_file::IntegerContent;
use crate::sealed::kinds::SealedKind;
use crate::sealed::seal::{Seal, Sealing};
use crate::sealed::sealed_writer::{ParquetLayout, SealedColumn, SealedWriter};

/// Bytes of values in a row group, which are held until it is full.
const GROUP_BYTES: usize = 8 << 20;

/// Bytes of text handed on at a time.
const BUFFER: usize = 1 << 16;

/// How the Parquet form of a file is laid out.
pub struct IntegerLayout {
    /// The name of the schema.
    pub root: &'static str,
    /// Compression, encoding and statistics.
    pub properties: WriterPropertiesBuilder,
    /// Version of the program that writes the file.
    pub shoal: String,
}

/// A file that is being written.
pub struct IntegerWriter<W: Write + Send> {
    body: Body<W>,
    sealing: Sealing,
    dims: usize,
}

enum Body<W: Write + Send> {
    Csv(CsvBody<W>),
    Parquet(Box<ParquetBody<W>>),
}

impl<W: Write + Send> IntegerWriter<W> {
    /// Starts a file.
    ///
    /// # Errors
    /// A file that cannot be written, and [`io::ErrorKind::InvalidInput`] for a text file of a kind that has no text form.
    pub fn start<C: IntegerContent>(
        out: W,
        described: &Described<C>,
        layout: IntegerLayout,
        form: Form,
    ) -> io::Result<Self> {
        let columns = described.about.columns();
        let body = match form {
            Form::Csv => Body::Csv(CsvBody::new(out, C::KIND, &described.text, columns)?),
            Form::Parquet => Body::Parquet(Box::new(ParquetBody::new(out, described, layout)?)),
        };
        Ok(Self { body, sealing: described.sealing(), dims: columns.len() })
    }

    /// Adds rows, given as one list of values for each column.
    ///
    /// # Errors
    /// A file that cannot be written.
    ///
    /// # Panics
    /// When there is not one list for each column, or the lists differ in length.
    pub fn append(&mut self, columns: &[Vec<i64>]) -> io::Result<()> {
        assert_eq!(columns.len(), self.dims, "one list of values per attribute");
        assert!(columns.iter().all(|column| column.len() == columns[0].len()), "one value per row");
        self.sealing.add_rows(columns);
        match &mut self.body {
            Body::Csv(body) => body.append(columns),
            Body::Parquet(body) => body.append(columns),
        }
    }

    /// Ends the file and returns the number of rows in it.
    ///
    /// # Errors
    /// A file that cannot be written, and [`io::ErrorKind::InvalidInput`] when there are no rows: such a file could not be
    /// read again.
    pub fn finish(self) -> io::Result<u64> {
        let seal = self.sealing.finish();
        if seal.rows == 0 {
            return Err(invalid("there are no rows"));
        }
        match self.body {
            Body::Csv(body) => body.finish(&seal)?,
            Body::Parquet(body) => body.finish(&seal)?,
        }
        Ok(seal.rows)
    }
}

struct CsvBody<W: Write> {
    out: BufWriter<W>,
    end_key: &'static str,
    /// The line that is being put together.
    line: Vec<u8>,
    digits: itoa::Buffer,
}

impl<W: Write> CsvBody<W> {
    fn new(out: W, kind: &SealedKind, description: &str, columns: &[String]) -> io::Result<Self> {
        let end_key = kind.end_key.ok_or_else(|| invalid(format!("{} have no text form", kind.things)))?;
        let mut out = BufWriter::with_capacity(BUFFER, out);
        writeln!(out, "# {} {description}", kind.key)?;
        out.write_all(&header(columns)?)?;
        Ok(Self { out, end_key, line: Vec::new(), digits: itoa::Buffer::new() })
    }

    fn append(&mut self, columns: &[Vec<i64>]) -> io::Result<()> {
        for row in 0..columns[0].len() {
            self.line.clear();
            for column in columns {
                self.line.extend_from_slice(self.digits.format(column[row]).as_bytes());
                self.line.push(b',');
            }
            self.line.pop();
            self.line.push(b'\n');
            self.out.write_all(&self.line)?;
        }
        Ok(())
    }

    fn finish(mut self, seal: &Seal) -> io::Result<()> {
        writeln!(self.out, "# {} {}", self.end_key, serde_json::to_string(seal)?)?;
        self.out.flush()
    }
}

/// The line of names, with its end.
fn header(columns: &[String]) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(columns)?;
    writer.into_inner().map_err(|error| io::Error::other(error.to_string()))
}

struct ParquetBody<W: Write + Send> {
    file: SealedWriter<W>,
    /// Rows for the next row group.
    waiting: Vec<Vec<i64>>,
    /// Rows of a full row group.
    group: usize,
}

impl<W: Write + Send> ParquetBody<W> {
    fn new<C: IntegerContent>(out: W, described: &Described<C>, layout: IntegerLayout) -> io::Result<Self> {
        let IntegerLayout { root, properties, shoal } = layout;
        let names = described.about.columns();
        let columns = names.iter().map(|name| (name.clone(), SealedColumn::Integers)).collect();
        let file = SealedWriter::start(out, described, ParquetLayout { root, columns, properties, shoal }, None)?;
        Ok(Self { file, waiting: vec![Vec::new(); names.len()], group: (GROUP_BYTES / 8 / names.len()).max(1024) })
    }

    fn append(&mut self, columns: &[Vec<i64>]) -> io::Result<()> {
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

    fn write_group(&mut self) -> io::Result<()> {
        let waiting = &mut self.waiting;
        self.file.group(|group| {
            let mut columns = waiting.iter_mut();
            while let (Some(mut writer), Some(values)) = (group.next_column()?, columns.next()) {
                writer.typed::<Int64Type>().write_batch(values, None, None)?;
                writer.close()?;
                values.clear();
            }
            Ok(())
        })
    }

    fn finish(mut self, seal: &Seal) -> io::Result<()> {
        if !self.waiting[0].is_empty() {
            self.write_group()?;
        }
        self.file.finish_with(seal)
    }
}
