//! One column chunk of a Parquet file as numbers or as text, a batch at a time.

use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::*;
use parquet::errors::Result;
use parquet::schema::types::ColumnDescriptor;

use super::cell_date::{of_unix_days, of_unix_seconds};

/// How stored values become numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Reading {
    unsigned: bool,
    /// Decimals are stored as integers and times in parts of a second; this is what to divide by.
    divisor: f64,
    meaning: Meaning,
}

/// What a number counts.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Meaning {
    Plain,
    /// Days since 1970.
    Days,
    /// Seconds since 1970.
    Seconds,
    /// Seconds since midnight.
    TimeOfDay,
    /// Two bytes of a half-precision number.
    Half,
}

impl Meaning {
    /// The number as a cell of a text table would have it. A missing value stays one.
    fn number(self, x: f64) -> f64 {
        match self {
            _ if !x.is_finite() => x,
            Self::Plain | Self::Half => x,
            Self::Days => of_unix_days(x.floor(), 0.0),
            Self::Seconds => of_unix_seconds(x),
            Self::TimeOfDay => x / 3600.0,
        }
    }
}

impl Reading {
    /// How to read a column as numbers, or its type in words when it holds something else.
    pub(crate) fn of(column: &ColumnDescriptor) -> std::result::Result<Self, String> {
        if column.max_rep_level() > 0 {
            return Err("lists".into());
        }
        let plain = Self { unsigned: false, divisor: 1.0, meaning: Meaning::Plain };
        let per_second = |unit: &TimeUnit| match unit {
            TimeUnit::MILLIS => 1e3,
            TimeUnit::MICROS => 1e6,
            TimeUnit::NANOS => 1e9,
        };
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
            Type::INT32 | Type::INT64 | Type::FIXED_LEN_BYTE_ARRAY | Type::BYTE_ARRAY if decimal => {
                let scale = match logical {
                    Some(LogicalType::Decimal(decimal)) => decimal.scale,
                    _ => column.type_scale(),
                };
                Ok(Self { divisor: 10f64.powi(scale.clamp(0, 76)), ..plain })
            }
            Type::FIXED_LEN_BYTE_ARRAY
                if matches!(logical, Some(LogicalType::Float16)) && column.type_length() == 2 =>
            {
                Ok(Self { meaning: Meaning::Half, ..plain })
            }
            Type::INT32 if matches!(logical, Some(LogicalType::Date)) || converted == ConvertedType::DATE => {
                Ok(Self { meaning: Meaning::Days, ..plain })
            }
            // Already in seconds when it is a number.
            Type::INT96 => Ok(Self { meaning: Meaning::Seconds, ..plain }),
            Type::INT32 | Type::INT64 => match (logical, converted) {
                (Some(LogicalType::Timestamp(time)), _) => {
                    Ok(Self { divisor: per_second(&time.unit), meaning: Meaning::Seconds, ..plain })
                }
                (Some(LogicalType::Time(time)), _) => {
                    Ok(Self { divisor: per_second(&time.unit), meaning: Meaning::TimeOfDay, ..plain })
                }
                (_, ConvertedType::TIMESTAMP_MILLIS) => Ok(Self { divisor: 1e3, meaning: Meaning::Seconds, ..plain }),
                (_, ConvertedType::TIMESTAMP_MICROS) => Ok(Self { divisor: 1e6, meaning: Meaning::Seconds, ..plain }),
                (_, ConvertedType::TIME_MILLIS) => Ok(Self { divisor: 1e3, meaning: Meaning::TimeOfDay, ..plain }),
                (_, ConvertedType::TIME_MICROS) => Ok(Self { divisor: 1e6, meaning: Meaning::TimeOfDay, ..plain }),
                _ if integer => {
                    let unsigned = matches!(
                        converted,
                        ConvertedType::UINT_8
                            | ConvertedType::UINT_16
                            | ConvertedType::UINT_32
                            | ConvertedType::UINT_64
                    ) || matches!(logical, Some(LogicalType::Integer(integer)) if !integer.is_signed);
                    Ok(Self { unsigned, ..plain })
                }
                _ => Err(words(physical, logical, converted)),
            },
            _ => Err(words(physical, logical, converted)),
        }
    }

    /// The declared type in words.
    pub(crate) fn declared(column: &ColumnDescriptor) -> String {
        match column.max_rep_level() {
            0 => words(column.physical_type(), column.logical_type_ref(), column.converted_type()),
            _ => "lists".into(),
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
    Int96(Typed<Int96Type>),
    Bytes(Typed<ByteArrayType>),
    FixedBytes(Typed<FixedLenByteArrayType>),
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
            ColumnReader::Int96ColumnReader(reader) => Self::Int96(Typed::new(reader, reading, max_level)),
            ColumnReader::ByteArrayColumnReader(reader) => Self::Bytes(Typed::new(reader, reading, max_level)),
            ColumnReader::FixedLenByteArrayColumnReader(reader) => {
                Self::FixedBytes(Typed::new(reader, reading, max_level))
            }
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
            Self::Int96(column) => column.read(rows, out),
            Self::Bytes(column) => column.read(rows, out),
            Self::FixedBytes(column) => column.read(rows, out),
        }
    }
}

/// A stored type that is a number.
pub(crate) trait Numeric: DataType {
    fn number(value: &Self::T, reading: Reading) -> f64;
}

impl Numeric for BoolType {
    fn number(value: &bool, _: Reading) -> f64 {
        f64::from(u8::from(*value))
    }
}

impl Numeric for Int32Type {
    fn number(value: &i32, reading: Reading) -> f64 {
        if reading.unsigned { f64::from(*value as u32) } else { f64::from(*value) }
    }
}

impl Numeric for Int64Type {
    fn number(value: &i64, reading: Reading) -> f64 {
        if reading.unsigned { *value as u64 as f64 } else { *value as f64 }
    }
}

impl Numeric for FloatType {
    fn number(value: &f32, _: Reading) -> f64 {
        f64::from(*value)
    }
}

impl Numeric for DoubleType {
    fn number(value: &f64, _: Reading) -> f64 {
        *value
    }
}

impl Numeric for Int96Type {
    fn number(value: &Int96, _: Reading) -> f64 {
        // Nanoseconds of a day in the lower half, the Julian day in the upper.
        let [low, high, day] = *value.data() else { return f64::NAN };
        let nanoseconds = u64::from(high) << 32 | u64::from(low);
        (f64::from(day) - 2_440_588.0) * 86_400.0 + nanoseconds as f64 / 1e9
    }
}

impl Numeric for ByteArrayType {
    fn number(value: &ByteArray, reading: Reading) -> f64 {
        of_bytes(value.data(), reading)
    }
}

impl Numeric for FixedLenByteArrayType {
    fn number(value: &FixedLenByteArray, reading: Reading) -> f64 {
        of_bytes(value.data(), reading)
    }
}

/// A whole number with its highest byte first, the first bit its sign; or a half-precision number with its lowest byte first.
fn of_bytes(bytes: &[u8], reading: Reading) -> f64 {
    if let (Meaning::Half, [low, high]) = (reading.meaning, bytes) {
        return of_half(u16::from_le_bytes([*low, *high]));
    }
    let negative = bytes.first().is_some_and(|first| *first >= 0x80);
    if bytes.len() <= 16 {
        let start = if negative { -1i128 } else { 0 };
        return bytes.iter().fold(start, |number, byte| number << 8 | i128::from(*byte)) as f64;
    }
    let size = bytes.iter().fold(0.0, |number, byte| number * 256.0 + f64::from(if negative { !byte } else { *byte }));
    if negative { -size - 1.0 } else { size }
}

pub(crate) fn of_half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let size = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
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
        let mut numbers = self.values.iter().map(|value| T::number(value, self.reading));
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
        if self.reading.meaning != Meaning::Plain {
            out[start..].iter_mut().for_each(|x| *x = self.reading.meaning.number(*x));
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
            (ColumnReader::ByteArrayColumnReader(reader), Err(_)) => {
                let reading = Reading { unsigned: false, divisor: 1.0, meaning: Meaning::Plain };
                Some(Self::Text(Typed::new(reader, reading, max_level)))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_whole_numbers_or_halves() {
        let plain = Reading { unsigned: false, divisor: 1.0, meaning: Meaning::Plain };
        for (bytes, number) in [
            (&[][..], 0.0),
            (&[0x7f], 127.0),
            (&[0xff], -1.0),
            (&[0x80, 0], -32768.0),
            (&[0; 20], 0.0),
            (&[0xff; 20], -1.0),
            (&[0xff; 16], -1.0),
        ] {
            assert_eq!(of_bytes(bytes, plain), number, "{bytes:?}");
        }
        let mut wide = [0; 32];
        wide[31] = 7;
        assert_eq!(of_bytes(&wide, plain), 7.0);
        for (bits, number) in
            [(0x3c00, 1.0), (0xc000, -2.0), (0x3555, 0.333251953125), (1, 5.960464477539063e-8), (0, 0.0)]
        {
            assert_eq!(of_half(bits), number);
        }
        assert!(of_half(0x7c00).is_infinite() && of_half(0x7e00).is_nan());
    }
}
