//! Numbers as people write them: money, thousands, percentages, decimal commas.

use super::format::DecimalMark;
use crate::CellLook;

/// Signs and names of currencies, the longer first where one begins with another.
const CURRENCIES: [&str; 48] = [
    "US$", "C$", "A$", "R$", "$", "€", "£", "¥", "₹", "₽", "₩", "₺", "₪", "₴", "₫", "₱", "฿", "₦", "kr.", "kr", "zł",
    "Kč", "Ft", "Fr.", "USD", "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "CAD", "AUD", "NZD", "SEK", "NOK", "DKK",
    "PLN", "CZK", "HUF", "BRL", "MXN", "ZAR", "KRW", "TRY", "ILS", "SGD", "HKD",
];

/// Characters of the longest number that is read.
const LONGEST: usize = 64;

/// Reads a number with a currency, marks between thousands, a percent sign or a decimal comma; `12 %` is 12 and `(5)` is −5.
/// `decimal` is the mark before decimals; without one the cell has to show it. Nothing if the text is something else.
pub(crate) fn parse(text: &str, decimal: Option<DecimalMark>) -> Option<Result<f64, CellLook>> {
    let (mut negative, mut rest) = (false, text);
    if let Some(inside) = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        (negative, rest) = (true, inside.trim());
    }
    let mut signs = usize::from(negative);
    let mut sign = |rest: &mut &str| {
        for (mark, minus) in [('-', true), ('\u{2212}', true), ('+', false)] {
            if let Some(after) = rest.strip_prefix(mark) {
                (*rest, negative, signs) = (after.trim_start(), minus, signs + 1);
                return;
            }
        }
    };
    sign(&mut rest);
    let unsigned = rest;
    // No currency begins or ends with a digit, and the cells that have none are many.
    let begins_with_digit = rest.starts_with(|first: char| first.is_ascii_digit());
    if !begins_with_digit {
        rest = CURRENCIES.iter().find_map(|mark| rest.strip_prefix(mark)).unwrap_or(rest).trim_start();
    }
    if rest.len() == unsigned.len() {
        let end = |mark: &&str| rest.strip_suffix(*mark);
        if !rest.ends_with(|last: char| last.is_ascii_digit()) {
            rest = end(&"%").or_else(|| CURRENCIES.iter().find_map(end)).unwrap_or(rest).trim_end();
        }
    } else {
        sign(&mut rest);
    }
    if signs > 1 || !rest.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '.' | ',')) {
        return None;
    }
    Some(match unsigned_number(rest, decimal)? {
        Ok(number) => Ok(if negative { -number } else { number }),
        Err(look) => Err(look),
    })
}

fn unsigned_number(text: &str, decimal: Option<DecimalMark>) -> Option<Result<f64, CellLook>> {
    let (digits, exponent) = match text.find(['e', 'E']) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let allowed = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',') || is_group_mark(c);
    if text.len() > LONGEST || !digits.chars().all(allowed) || !digits.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let point = match decimal_place(digits, decimal) {
        Ok(point) => point,
        Err(look) => return Some(Err(look)),
    };
    let (whole, fraction) = point.map_or((digits, ""), |at| (&digits[..at], &digits[at + 1..]));
    let mark = point.map(|at| char::from(digits.as_bytes()[at]));
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) || !has_sound_groups(whole, mark) {
        return match decimal {
            Some(DecimalMark::Point) if digits.contains(',') => Some(Err(CellLook::Comma)),
            Some(DecimalMark::Comma) if digits.contains('.') => Some(Err(CellLook::Point)),
            _ => None,
        };
    }
    // What is left is the plain form that the standard parser takes: digits, a point, digits, an exponent.
    let (mut plain, mut length) = ([0; LONGEST + 1], 0);
    let point = if point.is_some() { "." } else { "" };
    let kept =
        whole.bytes().filter(u8::is_ascii_digit).chain(point.bytes()).chain(fraction.bytes()).chain(exponent.bytes());
    for byte in kept {
        plain[length] = byte;
        length += 1;
    }
    let number: f64 = std::str::from_utf8(&plain[..length]).ok()?.parse().ok()?;
    Some(if number.is_finite() { Ok(number) } else { Ok(f64::NAN) })
}

/// Where the mark before the decimals is, if there is one.
fn decimal_place(digits: &str, decimal: Option<DecimalMark>) -> Result<Option<usize>, CellLook> {
    match decimal {
        Some(DecimalMark::Point) => return Ok(digits.rfind('.')),
        Some(DecimalMark::Comma) => return Ok(digits.rfind(',')),
        None => {}
    }
    let (points, commas) = (digits.matches('.').count(), digits.matches(',').count());
    match (points, commas) {
        (0, 0) => Ok(None),
        (1, 0) | (0, 1) => {
            let at = digits.find(['.', ',']).unwrap_or(0);
            let (before, after) = (&digits[..at], &digits[at + 1..]);
            let thousands = after.len() == 3 && (1..=3).contains(&before.len()) && !before.starts_with('0');
            if thousands && before.bytes().all(|byte| byte.is_ascii_digit()) {
                Err(CellLook::PointOrComma)
            } else {
                Ok(Some(at))
            }
        }
        (0, _) | (_, 0) => Ok(None),
        _ => Ok(digits.rfind(['.', ','])),
    }
}

fn is_group_mark(c: char) -> bool {
    // A blank, one that does not break, a narrow one, a thin one, and apostrophes.
    matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '\'' | '\u{2019}')
}

/// Digits without marks between them, or with the same mark between groups of three; the groups before the last may have two
/// digits, as in India. The mark before the decimals separates no thousands.
fn has_sound_groups(whole: &str, decimal: Option<char>) -> bool {
    let Some(mark) = whole.chars().find(|c| !c.is_ascii_digit()) else { return true };
    if Some(mark) == decimal {
        return false;
    }
    let is_group = |least: usize, group: &str| {
        (least..=3).contains(&group.len()) && group.bytes().all(|byte| byte.is_ascii_digit())
    };
    let mut groups = whole.rsplit(mark);
    let last = groups.next().is_some_and(|last| is_group(3, last));
    let first = whole.split(mark).next().unwrap_or("");
    let between = whole.split(mark).count() - 2;
    last && groups.by_ref().take(between).all(|group| is_group(2, group))
        && is_group(1, first)
        && !first.starts_with('0')
}

#[cfg(test)]
mod tests {
    use super::*;
    use DecimalMark::{Comma, Point};
    use proptest::prelude::*;

    fn read(text: &str, decimal: Option<DecimalMark>) -> Option<f64> {
        parse(text, decimal).and_then(Result::ok)
    }

    #[test]
    fn money_thousands_and_percentages() {
        for (text, number) in [
            ("$39,474", 39_474.0),
            ("$ 39,474.50", 39_474.5),
            ("-$5", -5.0),
            ("$-5.25", -5.25),
            ("($1,234.00)", -1234.0),
            ("(17)", -17.0),
            ("US$1,000,000", 1e6),
            ("1,234,567.891", 1_234_567.891),
            ("₹12,34,567", 1_234_567.0),
            ("12 %", 12.0),
            ("12.5%", 12.5),
            ("\u{2212}3%", -3.0),
            ("1 234", 1234.0),
            ("1\u{a0}234", 1234.0),
            ("1\u{202f}234\u{202f}€", 1234.0),
            ("CHF 1'234.50", 1234.5),
            ("1\u{2019}234 EUR", 1234.0),
            ("250 kr", 250.0),
            ("1.5e3 USD", 1500.0),
        ] {
            assert_eq!(read(text, Some(Point)), Some(number), "{text}");
        }
    }

    #[test]
    fn decimal_commas() {
        for (text, number) in [
            ("1.234,50 €", 1234.5),
            ("1,5", 1.5),
            ("-0,125", -0.125),
            ("1.234", 1234.0),
            ("1.234.567", 1_234_567.0),
            ("1 234,5", 1234.5),
            ("12,5 %", 12.5),
            ("1,5e2", 150.0),
        ] {
            assert_eq!(read(text, Some(Comma)), Some(number), "{text}");
        }
        for text in ["1.5", "12.34", "1.2345", "1,2,3", "1.234.56"] {
            assert_eq!(read(text, Some(Comma)), None, "{text}");
        }
    }

    #[test]
    fn without_a_mark_each_cell_has_to_show_its_own() {
        for (text, number) in [
            ("1.5", 1.5),
            ("1,5", 1.5),
            ("0.125", 0.125),
            ("0,125", 0.125),
            ("1234.567", 1234.567),
            ("1.234,5", 1234.5),
            ("1,234.5", 1234.5),
            ("1.234.567", 1_234_567.0),
            ("1 234.567", 1234.567),
            ("39 474", 39_474.0),
        ] {
            assert_eq!(read(text, None), Some(number), "{text}");
        }
        for text in ["1.234", "12,345 €", "-999.000"] {
            assert_eq!(parse(text, None), Some(Err(CellLook::PointOrComma)), "{text}");
        }
    }

    #[test]
    fn commas_that_separate_no_thousands_are_named() {
        for text in ["1,5", "1.234,5", "-12,25", "0,123", "1,2345", "$1,23"] {
            assert_eq!(parse(text, Some(Point)), Some(Err(CellLook::Comma)), "{text}");
        }
        for text in
            ["", "blue", "$", "€ %", "--5", "-(5)", "5 %%", "1'2345", "1 2", "12a", "1.2.3", "e5", ".", ",", "5 $ USD"]
        {
            assert!(read(text, Some(Point)).is_none(), "{text}");
            assert!(read(text, None).is_none(), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        #[test]
        fn what_is_written_is_read(cents in -10_000_000_000i64..10_000_000_000, comma: bool, sign in 0usize..4) {
            let (group, point) = if comma { ('.', ',') } else { (',', '.') };
            let whole = (cents.unsigned_abs() / 100).to_string();
            let mut grouped = String::new();
            for (i, digit) in whole.chars().enumerate() {
                if i > 0 && (whole.len() - i) % 3 == 0 {
                    grouped.push(group);
                }
                grouped.push(digit);
            }
            let minus = if cents < 0 { "-" } else { "" };
            let number = format!("{grouped}{point}{:02}", cents.unsigned_abs() % 100);
            let text = [format!("{minus}{number}"), format!("{minus}${number}"), format!("{minus}{number} €"),
                format!("{minus}{number} %")][sign].clone();
            let expected = Some(cents as f64 / 100.0);
            prop_assert_eq!(read(&text, Some(if comma { Comma } else { Point })), expected);
            prop_assert!(parse(&text, None).is_some_and(|read| read.map_or(true, |read| Some(read) == expected)));
        }

        #[test]
        fn no_text_stops_it(text in any::<String>(), close in "[0-9,.' $€%()eE+-]{0,80}") {
            for text in [&text, &close] {
                for decimal in [None, Some(Point), Some(Comma)] {
                    parse(text, decimal);
                }
            }
        }
    }
}
