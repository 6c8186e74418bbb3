//! A column of Arrow arrays in memory, in any number of chunks, read as the program reads an Arrow file.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

use super::arrow_table::{append_labels, append_numbers, declared};
use super::matrix_column::Numbers;

/// The chunks of one column, all of one type. Sensitive: they are values of records.
pub struct ArrowValues {
    chunks: Vec<ArrayRef>,
    /// Where each chunk begins, and the end of the last.
    starts: Vec<usize>,
}

impl ArrowValues {
    /// The chunks of a column, in order.
    pub fn new(chunks: Vec<ArrayRef>) -> Self {
        let mut starts = vec![0];
        starts.extend(chunks.iter().scan(0, |end, chunk| {
            *end += chunk.len();
            Some(*end)
        }));
        Self { chunks, starts }
    }

    /// A type in words, and whether its values can be read as numbers.
    pub fn declared(kind: &DataType) -> (String, bool) {
        declared(kind)
    }

    /// The values as text, an empty one where there is none; nothing for types that have no text.
    pub fn texts(&self) -> Option<Vec<String>> {
        let mut texts = Vec::with_capacity(self.len());
        self.chunks.iter().try_for_each(|chunk| append_labels(chunk, &mut texts)).ok()?;
        Some(texts)
    }

    /// The chunk that holds a row, and its place there.
    fn place(&self, row: usize) -> (&ArrayRef, usize) {
        let at = self.starts.partition_point(|&start| start <= row) - 1;
        (&self.chunks[at], row - self.starts[at])
    }
}

impl Numbers for ArrowValues {
    fn len(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    fn append_to(&self, rows: Range<usize>, out: &mut Vec<f64>) {
        let mut row = rows.start;
        while row < rows.end {
            let (chunk, at) = self.place(row);
            let count = (chunk.len() - at).min(rows.end - row);
            if append_numbers(&chunk.slice(at, count), out).is_err() {
                // A type without numbers has no values.
                out.extend(std::iter::repeat_n(f64::NAN, count));
            }
            row += count;
        }
    }

    fn exact(&self, row: usize) -> Option<String> {
        let (chunk, at) = self.place(row);
        if chunk.is_null(at) {
            return None;
        }
        // Beyond 2^53 a float has lost digits that tell persons apart.
        match chunk.data_type() {
            DataType::Int64 => Some(chunk.as_primitive::<Int64Type>().value(at).to_string()),
            DataType::UInt64 => Some(chunk.as_primitive::<UInt64Type>().value(at).to_string()),
            _ => {
                let mut one = Vec::with_capacity(1);
                self.append_to(row..row + 1, &mut one);
                one.first().filter(|number| !number.is_nan()).map(f64::to_string)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{Int64Array, StringArray};

    use super::*;
    use crate::{Column, DataError, Matrix, Values};

    #[test]
    fn chunks_are_one_column() {
        let large = (1_i64 << 53) + 1;
        let chunks: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from(vec![Some(1), None])),
            Arc::new(Int64Array::from(Vec::<i64>::new())),
            Arc::new(Int64Array::from(vec![large, 4, 5]).slice(0, 2)),
        ];
        let column = ArrowValues::new(chunks);
        let mut read = Vec::new();
        column.append_to(0..4, &mut read);
        assert!(read[1].is_nan());
        assert_eq!([read[0], read[3]], [1.0, 4.0]);
        read.clear();
        column.append_to(2..3, &mut read);
        assert_eq!(read, [large as f64]);
        assert_eq!(
            [0, 1, 2, 3].map(|row| column.exact(row)),
            [Some("1".into()), None, Some("9007199254740993".into()), Some("4".into())]
        );
    }

    #[test]
    fn a_matrix_reads_them_in_batches() {
        let chunks: Vec<ArrayRef> = (0..3).map(|i| Arc::new(Int64Array::from(vec![i; 5])) as ArrayRef).collect();
        let column = ArrowValues::new(chunks);
        let matrix = Matrix::from_columns([("x", Column::new(Values::Read(&column)))]).unwrap();
        let mut all = Vec::new();
        matrix
            .for_each_batch(7, |batch| {
                all.extend_from_slice(batch.column(0));
                Ok::<(), DataError>(())
            })
            .unwrap();
        assert_eq!(all, [0., 0., 0., 0., 0., 1., 1., 1., 1., 1., 2., 2., 2., 2., 2.]);
    }

    #[test]
    fn texts_have_no_numbers() {
        let column = ArrowValues::new(vec![Arc::new(StringArray::from(vec![Some("ann"), None])) as ArrayRef]);
        assert_eq!(column.texts(), Some(vec!["ann".to_string(), String::new()]));
        let mut read = Vec::new();
        column.append_to(0..2, &mut read);
        assert!(read.iter().all(|number| number.is_nan()));
    }
}
