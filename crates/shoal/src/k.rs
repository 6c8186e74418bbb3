//! How many clusters: a number, or as many as the release shows.

use std::fmt;

use crate::Error;

/// More than this many clusters are not tried one after the other.
const MOST_TRIED: usize = 100;

/// Most clusters that can be asked for.
const MOST_CLUSTERS: usize = 10_000;

/// A number of clusters, or the wish to have it chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum K {
    /// This many.
    Given(usize),
    /// As many as the released numbers show, and 1 where no clusters show; this costs nothing more.
    Auto {
        /// The most that is tried, where the usual limit is not wanted.
        most: Option<usize>,
    },
}

impl K {
    /// Reads `5`, `auto` or `auto:12`.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let wrong = |wanted: String| Error::K { given: text.into(), wanted };
        let Some(limit) = text.strip_prefix("auto") else {
            return match text.parse::<usize>() {
                Ok(k) => Self::given(k),
                Err(_) => Err(wrong("a whole number of clusters, for example 5, or auto".into())),
            };
        };
        if limit.is_empty() {
            return Ok(Self::Auto { most: None });
        }
        let most = limit.strip_prefix(':').and_then(|most| most.parse().ok());
        most.filter(|most| (2..=MOST_TRIED).contains(most)).map(|most| Self::Auto { most: Some(most) }).ok_or_else(
            || wrong(format!("auto, or auto:K to try at most K clusters, such as auto:12 (2 to {MOST_TRIED})")),
        )
    }

    fn given(k: usize) -> Result<Self, Error> {
        match k {
            0 => Err(Error::K { given: "0".into(), wanted: "1 or more".into() }),
            k if k > MOST_CLUSTERS => {
                Err(Error::K { given: k.to_string(), wanted: format!("at most {MOST_CLUSTERS} clusters") })
            }
            k => Ok(Self::Given(k)),
        }
    }

    /// True when the number is to be chosen.
    pub fn is_auto(self) -> bool {
        matches!(self, Self::Auto { .. })
    }

    /// The number, or the most that is tried: `usual`, unless a limit was given.
    pub fn most(self, usual: usize) -> usize {
        match self {
            Self::Given(k) => k,
            Self::Auto { most } => most.unwrap_or(usual),
        }
    }
}

impl fmt::Display for K {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given(k) => write!(f, "{k}"),
            Self::Auto { most: None } => f.write_str("auto"),
            Self::Auto { most: Some(most) } => write!(f, "auto:{most}"),
        }
    }
}

/// What can stand for a number of clusters: a number, or text such as `auto`.
pub trait IntoK {
    /// The checked number.
    fn into_k(self) -> Result<K, Error>;
}

impl IntoK for K {
    fn into_k(self) -> Result<K, Error> {
        match self {
            Self::Given(k) => Self::given(k),
            auto => Self::parse(&auto.to_string()),
        }
    }
}

impl IntoK for &str {
    fn into_k(self) -> Result<K, Error> {
        K::parse(self)
    }
}

macro_rules! whole_numbers {
    ($($type:ty),*) => {$(
        impl IntoK for $type {
            fn into_k(self) -> Result<K, Error> {
                K::given(usize::try_from(self).unwrap_or(0))
            }
        }
    )*};
}
whole_numbers!(usize, u64, u32, i64, i32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for text in ["1", "10000", "auto", "auto:2", "auto:100"] {
            assert_eq!(K::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "0", "-1", "2.5", "auto:", "auto:1", "auto:101", "auto12", "automatic", "10001"] {
            assert!(K::parse(text).is_err(), "{text}");
        }
        assert!((-3).into_k().is_err() && 0_usize.into_k().is_err());
        assert_eq!([K::Given(3).most(20), K::parse("auto:7").unwrap().most(20)], [3, 7]);
        assert_eq!(K::Auto { most: None }.most(20), 20);
    }
}
