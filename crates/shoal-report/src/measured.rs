//! Numbers with their errors, in the same digits on the terminal and on pages.

use shoal::facts::{ClusterFacts, Margin, Measured};
use shoal_page::text::{exponent, fixed, percent, with_noise};

/// A number, and what follows it: `± 0.2`, `(0.04)` or nothing.
pub struct Shown {
    /// The number, with the digits that its error leaves meaningful.
    pub value: String,
    /// Its error.
    pub error: Option<String>,
}

impl Shown {
    /// Both in a row.
    pub fn text(&self) -> String {
        match &self.error {
            Some(error) => format!("{} {error}", self.value),
            None => self.value.clone(),
        }
    }
}

/// A number with its error. Where no interval describes it, the number has the digits that a twentieth of `range` leaves.
pub fn shown(measured: &Measured, range: f64, at_least: bool) -> Shown {
    let half = measured.half_width().unwrap_or(range / 20.0);
    let (value, band) = with_noise(measured.value, half);
    let error = band.and_then(|band| match measured.margin {
        Margin::Interval(_) if at_least => Some(format!("± {band} or more")),
        Margin::Interval(_) | Margin::StandardErrors(_) => Some(format!("± {band}")),
        Margin::LastStep(_) => Some(format!("({band})")),
        Margin::NotReproducible => None,
    });
    Shown { value, error }
}

/// The share of a level in a cluster, in per cent and without that sign, with its error.
pub fn level(measured: &Measured, at_least: bool) -> Shown {
    let percent = |x: f64| 100.0 * x;
    let margin = match measured.margin {
        Margin::Interval(ends) => Margin::Interval(ends.map(percent)),
        Margin::StandardErrors(two) => Margin::StandardErrors(percent(two)),
        Margin::LastStep(two) => Margin::LastStep(percent(two)),
        Margin::NotReproducible => Margin::NotReproducible,
    };
    shown(&Measured { value: percent(measured.value), margin }, 100.0, at_least)
}

/// What the shares of all levels leave of 100, as a whole number: its error is not known, as those of the levels depend on each
/// other.
pub fn rest_of(levels: &[Measured]) -> String {
    let rest = 1.0 - levels.iter().map(|level| level.value).sum::<f64>();
    format!("≈ {}", fixed((100.0 * rest).clamp(0.0, 100.0), 0))
}

/// A number of rows or reports with its error: whole numbers.
pub fn size(measured: &Measured, at_least: bool) -> Shown {
    let whole = |value: f64| fixed(value, 0);
    let half = measured.half_width().filter(|half| half.is_finite() && *half > 0.0);
    if half.is_some_and(|half| half >= 10.0) {
        return shown(measured, measured.value, at_least);
    }
    let rounded = match measured.margin {
        Margin::NotReproducible => fixed(measured.value, 1 - exponent(measured.value).max(1)),
        _ => whole(measured.value),
    };
    let error = half.map(|half| whole(half.ceil())).map(|half| match measured.margin {
        Margin::LastStep(_) => format!("({half})"),
        _ if at_least => format!("± {half} or more"),
        _ => format!("± {half}"),
    });
    Shown { value: rounded, error }
}

/// The share of a cluster in all rows or reports, in per cent, with the digits that the error of its size leaves
/// meaningful.
pub fn share_of(cluster: &ClusterFacts) -> String {
    let Some(share) = cluster.share else { return "–".into() };
    // The error from which on `percent` would show too many digits.
    let coarse = if share < 0.1 { 0.003 } else { 0.1 };
    match cluster.share_error() {
        Some(error) if error >= coarse => format!("{}\u{a0}%", with_noise(100.0 * share, 100.0 * error).0),
        _ => percent(share),
    }
}

/// A share with its interval, in per cent: `80 % (95 % interval 75–84 %)`.
pub fn share(share: f64, low: f64, high: f64) -> String {
    let ends = |end: f64| percent(end.clamp(0.0, 1.0)).trim_end_matches("\u{a0}%").to_string();
    format!("{} (95\u{a0}% interval {}–{}\u{a0}%)", percent(share), ends(low), ends(high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shoal::facts::Reliance;

    fn of(value: f64, margin: Margin) -> Measured {
        Measured { value, margin }
    }

    #[test]
    fn errors_are_what_they_are_called() {
        let shown = |measured: &Measured| shown(measured, 100.0, false).text();
        assert_eq!(shown(&of(72.083, Margin::Interval([71.9, 72.2]))), "72.08 ± 0.19");
        assert_eq!(shown(&of(72.083, Margin::StandardErrors(0.4))), "72.1 ± 0.4");
        assert_eq!(shown(&of(72.083, Margin::LastStep(0.04))), "72.08 (0.04)");
        assert_eq!(shown(&of(72.083, Margin::NotReproducible)), "72");
        assert_eq!(
            super::shown(&of(72.083, Margin::Interval([71.9, 72.2])), 100.0, true).text(),
            "72.08 ± 0.19 or more"
        );
        assert_eq!(shown(&of(5.096e18, Margin::Interval([5.07e18, 5.12e18]))), "5.096×10¹⁸ ± 2.6×10¹⁶");
    }

    #[test]
    fn shares_have_no_digits_that_are_noise() {
        let share = |value: f64, share: f64, half: f64| {
            let size = Some(of(value, Margin::Interval([value - half, value + half])));
            share_of(&ClusterFacts {
                number: 1,
                size,
                share: Some(share),
                values: Vec::new(),
                spread: None,
                stability: None,
                reliance: Reliance::Stable,
                description: String::new(),
            })
        };
        assert_eq!(share(11_000.0, 0.366, 400.0), "37\u{a0}%");
        assert_eq!(share(2780.0, 0.0926, 180.0), "9.3\u{a0}%");
        assert_eq!(share(2400.0, 0.0771, 5000.0), "8\u{a0}%");
        assert_eq!(share(7000.0, 0.214, 5000.0), "21\u{a0}%");
        assert_eq!(share(100.0, 0.002, 1600.0), "0\u{a0}%");
        assert_eq!(share(0.0, 0.0, 1600.0), "0\u{a0}%");
    }

    #[test]
    fn sizes_are_whole_numbers() {
        let size = |measured: &Measured| size(measured, false).text();
        assert_eq!(size(&of(10339.4, Margin::Interval([10067.0, 10611.0]))), "10,340 ± 280");
        assert_eq!(size(&of(12.4, Margin::Interval([10.0, 15.0]))), "12 ± 3");
        assert_eq!(size(&of(10339.4, Margin::LastStep(272.0))), "10,340 (280)");
        assert_eq!(size(&of(10339.4, Margin::NotReproducible)), "10,000");
    }
}
