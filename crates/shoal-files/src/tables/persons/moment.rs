//! When a row was made: a date, a time or a number, as an integer that keeps the order.

/// What the cells of an ordering column are. All of a column are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MomentKind {
    Number,
    Date,
}

/// An integer that orders as the number does.
pub(crate) fn of_number(x: f64) -> i64 {
    // −0 is 0; else the bits of a float order like its value, backwards below zero.
    let bits = (x + 0.0).to_bits() as i64;
    if bits < 0 { !bits ^ i64::MIN } else { bits }
}

/// A number, or a date as `2024-03-31`, also with a time of day: `2024-03-31T23:59`, `2024-03-31 23:59:59.5`, `…Z`, `…+02:00`.
/// Dates without an offset are taken as they are.
pub(crate) fn parse(text: &str) -> Option<(MomentKind, i64)> {
    let text = text.trim();
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Some((MomentKind::Number, of_number(number))),
        Ok(_) => None,
        Err(_) => date(text).map(|microseconds| (MomentKind::Date, microseconds)),
    }
}

/// Microseconds since 1970.
fn date(text: &str) -> Option<i64> {
    let (day, time) = match text.split_once(['T', 't', ' ']) {
        Some((day, time)) => (day, Some(time)),
        None => (text, None),
    };
    let mut parts = day.split('-');
    let (year, month, day) = (digits(parts.next()?, 4)?, digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    if parts.next().is_some() || !(1..=12).contains(&month) || !(1..=days_in(year, month)).contains(&day) {
        return None;
    }
    let of_day = time.map_or(Some(0), time_of_day)?;
    Some((days_since_1970(year, month, day) * 86_400) * 1_000_000 + of_day)
}

/// Microseconds since midnight in UTC.
fn time_of_day(text: &str) -> Option<i64> {
    let (clock, offset) = match text.find(['Z', 'z', '+', '-']) {
        Some(at) => (&text[..at], offset(&text[at..])?),
        None => (text, 0),
    };
    let mut parts = clock.trim().split(':');
    let (hours, minutes) = (digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let (seconds, fraction) = match parts.next() {
        None => (0, 0),
        Some(seconds) => match seconds.split_once('.') {
            None => (digits(seconds, 2)?, 0),
            Some((whole, part)) => (digits(whole, 2)?, microseconds(part)?),
        },
    };
    if parts.next().is_some() || hours > 24 || minutes > 59 || seconds > 60 {
        return None;
    }
    Some((hours * 3600 + minutes * 60 + seconds - offset) * 1_000_000 + fraction)
}

/// Seconds east of UTC.
fn offset(text: &str) -> Option<i64> {
    let (sign, rest) = match text.as_bytes() {
        [b'Z' | b'z'] => return Some(0),
        [b'+', ..] => (1, &text[1..]),
        [b'-', ..] => (-1, &text[1..]),
        _ => return None,
    };
    let (hours, minutes) = match rest.split_once(':') {
        Some((hours, minutes)) => (digits(hours, 2)?, digits(minutes, 2)?),
        None if rest.len() == 4 => (digits(rest.get(..2)?, 2)?, digits(rest.get(2..)?, 2)?),
        None => (digits(rest, 2)?, 0),
    };
    Some(sign * (hours * 3600 + minutes * 60))
}

fn microseconds(part: &str) -> Option<i64> {
    let all = part.bytes().all(|byte| byte.is_ascii_digit()) && !part.is_empty();
    let first: String = part.chars().chain("000000".chars()).take(6).collect();
    if all { first.parse().ok() } else { None }
}

fn digits(text: &str, count: usize) -> Option<i64> {
    let all = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    if all { text.parse().ok() } else { None }
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days of the Gregorian calendar, counted in years that begin in March, so that a leap day is the last of its year.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let before_month = (153 * month + 2) / 5;
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + before_month + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_dates() {
        // From `date -u -d … +%s`.
        for (text, seconds) in [
            ("1970-01-01", 0),
            ("2000-02-29", 951_782_400),
            ("2024-03-01", 1_709_251_200),
            ("0001-01-01", -62_135_596_800),
            ("2024-03-31T23:59:59Z", 1_711_929_599),
            ("2024-03-31 23:59", 1_711_929_540),
            ("2024-03-31T23:59:59+02:00", 1_711_922_399),
            ("2024-03-31T23:59:59-0230", 1_711_938_599),
        ] {
            assert_eq!(parse(text), Some((MomentKind::Date, seconds * 1_000_000)), "{text}");
        }
        assert_eq!(parse("1970-01-01 00:00:00.25"), Some((MomentKind::Date, 250_000)));
    }

    #[test]
    fn what_is_neither_a_date_nor_a_number_is_nothing() {
        for text in [
            "",
            "inf",
            "nan",
            "31.03.2024",
            "2024-13-01",
            "2023-02-29",
            "2024-3-1",
            "2024-03-31T",
            "x",
            "2024-03-01T25:00",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_keep_their_order() {
        let numbers = [f64::MIN, -1e300, -2.0, -1.0, -1e-300, 0.0, 5e-324, 1.0, 1.5, 2.0, 1e300, f64::MAX];
        assert!(numbers.windows(2).all(|pair| of_number(pair[0]) < of_number(pair[1])));
        assert_eq!(of_number(-0.0), of_number(0.0));
    }
}
