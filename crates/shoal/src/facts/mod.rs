//! What a model says, computed once: rows of clusters with their intervals, how far each can be relied on, warnings, the
//! guarantee in words, and what may be published.
//!
//! The terminal, the page and the notes in JSON all show this value, so none of them is more certain than the others.
//!
//! ```
//! use shoal::Fit;
//! use shoal_files::Matrix;
//!
//! let rows: Vec<f64> = (0..2000).map(|i| if i % 2 == 0 { 1.0 } else { 9.0 }).collect();
//! let model = Fit::new(2, "2")?.bounds("x=0:10")?.run(Matrix::from_rows(&["x"], &rows).unwrap())?;
//! let facts = model.facts();
//! assert_eq!(facts.clusters.len(), 2);
//! assert!(facts.guarantee.sentence().starts_with("If someone is unsure"));
//! # Ok::<(), shoal::Error>(())
//! ```

mod describe;
mod notes;
mod publish;

use serde::Serialize;
use shoal_curator::{Evidence, Explained};
use shoal_lattice::{BoxLength, Widths};
use shoal_privacy::{Claim, Guarantee, NoGuarantee, Strength};

use crate::model::{Kind, Model, Standing};
pub use publish::Publish;

/// What a model says.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// The clusters, in the order of the model.
    pub clusters: Vec<ClusterFacts>,
    /// What the numbers after the values mean.
    pub margins: Margins,
    /// What is guaranteed; a seed voids whatever the model says.
    pub guarantee: Guarantee,
    /// How much the guarantee protects, where there is one.
    pub strength: Option<Strength>,
    /// Further guarantees, in other units: sentences.
    pub also: Vec<String>,
    /// The share of variance that the clusters explain, compared with one centre for all. It does not depend on the
    /// bounds.
    pub explained: Option<Explained>,
    /// Whether the rows divide into clusters at all.
    pub evidence: Option<Evidence>,
    /// What to know before the clusters are used, the most important first.
    pub notes: Vec<Note>,
    /// What may be published.
    pub publish: Publish,
}

/// One cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterFacts {
    /// Its number.
    pub number: usize,
    /// How many rows or reports it has, where that is released.
    pub size: Option<Measured>,
    /// Its share in all sizes above zero.
    pub share: Option<f64>,
    /// Its centre, column by column.
    pub values: Vec<Measured>,
    /// Standard deviation of its rows in each column, where it is known.
    pub spread: Option<Vec<f64>>,
    /// How often it reappears when the noise is drawn again, where it is known.
    pub stability: Option<f64>,
    /// How much it can be relied on.
    pub reliance: Reliance,
    /// What distinguishes it from the average, in a few words; empty where nothing does for certain.
    pub description: String,
}

impl ClusterFacts {
    /// Half of the interval of its size, as a share of all sizes above zero; none where no interval describes it.
    pub fn share_error(&self) -> Option<f64> {
        let (size, share) = (self.size.as_ref()?, self.share?);
        size.half_width().map(|half| half * share / size.value).filter(|error| error.is_finite())
    }
}

/// How much a cluster can be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reliance {
    /// It reappears in nearly every run.
    Stable,
    /// How often it reappears is not known.
    Unknown,
    /// It often looks different in another run.
    Unstable,
    /// It reappears in less than half of the runs.
    NotReproducible,
    /// Its place is mostly noise.
    MostlyNoise,
}

impl Reliance {
    /// True where the cluster belongs into a picture of the result.
    pub fn is_drawn(self) -> bool {
        self <= Self::Unknown
    }

    /// In a word or three; nothing where it is not known.
    pub fn words(self) -> &'static str {
        match self {
            Self::Stable => "stable",
            Self::Unknown => "",
            Self::Unstable => "unstable",
            Self::NotReproducible => "not reproducible",
            Self::MostlyNoise => "mostly noise",
        }
    }
}

/// A number and what is known about its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The number.
    pub value: f64,
    /// Its error.
    pub margin: Margin,
}

impl Measured {
    /// The larger distance from the value to an end of its interval, or two standard deviations; nothing where no interval
    /// describes the number.
    pub fn half_width(&self) -> Option<f64> {
        match self.margin {
            Margin::Interval([low, high]) => Some((high - self.value).max(self.value - low)),
            Margin::StandardErrors(two) | Margin::LastStep(two) => Some(two),
            Margin::NotReproducible => None,
        }
    }

    /// The ends of the interval within which the number is, with the confidence that [`Margins`] states; nothing where the
    /// error is not known.
    pub fn interval(&self) -> Option<[f64; 2]> {
        match self.margin {
            Margin::Interval(ends) => Some(ends),
            Margin::StandardErrors(two) => Some([self.value - two, self.value + two]),
            Margin::LastStep(_) | Margin::NotReproducible => None,
        }
    }
}

/// What is known about the error of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Margin {
    /// An interval of 95 % confidence for what the same clustering would give without privacy noise.
    Interval([f64; 2]),
    /// Two standard errors, of centres that were found in reports.
    StandardErrors(f64),
    /// Two standard deviations of the noise of the last step only: not the error of the number, which is larger.
    LastStep(f64),
    /// No interval: the cluster is not reproducible.
    NotReproducible,
}

/// What the margins of a model mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Margins {
    /// Intervals of 95 % confidence.
    Intervals {
        /// They are lower bounds of the error.
        at_least: bool,
    },
    /// Two standard errors.
    StandardErrors(&'static str),
    /// Noise of the last step only.
    LastStep(&'static str),
}

/// How most methods state their noise.
const TWO_SD: &str = "two standard deviations";

impl Margins {
    /// One or two sentences below a table.
    pub fn meaning(self) -> String {
        match self {
            Self::Intervals { at_least: false } => {
                "The number after ± is half of a 95 % interval for what the same clustering would give without privacy noise."
                    .into()
            }
            Self::Intervals { at_least: true } => {
                "The error of each number is at least that after ±, which is half of a 95 % interval: a part of the error cannot be estimated from this release."
                    .into()
            }
            Self::StandardErrors(what) => format!("The number after ± is {what}."),
            Self::LastStep(what) => format!(
                "In brackets: noise of the last step only ({}). It is not the error of a centre: earlier steps moved the centres, too, and how far is not known for this method.",
                if what.starts_with(TWO_SD) { TWO_SD } else { what }
            ),
        }
    }
}

/// Something to know before the clusters are used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// How much it matters.
    pub level: Level,
    /// A few words, for a heading.
    pub title: String,
    /// A sentence or two.
    pub text: String,
}

/// How much a note matters. Earlier matters more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The result should not be used as it is.
    Warning,
    /// A part of it should not be, or only with care.
    Caution,
    /// Good to know.
    Note,
}

impl Facts {
    /// What `model` says.
    pub fn of(model: &Model) -> Self {
        let guarantee = match &model.guarantee {
            Guarantee::Holds(_) if model.seeded => Guarantee::Void { none: NoGuarantee::Seeded },
            other => other.clone(),
        };
        let margins = margins(model);
        let clusters: Vec<ClusterFacts> = (0..model.k()).map(|j| cluster(model, j, margins)).collect();
        let clusters = describe::described(model, clusters);
        let strength = guarantee.claim().map(Claim::strength);
        let also = guarantee.claim().map_or_else(Vec::new, |claim| also(claim, &model.also));
        let certainty = model.certainty.as_ref();
        let mut facts = Self {
            clusters,
            margins,
            publish: Publish::of(&guarantee, model.kind, model.merged_from.is_some()),
            guarantee,
            strength,
            also,
            // Where intervals are lower bounds, that of the share is too narrow to be shown (docs/uncertainty.md).
            explained: certainty.filter(|it| !it.intervals_at_least).and_then(|it| it.explained),
            evidence: certainty.and_then(|it| it.evidence.clone()),
            notes: Vec::new(),
        };
        facts.notes = notes::notes(model, &facts);
        facts
    }

    /// The clusters that a picture of the result leaves out.
    pub fn left_out(&self) -> impl Iterator<Item = &ClusterFacts> {
        self.clusters.iter().filter(|cluster| !cluster.reliance.is_drawn())
    }
}

impl Model {
    /// What this model says.
    pub fn facts(&self) -> Facts {
        Facts::of(self)
    }
}

fn margins(model: &Model) -> Margins {
    match (&model.certainty, model.kind) {
        (Some(certainty), _) => Margins::Intervals { at_least: certainty.intervals_at_least },
        (None, Kind::Crowd) => Margins::StandardErrors(model.plus_minus()),
        (None, Kind::Curator) => Margins::LastStep(model.plus_minus()),
    }
}

fn cluster(model: &Model, j: usize, margins: Margins) -> ClusterFacts {
    let reliance = reliance(model, j);
    let measured = |value: f64, interval: Option<[f64; 2]>, two: f64| {
        let margin = match (margins, interval) {
            (Margins::Intervals { .. }, _) if reliance == Reliance::NotReproducible => Margin::NotReproducible,
            (Margins::Intervals { .. }, Some(interval)) => Margin::Interval(interval),
            (Margins::Intervals { .. } | Margins::LastStep(_), _) => Margin::LastStep(two),
            (Margins::StandardErrors(_), _) => Margin::StandardErrors(two),
        };
        Measured { value, margin }
    };
    let certainty = model.certainty.as_ref();
    let interval = |i: usize| certainty.and_then(|it| it.intervals.get(j)).map(|row| row[i]);
    let size_interval = certainty.and_then(|it| it.size_intervals.get(j)).copied();
    let crowd_spread = model.from_reports.as_ref().and_then(|from| from.cluster_sd.get(j));
    ClusterFacts {
        number: model.number(j),
        size: model.sizes.get(j).map(|size| measured(*size, size_interval, 2.0 * model.size_sd[j])),
        share: share(&model.sizes, j),
        values: (0..model.columns.len())
            .map(|i| measured(model.centres[j][i], interval(i), 2.0 * model.centre_sd[j][i]))
            .collect(),
        spread: certainty.and_then(|it| it.spread.get(j)).or(crowd_spread).cloned(),
        stability: certainty.and_then(|it| it.stability.get(j)).copied(),
        reliance,
        description: String::new(),
    }
}

/// Share of a cluster in all sizes above zero; none when none is.
fn share(sizes: &[f64], j: usize) -> Option<f64> {
    let counted = |size: f64| if size.is_finite() { size.max(0.0) } else { 0.0 };
    let total: f64 = sizes.iter().map(|size| counted(*size)).sum();
    sizes.get(j).filter(|_| total > 0.0 && total.is_finite()).map(|size| counted(*size) / total)
}

fn reliance(model: &Model, j: usize) -> Reliance {
    if model.swamped_clusters().contains(&j) || wide(model, j) {
        return Reliance::MostlyNoise;
    }
    match model.certainty.as_ref().map_or(Standing::Unknown, |it| it.standing(j)) {
        Standing::Stable => Reliance::Stable,
        Standing::Unstable => Reliance::Unstable,
        Standing::NotReproducible => Reliance::NotReproducible,
        Standing::Unknown => Reliance::Unknown,
    }
}

/// Whether the intervals of a cluster are so wide that its place shows little: by the rule for noise, which is about one
/// standard deviation, where half of an interval is two.
fn wide(model: &Model, j: usize) -> bool {
    let Some(row) = model.certainty.as_ref().and_then(|it| it.intervals.get(j)) else { return false };
    let map = model.stretched_map();
    let squares = row.iter().zip(&model.bounds).enumerate().map(|(i, ([low, high], interval))| {
        let Widths(width) = match &map {
            Some(map) => BoxLength((map.to_box(i, *high).0 - map.to_box(i, *low).0) / 4.0).in_widths(),
            None => Widths::of_user((high - low) / 4.0, interval),
        };
        width * width
    });
    (squares.sum::<f64>() / row.len().max(1) as f64).sqrt() > shoal_curator::SWAMPED.0
}

/// Further guarantees in words; conditions that the first one names already are not repeated.
fn also(first: &Claim, others: &[Claim]) -> Vec<String> {
    let known = first.statement().conditions;
    let words = |claim: &Claim| {
        let mut statement = claim.statement();
        if statement.conditions.iter().all(|condition| known.contains(condition)) {
            statement.conditions.clear();
        }
        statement.to_string()
    };
    others.iter().map(words).collect()
}

#[cfg(test)]
mod tests;
