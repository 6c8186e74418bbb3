//! How much an error grows along an axis of a heat map.

use super::made_up::{MadeUp, Map, Sets, above};
use crate::papers::words::short;
use crate::{Failure, Results};

/// By what factor an error grows and by how much it rises, with their standard errors.
#[derive(Clone, Copy)]
pub struct Growth {
    ln: f64,
    error: f64,
    /// The mean of the error with the most, minus that with the least.
    pub rise: f64,
    rise_error: f64,
}

impl Growth {
    /// The error with the most of something over that with the least, each the mean over the other axis.
    pub fn along(
        results: &Results,
        sets: &Sets,
        map: &Map,
        (least, most): (usize, usize),
        axis: impl Fn(&MadeUp) -> usize,
    ) -> Result<Self, Failure> {
        let mean = |end: usize| -> Result<(f64, f64), Failure> {
            let (mut sum, mut squares, mut count) = (0.0, 0.0, 0.0);
            for set in sets.iter().filter(|set| axis(set) == end) {
                let above = above(results, set, map)?;
                sum += above.mean;
                squares += above.error().powi(2);
                count += 1.0;
            }
            Ok((sum / count, squares.sqrt() / count))
        };
        let ((low, low_error), (high, high_error)) = (mean(least)?, mean(most)?);
        // A mean that noise has pushed to zero or below is as good as its error.
        let floor = |mean: f64, error: f64| mean.max(error).max(f64::MIN_POSITIVE);
        let (floor_low, floor_high) = (floor(low, low_error), floor(high, high_error));
        Ok(Self {
            ln: (floor_high / floor_low).ln(),
            error: (low_error / floor_low).hypot(high_error / floor_high),
            rise: high - low,
            rise_error: low_error.hypot(high_error),
        })
    }

    /// Whether the error rises more than another by more than two standard errors.
    pub fn rises_more(self, other: Self) -> bool {
        self.rise - other.rise > 2.0 * self.rise_error.hypot(other.rise_error)
    }

    /// Whether it is larger than another by more than two standard errors.
    pub fn is_larger(self, other: Self) -> bool {
        self.ln - other.ln > 2.0 * self.error.hypot(other.error)
    }
}

impl std::fmt::Display for Growth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", short(self.ln.exp()))
    }
}

#[cfg(test)]
mod tests {
    use super::Growth;

    #[test]
    fn errors_decide_which_growth_is_larger() {
        let growth = |factor: f64, error: f64| Growth { ln: factor.ln(), error, rise: factor, rise_error: error };
        assert!(growth(4.0, 0.1).is_larger(growth(2.0, 0.1)));
        assert!(!growth(4.0, 0.3).is_larger(growth(2.0, 0.3)));
        assert!(!growth(2.0, 0.0).is_larger(growth(4.0, 0.0)));
        assert!(growth(4.0, 0.5).rises_more(growth(2.0, 0.5)) && !growth(4.0, 0.8).rises_more(growth(2.0, 0.8)));
        assert_eq!(growth(12.34, 0.0).to_string(), "12.3");
    }
}
