//! How much an error grows along an axis of a heat map.

use super::made_up::{MadeUp, Map, Sets, above};
use crate::papers::words::short;
use crate::{Failure, Results};

/// The logarithm of a factor, and its standard error.
#[derive(Clone, Copy)]
pub struct Growth {
    ln: f64,
    error: f64,
}

impl Growth {
    /// The error with the most of something over that with the least, each summed over the other axis.
    pub fn along(
        results: &Results,
        sets: &Sets,
        map: &Map,
        (least, most): (usize, usize),
        axis: impl Fn(&MadeUp) -> usize,
    ) -> Result<Self, Failure> {
        let sum = |end: usize| -> Result<(f64, f64), Failure> {
            let (mut sum, mut squares) = (0.0, 0.0);
            for set in sets.iter().filter(|set| axis(set) == end) {
                let above = above(results, set, map)?;
                sum += above.mean;
                squares += above.error().powi(2);
            }
            // A sum that noise has pushed to zero or below is as good as its error.
            let error = squares.sqrt();
            let sum = sum.max(error).max(f64::MIN_POSITIVE);
            Ok((sum, error / sum))
        };
        let ((low, low_error), (high, high_error)) = (sum(least)?, sum(most)?);
        Ok(Self { ln: (high / low).ln(), error: low_error.hypot(high_error) })
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
        let growth = |factor: f64, error: f64| Growth { ln: factor.ln(), error };
        assert!(growth(4.0, 0.1).is_larger(growth(2.0, 0.1)));
        assert!(!growth(4.0, 0.3).is_larger(growth(2.0, 0.3)));
        assert!(!growth(2.0, 0.0).is_larger(growth(4.0, 0.0)));
        assert_eq!(growth(12.34, 0.0).to_string(), "12.3");
    }
}
