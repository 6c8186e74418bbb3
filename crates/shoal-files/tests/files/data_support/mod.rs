//! Small tables for the reader tests.

// Each test file uses its own part of this.
#![allow(dead_code)]

use parquet::basic::{Compression, Repetition, Type as PhysicalType};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, FloatType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use shoal_files::*;
use shoal_lattice::*;
use std::io::Write;
use std::sync::Arc;

/// A column to be written; `None` is a null.
pub enum Column {
    Double(Vec<Option<f64>>),
    Float(Vec<f32>),
    Int32(Vec<i32>),
    Unsigned32(Vec<i32>),
    Decimal64(Vec<i64>),
    Int64(Vec<i64>),
    Bool(Vec<bool>),
    Text(Vec<&'static str>),
    Date(Vec<i32>),
}

/// How to write a file.
pub struct Shape {
    pub group_rows: usize,
    pub page_rows: usize,
    pub dictionary: bool,
    pub compression: Compression,
}

impl Default for Shape {
    fn default() -> Self {
        Self { group_rows: usize::MAX, page_rows: 1000, dictionary: true, compression: Compression::SNAPPY }
    }
}

/// A Parquet file of the given columns.
pub fn parquet_file(columns: &[(&str, Column)], shape: &Shape) -> Vec<u8> {
    use parquet::basic::LogicalType;
    let field = |(name, column): &(&str, Column)| {
        let (physical, logical) = match column {
            Column::Double(_) => (PhysicalType::DOUBLE, None),
            Column::Float(_) => (PhysicalType::FLOAT, None),
            Column::Int32(_) => (PhysicalType::INT32, None),
            Column::Unsigned32(_) => (PhysicalType::INT32, Some(LogicalType::integer(32, false))),
            Column::Decimal64(_) => (PhysicalType::INT64, Some(LogicalType::decimal(2, 10))),
            Column::Int64(_) => (PhysicalType::INT64, None),
            Column::Bool(_) => (PhysicalType::BOOLEAN, None),
            Column::Text(_) => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
            Column::Date(_) => (PhysicalType::INT32, Some(LogicalType::Date)),
        };
        let nullable = matches!(column, Column::Double(values) if values.iter().any(Option::is_none));
        let repetition = if nullable { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let mut builder =
            Type::primitive_type_builder(name, physical).with_repetition(repetition).with_logical_type(logical);
        if matches!(column, Column::Decimal64(_)) {
            builder = builder.with_precision(10).with_scale(2);
        }
        Arc::new(builder.build().unwrap())
    };
    let fields = columns.iter().map(field).collect();
    let schema = Arc::new(Type::group_type_builder("schema").with_fields(fields).build().unwrap());
    let properties = WriterProperties::builder()
        .set_compression(shape.compression)
        .set_dictionary_enabled(shape.dictionary)
        .set_data_page_row_count_limit(shape.page_rows)
        .set_write_batch_size(shape.page_rows.min(64))
        .build();
    let mut file = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut file, schema, Arc::new(properties)).unwrap();
    let rows = columns.first().map_or(0, |(_, column)| column.len());
    let mut start = 0;
    while start < rows {
        let end = start.saturating_add(shape.group_rows).min(rows);
        let mut group = writer.next_row_group().unwrap();
        for (_, column) in columns {
            column.write(&mut group, start..end);
        }
        group.close().unwrap();
        start = end;
    }
    writer.close().unwrap();
    file
}

impl Column {
    fn len(&self) -> usize {
        match self {
            Self::Double(values) => values.len(),
            Self::Float(values) => values.len(),
            Self::Int32(values) | Self::Unsigned32(values) | Self::Date(values) => values.len(),
            Self::Decimal64(values) | Self::Int64(values) => values.len(),
            Self::Bool(values) => values.len(),
            Self::Text(values) => values.len(),
        }
    }

    fn write(&self, group: &mut SerializedRowGroupWriter<'_, &mut Vec<u8>>, rows: std::ops::Range<usize>) {
        let mut column = group.next_column().unwrap().unwrap();
        match self {
            Self::Double(values) => {
                let present: Vec<f64> = values[rows.clone()].iter().flatten().copied().collect();
                let levels: Vec<i16> = values[rows].iter().map(|value| i16::from(value.is_some())).collect();
                column.typed::<DoubleType>().write_batch(&present, Some(&levels), None).unwrap()
            }
            Self::Float(values) => column.typed::<FloatType>().write_batch(&values[rows], None, None).unwrap(),
            Self::Int32(values) | Self::Unsigned32(values) | Self::Date(values) => {
                column.typed::<Int32Type>().write_batch(&values[rows], None, None).unwrap()
            }
            Self::Decimal64(values) | Self::Int64(values) => {
                column.typed::<Int64Type>().write_batch(&values[rows], None, None).unwrap()
            }
            Self::Bool(values) => column.typed::<BoolType>().write_batch(&values[rows], None, None).unwrap(),
            Self::Text(values) => {
                let texts: Vec<ByteArray> = values[rows].iter().map(|text| ByteArray::from(*text)).collect();
                column.typed::<ByteArrayType>().write_batch(&texts, None, None).unwrap()
            }
        };
        column.close().unwrap();
    }
}

/// The bytes inside gzip.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// The rows as CSV with names x0, x1, ...
pub fn csv_file(rows: &[Vec<f64>]) -> Vec<u8> {
    let dims = rows.first().map_or(1, Vec::len);
    let mut text = (0..dims).map(|i| format!("x{i}")).collect::<Vec<_>>().join(",");
    text.push('\n');
    for row in rows {
        text.push_str(&row.iter().map(f64::to_string).collect::<Vec<_>>().join(","));
        text.push('\n');
    }
    text.into_bytes()
}

/// The rows as Parquet with names x0, x1, ...
pub fn parquet_rows(rows: &[Vec<f64>], shape: &Shape) -> Vec<u8> {
    let dims = rows.first().map_or(1, Vec::len);
    let names: Vec<String> = (0..dims).map(|i| format!("x{i}")).collect();
    let column = |i: usize| Column::Double(rows.iter().map(|row| Some(row[i])).collect());
    let columns: Vec<(&str, Column)> = names.iter().enumerate().map(|(i, name)| (name.as_str(), column(i))).collect();
    parquet_file(&columns, shape)
}

/// Opens bytes with default options changed by `change`.
pub fn open(bytes: &[u8], change: impl FnOnce(&mut ReadOptions)) -> Result<Table, DataError> {
    let mut options = ReadOptions::default();
    change(&mut options);
    Table::open(Source::Memory(bytes.to_vec()), &options)
}

/// Loads bytes through the same bounds for all columns.
pub fn load(
    bytes: &[u8],
    bounds: &str,
    memory: usize,
    change: impl FnOnce(&mut ReadOptions),
) -> Result<PointStore, DataError> {
    let table = open(bytes, change)?;
    let bounds = BoundsSpec::parse(bounds)?.resolve(table.columns(), table.all_columns())?;
    load_points(table, LatticeMap::new(&bounds), &LoadOptions { memory, ..LoadOptions::default() }, &Silent)
}

/// Every row of a store.
pub fn rows_of(store: &PointStore) -> Vec<Vec<i16>> {
    let mut rows = Vec::new();
    let mut row = vec![0; store.dims()];
    let all = store.for_each_chunk(|chunk| {
        for i in 0..chunk.rows() {
            chunk.copy_row(i, &mut row);
            rows.push(row.clone());
        }
        Ok::<(), DataError>(())
    });
    all.unwrap();
    assert_eq!(rows.len(), store.rows());
    rows
}

/// The message of a refused table.
pub fn refusal<T>(result: Result<T, DataError>) -> String {
    match result {
        Ok(_) => panic!("the table was accepted"),
        Err(error) => error.to_string(),
    }
}
