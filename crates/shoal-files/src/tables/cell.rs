//! One cell of a text table as a number.
//!
//! A cell is read by itself, by rules that were settled before the first record: what it means does not depend on any other
//! cell, so a row changes nothing but its own numbers.

use std::borrow::Cow;

use super::format::{CellRules, DecimalMark};
use super::{cell_date, cell_number, cell_usual};
use crate::CellLook;

/// What a cell holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell {
    /// A finite number.
    Number(f64),
    /// Nothing, one of the usual words for nothing, or an infinity.
    Missing,
    /// Something else.
    Other(CellLook),
}

/// Words for a missing value, in lower case. Infinities are among them: no bound holds for them. So are the errors of
/// spreadsheets.
const NOTHING: [&str; 18] = [
    "na", "n/a", "#n/a", "nan", "null", "none", "nil", "?", "inf", "infinity", "<na>", ".", "#div/0!", "#value!",
    "#ref!", "#num!", "#name?", "#null!",
];

/// Words for yes and no, in lower case.
const BOOLEANS: [(&str, f64); 4] = [("true", 1.0), ("false", 0.0), ("yes", 1.0), ("no", 0.0)];

/// Reads a cell. Blanks around it, and quotes that blanks kept the reader from removing, do not count.
#[inline]
pub(crate) fn parse(cell: &[u8], rules: CellRules) -> Cell {
    // No cell of digits holds a line end.
    match plain_cell(cell, b'\n', rules) {
        (length, Some(number)) if length == cell.len() => Cell::Number(number),
        _ => parse_text(cell, rules),
    }
}

/// Reads a cell that is no plain number.
#[inline]
pub(super) fn parse_text(cell: &[u8], rules: CellRules) -> Cell {
    cell_usual::read(cell, rules).unwrap_or_else(|| parse_long(cell, rules))
}

/// Reads a cell by everything that is accepted.
#[inline(never)]
pub(super) fn parse_long(cell: &[u8], rules: CellRules) -> Cell {
    let text = text_of(cell);
    let mut text = text.trim();
    if let Some(inside) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        text = inside.trim();
    }
    if rules.decimal == Some(DecimalMark::Point) || !text.contains(['.', ',']) {
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => return Cell::Number(number),
            Ok(_) => return Cell::Missing,
            Err(_) => {}
        }
    }
    if is_missing_word(text) {
        return Cell::Missing;
    }
    let number = cell_number::parse(text, rules.decimal);
    if let Some(Ok(number)) = number {
        return if number.is_finite() { Cell::Number(number) } else { Cell::Missing };
    }
    if let Some((_, number)) = BOOLEANS.iter().find(|(word, _)| word.eq_ignore_ascii_case(text)) {
        return Cell::Number(*number);
    }
    match cell_date::parse(text, rules.dates) {
        Some(Ok(number)) => Cell::Number(number),
        Some(Err(look)) => Cell::Other(look),
        None => Cell::Other(number.and_then(Result::err).unwrap_or(CellLook::Text)),
    }
}

/// The text of a cell or a name: UTF-8, or else Windows-1252, the other encoding that spreadsheets export. Each is judged by
/// itself.
pub(crate) fn text_of(cell: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(cell) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(cell.iter().map(|&byte| windows_1252(byte)).collect()),
    }
}

/// Windows-1252 is Latin-1 but for the bytes from 0x80 to 0x9f, of which five have no meaning.
fn windows_1252(byte: u8) -> char {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘',
        '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

pub(crate) fn is_missing_word(text: &str) -> bool {
    // No such word begins with a digit, and most cells do.
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        return false;
    }
    let word = text.trim_start_matches(['+', '-', '–', '—']);
    word.is_empty() || NOTHING.iter().any(|nothing| nothing.eq_ignore_ascii_case(word))
}

/// Powers of ten that a double holds exactly.
pub(super) const TENS: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// The length of the cell that `text` begins with, up to the delimiter or the end; and its number where that is plain: digits
/// with at most one mark before decimals and no exponent, up to fifteen of them. Then digits and power of ten are both exact
/// doubles and one division rounds correctly (Clinger 1990), so this gives the same as the parser of the standard library.
#[inline]
pub(crate) fn plain_cell(text: &[u8], delimiter: u8, rules: CellRules) -> (usize, Option<f64>) {
    let mark = if rules.decimal == Some(DecimalMark::Comma) { b',' } else { b'.' };
    let negative = text.first() == Some(&b'-');
    let start = usize::from(negative);
    let (mut value, mut point, mut at) = (0u64, usize::MAX, start);
    let rest = |at: usize| (memchr::memchr(delimiter, &text[at..]).map_or(text.len(), |found| at + found), None);
    while let Some(&byte) = text.get(at) {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 {
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        } else if byte == delimiter {
            break;
        } else if byte == mark && point == usize::MAX {
            point = at;
        } else {
            return rest(at);
        }
        at += 1;
    }
    let (has_point, after) = if point == usize::MAX { (0, 0) } else { (1, at - point - 1) };
    let digits = at - start - has_point;
    // A point before three digits may separate thousands: the long way finds out.
    let undecided = rules.decimal.is_none() && at > 4 && matches!(text[at - 4], b'.' | b',');
    if digits == 0 || digits > 15 || undecided {
        return (at, None);
    }
    let number = value as f64 / TENS[after];
    (at, Some(if negative { -number } else { number }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const POINT: CellRules = CellRules { decimal: Some(DecimalMark::Point), dates: None };
    const COMMA: CellRules = CellRules { decimal: Some(DecimalMark::Comma), dates: None };
    const EITHER: CellRules = CellRules { decimal: None, dates: None };

    #[test]
    fn numbers_in_their_many_spellings() {
        for (text, number) in [
            ("0", 0.0),
            ("-0.0", -0.0),
            ("+7", 7.0),
            (".5", 0.5),
            ("5.", 5.0),
            ("  3.25\t", 3.25),
            (" \"41\" ", 41.0),
            ("1e308", 1e308),
            ("5e-324", 5e-324),
            ("123456789012345678", 123456789012345678.0),
            ("0.1", 0.1),
            ("$39,474", 39_474.0),
            ("12 %", 12.0),
            ("TRUE", 1.0),
            ("False", 0.0),
            ("yes", 1.0),
            ("No", 0.0),
            ("2000-01-01", 2000.0),
            ("18:30", 18.5),
        ] {
            let Cell::Number(found) = parse(text.as_bytes(), POINT) else { panic!("{text}") };
            assert_eq!(found.to_bits(), f64::to_bits(number), "{text}");
        }
    }

    proptest! {
        /// A plain cell is what the long way makes of it, and ends where it ends.
        #[test]
        fn plain_cells_are_those_of_the_long_way(
            text in "[-+]?[0-9]{0,17}[.,]?[0-9]{0,5}[ae€% ]?",
            after in "(;[0-9;]{0,4})?",
        ) {
            for rules in [POINT, COMMA, EITHER] {
                let line = format!("{text}{after}");
                let (length, plain) = plain_cell(line.as_bytes(), b';', rules);
                prop_assert_eq!(length, text.len());
                if let Some(number) = plain {
                    prop_assert_eq!(parse_long(text.as_bytes(), rules), Cell::Number(number));
                }
            }
        }
    }

    #[test]
    fn the_rules_decide_what_a_comma_is() {
        for (text, point, comma, either) in [
            ("1.5", Some(1.5), None, Some(1.5)),
            ("1,5", None, Some(1.5), Some(1.5)),
            ("1.234", Some(1.234), Some(1234.0), None),
            ("-1.234", Some(-1.234), Some(-1234.0), None),
            ("1,234", Some(1234.0), Some(1.234), None),
            ("0.123", Some(0.123), None, Some(0.123)),
            ("1234.567", Some(1234.567), None, Some(1234.567)),
            ("1.234,50 €", None, Some(1234.5), Some(1234.5)),
            ("42", Some(42.0), Some(42.0), Some(42.0)),
            ("1e3", Some(1000.0), Some(1000.0), Some(1000.0)),
            ("31.12.1999", Some(1999.0 + 364.0 / 365.0), Some(1999.0 + 364.0 / 365.0), Some(1999.0 + 364.0 / 365.0)),
        ] {
            for (rules, number) in [(POINT, point), (COMMA, comma), (EITHER, either)] {
                let found = match parse(text.as_bytes(), rules) {
                    Cell::Number(number) => Some(number),
                    _ => None,
                };
                assert_eq!(found, number, "{text} by {rules:?}");
            }
        }
    }

    #[test]
    fn bytes_that_are_no_utf8_are_windows_1252() {
        assert_eq!(parse(b"1.234,50 \x80", COMMA), Cell::Number(1234.5));
        assert_eq!(parse(b"1\xa0234", POINT), Cell::Number(1234.0));
        assert_eq!(parse(&[0xff, 0xfe], POINT), Cell::Other(CellLook::Text));
        assert_eq!(text_of(b"Gr\xf6\xdfe"), "Größe");
    }

    #[test]
    fn missing_values_in_their_many_spellings() {
        for text in [
            "",
            "  ",
            "NA",
            "n/a",
            "NaN",
            "-nan",
            "null",
            "None",
            "inf",
            "-Infinity",
            "1e999",
            "?",
            "\"\"",
            "-",
            "--",
            ".",
            "#DIV/0!",
            "#N/A",
            "—",
        ] {
            for rules in [POINT, COMMA, EITHER] {
                assert_eq!(parse(text.as_bytes(), rules), Cell::Missing, "{text}");
            }
        }
    }

    #[test]
    fn everything_else_is_told_apart() {
        for text in ["1,5", "1.234,5", "-12,25", "0,123"] {
            assert_eq!(parse(text.as_bytes(), POINT), Cell::Other(CellLook::Comma), "{text}");
        }
        for text in ["blue", "12a", "1.2.3", "0x10", "1_000", ",", "a,b", "F", "M"] {
            assert_eq!(parse(text.as_bytes(), POINT), Cell::Other(CellLook::Text), "{text}");
        }
        assert_eq!(parse(b"4/5/1985", POINT), Cell::Other(CellLook::DayOrMonth));
        assert_eq!(parse(b"1.234", EITHER), Cell::Other(CellLook::PointOrComma));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        #[test]
        fn the_short_cut_agrees_with_the_full_parser(text in "-?[0-9]{0,9}[.,]?[0-9]{0,9}") {
            for rules in [POINT, COMMA] {
                if let (_, Some(number)) = plain_cell(text.as_bytes(), b'\n', rules) {
                    prop_assert_eq!(number.to_bits(), text.replace(',', ".").parse::<f64>().unwrap().to_bits());
                }
            }
            // And with the long way, whatever the rules.
            for rules in [POINT, COMMA, EITHER] {
                let (short, long) = (parse(text.as_bytes(), rules), parse_long(text.as_bytes(), rules));
                prop_assert!(short == long, "{} by {:?}: {:?} {:?}", text, rules, short, long);
            }
        }

        #[test]
        fn no_bytes_stop_it(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            for rules in [POINT, COMMA, EITHER] {
                parse(&bytes, rules);
            }
        }
    }
}
