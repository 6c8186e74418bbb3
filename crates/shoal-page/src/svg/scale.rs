//! Round steps for the labels of an axis.

/// Parts of a power of ten that read well.
const PARTS: [f64; 5] = [1.0, 2.0, 2.5, 5.0, 10.0];

/// The smallest step of 1, 2, 5 (or 2.5, where `quarters` allows it) times a power of ten that is at least `least`; none
/// for what is no positive number, or has no power of ten.
///
/// ```
/// use shoal_page::svg::scale::round_step;
///
/// assert_eq!(round_step(14.6, false), Some(20.0));
/// assert_eq!(round_step(0.23, true), Some(0.25));
/// assert_eq!(round_step(0.0, true), None);
/// ```
#[must_use]
pub fn round_step(least: f64, quarters: bool) -> Option<f64> {
    if !least.is_normal() || least < 0.0 {
        return None;
    }
    let power = 10f64.powi(least.log10().floor() as i32);
    let parts = PARTS.into_iter().filter(|part| quarters || *part != 2.5);
    parts.map(|part| part * power).find(|step| *step >= least * 0.999).filter(|step| step.is_normal())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_large_enough() {
        for least in [1e-300, 0.000_7, 0.1, 0.99, 1.0, 3.3, 49.0, 6e200] {
            let step = round_step(least, true).unwrap();
            assert!(step >= least * 0.999 && step <= least * 2.6, "{least} in steps of {step}");
        }
        for none in [0.0, -1.0, f64::NAN, f64::INFINITY, 5e-324] {
            assert_eq!(round_step(none, false), None);
        }
    }
}
