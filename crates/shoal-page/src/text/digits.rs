//! Numbers with a fixed count of significant digits.

use super::number::grouped;

/// Which way the digits that are left out move the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To the nearest.
    Nearest,
    /// Away from less: what is shown is never below the value. For losses and errors.
    Up,
    /// Towards less: what is shown is never above the value. For lower bounds.
    Down,
}

/// Magnitudes that are written out; others get an exponent.
const PLAIN: std::ops::Range<i32> = -4..7;

/// A number with `digits` significant digits: `0.500` for three, `1.23e7` where it would be long. Digits before the point
/// are never cut: 123456 stays as it is.
///
/// Rounding up and down keep what is whole but for the last digits of a double: 3 is 3, not 3.001.
///
/// ```
/// use shoal_page::text::{Rounding, significant};
///
/// assert_eq!(significant(99.97, 3, Rounding::Nearest), "100");
/// assert_eq!(significant(2.775_51, 4, Rounding::Up), "2.776");
/// assert_eq!(significant(2.775_51, 4, Rounding::Down), "2.775");
/// ```
#[must_use]
pub fn significant(value: f64, digits: u32, rounding: Rounding) -> String {
    if value == 0.0 || !value.is_finite() {
        return match value {
            0.0 => "0".into(),
            value if value.is_nan() => "–".into(),
            value => if value > 0.0 { "∞" } else { "−∞" }.into(),
        };
    }
    let digits = digits.max(1) as i32;
    let magnitude = value.abs().log10().floor() as i32;
    if PLAIN.contains(&magnitude) {
        let places = (digits - 1 - magnitude).max(0);
        let rounded = rounded(value, places, rounding);
        // 99.97 has three digits before the point once it is rounded.
        let carried = rounded.abs() >= 10f64.powi(magnitude + 1);
        let places = if carried { (places - 1).max(0) } else { places };
        return format!("{rounded:.*}", places as usize);
    }
    // In two steps, because no double has the power of ten of the smallest ones.
    let mantissa = match magnitude < -290 {
        true => value * 1e290 / 10f64.powi(magnitude + 290),
        false => value / 10f64.powi(magnitude),
    };
    let mantissa = rounded(mantissa, digits - 1, rounding);
    let (mantissa, magnitude) =
        if mantissa.abs() >= 10.0 { (mantissa / 10.0, magnitude + 1) } else { (mantissa, magnitude) };
    format!("{mantissa:.*}e{magnitude}", (digits - 1) as usize)
}

/// A number rounded at so many decimals.
fn rounded(value: f64, places: i32, rounding: Rounding) -> f64 {
    let scale = 10f64.powi(places);
    let units = value * scale;
    let units = match rounding {
        _ if (units - units.round()).abs() < 1e-13 * units.abs() => units.round(),
        Rounding::Nearest => units.round(),
        Rounding::Up => units.ceil(),
        Rounding::Down => units.floor(),
    };
    units / scale
}

/// The same without a tail of zeros: `0.5`, `1e-6`.
#[must_use]
pub fn significant_trimmed(value: f64, digits: u32, rounding: Rounding) -> String {
    let text = significant(value, digits, rounding);
    match text.split_once('e') {
        Some((mantissa, exponent)) => format!("{}e{exponent}", trimmed(mantissa)),
        None => trimmed(&text).into(),
    }
}

/// A decimal number without the zeros at the end of its fraction.
#[must_use]
pub fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// About four digits, grouped, with a real minus sign; for labels and tables of charts.
#[must_use]
pub fn compact(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value.is_nan() { "–".into() } else { format!("{value}") };
    }
    let size = value.abs().log10().floor() as i32;
    if !PLAIN.contains(&size) {
        let text = format!("{value:.2e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{exponent}", trimmed(mantissa));
    }
    let decimals = (3 - size).max(0) as usize;
    grouped(trimmed(&format!("{value:.decimals$}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_count() {
        let cases = [
            (0.001_234_5, "0.00123"),
            (0.5, "0.500"),
            (12.345, "12.3"),
            (99.97, "100"),
            (-0.5, "-0.500"),
            (123_456.0, "123456"),
            (12_345_678.0, "1.23e7"),
            (5e-324, "4.94e-324"),
            (8.9e-137, "8.90e-137"),
            (0.0, "0"),
            (f64::INFINITY, "∞"),
        ];
        for (value, text) in cases {
            assert_eq!(significant(value, 3, Rounding::Nearest), text);
        }
    }

    #[test]
    fn rounding_keeps_its_side_and_leaves_whole_numbers_alone() {
        let up = |value| significant(value, 4, Rounding::Up);
        let down = |value| significant(value, 4, Rounding::Down);
        assert_eq!((up(2.775_51), down(2.775_51)), ("2.776".into(), "2.775".into()));
        assert_eq!((up(4.999_5), down(4.999_5)), ("5.000".into(), "4.999".into()));
        assert_eq!((up(3.0), down(3.0)), ("3.000".into(), "3.000".into()));
        for value in [1e-30, 1.2345e-13, 1.23456e-10, 3.2e-9, 0.000_123_456, 0.2, 1.000_01, 17.0, 30_612.345, 1e9] {
            let (up, down): (f64, f64) = (up(value).parse().unwrap(), down(value).parse().unwrap());
            assert!(up >= value * (1.0 - 1e-13) && up <= value * 1.002, "{value} as {up}");
            assert!(down <= value * (1.0 + 1e-13) && down >= value * 0.998, "{value} as {down}");
        }
    }

    #[test]
    fn zeros_at_the_end_go() {
        let short = |value| significant_trimmed(value, 4, Rounding::Nearest);
        assert_eq!([1.0, 0.537, 13.90, 1e-6, 0.0].map(short), ["1", "0.537", "13.9", "1e-6", "0"]);
        let down = |value| significant_trimmed(value, 4, Rounding::Down);
        assert_eq!([1.234_56, 0.999_96, 12.999_9, 0.0].map(down), ["1.234", "0.9999", "12.99", "0"]);
    }

    #[test]
    fn labels_are_as_people_write_them() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (0.05, "0.05"),
            (0.021_72, "0.02172"),
            (8.9e-137, "8.9e-137"),
            (2500.0, "2500"),
            (-3.5, "−3.5"),
            (123_456.0, "123,456"),
            (1e-7, "1e-7"),
            (0.1 + 0.2, "0.3"),
        ];
        for (value, text) in cases {
            assert_eq!(compact(value), text);
        }
        assert_eq!(compact(f64::NAN), "–");
    }
}
