//! Columns of a Parquet file that name a person or order a person's rows, one row group at a time.

use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::*;
use parquet::errors::Result;
use parquet::schema::types::ColumnDescriptor;

use super::moment;
use super::names::{Names, NoMoment};

/// Whether the values of a column can name a person; its type in words when they cannot.
pub(crate) fn can_name(column: &ColumnDescriptor) -> std::result::Result<(), String> {
    match column.physical_type() {
        _ if column.max_rep_level() > 0 => Err("lists".into()),
        Type::INT96 => Err("96-bit times".into()),
        _ => Ok(()),
    }
}

/// Whether the values of a column have an order that is meant; its type in words when they have not.
pub(crate) fn can_order(column: &ColumnDescriptor) -> std::result::Result<(), String> {
    let decimal = column.converted_type() == ConvertedType::DECIMAL
        || matches!(column.logical_type_ref(), Some(LogicalType::Decimal(_)));
    match column.physical_type() {
        _ if column.max_rep_level() > 0 => Err("lists".into()),
        Type::INT96 => Err("96-bit times".into()),
        Type::BOOLEAN => Err("yes or no".into()),
        Type::FIXED_LEN_BYTE_ARRAY => Err("bytes".into()),
        Type::BYTE_ARRAY if decimal => Err("decimals as bytes".into()),
        _ => Ok(()),
    }
}

/// A column chunk being read.
pub(crate) enum NameColumn {
    Bool(Values<BoolType>),
    Int32(Values<Int32Type>),
    Int64(Values<Int64Type>),
    Float(Values<FloatType>),
    Double(Values<DoubleType>),
    Bytes(Values<ByteArrayType>),
    Fixed(Values<FixedLenByteArrayType>),
}

/// A typed reader with its buffers.
pub(crate) struct Values<T: DataType> {
    reader: ColumnReaderImpl<T>,
    max_level: i16,
    unsigned: bool,
    values: Vec<T::T>,
    levels: Vec<i16>,
}

impl<T: DataType> Values<T> {
    pub(crate) fn new(reader: ColumnReaderImpl<T>, max_level: i16) -> Self {
        Self { reader, max_level, unsigned: false, values: Vec::new(), levels: Vec::new() }
    }

    /// Reads up to `rows` rows and hands each value, or nothing for a null, to `f`.
    pub(crate) fn read(&mut self, rows: usize, mut f: impl FnMut(Option<&T::T>, bool)) -> Result<usize> {
        self.values.clear();
        self.levels.clear();
        let levels = (self.max_level > 0).then_some(&mut self.levels);
        let count = self.reader.read_records(rows, levels, None, &mut self.values)?.0;
        let mut values = self.values.iter();
        for row in 0..count {
            let present = self.levels.get(row).is_none_or(|level| *level == self.max_level);
            f(if present { values.next() } else { None }, self.unsigned);
        }
        Ok(count)
    }
}

impl NameColumn {
    /// Takes over a column reader; nothing for a type that can do neither.
    pub(crate) fn new(reader: ColumnReader, column: &ColumnDescriptor) -> Option<Self> {
        let max_level = column.max_def_level();
        let unsigned = matches!(column.converted_type(), ConvertedType::UINT_32 | ConvertedType::UINT_64)
            || matches!(column.logical_type_ref(), Some(LogicalType::Integer(integer)) if !integer.is_signed);
        macro_rules! values {
            ($reader:expr) => {
                Values { reader: $reader, max_level, unsigned, values: Vec::new(), levels: Vec::new() }
            };
        }
        Some(match reader {
            ColumnReader::BoolColumnReader(reader) => Self::Bool(values!(reader)),
            ColumnReader::Int32ColumnReader(reader) => Self::Int32(values!(reader)),
            ColumnReader::Int64ColumnReader(reader) => Self::Int64(values!(reader)),
            ColumnReader::FloatColumnReader(reader) => Self::Float(values!(reader)),
            ColumnReader::DoubleColumnReader(reader) => Self::Double(values!(reader)),
            ColumnReader::ByteArrayColumnReader(reader) => Self::Bytes(values!(reader)),
            ColumnReader::FixedLenByteArrayColumnReader(reader) => Self::Fixed(values!(reader)),
            ColumnReader::Int96ColumnReader(_) => return None,
        })
    }

    /// Appends the values of up to `rows` rows to `cells`, as bytes that are the same for the same value and for no other; an
    /// empty cell for a null.
    pub(crate) fn names(&mut self, rows: usize, cells: &mut Cells) -> Result<usize> {
        let mut text = itoa::Buffer::new();
        match self {
            Self::Bool(values) => {
                values.read(rows, |value, _| cells.push(value.map(|x| if *x { &b"1"[..] } else { b"0" })))
            }
            Self::Int32(values) => values.read(rows, |value, _| cells.push(value.map(|x| text.format(*x).as_bytes()))),
            Self::Int64(values) => values.read(rows, |value, _| cells.push(value.map(|x| text.format(*x).as_bytes()))),
            Self::Float(values) => values.read(rows, |value, _| cells.push_number(value.map(|x| f64::from(*x)))),
            Self::Double(values) => values.read(rows, |value, _| cells.push_number(value.copied())),
            // Raw bytes may begin with a blank, which text is read without: as digits none is lost.
            Self::Bytes(values) => values.read(rows, |value, _| match value.map(|bytes| bytes.data()) {
                Some(bytes) if std::str::from_utf8(bytes).is_err() => cells.push_digits(Some(bytes)),
                text => cells.push(text),
            }),
            Self::Fixed(values) => values.read(rows, |value, _| cells.push_digits(value.map(|bytes| bytes.data()))),
        }
    }

    /// Appends the moments of up to `rows` rows.
    pub(crate) fn moments(&mut self, rows: usize, names: &mut Names) -> Result<std::result::Result<usize, NoMoment>> {
        let number = |x: f64| x.is_finite().then(|| moment::of_number(x));
        let mut refused = Ok(());
        let count = match self {
            Self::Int32(values) => values.read(rows, |value, unsigned| {
                names.push_moment(value.map(|&x| if unsigned { i64::from(x as u32) } else { i64::from(x) }));
            }),
            Self::Int64(values) => values.read(rows, |value, unsigned| {
                names.push_moment(value.map(|&x| if unsigned { x ^ i64::MIN } else { x }));
            }),
            Self::Float(values) => {
                values.read(rows, |value, _| names.push_moment(value.and_then(|&x| number(f64::from(x)))))
            }
            Self::Double(values) => values.read(rows, |value, _| names.push_moment(value.and_then(|&x| number(x)))),
            Self::Bytes(values) => values.read(rows, |value, _| {
                let pushed = names.push_moment_text(value.map_or(&[], |bytes| bytes.data()));
                if refused.is_ok() {
                    refused = pushed;
                }
            }),
            Self::Bool(_) | Self::Fixed(_) => Ok(0),
        }?;
        Ok(refused.map(|()| count))
    }
}

/// Cells of one naming column.
#[derive(Default)]
pub(crate) struct Cells {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Cells {
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    pub(crate) fn get(&self, row: usize) -> &[u8] {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[row]]
    }

    fn push(&mut self, cell: Option<&[u8]>) {
        self.bytes.extend_from_slice(cell.unwrap_or_default());
        self.ends.push(self.bytes.len());
    }

    fn push_number(&mut self, number: Option<f64>) {
        let text = number.filter(|x| !x.is_nan()).map(|x| x.to_string());
        self.push(text.as_ref().map(|text| text.as_bytes()));
    }

    fn push_digits(&mut self, bytes: Option<&[u8]>) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        for byte in bytes.unwrap_or_default() {
            self.bytes.extend([DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
        self.ends.push(self.bytes.len());
    }
}
