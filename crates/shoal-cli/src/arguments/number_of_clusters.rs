//! How many clusters: a number, or `auto`.

use std::fmt;

use crate::arguments::parse_k;

/// More than this many clusters are not tried one after the other.
const MOST_TRIED: usize = 100;

/// What `-k` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// So many.
    Given(usize),
    /// As many as the release shows, up to a limit of the user's or the usual one.
    Auto {
        /// The user's limit.
        most: Option<usize>,
    },
}

impl Number {
    /// Reads the option.
    pub fn parse(text: &str) -> Result<Self, String> {
        let Some(limit) = text.strip_prefix("auto") else {
            return parse_k(text).map(Self::Given).map_err(|error| format!("{error}, or auto"));
        };
        if limit.is_empty() {
            return Ok(Self::Auto { most: None });
        }
        let most = limit.strip_prefix(':').and_then(|most| most.parse().ok());
        let most = most.filter(|most| (2..=MOST_TRIED).contains(most));
        let wrong =
            || format!("give auto, or auto:K to try K clusters at most, such as auto:12 (from 2 to {MOST_TRIED})");
        most.map(|most| Self::Auto { most: Some(most) }).ok_or_else(wrong)
    }

    /// True when the number is to be chosen.
    pub fn is_auto(self) -> bool {
        matches!(self, Self::Auto { .. })
    }

    /// The number, or the most that is tried: `usual`, unless the user said otherwise.
    pub fn most(self, usual: usize) -> usize {
        match self {
            Self::Given(k) => k,
            Self::Auto { most } => most.unwrap_or(usual),
        }
    }
}

impl fmt::Display for Number {
    /// As the user would write it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given(k) => write!(f, "{k}"),
            Self::Auto { most: None } => f.write_str("auto"),
            Self::Auto { most: Some(most) } => write!(f, "auto:{most}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for text in ["1", "10000", "auto", "auto:2", "auto:100"] {
            assert_eq!(Number::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "0", "-1", "2.5", "auto:", "auto:1", "auto:101", "auto12", "automatic", "10001"] {
            assert!(Number::parse(text).is_err(), "{text}");
        }
        assert_eq!([Number::Given(3).most(20), Number::parse("auto:7").unwrap().most(20)], [3, 7]);
        assert_eq!(Number::Auto { most: None }.most(20), 20);
    }
}
