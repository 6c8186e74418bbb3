//! Bounds as the user writes them, before the table's columns are known.

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use shoal_lattice::{Bounds, BoundsError, Interval};

use super::cell_date;

/// A bounds file is a line a column; beyond this it is some other file.
const FILE_LIMIT: u64 = 4 << 20;

/// Parsed bounds that wait for a table.
///
/// ```
/// use shoal_files::BoundsSpec;
/// let columns = ["age".to_string(), "hours".to_string()];
/// let bounds = BoundsSpec::parse("hours=1:99,age=17:90")?.resolve(&columns, &columns)?;
/// assert_eq!(bounds.intervals()[0].hi(), 90.0);
/// # Ok::<(), shoal_lattice::BoundsError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum BoundsSpec {
    /// The same interval for every column.
    All(Interval),
    /// Intervals by column name, each name once.
    Named(Vec<(String, Interval)>),
}

impl BoundsSpec {
    /// Reads `lo,hi`, `name=lo:hi,...` or the path of a JSON or TOML file. A limit may be a date: `born=1930-01-01:2010-12-31`.
    ///
    /// A name ending in `.json` or `.toml` is always a path; other text is a path only when it fits neither inline
    /// form and such a file exists.
    pub fn parse(text: &str) -> Result<Self, BoundsError> {
        let text = text.trim();
        let lower = text.to_ascii_lowercase();
        if lower.ends_with(".json") || lower.ends_with(".toml") {
            return Self::from_file(Path::new(text));
        }
        if text.contains('=') {
            return Self::from_named(text);
        }
        // A colon between two numbers means the same; `NAME=LO:HI` has one, too.
        let parts: Vec<&str> = text.split([',', ':']).collect();
        if let [lo, hi] = parts[..]
            && let (Ok(lo), Ok(hi)) = (number(lo), number(hi))
        {
            return Interval::new(lo, hi).map(Self::All);
        }
        if Path::new(text).is_file() {
            return Self::from_file(Path::new(text));
        }
        let why = if text.is_empty() {
            "nothing is given".to_string()
        } else if parts.iter().all(|part| number(part).is_ok()) {
            format!(
                "two numbers are needed and there {}",
                if parts.len() == 1 { "is one".into() } else { format!("are {}", parts.len()) }
            )
        } else {
            "it is neither two numbers, nor NAME=LO:HI, nor a file".to_string()
        };
        Err(BoundsError::Text { text: shortened(text), why })
    }

    /// Reads `{"age": [17, 90], "hours": [1, 99]}`.
    pub fn from_json(text: &str) -> Result<Self, BoundsError> {
        let Pairs(pairs) =
            serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| BoundsError::Syntax {
                format: "JSON",
                at: format!(" at line {}, column {}", error.line(), error.column()),
                why: match error.classify() {
                    serde_json::error::Category::Eof => "it ends early".into(),
                    serde_json::error::Category::Data => "every entry must be a list of two numbers".into(),
                    _ => "something there does not belong; every entry must be a list of two numbers".into(),
                },
            })?;
        Self::from_limits(pairs)
    }

    /// Reads lines such as `age = [17, 90]`.
    pub fn from_toml(text: &str) -> Result<Self, BoundsError> {
        let text = text.trim_start_matches('\u{feff}');
        let Pairs(pairs) = toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            BoundsError::Syntax {
                format: "TOML",
                at: before.map_or_else(String::new, |before| format!(" at line {}", before.matches('\n').count() + 1)),
                why: "every line must be a name once, an equals sign and a list of two numbers".into(),
            }
        })?;
        Self::from_limits(pairs)
    }

    /// One interval for each of `selected`, in that order. Entries for other columns in `known` are left aside, so a
    /// bounds file can serve several selections; names outside `known` are an error.
    pub fn resolve(&self, selected: &[String], known: &[String]) -> Result<Bounds, BoundsError> {
        let intervals = match self {
            Self::All(interval) => vec![*interval; selected.len()],
            Self::Named(pairs) => {
                if let Some((name, _)) = pairs.iter().find(|(name, _)| !known.contains(name)) {
                    return Err(BoundsError::Unknown { name: name.clone(), columns: known.to_vec() });
                }
                let find =
                    |column: &String| pairs.iter().find(|(name, _)| name == column).map(|(_, interval)| *interval);
                let missing: Vec<String> = selected.iter().filter(|column| find(column).is_none()).cloned().collect();
                if !missing.is_empty() {
                    return Err(BoundsError::Missing { columns: missing });
                }
                selected.iter().filter_map(find).collect()
            }
        };
        Bounds::new(selected.to_vec(), intervals)
    }

    fn from_named(text: &str) -> Result<Self, BoundsError> {
        let refuse = |why: String| BoundsError::Text { text: shortened(text), why };
        let mut pairs = Vec::new();
        for part in text.split(',') {
            let part = part.trim();
            let (name, range) =
                part.split_once('=').ok_or_else(|| refuse(format!("`{}` has no `=`", shortened(part))))?;
            let (lo, hi) = range
                .split_once(':')
                .ok_or_else(|| refuse(format!("`{}` has no `:` between its two numbers", shortened(part))))?;
            let bad = |_| refuse(format!("`{}` does not hold two numbers", shortened(part)));
            if name.trim().is_empty() {
                return Err(refuse(format!("`{}` names no column", shortened(part))));
            }
            pairs.push((name.trim().to_string(), [number(lo).map_err(bad)?, number(hi).map_err(bad)?]));
        }
        Self::from_pairs(pairs)
    }

    fn from_file(path: &Path) -> Result<Self, BoundsError> {
        let refuse = |why: String| BoundsError::File { path: path.display().to_string(), why };
        let mut text = String::new();
        let file = File::open(path).map_err(|error| refuse(error.to_string()))?;
        file.take(FILE_LIMIT + 1).read_to_string(&mut text).map_err(|error| refuse(error.to_string()))?;
        if text.len() as u64 > FILE_LIMIT {
            return Err(refuse("it is far larger than bounds can be; is it the data?".into()));
        }
        let ends_in = |ending: &str| path.extension().is_some_and(|end| end.eq_ignore_ascii_case(ending));
        let json_content = text.trim_start_matches('\u{feff}').trim_start().starts_with('{');
        let json = ends_in("json") || json_content && !ends_in("toml");
        if json { Self::from_json(&text) } else { Self::from_toml(&text) }
    }

    fn from_limits(pairs: Vec<(String, [Limit; 2])>) -> Result<Self, BoundsError> {
        Self::from_pairs(pairs.into_iter().map(|(name, limits)| (name, limits.map(|Limit(limit)| limit))).collect())
    }

    fn from_pairs(pairs: Vec<(String, [f64; 2])>) -> Result<Self, BoundsError> {
        let mut named: Vec<(String, Interval)> = Vec::with_capacity(pairs.len());
        let mut seen = std::collections::HashSet::new();
        for (name, [lo, hi]) in pairs {
            if !seen.insert(name.clone()) {
                return Err(BoundsError::Duplicate { name });
            }
            let interval = Interval::new(lo, hi).map_err(|error| match error {
                BoundsError::Interval { lo, hi, fault, .. } => {
                    BoundsError::Interval { column: Some(name.clone()), lo, hi, fault }
                }
                other => other,
            })?;
            named.push((name, interval));
        }
        Ok(Self::Named(named))
    }
}

/// A limit: a number, or a date with its year first, which counts as in the table.
fn number(text: &str) -> Result<f64, std::num::ParseFloatError> {
    let text = text.trim();
    text.parse().or_else(|error| cell_date::of_bound(text).ok_or(error))
}

/// A limit in a file: a number, or a date as text.
#[derive(Clone, Copy)]
struct Limit(f64);

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(f64),
            Date(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(number) => Ok(Self(number)),
            Written::Date(text) => cell_date::of_bound(text.trim())
                .map(Self)
                .ok_or_else(|| serde::de::Error::custom("a limit is a number or a date such as 1990-12-31")),
        }
    }
}

/// Enough of a command-line text to recognise it.
fn shortened(text: &str) -> String {
    if text.chars().count() <= 80 { text.to_string() } else { text.chars().take(77).chain("...".chars()).collect() }
}

/// Entries in file order with repeats kept, because a map would quietly let the last one win.
struct Pairs(Vec<(String, [Limit; 2])>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;

        impl<'de> Visitor<'de> for Collect {
            type Value = Pairs;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("one [low, high] pair for each column name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }

        deserializer.deserialize_map(Collect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_may_be_dates() {
        let interval = |spec: BoundsSpec| match spec {
            BoundsSpec::Named(pairs) => pairs[0].1,
            BoundsSpec::All(interval) => interval,
        };
        for text in
            ["born=1930-01-01:2010-12-31", "1930-01-01,2010-12-31", "1930-01-01:2010-12-31", "born=1930:2010-12-31"]
        {
            let found = interval(BoundsSpec::parse(text).unwrap());
            assert_eq!((found.lo(), found.hi()), (1930.0, 2010.0 + 364.0 / 365.0), "{text}");
        }
        let json = BoundsSpec::from_json(r#"{"born": ["1930-01-01", 2010]}"#).unwrap();
        let toml = BoundsSpec::from_toml("born = [\"1930-01-01\", 2010]").unwrap();
        assert_eq!((interval(json.clone()).lo(), interval(json).hi()), (1930.0, 2010.0));
        assert_eq!(interval(toml).hi(), 2010.0);
        for text in ["born=01.02.1930:2010-12-31", "born=1930-13-01:2010-12-31", "born=yesterday:2010-12-31"] {
            assert!(BoundsSpec::parse(text).is_err(), "{text}");
        }
        assert!(BoundsSpec::from_json(r#"{"born": ["soon", 2010]}"#).is_err());
    }
}
