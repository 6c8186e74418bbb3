//! Dates and times as numbers: a date is its year with decimals, a time of day its hours.
//!
//! 1985.0 is the beginning of 1 January 1985 and 1985.5 that of 2 July at noon: the part of the year that has passed. A
//! reader recognises such a number at once, and a column may mix whole years with dates. A time zone does not count: the
//! date is the one that is written. Days follow the Gregorian calendar, also before it was introduced.

use super::cell::TENS;
use super::format::DateOrder;
use crate::CellLook;

const DAY_SECONDS: f64 = 86_400.0;

/// Reads a date, a date with a time, or a time of day. Nothing if the text is none of these; the reason if it is one that
/// cannot be used.
pub(crate) fn parse(text: &str, order: Option<DateOrder>) -> Option<Result<f64, CellLook>> {
    let bytes = text.as_bytes();
    if !bytes.first()?.is_ascii_digit() || !text.is_ascii() {
        return None;
    }
    let end = text.find([' ', 'T', 't']).unwrap_or(text.len());
    let (date, rest) = (&text[..end], text[end..].trim_start_matches(['T', 't', ' ']));
    let Some(parts) = three_parts(date) else {
        return time_of_day(text).map(|seconds| Ok(seconds / 3600.0));
    };
    let [first, second, third] = parts.numbers;
    let (year, month, day) = match (parts.digits, parts.mark) {
        ([4, 1..=2, 1..=2], _) => (first, second, third),
        ([1..=2, 1..=2, 4], b'.') => (third, second, first),
        ([1..=2, 1..=2, 4], _) => match order {
            Some(DateOrder::DayFirst) => (third, second, first),
            Some(DateOrder::MonthFirst) => (third, first, second),
            None => return Some(Err(CellLook::DayOrMonth)),
        },
        ([1..=2, 1..=2, 2], _) => return Some(Err(CellLook::ShortYear)),
        _ => return None,
    };
    if year == 0 || !(1..=12).contains(&month) || day == 0 || day > days_in_month(year, month) {
        return Some(Err(CellLook::NoSuchDate));
    }
    let seconds = if rest.is_empty() { 0.0 } else { time_of_day(rest)? };
    Some(Ok(decimal_year(i64::from(year), day_of_year(year, month, day), seconds)))
}

/// A bound that is a date, or nothing.
pub(crate) fn of_bound(text: &str) -> Option<f64> {
    // Day and month are never in doubt in a bound: the year comes first.
    three_parts(text).filter(|parts| parts.digits[0] == 4)?;
    parse(text, None)?.ok()
}

/// A date of the calendar, as year, month and day, and so many seconds after its beginning.
pub(crate) fn of_calendar([year, month, day]: [u32; 3], seconds: f64) -> f64 {
    decimal_year(i64::from(year), day_of_year(year, month, day.max(1)), seconds)
}

/// The date so many seconds after the beginning of 1970.
pub(crate) fn of_unix_seconds(seconds: f64) -> f64 {
    let days = (seconds / DAY_SECONDS).floor();
    of_unix_days(days, seconds - days * DAY_SECONDS)
}

/// The date so many days after 1 January 1970, and so many seconds after its beginning.
pub(crate) fn of_unix_days(days: f64, seconds: f64) -> f64 {
    // Beyond this the calendar means nothing, and the number only has to be finite and in order.
    if !(-4e8..4e8).contains(&days) {
        return 1970.0 + days / 365.2425;
    }
    let (year, day) = year_of(days as i64);
    decimal_year(year, day, seconds)
}

/// Year and day in it, from 0, of a day counted from 1 January 1970.
fn year_of(days: i64) -> (i64, u32) {
    let start = |year: i64| {
        365 * (year - 1970) + (year - 1).div_euclid(4) - (year - 1).div_euclid(100) + (year - 1).div_euclid(400) - 477
    };
    // A guess by the mean length of a year is wrong by one at most.
    let mut year = 1970 + (days * 400).div_euclid(146_097);
    while start(year) > days {
        year -= 1;
    }
    while start(year + 1) <= days {
        year += 1;
    }
    (year, (days - start(year)) as u32)
}

/// A day counted from 1 January 1970, as `1985-12-31`.
pub(crate) fn iso_date(days: i64) -> String {
    // Beyond this no calendar has a date, and the count itself is all there is.
    if !(-400_000_000..400_000_000).contains(&days) {
        return format!("{days} days after 1970-01-01");
    }
    let (year, mut day) = year_of(days);
    let mut month = 1;
    // Whether a year is a leap year repeats every 400 years.
    let length = |month: u32| days_in_month(year.rem_euclid(400) as u32 + 400, month);
    while day >= length(month) {
        day -= length(month);
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", day + 1)
}

/// So many nanoseconds after the beginning of 1970, as `1985-12-31T23:59:59.5`.
pub(crate) fn iso_moment(nanoseconds: i128) -> String {
    let seconds = nanoseconds.div_euclid(1_000_000_000);
    let (days, of_day) = (seconds.div_euclid(86_400) as i64, seconds.rem_euclid(86_400) as i64);
    format!("{}T{}", iso_date(days), clock(of_day, nanoseconds.rem_euclid(1_000_000_000) as u32))
}

/// A time of day as `23:59:59.5`.
pub(crate) fn clock(seconds: i64, nanoseconds: u32) -> String {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let decimals = format!("{nanoseconds:09}");
    let decimals = decimals.trim_end_matches('0');
    let point = if decimals.is_empty() { "" } else { "." };
    format!("{hours:02}:{minutes:02}:{seconds:02}{point}{decimals}")
}

/// A day of a year, from 0, and so many seconds after its beginning.
pub(super) fn decimal_year(year: i64, day: u32, seconds: f64) -> f64 {
    let days = if is_leap(year) { 366.0 } else { 365.0 };
    year as f64 + (f64::from(day) + seconds / DAY_SECONDS) / days
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in_month(year: u32, month: u32) -> u32 {
    match month {
        2 => 28 + u32::from(is_leap(i64::from(year))),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The day in its year, from 0.
fn day_of_year(year: u32, month: u32, day: u32) -> u32 {
    (1..month).map(|month| days_in_month(year, month)).sum::<u32>() + day - 1
}

struct Parts {
    numbers: [u32; 3],
    digits: [usize; 3],
    mark: u8,
}

/// Three short numbers with the same mark between them.
fn three_parts(text: &str) -> Option<Parts> {
    let mark = text.bytes().find(|byte| !byte.is_ascii_digit()).filter(|mark| b"-/.".contains(mark))?;
    let mut parts = text.split(char::from(mark));
    let texts = [parts.next()?, parts.next()?, parts.next()?];
    if parts.next().is_some() {
        return None;
    }
    let mut numbers = [0; 3];
    for (number, text) in numbers.iter_mut().zip(texts) {
        *number = digits(text, 4)?;
    }
    Some(Parts { numbers, digits: texts.map(str::len), mark })
}

/// A whole number of at most so many digits and nothing else.
fn digits(text: &str, most: usize) -> Option<u32> {
    (1..=most).contains(&text.len()).then_some(())?;
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// Seconds since midnight of `HH:MM`, `HH:MM:SS` or `HH:MM:SS.fff`, with `AM` or `PM` and a time zone where there is one.
fn time_of_day(text: &str) -> Option<f64> {
    let text = without_zone(text.trim());
    let (text, half) =
        match text.len().checked_sub(2).filter(|&at| text.is_char_boundary(at)).map(|at| text.split_at(at)) {
            Some((time, half)) if half.eq_ignore_ascii_case("am") => (time.trim_end(), Some(0)),
            Some((time, half)) if half.eq_ignore_ascii_case("pm") => (time.trim_end(), Some(12)),
            _ => (text, None),
        };
    let mut parts = text.split(':');
    let (hours, minutes) = (digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let seconds = match parts.next() {
        Some(text) => {
            let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
            // Both numbers are exact, so the quotient is rounded once.
            f64::from(digits(whole, 2)?) + f64::from(digits(fraction, 9)?) / TENS[fraction.len()]
        }
        None => 0.0,
    };
    let hours = match half {
        Some(half) if (1..=12).contains(&hours) => hours % 12 + half,
        Some(_) => return None,
        None => hours,
    };
    // A leap second is the end of its minute.
    let known = parts.next().is_none() && hours < 24 && minutes < 60 && seconds < 61.0;
    known.then(|| f64::from(hours * 3600 + minutes * 60) + seconds.min(60.0))
}

/// A time without `Z`, `UTC`, `+02:00` or `-0500` at its end.
fn without_zone(text: &str) -> &str {
    let text = text.strip_suffix(['Z', 'z']).or_else(|| text.strip_suffix("UTC")).unwrap_or(text).trim_end();
    match text.rfind(['+', '-']) {
        Some(at)
            if text[at + 1..].bytes().all(|byte| byte.is_ascii_digit() || byte == b':') && at + 3 <= text.len() =>
        {
            text[..at].trim_end()
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> f64 {
        parse(text, None).unwrap().unwrap()
    }

    #[test]
    fn dates_in_their_many_spellings() {
        for text in [
            "1985-04-05",
            "1985/4/5",
            "1985.04.05",
            "05.04.1985",
            "5.4.1985",
            "1985-04-05T00:00:00Z",
            "1985-04-05 00:00",
            "1985-04-05 12:00:00 AM",
        ] {
            assert_eq!(read(text), 1985.0 + 94.0 / 365.0, "{text}");
        }
        for text in ["1985-04-05T06:00:00.000+02:00", "1985-04-05 6:00 AM", "05.04.1985 06:00:00-0500"] {
            assert_eq!(read(text), 1985.0 + 94.25 / 365.0, "{text}");
        }
        assert_eq!(read("2000-01-01"), 2000.0);
        assert_eq!(read("2000-12-31T12:00"), 2000.0 + 365.5 / 366.0);
        assert_eq!(read("0001-01-01"), 1.0);
        assert_eq!(parse("4/5/1985", Some(DateOrder::MonthFirst)), Some(Ok(read("1985-04-05"))));
        assert_eq!(parse("4/5/1985", Some(DateOrder::DayFirst)), Some(Ok(read("1985-05-04"))));
    }

    #[test]
    fn times_of_day_are_hours() {
        assert_eq!(read("08:30"), 8.5);
        assert_eq!(read("8:30:36"), 8.51);
        assert_eq!(read("12:15 AM"), 0.25);
        assert_eq!(read("12:15 pm"), 12.25);
        assert_eq!(read("23:59:60"), 24.0);
    }

    #[test]
    fn what_cannot_be_used_is_refused_and_the_rest_is_no_date() {
        for (text, look) in [
            ("4/5/1985", CellLook::DayOrMonth),
            ("4-5-1985", CellLook::DayOrMonth),
            ("4/5/85", CellLook::ShortYear),
            ("1985-13-01", CellLook::NoSuchDate),
            ("1900-02-29", CellLook::NoSuchDate),
            ("0000-01-01", CellLook::NoSuchDate),
            ("31.04.1985", CellLook::NoSuchDate),
        ] {
            assert_eq!(parse(text, None), Some(Err(look)), "{text}");
        }
        for text in [
            "",
            "blue",
            "1985",
            "1985-04",
            "1-2-3-4",
            "12:",
            "25:00",
            "12:60",
            "1985-04-05 noon",
            "١٩٨٥-04-05",
            "13:00 PM",
            "1/2",
            "--",
        ] {
            assert_eq!(parse(text, None), None, "{text}");
        }
    }

    #[test]
    fn days_since_1970_agree_with_the_calendar() {
        for (days, text) in [
            (0.0, "1970-01-01"),
            (-1.0, "1969-12-31"),
            (11_016.0, "2000-02-29"),
            (19_723.0, "2024-01-01"),
            (-719_162.0, "0001-01-01"),
            (2_932_896.0, "9999-12-31"),
            (-25_567.0, "1900-01-01"),
        ] {
            assert_eq!(of_unix_days(days, 0.0), read(text), "{text}");
        }
        assert_eq!(of_unix_seconds(86_400.0 * 11_016.25), read("2000-02-29 06:00"));
        assert!(of_unix_seconds(f64::MAX / 2.0).is_finite() && of_unix_seconds(-1e300).is_finite());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn later_days_are_larger_numbers(days in -800_000i64..4_000_000) {
            prop_assert!(of_unix_days(days as f64, 86_399.0) < of_unix_days(days as f64 + 1.0, 0.0));
        }

        #[test]
        fn no_text_stops_it(text in any::<String>(), close in "[0-9:/. TZ+apmAPM-]{0,24}") {
            for text in [&text, &close] {
                parse(text, None);
                parse(text, Some(DateOrder::DayFirst));
                of_bound(text);
            }
        }
    }
}
