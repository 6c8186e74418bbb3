//! A column of an Arrow file word for word.

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrowPrimitiveType};
use arrow_schema::{ArrowError, DataType, TimeUnit};

use super::arrow_table::{append_numbers, unsound};
use super::cell_date::{clock, iso_date, iso_moment};
use super::kept::decimal;

/// Hands the cells of a column to `f`, nothing for a null.
pub(super) fn append_kept(column: &dyn Array, f: &mut dyn FnMut(Option<String>)) -> Result<(), ArrowError> {
    fn each<T: ArrowPrimitiveType>(
        column: &dyn Array,
        f: &mut dyn FnMut(Option<String>),
        text: impl Fn(T::Native) -> String,
    ) {
        column.as_primitive::<T>().iter().for_each(|value| f(value.map(&text)));
    }
    let nanoseconds = |unit: &TimeUnit| match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1i128,
    };
    let moment = |unit: &TimeUnit| {
        let unit = nanoseconds(unit);
        move |x: i64| iso_moment(i128::from(x) * unit)
    };
    let of_day = |unit: &TimeUnit| {
        let per_second = 1_000_000_000 / nanoseconds(unit) as i64;
        move |x: i64| clock(x / per_second, (x % per_second * (1_000_000_000 / per_second)).unsigned_abs() as u32)
    };
    let owned = |text: Option<&str>| text.map(String::from);
    match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().iter().for_each(|text| f(owned(text))),
        DataType::LargeUtf8 => column.as_string::<i64>().iter().for_each(|text| f(owned(text))),
        DataType::Utf8View => column.as_string_view().iter().for_each(|text| f(owned(text))),
        DataType::Dictionary(..) => {
            let dictionary = column.as_any_dictionary();
            let mut levels = Vec::new();
            append_kept(dictionary.values(), &mut |level| levels.push(level))?;
            // Where a key is missing, the normalised one means nothing.
            for (row, key) in dictionary.normalized_keys().into_iter().enumerate() {
                f(levels.get(key).filter(|_| column.is_valid(row)).cloned().flatten());
            }
        }
        DataType::Boolean => column.as_boolean().iter().for_each(|value| f(value.map(|yes| yes.to_string()))),
        DataType::Int64 => each::<Int64Type>(column, f, |x| x.to_string()),
        DataType::UInt64 => each::<UInt64Type>(column, f, |x| x.to_string()),
        DataType::Float32 => each::<Float32Type>(column, f, |x| x.to_string()),
        DataType::Decimal32(_, scale) => each::<Decimal32Type>(column, f, |x| decimal(x.into(), (*scale).into())),
        DataType::Decimal64(_, scale) => each::<Decimal64Type>(column, f, |x| decimal(x.into(), (*scale).into())),
        DataType::Decimal128(_, scale) => each::<Decimal128Type>(column, f, |x| decimal(x, (*scale).into())),
        DataType::Date32 => each::<Date32Type>(column, f, |days| iso_date(days.into())),
        DataType::Date64 => each::<Date64Type>(column, f, |millis| iso_date(millis.div_euclid(86_400_000))),
        DataType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => each::<TimestampSecondType>(column, f, moment(unit)),
            TimeUnit::Millisecond => each::<TimestampMillisecondType>(column, f, moment(unit)),
            TimeUnit::Microsecond => each::<TimestampMicrosecondType>(column, f, moment(unit)),
            TimeUnit::Nanosecond => each::<TimestampNanosecondType>(column, f, moment(unit)),
        },
        DataType::Time32(unit @ TimeUnit::Second) => {
            each::<Time32SecondType>(column, f, |x| of_day(unit)(x.into()));
        }
        DataType::Time32(unit) => each::<Time32MillisecondType>(column, f, |x| of_day(unit)(x.into())),
        DataType::Time64(unit @ TimeUnit::Microsecond) => each::<Time64MicrosecondType>(column, f, of_day(unit)),
        DataType::Time64(unit) => each::<Time64NanosecondType>(column, f, of_day(unit)),
        // Every number of the other types is a double exactly; durations are hours, as everywhere.
        _ => {
            let mut numbers = Vec::new();
            append_numbers(column, &mut numbers)?;
            if numbers.len() != column.len() {
                return Err(unsound());
            }
            for (row, number) in numbers.into_iter().enumerate() {
                f(column.is_valid(row).then(|| number.to_string()));
            }
        }
    }
    Ok(())
}
