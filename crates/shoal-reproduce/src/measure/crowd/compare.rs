//! Means against each other, and numbers as words.

use crate::statistics::Summary;

/// Standard errors beyond which a step of a curve counts. A curve has many steps, and one in forty is two standard errors
/// off by chance.
const OF_A_STEP: f64 = 3.0;

/// Whether the first mean is below the second by more than two standard errors of the difference.
#[must_use]
pub fn is_below(a: &Summary, b: &Summary) -> bool {
    is_below_by(2.0, a, b)
}

fn is_below_by(errors: f64, a: &Summary, b: &Summary) -> bool {
    b.mean - a.mean > errors * a.error().hypot(b.error())
}

/// Whether a mean is a printed one, given to so much, which is a mean over as many runs: within two standard errors of the
/// difference.
#[must_use]
pub fn is_printed(measured: &Summary, printed: f64, rounding: f64) -> bool {
    (measured.mean - printed).abs() <= rounding + 2.0 * 2f64.sqrt() * measured.error()
}

/// Whether a curve falls from its first point to its last by more than two standard errors, and no step of it rises by more
/// than three.
#[must_use]
pub fn falls(curve: &[Summary]) -> bool {
    let (Some(first), Some(last)) = (curve.first(), curve.last()) else { return false };
    is_below(last, first) && !curve.windows(2).any(|pair| is_below_by(OF_A_STEP, &pair[0], &pair[1]))
}

/// The same the other way round.
#[must_use]
pub fn rises(curve: &[Summary]) -> bool {
    let reversed: Vec<Summary> = curve.iter().rev().copied().collect();
    falls(&reversed)
}

/// A number with three digits that count.
#[must_use]
pub fn short(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return x.to_string();
    }
    // Of the rounded number: 99.97 has three digits before the point.
    let magnitude = format!("{x:.2e}").rsplit('e').next().and_then(|e| e.parse::<i32>().ok()).unwrap_or(0);
    if !(-4..6).contains(&magnitude) {
        return format!("{x:.1e}");
    }
    format!("{x:.*}", (2 - magnitude).max(0) as usize)
}

/// A share as a percentage.
#[must_use]
pub fn percent(share: f64) -> String {
    format!("{} %", short(100.0 * share))
}

/// A mean with its standard error.
#[must_use]
pub fn with_error(summary: &Summary) -> String {
    if summary.runs > 1 {
        format!("{} ± {}", short(summary.mean), short(summary.error()))
    } else {
        short(summary.mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_differences_beyond_the_errors_count() {
        let near = |mean: f64| Summary::of(&[mean - 1.0, mean, mean + 1.0]);
        assert!(is_below(&near(0.0), &near(2.0)));
        assert!(!is_below(&near(0.0), &near(1.0)), "the error of the difference is 0.82");
        assert!(falls(&[near(9.0), near(9.5), near(3.0)]), "a rise within the errors does not count");
        assert!(!falls(&[near(9.0), near(5.0), near(8.0), near(3.0)]));
        assert!(is_printed(&near(9.0), 10.0, 0.0) && !is_printed(&near(9.0), 11.0, 0.0), "2·√2·0.58 is 1.63");
        assert!(rises(&[near(3.0), near(9.0)]) && !rises(&[near(3.0), near(3.0)]));
    }

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!(
            [0.018_34, 3.0, 45.67, 456.7, -0.5, 123_456.0].map(short),
            ["0.0183", "3.00", "45.7", "457", "-0.500", "123456"]
        );
        assert_eq!(short(1.0e-9), "1.0e-9");
        assert_eq!([0.5, 0.999_7].map(percent), ["50.0 %", "100 %"]);
    }
}
