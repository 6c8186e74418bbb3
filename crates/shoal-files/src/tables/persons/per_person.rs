//! What becomes of the rows of a person.

use std::fmt;
use std::str::FromStr;

/// The most rows of a person that can be asked for. Beyond it noise would hide everything: a row's share of ε is 1/M.
pub(crate) const MOST_ROWS: u64 = 1000;

/// What becomes of the rows of a person.
///
/// ```
/// use shoal_files::PerPerson;
///
/// assert_eq!("mean".parse(), Ok(PerPerson::Mean));
/// assert_eq!("last:visited".parse(), Ok(PerPerson::Last("visited".into())));
/// let several: PerPerson = "up-to:3".parse()?;
/// assert_eq!(several.most_rows(), 3);
/// assert!("up-to:0".parse::<PerPerson>().is_err());
/// # Ok::<(), shoal_files::PerPersonError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PerPerson {
    /// One row: the mean of the person's rows within the bounds, rounded to the lattice.
    #[default]
    Mean,
    /// One row: the first by this column, a date or a number.
    First(String),
    /// One row: the last by this column, a date or a number.
    Last(String),
    /// At most so many rows, drawn at random from those of the person. All of them share the person's ε.
    UpTo(u64),
}

/// A text that is no way to treat a person's rows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "“{text}” does not say which rows of a person count; give mean, first:COLUMN or last:COLUMN (a date or a number), or \
     up-to:M for a whole M from 1 to {MOST_ROWS}"
)]
pub struct PerPersonError {
    text: String,
}

impl PerPerson {
    /// The most rows that a person has after grouping.
    pub fn most_rows(&self) -> u64 {
        match self {
            Self::UpTo(most) => *most,
            _ => 1,
        }
    }

    /// The column by which rows of a person are ordered.
    pub fn order(&self) -> Option<&str> {
        match self {
            Self::First(column) | Self::Last(column) => Some(column),
            _ => None,
        }
    }

    /// Refuses what the text form would refuse, for values that were made otherwise.
    pub fn check(&self) -> Result<(), PerPersonError> {
        let fits = match self {
            Self::UpTo(most) => (1..=MOST_ROWS).contains(most),
            Self::First(column) | Self::Last(column) => !column.trim().is_empty(),
            Self::Mean => true,
        };
        if fits { Ok(()) } else { Err(PerPersonError { text: self.to_string() }) }
    }
}

impl fmt::Display for PerPerson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mean => f.write_str("mean"),
            Self::First(column) => write!(f, "first:{column}"),
            Self::Last(column) => write!(f, "last:{column}"),
            Self::UpTo(most) => write!(f, "up-to:{most}"),
        }
    }
}

impl FromStr for PerPerson {
    type Err = PerPersonError;

    fn from_str(text: &str) -> Result<Self, PerPersonError> {
        let refused = || PerPersonError { text: text.trim().into() };
        let way = match text.trim().split_once(':') {
            None if text.trim() == "mean" => Self::Mean,
            Some(("first", column)) => Self::First(column.into()),
            Some(("last", column)) => Self::Last(column.into()),
            Some(("up-to", most)) => Self::UpTo(most.trim().parse().map_err(|_| refused())?),
            _ => return Err(refused()),
        };
        way.check().map_err(|_| refused())?;
        Ok(way)
    }
}
