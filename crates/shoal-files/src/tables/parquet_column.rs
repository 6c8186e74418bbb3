//! One column chunk of a Parquet file as numbers or as text, a batch at a time.

use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::*;
use parquet::errors::Result;
use parquet::schema::types::ColumnDescriptor;

/// How stored values become numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Reading {
    unsigned: bool,
    /// Decimals are stored as integers; this is what to divide by.
    divisor: f64,
}

impl Reading {
    /// How to read a column as numbers, or its type in words when it holds something else.
    pub(crate) fn of(column: &ColumnDescriptor) -> std::result::Result<Self, String> {
        if column.max_rep_level() > 0 {
            return Err("lists".into());
        }
        let plain = Self { unsigned: false, divisor: 1.0 };
        let (physical, logical, converted) =
            (column.physical_type(), column.logical_type_ref(), column.converted_type());
        let decimal = matches!(logical, Some(LogicalType::Decimal { .. })) || converted == ConvertedType::DECIMAL;
        let integer = matches!(logical, Some(LogicalType::Integer { .. }))
            || matches!(
                converted,
                ConvertedType::INT_8
                    | ConvertedType::INT_16
                    | ConvertedType::INT_32
                    | ConvertedType::INT_64
                    | ConvertedType::UINT_8
                    | ConvertedType::UINT_16
                    | ConvertedType::UINT_32
                    | ConvertedType::UINT_64
            );
        let nothing_more = logical.is_none() && converted == ConvertedType::NONE;
        match physical {
            Type::DOUBLE | Type::FLOAT | Type::BOOLEAN if nothing_more => Ok(plain),
            Type::INT32 | Type::INT64 if nothing_more => Ok(plain),
            Type::INT32 | Type::INT64 if decimal => {
                let scale = match logical {
                    Some(LogicalType::Decimal(decimal)) => decimal.scale,
                    _ => column.type_scale(),
                };
                Ok(Self { unsigned: false, divisor: 10f64.powi(scale.clamp(0, 38)) })
            }
            Type::INT32 | Type::INT64 if integer => {
                let unsigned = matches!(
                    converted,
                    ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64
                ) || matches!(logical, Some(LogicalType::Integer(integer)) if !integer.is_signed);
                Ok(Self { unsigned, divisor: 1.0 })
            }
            _ => Err(words(physical, logical, converted)),
        }
    }

    /// Whether a column can serve as label text.
    pub(crate) fn can_label(column: &ColumnDescriptor) -> std::result::Result<(), String> {
        match Self::of(column) {
            Ok(_) => Ok(()),
            Err(_) if column.physical_type() == Type::BYTE_ARRAY && column.max_rep_level() == 0 => Ok(()),
            Err(words) => Err(words),
        }
    }
}

fn words(physical: Type, logical: Option<&LogicalType>, converted: ConvertedType) -> String {
    let annotated = match logical {
        Some(logical) => format!("{logical:?}"),
        None if converted != ConvertedType::NONE => converted.to_string(),
        None => String::new(),
    };
    let annotated = annotated.split(['(', ' ', '{']).next().unwrap_or("").to_lowercase();
    let text = physical == Type::BYTE_ARRAY && (annotated.is_empty() || annotated == "string" || annotated == "utf8");
    if text {
        "text".into()
    } else if annotated.is_empty() {
        physical.to_string().to_lowercase()
    } else {
        format!("{annotated} values ({})", physical.to_string().to_lowercase())
    }
}

/// A column chunk being read as numbers; nulls come out as NaN.
pub(crate) enum NumberColumn {
    Bool(Typed<BoolType>),
    Int32(Typed<Int32Type>),
    Int64(Typed<Int64Type>),
    Float(Typed<FloatType>),
    Double(Typed<DoubleType>),
}

impl NumberColumn {
    /// Takes over a column reader; nothing when its type is none of the numeric ones.
    pub(crate) fn new(reader: ColumnReader, reading: Reading, max_level: i16) -> Option<Self> {
        Some(match reader {
            ColumnReader::BoolColumnReader(reader) => Self::Bool(Typed::new(reader, reading, max_level)),
            ColumnReader::Int32ColumnReader(reader) => Self::Int32(Typed::new(reader, reading, max_level)),
            ColumnReader::Int64ColumnReader(reader) => Self::Int64(Typed::new(reader, reading, max_level)),
            ColumnReader::FloatColumnReader(reader) => Self::Float(Typed::new(reader, reading, max_level)),
            ColumnReader::DoubleColumnReader(reader) => Self::Double(Typed::new(reader, reading, max_level)),
            _ => return None,
        })
    }

    /// Appends up to `rows` values to `out` and returns how many; zero is the end.
    pub(crate) fn read(&mut self, rows: usize, out: &mut Vec<f64>) -> Result<usize> {
        match self {
            Self::Bool(column) => column.read(rows, out),
            Self::Int32(column) => column.read(rows, out),
            Self::Int64(column) => column.read(rows, out),
            Self::Float(column) => column.read(rows, out),
            Self::Double(column) => column.read(rows, out),
        }
    }
}

/// A stored type that is a number.
pub(crate) trait Numeric: DataType {
    fn number(value: &Self::T, unsigned: bool) -> f64;
}

impl Numeric for BoolType {
    fn number(value: &bool, _: bool) -> f64 {
        f64::from(u8::from(*value))
    }
}

impl Numeric for Int32Type {
    fn number(value: &i32, unsigned: bool) -> f64 {
        if unsigned { f64::from(*value as u32) } else { f64::from(*value) }
    }
}

impl Numeric for Int64Type {
    fn number(value: &i64, unsigned: bool) -> f64 {
        if unsigned { *value as u64 as f64 } else { *value as f64 }
    }
}

impl Numeric for FloatType {
    fn number(value: &f32, _: bool) -> f64 {
        f64::from(*value)
    }
}

impl Numeric for DoubleType {
    fn number(value: &f64, _: bool) -> f64 {
        *value
    }
}

/// A typed reader with its buffers.
pub(crate) struct Typed<T: DataType> {
    reader: ColumnReaderImpl<T>,
    reading: Reading,
    max_level: i16,
    values: Vec<T::T>,
    levels: Vec<i16>,
}

impl<T: DataType> Typed<T> {
    fn new(reader: ColumnReaderImpl<T>, reading: Reading, max_level: i16) -> Self {
        Self { reader, reading, max_level, values: Vec::new(), levels: Vec::new() }
    }

    /// Fills the buffers with up to `rows` rows.
    fn advance(&mut self, rows: usize) -> Result<usize> {
        self.values.clear();
        self.levels.clear();
        let levels = (self.max_level > 0).then_some(&mut self.levels);
        Ok(self.reader.read_records(rows, levels, None, &mut self.values)?.0)
    }
}

impl<T: Numeric> Typed<T> {
    fn read(&mut self, rows: usize, out: &mut Vec<f64>) -> Result<usize> {
        let count = self.advance(rows)?;
        let start = out.len();
        let mut numbers = self.values.iter().map(|value| T::number(value, self.reading.unsigned));
        if self.values.len() == count {
            out.extend(numbers);
        } else {
            let present = |level: &i16| *level == self.max_level;
            out.extend(
                self.levels.iter().map(|level| present(level).then(|| numbers.next()).flatten().unwrap_or(f64::NAN)),
            );
        }
        if self.reading.divisor != 1.0 {
            out[start..].iter_mut().for_each(|x| *x /= self.reading.divisor);
        }
        Ok(count)
    }
}

/// A column chunk being read as labels.
pub(crate) enum LabelColumn {
    Text(Typed<ByteArrayType>),
    Number(NumberColumn, Vec<f64>),
}

impl LabelColumn {
    pub(crate) fn new(reader: ColumnReader, column: &ColumnDescriptor) -> Option<Self> {
        let max_level = column.max_def_level();
        match (reader, Reading::of(column)) {
            (ColumnReader::ByteArrayColumnReader(reader), _) => {
                Some(Self::Text(Typed::new(reader, Reading { unsigned: false, divisor: 1.0 }, max_level)))
            }
            (reader, Ok(reading)) => Some(Self::Number(NumberColumn::new(reader, reading, max_level)?, Vec::new())),
            _ => None,
        }
    }

    /// Appends up to `rows` labels; a null is an empty text, bytes that are not UTF-8 are replaced.
    pub(crate) fn read(&mut self, rows: usize, out: &mut Vec<String>) -> Result<usize> {
        match self {
            Self::Text(column) => {
                let count = column.advance(rows)?;
                let mut texts =
                    column.values.iter().map(|bytes| String::from_utf8_lossy(bytes.data()).trim().to_string());
                if column.values.len() == count {
                    out.extend(texts);
                } else {
                    let present = |level: &i16| *level == column.max_level;
                    out.extend(
                        column
                            .levels
                            .iter()
                            .map(|level| present(level).then(|| texts.next()).flatten().unwrap_or_default()),
                    );
                }
                Ok(count)
            }
            Self::Number(column, numbers) => {
                numbers.clear();
                let count = column.read(rows, numbers)?;
                out.extend(numbers.iter().map(|x| if x.is_nan() { String::new() } else { x.to_string() }));
                Ok(count)
            }
        }
    }
}
