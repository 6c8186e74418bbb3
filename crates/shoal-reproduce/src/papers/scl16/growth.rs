//! How much an error grows along an axis of a heat map.

use super::made_up::{MadeUp, Map, Sets, above};
use crate::measure::tally::Estimate;
use crate::papers::words::short;
use crate::{Failure, Results, Statement};

/// By what factor an error grows and by how much it rises, with their standard errors.
#[derive(Clone, Copy)]
pub struct Growth {
    /// The logarithm of the factor.
    ln: Estimate,
    /// The mean of the error with the most, minus that with the least.
    rise: Estimate,
}

impl Growth {
    /// The error with the most of something against that with the least, each the mean over the other axis.
    pub fn along(
        results: &Results,
        sets: &Sets,
        map: &Map,
        (least, most): (usize, usize),
        axis: impl Fn(&MadeUp) -> usize,
    ) -> Result<Self, Failure> {
        let mean = |end: usize| -> Result<Estimate, Failure> {
            let (mut sum, mut count) = (Estimate::default(), 0.0);
            for set in sets.iter().filter(|set| axis(set) == end) {
                sum = sum.plus(Estimate::of(&above(results, set, map)?));
                count += 1.0;
            }
            Ok(sum.mapped(sum.value / count, 1.0 / count))
        };
        Ok(Self::between(mean(least)?, mean(most)?))
    }

    fn between(low: Estimate, high: Estimate) -> Self {
        // A mean that noise has pushed to zero or below is as good as its error.
        let floor = |mean: Estimate| mean.mapped(mean.value.max(mean.error()).max(f64::MIN_POSITIVE), 1.0);
        Self { ln: floor(high).ln().minus(floor(low).ln()), rise: high.minus(low) }
    }

    /// A statement that this error grows more than another. Growth can be read as a factor or as a rise, and the paper does
    /// not say which it means: it holds if both are larger beyond errors.
    pub fn is_more(self, other: Self, says: &str, found: String) -> Statement {
        Statement::over(says, [self.ln.above(other.ln), self.rise.above(other.rise)].into_iter().sum(), found)
    }
}

/// How the errors of two methods grow along both axes of the maps.
pub struct Rises {
    /// Between which ends, in words.
    pub along_k: String,
    /// The same of d.
    pub along_d: String,
    /// Growth with the number of clusters, of the first and of the second.
    pub by_k: (Growth, Growth),
    /// The same with the number of attributes.
    pub by_d: (Growth, Growth),
}

impl Rises {
    /// Of two methods.
    pub fn of(results: &Results, sets: &Sets, first: &Map, second: &Map) -> Result<Self, Failure> {
        let told = |axis: &str, (least, most): (usize, usize)| format!("from {axis} = {least} to {most}");
        let with_k = |map: &Map| Growth::along(results, sets, map, sets.k_ends(), |set| set.k);
        let with_d = |map: &Map| Growth::along(results, sets, map, sets.d_ends(), |set| set.d);
        Ok(Self {
            along_k: told("k", sets.k_ends()),
            along_d: told("d", sets.d_ends()),
            by_k: (with_k(first)?, with_k(second)?),
            by_d: (with_d(first)?, with_d(second)?),
        })
    }
}

impl std::fmt::Display for Growth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (a factor of {})", short(self.rise.value), short(self.ln.value.exp()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Verdict;
    use crate::statistics::Summary;

    #[test]
    fn both_readings_decide_which_growth_is_larger() {
        let growth = |low: f64, high: f64, spread: f64| {
            let runs = |mean: f64| Estimate::of(&Summary::of(&[mean - spread, mean, mean + spread]));
            Growth::between(runs(low), runs(high))
        };
        let verdict = |first: Growth, second: Growth| first.is_more(second, "", String::new()).verdict;
        let (steep, flat) = (growth(1.0, 4.0, 0.01), growth(1.0, 2.0, 0.01));
        assert_eq!((verdict(steep, flat), verdict(flat, steep)), (Verdict::Holds, Verdict::Fails));
        // By a smaller factor, and by more.
        assert_eq!(verdict(growth(10.0, 15.0, 0.01), flat), Verdict::Partly);
        assert_eq!(verdict(growth(1.0, 4.0, 1.0), growth(1.0, 2.0, 1.0)), Verdict::Undecided, "within errors");
        assert_eq!(growth(1.0, 12.34, 0.0).to_string(), "11.3 (a factor of 12.3)");
    }
}
