//! Why bounds were refused.

use std::fmt;

use shoal_privacy::Parameter;

use crate::names::known_names;

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
