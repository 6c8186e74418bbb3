//! Labels of rows as CSV or Parquet, with columns of the table handed on beside them. Sensitive: a label is about one record.

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::io::{self, Write};
use std::sync::Arc;

use super::kept::KeptKind;
use crate::sealed::plain_error;
use crate::{Form, sealed::missing_column};

/// Rows of a row group, which are held until it is full,
const GROUP_ROWS: usize = 1 << 16;
/// or until the text in it is this long.
const GROUP_BYTES: usize = 8 << 20;

/// What is written of a row beside the columns that are handed on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelLine {
    /// The row's number in its table, from 1.
    pub row: u64,
    /// The number of its cluster; nothing where a value is missing.
    pub label: Option<u64>,
    /// How far it is from the centre.
    pub distance: Option<f64>,
    /// The probability that it belongs to the cluster.
    pub probability: Option<f64>,
}

/// A file of labels that is being written: `row`, `label`, `distance`, `probability` where it is known, and columns that are
/// handed on, in this order.
pub struct LabelsWriter<W: Write + Send> {
    body: Body<W>,
    probability: bool,
}

enum Body<W: Write + Send> {
    Csv(Box<csv::Writer<W>>),
    Parquet(Box<ParquetBody<W>>),
}

impl<W: Write + Send> LabelsWriter<W> {
    /// Starts a file with these columns beside the labels.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn start(out: W, form: Form, probability: bool, kept: &[(String, KeptKind)]) -> io::Result<Self> {
        let own = ["row", "label", "distance"].into_iter().chain(probability.then_some("probability"));
        let body = match form {
            Form::Csv => {
                let mut writer = csv::WriterBuilder::new().buffer_capacity(1 << 16).from_writer(out);
                writer.write_record(own.chain(kept.iter().map(|(name, _)| name.as_str()))).map_err(of_csv)?;
                Body::Csv(Box::new(writer))
            }
            Form::Parquet => Body::Parquet(Box::new(ParquetBody::start(out, probability, kept)?)),
        };
        Ok(Self { body, probability })
    }

    /// Adds a row with its cells of the columns that are handed on.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn push<'a>(
        &mut self,
        line: &LabelLine,
        kept: impl ExactSizeIterator<Item = Option<&'a str>>,
    ) -> io::Result<()> {
        match &mut self.body {
            Body::Csv(writer) => {
                let mut field = |text: &str| writer.write_field(text).map_err(of_csv);
                field(&line.row.to_string())?;
                field(&line.label.map_or(String::new(), |label| label.to_string()))?;
                field(&line.distance.map_or(String::new(), |distance| distance.to_string()))?;
                if self.probability {
                    field(&line.probability.map_or(String::new(), |probability| probability.to_string()))?;
                }
                for cell in kept {
                    field(cell.unwrap_or_default())?;
                }
                writer.write_record(None::<&[u8]>).map_err(of_csv)
            }
            Body::Parquet(body) => body.push(line, kept),
        }
    }

    /// Ends the file.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn finish(self) -> io::Result<()> {
        match self.body {
            Body::Csv(mut writer) => writer.flush(),
            Body::Parquet(body) => body.finish(),
        }
    }
}

fn of_csv(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        // Other reasons are about reading, or repeat a record.
        _ => io::Error::other("the line cannot be written"),
    }
}

/// The rows of the next row group.
#[derive(Default)]
struct Group {
    rows: Vec<i64>,
    labels: Vec<Option<i64>>,
    distances: Vec<Option<f64>>,
    probabilities: Vec<Option<f64>>,
    kept: Vec<Waiting>,
    bytes: usize,
}

/// Cells of a column that is handed on.
enum Waiting {
    Text(Vec<Option<ByteArray>>),
    Whole(Vec<Option<i64>>),
    Number(Vec<Option<f64>>),
}

impl Waiting {
    fn new(kind: KeptKind) -> Self {
        match kind {
            KeptKind::Text => Self::Text(Vec::new()),
            KeptKind::Whole => Self::Whole(Vec::new()),
            KeptKind::Number => Self::Number(Vec::new()),
        }
    }

    fn field(&self, name: &str) -> ParquetResult<Type> {
        match self {
            Self::Text(_) => {
                let text = Type::primitive_type_builder(name, Physical::BYTE_ARRAY);
                text.with_logical_type(Some(LogicalType::String)).with_repetition(Repetition::OPTIONAL).build()
            }
            Self::Whole(_) => optional(name, Physical::INT64),
            Self::Number(_) => optional(name, Physical::DOUBLE),
        }
    }

    fn push(&mut self, cell: Option<&str>) {
        match self {
            Self::Text(cells) => cells.push(cell.map(|text| text.as_bytes().to_vec().into())),
            Self::Whole(cells) => cells.push(cell.and_then(|text| text.parse().ok())),
            Self::Number(cells) => cells.push(cell.and_then(|text| text.parse().ok())),
        }
    }
}

struct ParquetBody<W: Write + Send> {
    file: SerializedFileWriter<W>,
    probability: bool,
    group: Group,
}

impl<W: Write + Send> ParquetBody<W> {
    fn start(out: W, probability: bool, kept: &[(String, KeptKind)]) -> io::Result<Self> {
        let group = Group { kept: kept.iter().map(|(_, kind)| Waiting::new(*kind)).collect(), ..Group::default() };
        let start = || {
            let row = Type::primitive_type_builder("row", Physical::INT64).with_repetition(Repetition::REQUIRED);
            let mut fields = vec![
                Arc::new(row.build()?),
                Arc::new(optional("label", Physical::INT64)?),
                Arc::new(optional("distance", Physical::DOUBLE)?),
            ];
            if probability {
                fields.push(Arc::new(optional("probability", Physical::DOUBLE)?));
            }
            for ((name, _), column) in kept.iter().zip(&group.kept) {
                fields.push(Arc::new(column.field(name)?));
            }
            let schema = Type::group_type_builder("labels").with_fields(fields).build()?;
            let note = KeyValue::new("shoal.private".into(), "false: labels are about single rows".to_string());
            let properties = WriterProperties::builder()
                .set_compression(Compression::SNAPPY)
                .set_key_value_metadata(Some(vec![note]))
                .build();
            SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))
        };
        let file = start().map_err(plain_error)?;
        Ok(Self { file, probability, group })
    }

    fn push<'a>(&mut self, line: &LabelLine, kept: impl Iterator<Item = Option<&'a str>>) -> io::Result<()> {
        let group = &mut self.group;
        group.rows.push(line.row as i64);
        group.labels.push(line.label.map(|label| label as i64));
        group.distances.push(line.distance);
        group.probabilities.push(line.probability);
        for (column, cell) in group.kept.iter_mut().zip(kept) {
            group.bytes += cell.map_or(0, str::len);
            column.push(cell);
        }
        if group.rows.len() >= GROUP_ROWS || group.bytes >= GROUP_BYTES { self.write_group() } else { Ok(()) }
    }

    fn write_group(&mut self) -> io::Result<()> {
        let kinds = |waiting: &Waiting| match waiting {
            Waiting::Text(_) => Waiting::new(KeptKind::Text),
            Waiting::Whole(_) => Waiting::new(KeptKind::Whole),
            Waiting::Number(_) => Waiting::new(KeptKind::Number),
        };
        let next = Group { kept: self.group.kept.iter().map(kinds).collect(), ..Group::default() };
        let group = std::mem::replace(&mut self.group, next);
        let mut all = || {
            let mut out = self.file.next_row_group()?;
            let mut rows = out.next_column()?.ok_or_else(missing_column)?;
            rows.typed::<Int64Type>().write_batch(&group.rows, None, None)?;
            rows.close()?;
            write::<Int64Type, _>(&mut out, &group.labels)?;
            write::<DoubleType, _>(&mut out, &group.distances)?;
            if self.probability {
                write::<DoubleType, _>(&mut out, &group.probabilities)?;
            }
            for column in &group.kept {
                match column {
                    Waiting::Text(cells) => write::<ByteArrayType, _>(&mut out, cells)?,
                    Waiting::Whole(cells) => write::<Int64Type, _>(&mut out, cells)?,
                    Waiting::Number(cells) => write::<DoubleType, _>(&mut out, cells)?,
                }
            }
            out.close().map(|_| ())
        };
        all().map_err(plain_error)
    }

    fn finish(mut self) -> io::Result<()> {
        if !self.group.rows.is_empty() {
            self.write_group()?;
        }
        self.file.close().map(|_| ()).map_err(plain_error)
    }
}

fn optional(name: &str, physical: Physical) -> ParquetResult<Type> {
    Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL).build()
}

/// Writes a column in which values may be missing.
fn write<T: DataType, W: Write + Send>(
    out: &mut SerializedRowGroupWriter<'_, W>,
    cells: &[Option<T::T>],
) -> ParquetResult<()> {
    let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let values: Vec<T::T> = cells.iter().flatten().cloned().collect();
    let mut column = out.next_column()?.ok_or_else(missing_column)?;
    column.typed::<T>().write_batch(&values, Some(&levels), None)?;
    column.close().map(|_| ())
}
