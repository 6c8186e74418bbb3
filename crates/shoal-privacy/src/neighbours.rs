//! Which two inputs a release must not distinguish.

use serde::{Deserialize, Serialize};

use crate::Amount;

/// The pairs of inputs that a promise speaks of.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Neighbours {
    /// Two tables of which one has one row more.
    AddRemoveOne,
    /// Two tables with the same number of rows that differ in one of them.
    ReplaceOne,
    /// Two tables of which one also has all rows of one person, however many they are.
    AddRemovePerson,
    /// Two tables of the same persons that differ in the rows of one of them.
    ReplacePerson,
    /// Any two records that one person might hold (the local model).
    AnyTwoInputs,
    /// Any two records, with a loss that grows with their distance.
    PerUnitOf(Metric),
}

/// A distance between records.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Straight-line distance, every attribute scaled to a width of one.
    Euclidean,
    /// The same between records whose attributes were rounded to whole steps first.
    EuclideanOnLattice {
        /// Steps across an attribute's width.
        steps: u64,
    },
    /// The same, plus what is stated for each column of words in which two records differ.
    EuclideanAndWords {
        /// Steps across an attribute's width.
        steps: u64,
        /// The columns of words, each with the distance that a mismatch counts as.
        mismatches: Vec<(String, Amount)>,
    },
    /// Sum of absolute differences, every attribute scaled to a width of one.
    Manhattan,
    /// Largest absolute difference, every attribute scaled to a width of one.
    Chebyshev,
    /// Absolute difference of one attribute in its own unit.
    Attribute(String),
}

impl Metric {
    /// The metric's name in a sentence.
    pub fn words(&self) -> String {
        match self {
            Self::Euclidean => "Euclidean distance, in which each column's range counts as one".into(),
            Self::EuclideanOnLattice { steps } => format!(
                "Euclidean distance, in which each column's range counts as one and values are rounded to 1/{steps} of it"
            ),
            Self::EuclideanAndWords { steps, mismatches } => {
                let plus: Vec<String> =
                    mismatches.iter().map(|(column, distance)| format!("{distance} where {column} differs")).collect();
                format!(
                    "Euclidean distance, in which each number column's range counts as one and values are rounded to \
                     1/{steps} of it, plus {}",
                    plus.join(" and ")
                )
            }
            Self::Manhattan => "Manhattan distance, in which each column's range counts as one".into(),
            Self::Chebyshev => "Chebyshev distance, in which each column's range counts as one".into(),
            Self::Attribute(name) => format!("difference in {name}"),
        }
    }
}
