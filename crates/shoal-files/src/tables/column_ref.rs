//! A column in a message.

use std::fmt;

/// Which column a message is about: by its name where that is one for certain, by its number otherwise. The first row of a
/// table without a header is a record, and its cells must not get into messages as names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnRef {
    /// A name that a header has, or that the caller gave.
    Name(String),
    /// The column's place in the table, counted from 1.
    Number(usize),
}

impl ColumnRef {
    /// A column by its name.
    pub fn name(name: &str) -> Self {
        Self::Name(name.into())
    }
}

impl fmt::Display for ColumnRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "column `{name}`"),
            Self::Number(number) => write!(f, "column {number}"),
        }
    }
}
