//! Public bounds: the interval each attribute is promised to lie in.
//!
//! Bounds are chosen by the analyst before looking at the data; values outside are clamped. They are not sensitive
//! and may be printed, copied and written to a model file.

use serde::ser::SerializeSeq;
use serde::{Deserialize, Serialize, Serializer};
use shoal_privacy::Parameter;
use std::fmt;

use crate::category::Category;
use crate::names::known_names;
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

/// What is wrong with a pair of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntervalFault {
    /// The lower number is above the upper one.
    Reversed,
    /// Both numbers are the same.
    Constant,
    /// One of them is infinite or not a number.
    NotFinite,
    /// Their distance is beyond the largest double.
    TooWide,
}

/// Why bounds were refused.
///
/// Bounds given on the command line are public and are quoted. The content of a file is not, because the path may
/// lead to the data by mistake.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BoundsError {
    /// Two numbers that are no interval.
    #[error("bounds{}: {}", on(.column), explain(*.lo, *.hi, *.fault))]
    Interval {
        /// The column, where bounds are given by name.
        column: Option<String>,
        /// The first number.
        lo: f64,
        /// The second number.
        hi: f64,
        /// What is wrong with them.
        fault: IntervalFault,
    },
    /// Text in none of the accepted forms.
    #[error("bounds `{text}` are not understood: {why}. {}", FORMS)]
    Text {
        /// The text as given on the command line, shortened.
        text: String,
        /// The part that does not fit.
        why: String,
    },
    /// A file that cannot be opened.
    #[error("the bounds file `{path}` cannot be read: {why}. Check the path. {}", FORMS)]
    File {
        /// The path given.
        path: String,
        /// The operating system's reason.
        why: String,
    },
    /// A file that is neither JSON nor TOML of the expected shape.
    #[error(
        "the bounds file is not valid {format}{at}: {why}. Write one entry a column, as in {}", example(.format)
    )]
    Syntax {
        /// `JSON` or `TOML`.
        format: &'static str,
        /// ` at line 3, column 5`, or nothing.
        at: String,
        /// What was expected.
        why: String,
    },
    /// A name that is no column of the table.
    #[error("there are bounds for `{name}`, which is no column of the table.{}", known_names(.name, .columns))]
    Unknown {
        /// The name.
        name: String,
        /// The table's columns.
        columns: Vec<String>,
    },
    /// A scale or weight that its column cannot have.
    #[error("column `{column}`: {why}")]
    Scale {
        /// The column.
        column: String,
        /// Why, and what to do.
        why: String,
    },
    /// A scale or weight that names no column.
    #[error("a {what} names its column: give it as in {example}")]
    ScaleText {
        /// What it is.
        what: &'static str,
        /// How it is written.
        example: &'static str,
    },
    /// A scale or weight of a column that is not used.
    #[error("there is a scale or weight for `{name}`, which is none of the columns that are used.{}", known_names(.name, .columns))]
    UnknownScale {
        /// The name.
        name: String,
        /// The columns that are used.
        columns: Vec<String>,
    },
    /// Levels of a category that make no sense.
    #[error("column `{column}`: {why}")]
    Levels {
        /// The column.
        column: String,
        /// Why, and what to do.
        why: String,
    },
    /// A category that cannot be understood.
    #[error(
        "a category names its column and its levels: give it as in gender=F|M|X, or gender=levels.txt for a file with one on \
         each line. Levels that contain a comma or a bar go into a file"
    )]
    CategoryText,
    /// Columns without an interval.
    #[error(
        "no bounds for column{} {}: every selected column needs public limits. Add them (for example \
         `{}=LO:HI`), or leave the column{} out with {}",
        plural(.columns), crate::names::listed(.columns), .columns.first().map_or("age", String::as_str), plural(.columns),
        Parameter::COLUMNS
    )]
    Missing {
        /// The columns concerned.
        columns: Vec<String>,
    },
    /// The same column twice.
    #[error("there are two bounds for column `{name}`: keep one of them")]
    Duplicate {
        /// The column.
        name: String,
    },
    /// Lists of different lengths in a model file.
    #[error("{columns} columns but {intervals} intervals: the file was edited or damaged; fit the model again")]
    Count {
        /// Names found.
        columns: usize,
        /// Intervals found.
        intervals: usize,
    },
}

impl BoundsError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Interval { .. } => "bounds-interval",
            Self::Text { .. } => "bounds-text",
            Self::File { .. } => "bounds-file",
            Self::Syntax { .. } => "bounds-syntax",
            Self::Unknown { .. } => "bounds-unknown-column",
            Self::Scale { .. } => "scale",
            Self::ScaleText { .. } => "scale-text",
            Self::UnknownScale { .. } => "scale-unknown-column",
            Self::Levels { .. } => "levels",
            Self::CategoryText => "category-text",
            Self::Missing { .. } => "bounds-missing",
            Self::Duplicate { .. } => "bounds-duplicate",
            Self::Count { .. } => "bounds-count",
        }
    }
}

/// The ways to write bounds, shown whenever none was recognised.
const FORMS: &str = "Give `LO,HI` for all columns (0,100), `NAME=LO:HI,NAME=LO:HI` (age=17:90,hours=1:99), or a JSON or \
                     TOML file such as {\"age\":[17,90]}";

fn on(column: &Option<String>) -> String {
    column.as_ref().map_or_else(String::new, |name| format!(" of column `{name}`"))
}

fn plural(columns: &[String]) -> &'static str {
    if columns.len() == 1 { "" } else { "s" }
}

fn example(format: &str) -> &'static str {
    if format == "TOML" { "age = [17, 90]" } else { "{\"age\": [17, 90], \"hours\": [1, 99]}" }
}

fn explain(lo: f64, hi: f64, fault: IntervalFault) -> String {
    let pair = Pair(lo, hi);
    match fault {
        IntervalFault::Reversed => format!("{pair} is reversed; write the lower number first"),
        IntervalFault::Constant => format!(
            "{pair} allows a single value, and a constant column separates no clusters; drop the column with \
             {} or widen its bounds",
            Parameter::COLUMNS
        ),
        IntervalFault::NotFinite => {
            format!("{pair} is not finite; give two ordinary numbers that no person's value is likely to pass")
        }
        IntervalFault::TooWide => {
            format!("{pair} is wider than a double can hold; narrow it, values outside are clamped")
        }
    }
}

struct Pair(f64, f64);

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} to {:?}", self.0, self.1)
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
