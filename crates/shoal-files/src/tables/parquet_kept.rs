//! A column chunk of a Parquet file word for word, a batch at a time.

use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use parquet::column::reader::ColumnReader;
use parquet::data_type::*;
use parquet::errors::Result;
use parquet::schema::types::ColumnDescriptor;

use super::cell_date::{clock, iso_date, iso_moment};
use super::kept::{KeptKind, decimal};
use super::parquet_column::of_half;
use super::persons::parquet_names::Values;

/// How stored values are shown.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Shown {
    Plain,
    Unsigned,
    /// Whole numbers with so many decimals.
    Decimal(i32),
    Date,
    /// Times in units of so many nanoseconds.
    Moment(i64),
    Clock(i64),
    Half,
    /// Bytes that are no text, in hexadecimal digits.
    Digits,
}

impl Shown {
    /// How to show a column, or its type in words when that cannot be done.
    pub(crate) fn of(column: &ColumnDescriptor) -> std::result::Result<Self, String> {
        if column.max_rep_level() > 0 {
            return Err("lists".into());
        }
        let nanoseconds = |unit: &TimeUnit| match unit {
            TimeUnit::MILLIS => 1_000_000,
            TimeUnit::MICROS => 1_000,
            TimeUnit::NANOS => 1,
        };
        Ok(match (column.logical_type_ref(), column.converted_type(), column.physical_type()) {
            (Some(LogicalType::Decimal(decimal)), ..) => Self::Decimal(decimal.scale),
            (_, ConvertedType::DECIMAL, _) => Self::Decimal(column.type_scale()),
            (Some(LogicalType::Date), ..) | (_, ConvertedType::DATE, _) => Self::Date,
            (Some(LogicalType::Timestamp(time)), ..) => Self::Moment(nanoseconds(&time.unit)),
            (_, ConvertedType::TIMESTAMP_MILLIS, _) => Self::Moment(1_000_000),
            (_, ConvertedType::TIMESTAMP_MICROS, _) => Self::Moment(1_000),
            (Some(LogicalType::Time(time)), ..) => Self::Clock(nanoseconds(&time.unit)),
            (_, ConvertedType::TIME_MILLIS, _) => Self::Clock(1_000_000),
            (_, ConvertedType::TIME_MICROS, _) => Self::Clock(1_000),
            (Some(LogicalType::Integer(integer)), ..) if !integer.is_signed => Self::Unsigned,
            (
                _,
                ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64,
                _,
            ) => Self::Unsigned,
            (Some(LogicalType::Float16), _, Type::FIXED_LEN_BYTE_ARRAY) => Self::Half,
            (_, _, Type::FIXED_LEN_BYTE_ARRAY) => Self::Digits,
            (_, ConvertedType::INTERVAL, _) => return Err("intervals".into()),
            _ => Self::Plain,
        })
    }

    /// What a typed file would keep such a column as.
    pub(crate) fn kind_of(self, physical: Type) -> KeptKind {
        match (self, physical) {
            (Self::Plain, Type::INT32 | Type::INT64) | (Self::Unsigned, Type::INT32) => KeptKind::Whole,
            (Self::Plain, Type::FLOAT | Type::DOUBLE) | (Self::Half, _) => KeptKind::Number,
            _ => KeptKind::Text,
        }
    }

    fn whole(self, value: i64) -> String {
        match self {
            Self::Unsigned => (value as u64).to_string(),
            Self::Decimal(scale) => decimal(value.into(), scale),
            Self::Date => iso_date(value),
            Self::Moment(unit) => iso_moment(i128::from(value) * i128::from(unit)),
            Self::Clock(unit) => {
                let nanoseconds = i128::from(value) * i128::from(unit);
                clock((nanoseconds / 1_000_000_000) as i64, (nanoseconds % 1_000_000_000).unsigned_abs() as u32)
            }
            _ => value.to_string(),
        }
    }

    fn bytes(self, bytes: &[u8]) -> String {
        match (self, bytes) {
            (Self::Decimal(scale), _) if bytes.len() <= 16 => {
                let start = if bytes.first().is_some_and(|first| *first >= 0x80) { -1i128 } else { 0 };
                decimal(bytes.iter().fold(start, |number, byte| number << 8 | i128::from(*byte)), scale)
            }
            (Self::Half, [low, high]) => of_half(u16::from_le_bytes([*low, *high])).to_string(),
            (Self::Plain, _) if std::str::from_utf8(bytes).is_ok() => String::from_utf8_lossy(bytes).into_owned(),
            _ => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }
}

/// A column chunk being read.
pub(crate) struct KeptColumn {
    values: Stored,
    shown: Shown,
}

enum Stored {
    Bool(Values<BoolType>),
    Int32(Values<Int32Type>),
    Int64(Values<Int64Type>),
    Int96(Values<Int96Type>),
    Float(Values<FloatType>),
    Double(Values<DoubleType>),
    Bytes(Values<ByteArrayType>),
    Fixed(Values<FixedLenByteArrayType>),
}

impl KeptColumn {
    /// Takes over a column reader; nothing for a type that has no text.
    pub(crate) fn new(reader: ColumnReader, column: &ColumnDescriptor) -> Option<Self> {
        let (shown, level) = (Shown::of(column).ok()?, column.max_def_level());
        let values = match reader {
            ColumnReader::BoolColumnReader(reader) => Stored::Bool(Values::new(reader, level)),
            ColumnReader::Int32ColumnReader(reader) => Stored::Int32(Values::new(reader, level)),
            ColumnReader::Int64ColumnReader(reader) => Stored::Int64(Values::new(reader, level)),
            ColumnReader::Int96ColumnReader(reader) => Stored::Int96(Values::new(reader, level)),
            ColumnReader::FloatColumnReader(reader) => Stored::Float(Values::new(reader, level)),
            ColumnReader::DoubleColumnReader(reader) => Stored::Double(Values::new(reader, level)),
            ColumnReader::ByteArrayColumnReader(reader) => Stored::Bytes(Values::new(reader, level)),
            ColumnReader::FixedLenByteArrayColumnReader(reader) => Stored::Fixed(Values::new(reader, level)),
        };
        Some(Self { values, shown })
    }

    /// Hands the cells of up to `rows` rows to `f`, nothing for a null. Returns how many; zero is the end.
    pub(crate) fn read(&mut self, rows: usize, mut f: impl FnMut(Option<String>)) -> Result<usize> {
        let shown = self.shown;
        match &mut self.values {
            Stored::Bool(values) => values.read(rows, |value, _| f(value.map(bool::to_string))),
            Stored::Int32(values) => values.read(rows, |value, _| {
                let whole = |x: &i32| if shown == Shown::Unsigned { i64::from(*x as u32) } else { i64::from(*x) };
                f(value.map(|x| shown.whole(whole(x))))
            }),
            Stored::Int64(values) => values.read(rows, |value, _| f(value.map(|x| shown.whole(*x)))),
            Stored::Int96(values) => values.read(rows, |value, _| f(value.map(of_int96))),
            Stored::Float(values) => values.read(rows, |value, _| f(value.map(f32::to_string))),
            Stored::Double(values) => values.read(rows, |value, _| f(value.map(f64::to_string))),
            Stored::Bytes(values) => values.read(rows, |value, _| f(value.map(|bytes| shown.bytes(bytes.data())))),
            Stored::Fixed(values) => values.read(rows, |value, _| f(value.map(|bytes| shown.bytes(bytes.data())))),
        }
    }
}

/// Nanoseconds of a day in the lower half, the Julian day in the upper.
fn of_int96(value: &Int96) -> String {
    let [low, high, day] = *value.data() else { return String::new() };
    let nanoseconds = i128::from(u64::from(high) << 32 | u64::from(low));
    iso_moment((i128::from(day) - 2_440_588) * 86_400_000_000_000 + nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_as_people_write_them() {
        assert_eq!(Shown::Plain.whole(-7), "-7");
        assert_eq!(Shown::Unsigned.whole(-1), u64::MAX.to_string());
        assert_eq!(Shown::Decimal(2).whole(-1), "-0.01");
        assert_eq!(Shown::Date.whole(0), "1970-01-01");
        assert_eq!(Shown::Date.whole(-1), "1969-12-31");
        assert_eq!(Shown::Date.whole(19_782), "2024-02-29");
        assert_eq!(Shown::Date.whole(-719_528), "0000-01-01");
        assert_eq!(Shown::Moment(1_000_000).whole(1_500), "1970-01-01T00:00:01.5");
        assert_eq!(Shown::Moment(1).whole(-1), "1969-12-31T23:59:59.999999999");
        assert_eq!(Shown::Clock(1_000).whole(3_600_000_000), "01:00:00");
        assert_eq!(Shown::Decimal(1).bytes(&[0xff, 0xf6]), "-1.0");
        assert_eq!(Shown::Plain.bytes("Zoë ".as_bytes()), "Zoë ");
        assert_eq!(Shown::Plain.bytes(&[0xff, 0]), "ff00");
        assert_eq!(Shown::Digits.bytes(b"ab"), "6162");
        // No value, however odd, stops it.
        for value in [i64::MIN, i64::MAX] {
            for shown in [Shown::Date, Shown::Moment(1_000_000), Shown::Clock(1_000_000), Shown::Decimal(76)] {
                assert!(!shown.whole(value).is_empty());
            }
        }
    }
}
