//! Decoded distances as rows `i,j,distance`, for other programs.

use parquet::basic::{Compression, Repetition, Type as PhysicalType};
use parquet::data_type::{DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use shoal_files::Form;
use shoal_files::plain_error;

/// Rows of a row group.
const GROUP: usize = 1 << 18;

/// Writes distances as text or Parquet and returns their number.
pub fn write_distances<W: Write + Send>(
    out: W,
    form: Form,
    distances: impl Iterator<Item = (usize, usize, f64)>,
) -> io::Result<u64> {
    match form {
        Form::Csv => write_csv(out, distances),
        Form::Parquet => write_parquet(out, distances).map_err(plain_error),
    }
}

fn write_csv<W: Write>(out: W, distances: impl Iterator<Item = (usize, usize, f64)>) -> io::Result<u64> {
    let mut out = BufWriter::new(out);
    writeln!(out, "i,j,distance")?;
    let mut rows = 0;
    for (i, j, distance) in distances {
        writeln!(out, "{i},{j},{distance}")?;
        rows += 1;
    }
    out.flush()?;
    Ok(rows)
}

fn write_parquet<W: Write + Send>(out: W, distances: impl Iterator<Item = (usize, usize, f64)>) -> Result<u64> {
    let field = |name: &str, physical| {
        Type::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED).build().map(Arc::new)
    };
    let fields = vec![
        field("i", PhysicalType::INT64)?,
        field("j", PhysicalType::INT64)?,
        field("distance", PhysicalType::DOUBLE)?,
    ];
    let schema = Type::group_type_builder("distances").with_fields(fields).build()?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))?;
    let (mut from, mut to, mut values, mut rows) = (Vec::new(), Vec::new(), Vec::new(), 0);
    let mut distances = distances.peekable();
    while distances.peek().is_some() {
        for (i, j, distance) in distances.by_ref().take(GROUP) {
            from.push(i as i64);
            to.push(j as i64);
            values.push(distance);
        }
        rows += values.len() as u64;
        let missing = || ParquetError::General("the schema has three columns".into());
        let mut group = writer.next_row_group()?;
        for column in [&mut from, &mut to] {
            let mut writer = group.next_column()?.ok_or_else(missing)?;
            writer.typed::<Int64Type>().write_batch(column, None, None)?;
            writer.close()?;
            column.clear();
        }
        let mut writer = group.next_column()?.ok_or_else(missing)?;
        writer.typed::<DoubleType>().write_batch(&values, None, None)?;
        writer.close()?;
        values.clear();
        group.close()?;
    }
    writer.close()?;
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shoal_files::{DataError, ReadOptions, Silent, Source, Table};

    #[test]
    fn both_forms_hold_the_same() {
        let rows = [(0, 1, 0.5), (0, 2, -1e-3), (1, 2, 1e300)];
        for form in [Form::Csv, Form::Parquet] {
            let mut bytes = Vec::new();
            assert_eq!(write_distances(&mut bytes, form, rows.into_iter()).unwrap(), 3);
            let table = Table::open(Source::Memory(bytes), &ReadOptions::default()).unwrap();
            assert_eq!(table.columns(), ["i", "j", "distance"]);
            table
                .for_each_batch(10, &Silent, |batch| {
                    assert_eq!(batch.column(1), [1.0, 2.0, 2.0]);
                    assert_eq!(batch.column(2), [0.5, -1e-3, 1e300]);
                    Ok::<(), DataError>(())
                })
                .unwrap();
        }
    }
}
