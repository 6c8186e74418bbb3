//! The usual cells that are more than digits, byte by byte: money, thousands, percentages, decimal commas, dates, times, yes
//! and no.
//!
//! Most cells of most tables are written in a few ways. Those are read here without a copy, a character or a table of words;
//! every other cell goes the long way of [`super::cell_number`] and [`super::cell_date`], which alone decides what is accepted
//! and what a refusal says. Whatever is read here the long way reads alike, to the last bit.

use super::cell::{Cell, TENS};
use super::cell_date::decimal_year;
use super::format::{CellRules, DateOrder, DecimalMark};

/// Days of a common year before each month.
const BEFORE: [u32; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

/// Reads a cell, or leaves it to the long way.
#[inline]
pub(super) fn read(cell: &[u8], rules: CellRules) -> Option<Cell> {
    let cell = cell.trim_ascii();
    let Some(&first) = cell.first() else { return Some(Cell::Missing) };
    if first.is_ascii_alphabetic() {
        return word(cell);
    }
    if first.is_ascii_digit()
        && let Some(&third) = cell.get(2)
    {
        if third == b':' {
            return clock(cell).map(|seconds| Cell::Number(seconds / 3600.0));
        }
        if cell.len() >= 10
            && (is_date_mark(third) || is_date_mark(cell[4]))
            && let Some(date) = date(cell, rules.dates)
        {
            return Some(Cell::Number(date));
        }
    }
    number(cell, rules.decimal).map(Cell::Number)
}

/// The usual words, in upper or lower case.
fn word(cell: &[u8]) -> Option<Cell> {
    let mut lower = [0; 5];
    lower.get_mut(..cell.len())?.copy_from_slice(cell);
    // Of two bytes that become the same letter, one is its capital.
    lower.iter_mut().take(cell.len()).for_each(|byte| *byte |= 0x20);
    Some(match &lower[..cell.len()] {
        b"true" | b"yes" => Cell::Number(1.0),
        b"false" | b"no" => Cell::Number(0.0),
        b"na" | b"nan" | b"null" | b"none" => Cell::Missing,
        _ => return None,
    })
}

/// Digits in one run or in groups of three, with decimals or without, between a sign and a currency or percent sign.
fn number(cell: &[u8], decimal: Option<DecimalMark>) -> Option<f64> {
    let (negative, unsigned) = match cell {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, cell),
    };
    let text = match unsigned {
        [b'$', rest @ ..] | [0xe2, 0x82, 0xac, rest @ ..] | [0xc2, 0xa3, rest @ ..] => after_blank(rest),
        _ => unsigned,
    };
    if !text.first()?.is_ascii_digit() {
        return None;
    }
    let (mut value, mut at, mut start) = (0_u64, 0, 0);
    // Marks so far, the last of them, the one of the groups before it, and the digits before the first.
    let (mut marks, mut last, mut group, mut first_run) = (0, 0, 0, 0);
    while let Some(&byte) = text.get(at) {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 {
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        } else if matches!(byte, b'.' | b',' | b' ' | b'\'') && text.get(at + 1).is_some_and(u8::is_ascii_digit) {
            match marks {
                0 => first_run = at,
                // The mark before turns out to be one between groups.
                _ if at - start != 3 || (marks > 1 && last != group) => return None,
                _ => group = last,
            }
            (marks, last, start) = (marks + 1, byte, at + 1);
        } else {
            break;
        }
        at += 1;
    }
    let (digits, last_run) = (at - marks, at - start);
    let small_first = first_run <= 3 && text[0] != b'0';
    let has_decimals = match (decimal, last) {
        _ if marks == 0 => false,
        (Some(DecimalMark::Point), mark) => mark == b'.',
        (Some(DecimalMark::Comma), mark) => mark == b',',
        // One mark before three digits may mean either.
        (None, b'.' | b',') if marks == 1 && last_run == 3 && small_first => return None,
        (None, b'.' | b',') => marks == 1 || last != group,
        (None, _) => false,
    };
    let sound = match (marks, has_decimals) {
        (0, _) | (1, true) => true,
        (_, true) => group != last && small_first,
        (1, false) => last_run == 3 && small_first,
        (_, false) => group == last && last_run == 3 && small_first,
    };
    let rest = &text[at..];
    let known = rest.is_empty() || (text.len() == unsigned.len() && is_usual_unit(after_blank(rest)));
    if digits > 15 || !sound || !known {
        return None;
    }
    // Both are exact, so the quotient is rounded once, as the standard library does.
    let number = value as f64 / TENS[if has_decimals { last_run } else { 0 }];
    Some(if negative { -number } else { number })
}

/// What follows a blank, one that does not break, or a narrow one; or the same bytes.
fn after_blank(bytes: &[u8]) -> &[u8] {
    match bytes {
        [b' ', rest @ ..] | [0xc2, 0xa0, rest @ ..] | [0xe2, 0x80, 0xaf, rest @ ..] => rest,
        _ => bytes,
    }
}

fn is_usual_unit(unit: &[u8]) -> bool {
    matches!(unit, b"%" | b"\xe2\x82\xac" | b"$" | b"\xc2\xa3" | b"kr" | b"EUR" | b"USD")
}

/// A date whose month and day have two digits and whose year has four, with a time or without.
fn date(cell: &[u8], order: Option<DateOrder>) -> Option<f64> {
    let (day_and_year, time) = cell.split_first_chunk::<10>()?;
    let [a, b, c, d, e, f, g, h, i, j] = *day_and_year;
    let (year, month, day) = if c.is_ascii_digit() {
        let marked = e == h && is_date_mark(e);
        marked.then_some((([a, b], [c, d]), [f, g], [i, j]))?
    } else {
        let month_first = match (c, order) {
            (b'.', _) | (_, Some(DateOrder::DayFirst)) => false,
            (_, Some(DateOrder::MonthFirst)) => true,
            (_, None) => return None,
        };
        let marked = c == f && is_date_mark(c);
        let (month, day) = if month_first { ([a, b], [d, e]) } else { ([d, e], [a, b]) };
        marked.then_some((([g, h], [i, j]), month, day))?
    };
    let (year, month, day) = (100 * two(year.0)? + two(year.1)?, two(month)?, two(day)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let before = *BEFORE.get((month as usize).checked_sub(1)?)?;
    let length = BEFORE.get(month as usize).unwrap_or(&365) - before + u32::from(leap && month == 2);
    if year == 0 || day == 0 || day > length {
        return None;
    }
    let seconds = match time {
        [] => 0.0,
        [b' ' | b'T', time @ ..] => clock(time.strip_suffix(b"Z").unwrap_or(time))?,
        _ => return None,
    };
    Some(decimal_year(i64::from(year), before + u32::from(leap && month > 2) + day - 1, seconds))
}

fn is_date_mark(byte: u8) -> bool {
    matches!(byte, b'-' | b'/' | b'.')
}

/// Seconds since midnight of `HH:MM` or `HH:MM:SS`.
fn clock(time: &[u8]) -> Option<f64> {
    let (hours, minutes, seconds) = match *time {
        [a, b, b':', c, d] => (two([a, b])?, two([c, d])?, 0),
        [a, b, b':', c, d, b':', e, f] => (two([a, b])?, two([c, d])?, two([e, f])?),
        _ => return None,
    };
    let known = hours < 24 && minutes < 60 && seconds < 60;
    known.then(|| f64::from(hours * 3600 + minutes * 60 + seconds))
}

/// The number of two digits.
fn two([tens, ones]: [u8; 2]) -> Option<u32> {
    let (tens, ones) = (tens.wrapping_sub(b'0'), ones.wrapping_sub(b'0'));
    (tens < 10 && ones < 10).then(|| u32::from(10 * tens + ones))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::cell::parse_long;
    use proptest::prelude::*;

    fn all_rules() -> impl Iterator<Item = CellRules> {
        let marks = [None, Some(DecimalMark::Point), Some(DecimalMark::Comma)];
        let orders = [None, Some(DateOrder::DayFirst), Some(DateOrder::MonthFirst)];
        marks.into_iter().flat_map(move |decimal| orders.map(|dates| CellRules { decimal, dates }))
    }

    /// Whether every rule gives what the long way gives, to the last bit.
    fn agrees(cell: &[u8]) -> Result<(), String> {
        for rules in all_rules() {
            let (short, long) = (read(cell, rules), parse_long(cell, rules));
            let same = match (short, long) {
                (None, _) => true,
                (Some(Cell::Number(short)), Cell::Number(long)) => short.to_bits() == long.to_bits(),
                (Some(short), long) => short == long,
            };
            if !same {
                let cell = String::from_utf8_lossy(cell);
                return Err(format!("{cell:?} by {rules:?}: {short:?} and {long:?}"));
            }
        }
        Ok(())
    }

    /// The cells that this is for do not go the long way.
    #[test]
    fn the_usual_cells_are_read_here() {
        let comma = CellRules { decimal: Some(DecimalMark::Comma), dates: Some(DateOrder::DayFirst) };
        for (text, number) in [
            ("1.234,50 €", 1234.5),
            ("-1.234,50\u{a0}€", -1234.5),
            ("€ 12", 12.0),
            ("-$1.234.567", -1_234_567.0),
            ("12 %", 12.0),
            ("12,5%", 12.5),
            ("1 234,5", 1234.5),
            ("1'234'567,25", 1_234_567.25),
            ("12,3", 12.3),
            ("  7 ", 7.0),
            ("0,125 kr", 0.125),
            ("1985-04-05", 1985.0 + 94.0 / 365.0),
            ("05.04.1985", 1985.0 + 94.0 / 365.0),
            ("05/04/1985", 1985.0 + 94.0 / 365.0),
            ("1985-04-05T06:00:00Z", 1985.0 + 94.25 / 365.0),
            ("2000/12/31 12:00", 2000.0 + 365.5 / 366.0),
            ("18:30", 18.5),
            ("08:30:36", 8.51),
            ("True", 1.0),
            ("no", 0.0),
        ] {
            assert_eq!(read(text.as_bytes(), comma), Some(Cell::Number(number)), "{text}");
            agrees(text.as_bytes()).unwrap();
        }
        for text in ["", "  ", "NA", "NaN", "null", "None"] {
            assert_eq!(read(text.as_bytes(), comma), Some(Cell::Missing), "{text}");
            agrees(text.as_bytes()).unwrap();
        }
    }

    #[test]
    fn what_may_mean_two_things_or_nothing_goes_the_long_way() {
        let either = CellRules { decimal: None, dates: None };
        for text in
            ["1.234", "12,345 €", "4/5/1985", "04/05/1985", "1985-02-29", "0000-01-01", "23:59:60", "1e5", "blue"]
        {
            assert_eq!(read(text.as_bytes(), either), None, "{text}");
        }
    }

    /// Every day of four centuries, and those that there are not.
    #[test]
    fn every_date_agrees() {
        for year in (1..10_000).step_by(37).chain(1896..1912).chain(1996..2004) {
            for (month, day) in (0..=13).flat_map(|month| [0, 1, 28, 29, 30, 31, 32].map(|day| (month, day))) {
                agrees(format!("{year:04}-{month:02}-{day:02}").as_bytes()).unwrap();
                agrees(format!("{day:02}/{month:02}/{year:04}").as_bytes()).unwrap();
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn numbers_agree(
            before in prop::sample::select(vec!["", "", "-", "$", "-$", "€", "£ ", "$-", " ", "- ", "+", "(", "US$"]),
            first in "[0-9]{0,4}",
            groups in prop::collection::vec(("[.,' \u{a0}]", "[0-9]{1,4}"), 0..4),
            like: bool,
            after in prop::sample::select(vec![
                "", "", " %", "%", " €", "\u{a0}€", "\u{202f}€", "$", " kr", " kr.", "EUR", " USD", "e3", ")", " ", "-", ".", ",", "%%", " E",
            ]),
        ) {
            let mark = groups.first().map(|(mark, _)| mark.clone());
            let count = groups.len();
            let groups = groups.into_iter().enumerate().map(|(i, (own, digits))| {
                // Often the same mark between groups of three, and another one at the end.
                let own = if like && i + 1 < count { mark.clone().unwrap_or(own) } else { own };
                let digits = if like && i + 1 < count { format!("{:0>3}", &digits[..digits.len().min(3)]) } else { digits };
                own + &digits
            });
            let text = format!("{before}{first}{}{after}", groups.collect::<String>());
            prop_assert_eq!(agrees(text.as_bytes()), Ok(()));
        }

        #[test]
        fn dates_and_times_agree(
            text in "([0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4})?[ Tt]?([0-2]?[0-9]:[0-6][0-9](:[0-6][0-9](\\.[0-9]{1,4})?)?)?( ?[AP]M)?(Z|\\+02:00)?",
            close in "([12][0-9]{3}([-/.])[01][0-9][-/.][0-3][0-9]|[0-3][0-9][-/.][01][0-9][-/.][12][0-9]{3})([ T][0-2][0-9]:[0-6][0-9](:[0-6][0-9])?Z?)?",
        ) {
            prop_assert_eq!(agrees(text.as_bytes()), Ok(()));
            prop_assert_eq!(agrees(close.as_bytes()), Ok(()));
        }

        #[test]
        fn anything_agrees(
            bytes in prop::collection::vec(any::<u8>(), 0..24),
            close in "[0-9.,' $€£%()eE+:/TZ\u{a0}\u{202f}-]{0,20}",
            words in "[ \"]?[tTfFyYnN][a-zA-Z/]{0,4}[ \"]?",
        ) {
            prop_assert_eq!(agrees(&bytes), Ok(()));
            prop_assert_eq!(agrees(close.as_bytes()), Ok(()));
            prop_assert_eq!(agrees(words.as_bytes()), Ok(()));
        }
    }
}
