//! What a run decided on the way from public or released numbers, as data: programs read the fields, people the sentence.
//!
//! In JSON a decision is an object with its `kind`, its numbers, and the sentence as `text`:
//!
//! ```
//! use shoal_curator::Decision;
//!
//! let decision = Decision::FewCells { cells: 4, k: 6 };
//! let json = serde_json::to_value(&decision)?;
//! assert_eq!((&json["kind"], &json["cells"]), (&"few-cells".into(), &4.into()));
//! assert_eq!(json["text"], decision.to_string());
//! // Programs before this one wrote sentences only.
//! assert_eq!(serde_json::from_str::<Decision>(r#""Grid: 4 cells.""#)?, Decision::Text("Grid: 4 cells.".into()));
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! *Privacy.* Decisions follow from public numbers and from what was released, so they are post-processing.

mod text;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use shoal_lattice::Interval;
use shoal_privacy::{Delta, Epsilon, Loss};

use crate::{Evidence, RangeRule, Route};

/// Something that was decided. Its `Display` is a sentence or two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Decision {
    /// Rows were grouped by person.
    Persons {
        /// The columns that name a person.
        columns: Vec<String>,
        /// Which rows of a person count: `mean`, `first:…`, `last:…` or `up-to:…`.
        rows: String,
        /// The most rows of a person that count.
        most: u64,
    },
    /// Bounds were estimated from the data.
    BoughtBounds {
        /// What they cost.
        epsilon: Epsilon,
        /// The columns and their bounds.
        bounds: Vec<ColumnInterval>,
    },
    /// Noise hid where the values of these columns lie.
    GuessedBounds {
        /// The columns whose bounds are guesses.
        columns: Vec<String>,
    },
    /// The middle of a column's bounds stands for its missing values, however many there are.
    MiddlesForGaps,
    /// A noisy number of rows was bought, since no public one was given.
    BoughtRows {
        /// What it cost.
        epsilon: Epsilon,
        /// The noisy number.
        rows: u64,
        /// Standard deviation of its noise.
        sd: f64,
    },
    /// The bought number of rows may be nothing but noise.
    RowsMostlyNoise,
    /// The route that was asked for, and its noise.
    Route {
        /// The route.
        route: Route,
        /// Gaussian noise is used, which is less here.
        gaussian: bool,
    },
    /// The route that `auto` chose, and why.
    ChoseRoute {
        /// The route.
        route: Route,
        /// Gaussian noise is used, which is less here.
        gaussian: bool,
        /// About how many rows it was chosen for.
        rows: f64,
        /// For how many columns.
        columns: usize,
        /// For how many clusters.
        k: usize,
        /// The error predicted for it, the least of all.
        predicted_nicv: f64,
        /// The errors predicted for the others.
        others: Vec<PredictedRoute>,
    },
    /// How a route will divide the budget.
    PlannedBudget {
        /// The share for an estimate of the quality.
        score: f64,
        /// How the rest is divided.
        parts: Vec<BudgetPart>,
    },
    /// How a route divided its budget.
    Budget {
        /// Its parts.
        parts: Vec<BudgetPart>,
        /// How many rounds on the rows there were.
        rounds: u32,
    },
    /// The cells of a grid.
    Grid {
        /// Cells along each column.
        cells_per_axis: Vec<u32>,
        /// How many cells the rule asked for, where a limit on memory allowed fewer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<f64>,
    },
    /// The boxes of a tree.
    Tree {
        /// How many there are.
        boxes: usize,
        /// ε that decided where to cut.
        shape: Epsilon,
        /// ε that went to the counts.
        counts: Epsilon,
        /// The tree has as many boxes as it may have.
        stopped: bool,
    },
    /// The boxes of a tree of fixed depth.
    FixedTree {
        /// How many there are.
        boxes: usize,
        /// Cuts above each box.
        depth: u32,
        /// ε that went to the counts.
        counts: Epsilon,
    },
    /// The boxes of a tree that was counted several times while it grew.
    Looks {
        /// How many boxes each look counted.
        boxes: Vec<usize>,
        /// ε that went to the counts of all looks.
        counts: Epsilon,
    },
    /// There are fewer cells than clusters.
    FewCells {
        /// Cells or boxes.
        cells: usize,
        /// Clusters.
        k: usize,
    },
    /// The number of clusters, chosen on released cells.
    ChoseK {
        /// The choice.
        k: usize,
        /// The gap of every number that was tried.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        evidence: Option<Evidence>,
        /// What programs before the gap statistic chose it by: mean silhouettes, the best first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        scores: Vec<SilhouetteOfK>,
    },
    /// Rows counted along the line between the two halves of the cells, because no clusters showed on these.
    CountedAlong {
        /// Noisy numbers of rows, from one end to the other.
        counts: Vec<i64>,
        /// Standard deviation of the noise on each.
        noise: f64,
        /// Whether there are two heaps with fewer rows between them.
        two_heaps: bool,
    },
    /// One centre for all rows.
    OneCentre {
        /// About how many rows there are.
        rows: f64,
        /// How many columns.
        columns: usize,
    },
    /// One round in random directions from a noisy mean.
    Directions {
        /// How many directions.
        directions: usize,
        /// How many centres came out.
        found: usize,
        /// How many were asked for.
        asked: usize,
    },
    /// Hybrid: a refining step would not pay.
    GridAlone {
        /// The ε from which on it pays.
        threshold: f64,
    },
    /// Hybrid: a refining step pays.
    GridAndStep {
        /// The ε from which on it pays.
        threshold: f64,
        /// ε for the grid.
        grid: Epsilon,
        /// ε for the step.
        step: Epsilon,
    },
    /// Blocks of rows whose centres are averaged.
    Blocks {
        /// How many.
        blocks: u64,
        /// About how many rows each has.
        rows_per_block: f64,
        /// How the range of their centres was found; programs before this one had quartiles of the rows only.
        #[serde(default = "quartiles")]
        rule: RangeRule,
        /// The part of the bounds that the range takes up, averaged over columns and centres.
        range: f64,
        /// ε for the noise on the means.
        epsilon: Epsilon,
    },
    /// Rounds of a genetic search.
    Rounds {
        /// How many.
        rounds: u32,
        /// Candidate sets in each.
        population: usize,
        /// Sets picked in each but the last.
        picks: usize,
        /// ε of each of these picks.
        pick: Epsilon,
        /// ε of the last one, which is the result.
        last: Epsilon,
        /// How many rounds the paper's rule asks for, where that is more.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<f64>,
    },
    /// Gaussian noise, which a δ allows.
    GaussianSteps {
        /// The δ.
        delta: Delta,
        /// What each step costs.
        step: Loss,
        /// It is less noise than without a δ.
        pays: bool,
    },
    /// A sentence: what programs wrote before decisions were data, or what a later program decided.
    #[serde(skip)]
    Text(String),
}

fn quartiles() -> RangeRule {
    RangeRule::Quartiles
}

/// The bounds of one column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnInterval {
    /// Its name.
    pub column: String,
    /// Its bounds.
    pub interval: Interval,
}

/// A route and what is expected of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PredictedRoute {
    /// The route.
    pub route: Route,
    /// The error predicted for it.
    pub predicted_nicv: f64,
}

/// What a part of the budget is for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BudgetPart {
    /// Its purpose.
    pub purpose: Purpose,
    /// Its share, from 0 to 1.
    pub share: f64,
}

/// What a part of a budget can be for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Purpose {
    /// The mean of all rows.
    Mean,
    /// One round of Lloyd's algorithm around it.
    Round,
    /// The counts of the cells.
    Counts,
    /// Means and variances of the columns.
    Moments,
    /// The tree and its counts.
    Tree,
    /// Counts along a line, where no clusters show.
    Heaps,
    /// Rounds on the rows.
    Refinement,
}

/// How well a number of clusters fits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SilhouetteOfK {
    /// The number of clusters.
    pub k: usize,
    /// The mean silhouette: 1 for clusters far apart, 0 for rows halfway between two centres.
    pub silhouette: f64,
}

impl Decision {
    /// True for what shaped released cells or their bounds. The rest is about one clustering: its number of clusters, its
    /// rounds, how its budget was divided.
    pub fn is_about_cells(&self) -> bool {
        match self {
            Self::BoughtBounds { .. } | Self::GuessedBounds { .. } | Self::Grid { .. } | Self::Tree { .. } => true,
            Self::FixedTree { .. } | Self::Looks { .. } | Self::BoughtRows { .. } | Self::RowsMostlyNoise => true,
            Self::MiddlesForGaps | Self::Persons { .. } => true,
            // Programs that wrote sentences also wrote them about the clustering.
            _ => false,
        }
    }
}

impl Serialize for Decision {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Fields<'a>(&'a Decision);
        impl Serialize for Fields<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                Decision::serialize(self.0, serializer)
            }
        }
        #[derive(Serialize)]
        struct WithText<'a> {
            #[serde(flatten)]
            fields: Fields<'a>,
            text: String,
        }
        #[derive(Serialize)]
        struct TextAlone<'a> {
            kind: &'a str,
            text: &'a str,
        }
        match self {
            Self::Text(text) => TextAlone { kind: "text", text }.serialize(serializer),
            known => WithText { fields: Fields(known), text: known.to_string() }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Decision {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Known(Decision);
        impl<'de> Deserialize<'de> for Known {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Decision::deserialize(deserializer).map(Known)
            }
        }
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Read {
            Known(Known),
            /// A kind that a later program writes: its sentence is enough.
            WithText {
                text: String,
            },
            Sentence(String),
        }
        Ok(match Read::deserialize(deserializer)? {
            Read::Known(Known(decision)) => decision,
            Read::WithText { text } | Read::Sentence(text) => Self::Text(text),
        })
    }
}

#[cfg(test)]
mod tests;
