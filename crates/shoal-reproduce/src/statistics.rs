//! What many runs come to.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::figure::Places;

/// Standard errors of a difference beyond which it counts: the one rule of agreement for statements, curves and printed
/// values. One in 740 honest comparisons is as far off to one side. With few runs it is as many as are as rare.
pub const CLEAR: f64 = 3.0;

/// Mean, standard error and quartiles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// How many runs.
    pub runs: usize,
    /// Mean.
    pub mean: f64,
    /// Standard deviation over the runs, 0 for one run.
    pub deviation: f64,
    /// Smallest.
    pub min: f64,
    /// A quarter is below.
    pub q1: f64,
    /// Half are below.
    pub median: f64,
    /// Three quarters are below.
    pub q3: f64,
    /// Largest.
    pub max: f64,
}

impl Summary {
    /// Of these runs; all NaN of none.
    #[must_use]
    pub fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| quantile(&sorted, share);
        Self {
            runs: values.len(),
            mean,
            deviation: if values.len() < 2 { 0.0 } else { (squares / (n - 1.0)).sqrt() },
            min: at(0.0),
            q1: at(0.25),
            median: at(0.5),
            q3: at(0.75),
            max: at(1.0),
        }
    }

    /// Standard error of the mean.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.deviation / (self.runs as f64).sqrt()
    }

    /// The mean and twice its standard error to both sides: what the bands of the plots show.
    #[must_use]
    pub fn band(&self) -> (f64, f64) {
        (self.mean - 2.0 * self.error(), self.mean + 2.0 * self.error())
    }

    /// Whether it is below another for sure: by more than [`CLEAR`] standard errors of the difference, and more where few
    /// runs make these errors uncertain (Welch's test).
    #[must_use]
    pub fn is_clearly_below(&self, other: &Self) -> bool {
        other.mean - self.mean > self.reach(CLEAR, other)
    }

    /// Whether a statement that it is below another holds, is a tie, or is contradicted here.
    #[must_use]
    pub fn below(&self, other: &Self) -> Places {
        let held = usize::from(self.is_clearly_below(other));
        let against = usize::from(other.is_clearly_below(self));
        Places { held, against, tied: 1 - held - against }
    }

    /// How far the two means may be apart by accident: as unlikely as so many standard errors are among very many runs.
    #[must_use]
    pub fn reach(&self, errors: f64, other: &Self) -> f64 {
        let (own, theirs) = (self.error().powi(2), other.error().powi(2));
        let part = |variance: f64, runs: usize| if runs > 1 { variance.powi(2) / (runs - 1) as f64 } else { 0.0 };
        let freedom = (own + theirs).powi(2) / (part(own, self.runs) + part(theirs, other.runs));
        (own + theirs).sqrt() * widened(errors, freedom)
    }

    /// Whether it is a printed mean, given to so much, over as many runs: within [`CLEAR`] standard errors of the difference.
    #[must_use]
    pub fn is_printed(&self, printed: f64, rounding: f64) -> bool {
        (self.mean - printed).abs() <= rounding + self.reach(CLEAR, self)
    }

    /// As columns of a table.
    #[must_use]
    pub fn csv(&self) -> String {
        let Self { runs, mean, min, q1, median, q3, max, .. } = self;
        format!("{runs},{mean:?},{:?},{min:?},{q1:?},{median:?},{q3:?},{max:?}", self.error())
    }
}

/// Whether a statement that a difference with this error is above zero holds, is a tie, or is contradicted.
#[must_use]
pub fn apart(difference: f64, error: f64) -> Places {
    let (held, against) = (usize::from(difference > CLEAR * error), usize::from(-difference > CLEAR * error));
    Places { held, against, tied: 1 - held - against }
}

/// The quantile of Student's distribution that is as rare as so many standard deviations of a normal one.
#[must_use]
pub fn widened(errors: f64, freedom: f64) -> f64 {
    if !freedom.is_finite() {
        return errors;
    }
    let normal = Normal::standard().cdf(errors);
    StudentsT::new(0.0, 1.0, freedom.max(1.0)).map_or(errors, |law| law.inverse_cdf(normal))
}

/// Whether a curve falls from its first point to its last, and no step of it rises, beyond errors.
#[must_use]
pub fn falls(curve: &[Summary]) -> bool {
    fall(curve).held == 1
}

/// Whether a statement that a curve falls holds, is a tie, or is contradicted: by a last point above the first, or by a step
/// that rises.
#[must_use]
pub fn fall(curve: &[Summary]) -> Places {
    let (Some(first), Some(last)) = (curve.first(), curve.last()) else { return Places::default() };
    let ends = last.below(first);
    match curve.windows(2).any(|pair| pair[0].is_clearly_below(&pair[1])) {
        true => Places { against: 1, ..Places::default() },
        false => ends,
    }
}

/// The same for one that rises.
#[must_use]
pub fn rise(curve: &[Summary]) -> Places {
    let reversed: Vec<Summary> = curve.iter().rev().copied().collect();
    fall(&reversed)
}

/// The same the other way round.
#[must_use]
pub fn rises(curve: &[Summary]) -> bool {
    let reversed: Vec<Summary> = curve.iter().rev().copied().collect();
    falls(&reversed)
}

/// A quantile by linear interpolation between neighbours; NaN of nothing.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = share * last as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    sorted[below] + (sorted[above] - sorted[below]) * (place - place.floor())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_differences_beyond_the_errors_count() {
        let near = |mean: f64| Summary::of(&[mean - 1.0, mean, mean + 1.0]);
        // The error of the difference is 0.82, and with four degrees of freedom 6.62 of it are as rare as three.
        assert!(near(0.0).is_clearly_below(&near(5.5)) && !near(0.0).is_clearly_below(&near(5.3)));
        assert_eq!(near(0.0).below(&near(1.0)), Places { tied: 1, ..Places::default() });
        assert_eq!(near(9.0).below(&near(1.0)), Places { against: 1, ..Places::default() });
        assert!(falls(&[near(19.0), near(19.5), near(3.0)]), "a rise within the errors does not count");
        assert!(!falls(&[near(19.0), near(5.0), near(22.0), near(3.0)]));
        assert!(near(9.0).is_printed(14.0, 0.0) && !near(9.0).is_printed(15.0, 0.0), "6.62·0.82 is 5.41");
        assert!(rises(&[near(3.0), near(19.0)]) && !rises(&[near(3.0), near(3.0)]));
    }

    /// Two runs on each side say little; very many say what a normal distribution says.
    #[test]
    fn few_runs_widen_the_errors() {
        for (freedom, quantile) in [(2.0, 4.527), (10.0, 2.284), (1e6, 2.0)] {
            assert!((widened(2.0, freedom) - quantile).abs() < 2e-3, "{freedom}: {}", widened(2.0, freedom));
        }
        let two = |mean: f64| Summary::of(&[mean - 0.1, mean + 0.1]);
        assert!(!two(1.0).is_clearly_below(&two(3.6)) && two(1.0).is_clearly_below(&two(3.8)));
        let exact = |mean: f64| Summary::of(&[mean]);
        assert!(exact(1.0).is_clearly_below(&exact(1.1)) && !exact(1.0).is_clearly_below(&exact(1.0)));
    }

    #[test]
    fn quartiles_are_between_neighbours() {
        let summary = Summary::of(&[4.0, 1.0, 3.0, 2.0]);
        assert_eq!((summary.min, summary.q1, summary.median, summary.q3, summary.max), (1.0, 1.75, 2.5, 3.25, 4.0));
        assert!((summary.error() - (5.0_f64 / 3.0 / 4.0).sqrt()).abs() < 1e-12);
        assert!(Summary::of(&[]).mean.is_nan() && Summary::of(&[7.0]).error() == 0.0);
    }
}
