//! Cells that are no numbers, in words.

use shoal_lattice::names::listed;
use shoal_privacy::Parameter;

use super::{DATES, DECIMAL};

/// Columns of words and their levels.
const CATEGORIES: Parameter = Parameter::new("categories");

/// What a cell that is no number looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellLook {
    /// Letters or anything else.
    Text,
    /// Digits with a comma among them that separates no thousands, where decimals have points.
    Comma,
    /// Digits with a point among them that separates no thousands, where decimals have commas.
    Point,
    /// A mark before three digits, where nothing says whether it separates decimals or thousands.
    PointOrComma,
    /// A date of which either of two numbers may be the day.
    DayOrMonth,
    /// A date whose year has two digits.
    ShortYear,
    /// A date that no calendar has.
    NoSuchDate,
}

impl CellLook {
    /// What is wrong with such a cell, and what to do. `numeric` are columns that held numbers in the first rows.
    pub(super) fn explained(self, numeric: &[String]) -> String {
        match self {
            Self::Comma => format!(
                "the number is written with a comma that does not separate thousands. If decimals have commas in this table, give \
             {DECIMAL} ,"
            ),
            Self::Point => format!(
                "the number is written with a point that does not separate thousands. If decimals have points in this table, give \
             {DECIMAL} ."
            ),
            Self::PointOrComma => format!(
                "the number has a mark before three digits, which may separate decimals or thousands. Give {DECIMAL} . or \
             {DECIMAL} , to decide"
            ),
            Self::DayOrMonth => format!(
                "it is unclear which number of the date is the day. Give {DATES} dmy where the day comes first and {DATES} mdy \
             where the month does, or write dates as 2026-12-31"
            ),
            Self::ShortYear => {
                "the year of the date has two digits, so its century is unknown. Write dates as 2026-12-31".into()
            }
            Self::NoSuchDate => {
                "there is no such day in the calendar. Correct the date; dates are written as 2026-12-31 or 31.12.2026"
                    .into()
            }
            Self::Text => format!(
                "there is text where a number should be.{}; a column of words takes part by its public levels, with {CATEGORIES}",
                select(numeric)
            ),
        }
    }
}

/// Which columns to select instead.
pub(super) fn select(numeric: &[String]) -> String {
    if numeric.is_empty() || numeric.iter().any(|name| shoal_lattice::names::looks_numeric(name)) {
        format!(" Select columns of numbers with {} a,b, or turn the text into numbers first", Parameter::COLUMNS)
    } else {
        format!(" Select columns of numbers: {} {}", Parameter::COLUMNS, listed(numeric).replace(", ", ","))
    }
}
