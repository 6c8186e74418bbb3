//! Public bounds: the interval each attribute is promised to lie in.
//!
//! Bounds are chosen by the analyst before looking at the data; values outside are clamped. They are not sensitive
//! and may be printed, copied and written to a model file.

mod error;

use std::fmt;

use serde::ser::SerializeSeq;
use serde::{Deserialize, Serialize, Serializer};

pub use error::{BoundsError, IntervalFault};

use crate::category::Category;
use crate::scale::Scale;
use crate::scaling::check_weights;

/// One attribute's interval: two finite numbers, the lower one first, with a finite distance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "[f64; 2]", try_from = "[f64; 2]")]
pub struct Interval {
    lo: f64,
    hi: f64,
}

impl Interval {
    /// The interval from `lo` to `hi`.
    ///
    /// ```
    /// use shoal_lattice::Interval;
    /// assert_eq!(Interval::new(17.0, 90.0)?.width(), 73.0);
    /// assert!(Interval::new(90.0, 17.0).is_err());
    /// # Ok::<(), shoal_lattice::BoundsError>(())
    /// ```
    pub fn new(lo: f64, hi: f64) -> Result<Self, BoundsError> {
        let fault = if !lo.is_finite() || !hi.is_finite() {
            IntervalFault::NotFinite
        } else if lo == hi {
            IntervalFault::Constant
        } else if lo > hi {
            IntervalFault::Reversed
        } else if !(hi - lo).is_finite() {
            IntervalFault::TooWide
        } else {
            return Ok(Self { lo, hi });
        };
        Err(BoundsError::Interval { column: None, lo, hi, fault })
    }

    /// Lower end.
    pub fn lo(&self) -> f64 {
        self.lo
    }

    /// Upper end.
    pub fn hi(&self) -> f64 {
        self.hi
    }

    /// Distance between the ends: finite and above zero.
    pub fn width(&self) -> f64 {
        self.hi - self.lo
    }
}

impl fmt::Display for Interval {
    /// `17 to 90`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.lo, self.hi)
    }
}

impl TryFrom<[f64; 2]> for Interval {
    type Error = BoundsError;

    fn try_from([lo, hi]: [f64; 2]) -> Result<Self, BoundsError> {
        Self::new(lo, hi)
    }
}

impl From<Interval> for [f64; 2] {
    fn from(interval: Interval) -> Self {
        [interval.lo, interval.hi]
    }
}

/// One interval for each selected column, in the order of the columns.
///
/// Serialises as a list of `[lo, hi]`; whoever writes a model writes the names next to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    columns: Vec<String>,
    intervals: Vec<Interval>,
    scales: Vec<Scale>,
    weights: Vec<f64>,
    /// Their coordinates come after those of the numbers.
    categories: Vec<Category>,
}

impl Bounds {
    /// Bounds from columns and their intervals, as read back from a model file.
    pub fn new(columns: Vec<String>, intervals: Vec<Interval>) -> Result<Self, BoundsError> {
        if columns.len() != intervals.len() {
            return Err(BoundsError::Count { columns: columns.len(), intervals: intervals.len() });
        }
        let (scales, weights) = (vec![Scale::Linear; columns.len()], vec![1.0; columns.len()]);
        Ok(Self { columns, intervals, scales, weights, categories: Vec::new() })
    }

    /// The same bounds with categories: a coordinate from 0 to 1 for each level, after the coordinates there are.
    ///
    /// # Errors
    /// A category of a column that has bounds already, coordinates of the same name, and weights more than a thousand times
    /// apart.
    pub fn with_categories(mut self, categories: Vec<Category>) -> Result<Self, BoundsError> {
        let unit = Interval::new(0.0, 1.0)?;
        for category in categories {
            let refuse = |why: String| BoundsError::Levels { column: category.column().into(), why };
            if self.columns.iter().any(|column| column == category.column()) {
                return Err(refuse(
                    "it has levels and bounds; a column is a category or a number, so leave one of them out".into(),
                ));
            }
            for name in category.coordinates() {
                if self.columns.contains(&name) {
                    return Err(refuse(format!(
                        "there is a column called `{name}` already; rename that, or leave it out"
                    )));
                }
                self.columns.push(name);
                self.intervals.push(unit);
                self.scales.push(Scale::Linear);
                self.weights.push(category.indicator_weight());
            }
            self.categories.push(category);
        }
        check_weights(&self.columns, &self.weights)?;
        Ok(self)
    }

    /// The bounds that files have: all coordinates in a row, and the categories that some of them belong to.
    ///
    /// # Errors
    /// Coordinates at the end that are not those of the categories, in this order.
    pub fn with_coordinates_of(mut self, categories: Vec<Category>) -> Result<Self, BoundsError> {
        let size: usize = categories.iter().map(Category::size).sum();
        let first = self.dims().checked_sub(size);
        let names = categories.iter().flat_map(Category::coordinates);
        let (zero, one) = (|interval: &Interval| interval.lo() == 0.0, |interval: &Interval| interval.hi() == 1.0);
        let theirs = |first: usize| {
            self.columns[first..].iter().cloned().eq(names)
                && self.intervals[first..].iter().all(|interval| zero(interval) && one(interval))
                && self.scales[first..].iter().all(Scale::is_linear)
        };
        if !first.is_some_and(theirs) {
            let column = categories.first().map_or(String::new(), |category| category.column().into());
            let why = "the levels and the columns of this file do not agree; make it again".into();
            return Err(BoundsError::Levels { column, why });
        }
        self.categories = categories;
        Ok(self)
    }

    /// The categories, whose coordinates come after those of the numbers.
    pub fn categories(&self) -> &[Category] {
        &self.categories
    }

    /// How many coordinates are numbers.
    pub fn numbers(&self) -> usize {
        self.dims() - self.categories.iter().map(Category::size).sum::<usize>()
    }

    /// The same bounds with a scale and a weight for each column. A difference in a column of weight 2 counts twice as much
    /// as the same part of the range in a column of weight 1.
    ///
    /// # Errors
    /// A scale that the bounds of its column do not allow, a weight that is no number above zero, weights more than a thousand
    /// times apart, and lists of other lengths.
    pub fn scaled(self, scales: Vec<Scale>, weights: Vec<f64>) -> Result<Self, BoundsError> {
        if scales.len() != self.dims() || weights.len() != self.dims() {
            let intervals = if scales.len() == self.dims() { weights.len() } else { scales.len() };
            return Err(BoundsError::Count { columns: self.dims(), intervals });
        }
        for (column, (scale, interval)) in self.columns.iter().zip(scales.iter().zip(&self.intervals)) {
            if let Some(why) = scale.fault(interval) {
                return Err(BoundsError::Scale { column: column.clone(), why });
            }
        }
        check_weights(&self.columns, &weights)?;
        Ok(Self { scales, weights, ..self })
    }

    /// The scale of each column.
    pub fn scales(&self) -> &[Scale] {
        &self.scales
    }

    /// The weight of each column.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Whether no column is stretched and all weigh the same.
    pub fn is_plain(&self) -> bool {
        self.scales.iter().all(Scale::is_linear) && self.weights.windows(2).all(|pair| pair[0] == pair[1])
    }

    /// Names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The intervals, one for each column.
    pub fn intervals(&self) -> &[Interval] {
        &self.intervals
    }

    /// Number of columns.
    pub fn dims(&self) -> usize {
        self.intervals.len()
    }
}

impl Serialize for Bounds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.intervals.len()))?;
        for interval in &self.intervals {
            list.serialize_element(interval)?;
        }
        list.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_faulty_pair_is_refused_with_its_reason() {
        for (lo, hi, word) in [
            (2.0, 1.0, "reversed"),
            (1.0, 1.0, "constant"),
            (0.0, -0.0, "constant"),
            (f64::NAN, 1.0, "not finite"),
            (0.0, f64::INFINITY, "not finite"),
            (-1e308, 1e308, "wider"),
        ] {
            let message = Interval::new(lo, hi).unwrap_err().to_string();
            assert!(message.contains(word), "{message}");
        }
        assert!(Interval::new(0.0, 5e-324).is_ok());
        assert!(Interval::new(0.0, f64::MAX).is_ok());
    }

    #[test]
    fn bounds_serialise_as_a_list_of_pairs_and_read_back() {
        let intervals = vec![Interval::new(17.0, 90.0).unwrap(), Interval::new(1.5, 99.0).unwrap()];
        let bounds = Bounds::new(vec!["age".into(), "hours".into()], intervals.clone()).unwrap();
        let json = serde_json::to_string(&bounds).unwrap();
        assert_eq!(json, "[[17.0,90.0],[1.5,99.0]]");
        assert_eq!(serde_json::from_str::<Vec<Interval>>(&json).unwrap(), intervals);
        assert!(serde_json::from_str::<Vec<Interval>>("[[3,2]]").is_err());
        assert!(Bounds::new(vec!["age".into()], intervals).is_err());
    }
}
