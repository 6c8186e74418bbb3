//! What was decided on the way to a model.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What public or released numbers decided: an object with its `kind`, its numbers and a sentence, `text`.
///
/// ```
/// use shoal::model::Decision;
///
/// // Models of earlier programs have sentences.
/// let decision: Decision = serde_json::from_str(r#""Grid: 3×3 = 9 cells.""#)?;
/// assert_eq!(decision.to_string(), "Grid: 3×3 = 9 cells.");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Decision {
    /// While reports were clustered.
    Crowd(shoal_crowd::server::Decision),
    /// While a table was, and whatever has no kind that this program knows.
    Curator(shoal_curator::Decision),
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crowd(decision) => decision.fmt(f),
            Self::Curator(decision) => decision.fmt(f),
        }
    }
}

impl From<shoal_crowd::server::Decision> for Decision {
    fn from(decision: shoal_crowd::server::Decision) -> Self {
        Self::Crowd(decision)
    }
}

impl From<shoal_curator::Decision> for Decision {
    fn from(decision: shoal_curator::Decision) -> Self {
        Self::Curator(decision)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Decision;

    #[test]
    fn both_kinds_come_back_as_what_they_were() {
        for decision in [
            Decision::from(shoal_crowd::server::Decision::NoDensity),
            Decision::from(shoal_curator::Decision::FewCells { cells: 4, k: 6 }),
            Decision::from(shoal_curator::Decision::Text("A sentence.".into())),
        ] {
            let json = serde_json::to_value(&decision).unwrap();
            assert_eq!(serde_json::from_value::<Decision>(json).unwrap(), decision);
        }
        let later = json!({"kind": "of-a-later-program", "text": "It will rain."});
        let read: Decision = serde_json::from_value(later).unwrap();
        assert_eq!(read, shoal_curator::Decision::Text("It will rain.".into()).into());
    }
}
