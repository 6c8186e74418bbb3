//! What a release promises, as a value.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::loss::{Incomparable, Loss};
use crate::neighbours::Neighbours;
use crate::rounding::exp_up;

/// How faithful the program is to the mathematics of the proof. Later is weaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Numerics {
    /// Integers and exactly sampled noise: the proof is about the very numbers the program draws.
    Exact,
    /// Outputs lie on a lattice fixed beforehand, but the noise on it passed through floating point.
    Lattice,
    /// The proof is about real numbers, and the program computes with doubles.
    IdealReals,
}

/// What must be true of the world for the promise to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assumption {
    /// The bounds of the attributes were chosen without looking at the data.
    BoundsPublic,
    /// The number of rows is public knowledge.
    RowCountPublic,
    /// No person has more than one row.
    OneRowPerPerson,
    /// No person sends more than one report, in whatever file or at whatever time.
    OneReportPerPerson,
    /// Reports that came in a file were made in the way that it describes.
    ReportsAsDescribed,
    /// No row has a missing or unreadable value: one that has stops the fit, and whoever gets a result knows that none had.
    RowsComplete,
    /// Every row can be read, though some may lack a value and are left out: an unreadable one stops the fit.
    RowsReadable,
    /// Which rows lack a value is no secret: they are left out, and the number of the others is told.
    GapsPublic,
    /// The number of rows that a method was set up for came from elsewhere: one read off the data would give the number away.
    DesignSizePublic,
}

impl Assumption {
    /// The assumption as a clause that can follow "as long as".
    pub fn words(self) -> &'static str {
        match self {
            Self::BoundsPublic => "the bounds were chosen without looking at the data",
            Self::RowCountPublic => "the number of rows is no secret",
            Self::OneRowPerPerson => "each person has one row",
            Self::OneReportPerPerson => "each person sends one report and no more",
            Self::ReportsAsDescribed => "the reports were made as their file says",
            Self::RowsComplete => "no row lacks a value",
            Self::RowsReadable => "every row can be read",
            Self::GapsPublic => "it is no secret which rows lack a value",
            Self::DesignSizePublic => "the number of rows it was set up for was not read off the data",
        }
    }
}

/// What a release promises: between which inputs, how much may leak, how exactly, and on what conditions.
///
/// ```
/// use shoal_privacy::{Assumption, Claim, Loss, Neighbours, Numerics};
///
/// let step = Claim {
///     neighbours: Neighbours::AddRemoveOne,
///     loss: Loss::Pure("0.5".parse()?),
///     numerics: Numerics::Exact,
///     assumes: [Assumption::BoundsPublic].into(),
/// };
/// let both = step.then(&step)?;
/// assert_eq!(both.loss, Loss::Pure("1".parse()?));
/// assert!(step.at_least_as_strong_as(&both));
/// assert!(both.sentence().starts_with("Anyone who sees this result"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Between which inputs.
    pub neighbours: Neighbours,
    /// How much may leak.
    pub loss: Loss,
    /// How exactly the program follows the proof.
    pub numerics: Numerics,
    /// On what conditions.
    pub assumes: BTreeSet<Assumption>,
}

/// Two claims that cannot be composed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompositionError {
    /// They speak of different pairs of inputs.
    #[error("claims about different neighbours cannot be composed ({0:?} and {1:?}); convert one of them first")]
    Neighbours(Box<Neighbours>, Box<Neighbours>),
    /// Releases from disjoint rows have no common promise for these neighbours.
    #[error(
        "releases from disjoint rows compose only for adding or removing a row, not for {0:?}; compose them one after the other"
    )]
    NoParallel(Box<Neighbours>),
    /// Their losses have no common unit.
    #[error(transparent)]
    Loss(#[from] Incomparable),
}

impl CompositionError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Neighbours(..) => "other-neighbours",
            Self::NoParallel(..) => "no-parallel-composition",
            Self::Loss(..) => "other-unit-of-loss",
        }
    }
}

impl Claim {
    /// The promise of two releases from the same data, seen together.
    pub fn then(&self, next: &Self) -> Result<Self, CompositionError> {
        self.same_neighbours(next)?;
        Ok(self.joined(next, self.loss.then(&next.loss)?))
    }

    /// The promise of this release, which lets out bounds, and of `next`, which takes those as its public bounds.
    ///
    /// `next` keeps its promise for any bounds that were fixed before it looked at the data. These were: whoever knows this
    /// release knows them, and for each of them `next` is a fixed algorithm. So both compose like any release that
    /// follows from an earlier one, and the condition that bounds be public is met, not assumed.
    pub fn then_within_its_bounds(&self, next: &Self) -> Result<Self, CompositionError> {
        let mut next = next.clone();
        next.assumes.remove(&Assumption::BoundsPublic);
        self.then(&next)
    }

    /// The promise of two releases from disjoint rows, seen together. Only for adding or removing a row; see
    /// [`Loss::parallel`].
    pub fn beside(&self, other: &Self) -> Result<Self, CompositionError> {
        self.same_neighbours(other)?;
        if self.neighbours != Neighbours::AddRemoveOne {
            return Err(CompositionError::NoParallel(self.neighbours.clone().into()));
        }
        Ok(self.joined(other, Loss::parallel(&[self.loss.clone(), other.loss.clone()])?))
    }

    /// The promise that is left when the number of rows is public: whether a row is there at all may be known from the
    /// number, so what is hidden is its content, and replacing a row is two steps. `None` for a promise that is not
    /// about adding or removing a row.
    pub fn with_public_row_count(&self) -> Option<Self> {
        if self.neighbours != Neighbours::AddRemoveOne {
            return None;
        }
        let mut assumes = self.assumes.clone();
        assumes.insert(Assumption::RowCountPublic);
        Some(Self {
            neighbours: Neighbours::ReplaceOne,
            loss: self.loss.for_replacing_up()?,
            numerics: self.numerics,
            assumes,
        })
    }

    /// True when whoever keeps this promise also keeps `other`.
    pub fn at_least_as_strong_as(&self, other: &Self) -> bool {
        self.neighbours == other.neighbours
            && self.loss.implies(&other.loss)
            && self.numerics <= other.numerics
            && self.assumes.is_subset(&other.assumes)
    }

    fn same_neighbours(&self, other: &Self) -> Result<(), CompositionError> {
        if self.neighbours == other.neighbours {
            Ok(())
        } else {
            Err(CompositionError::Neighbours(self.neighbours.clone().into(), other.neighbours.clone().into()))
        }
    }

    fn joined(&self, other: &Self, loss: Loss) -> Self {
        Self {
            neighbours: self.neighbours.clone(),
            loss,
            numerics: self.numerics.max(other.numerics),
            assumes: self.assumes.union(&other.assumes).copied().collect(),
        }
    }

    /// The promise in one plain English sentence.
    pub fn sentence(&self) -> String {
        let who = match self.neighbours {
            Neighbours::AddRemoveOne => "Anyone who sees this result can tell whether one given row was in the data",
            Neighbours::ReplaceOne => "Anyone who sees this result can tell which of two values one given row had",
            Neighbours::AnyTwoInputs => {
                "Anyone who sees one person's report can tell which of two records it came from"
            }
            Neighbours::PerUnitOf(_) => {
                "Anyone who sees one person's report can tell apart two records it may have come from"
            }
        };
        let mut sentence = match &self.loss {
            Loss::Pure(epsilon) => {
                format!(
                    "{who} with odds at most {} times better than before they saw it",
                    factor(&epsilon.to_string(), epsilon.to_f64_up())
                )
            }
            Loss::Approximate { epsilon, delta } => {
                // Beyond an ε of one, "hardly" would be untrue.
                let how = if epsilon.to_f64_up() <= 1.0 { "hardly better than before" } else { "only so well" };
                format!(
                    "{who} {how}: the chance of any finding differs by at most a factor of {} plus {delta}",
                    factor(&epsilon.to_string(), epsilon.to_f64_up())
                )
            }
            Loss::Zcdp(rho) => {
                format!("{who} with evidence that stays within {rho}-zero-concentrated differential privacy")
            }
            Loss::PerDistance(epsilon) => {
                let metric = match &self.neighbours {
                    Neighbours::PerUnitOf(metric) => metric.words(),
                    _ => "distance".into(),
                };
                format!(
                    "{who} with odds at most {} times better, to the power of their {metric}",
                    factor(&epsilon.to_string(), epsilon.to_f64_up())
                )
            }
        };
        sentence.push_str(", whatever else they know");
        if self.numerics == Numerics::IdealReals {
            sentence.push_str(", if the computer's numbers are taken for real ones");
        }
        let conditions: Vec<_> = self.assumes.iter().map(|a| a.words()).collect();
        if let Some((last, rest)) = conditions.split_last() {
            sentence.push_str(", as long as ");
            if !rest.is_empty() {
                sentence.push_str(&rest.join(", "));
                sentence.push_str(" and ");
            }
            sentence.push_str(last);
        }
        sentence.push('.');
        sentence
    }
}

/// `e^ε ≈ 2.72`, the factor rounded up to three digits.
fn factor(epsilon: &str, epsilon_up: f64) -> String {
    let shorter = if epsilon.len() > 7 { short_up(epsilon_up) } else { epsilon.into() };
    let epsilon = &shorter;
    let odds = exp_up(epsilon_up);
    if !odds.is_finite() || odds >= 1e6 {
        return format!("e^{epsilon} (more than a million)");
    }
    let unit = 10f64.powi(odds.log10().floor() as i32 - 2);
    let shown = (odds / unit).ceil() * unit;
    let decimals = (-unit.log10().round()).max(0.0) as usize;
    format!("e^{epsilon} ≈ {shown:.decimals$}")
}

/// Five digits, rounded up.
fn short_up(value: f64) -> String {
    let unit = 10f64.powi(value.log10().floor() as i32 - 4);
    let text = format!("{:.*}", (-unit.log10().round()).max(0.0) as usize, (value / unit).ceil() * unit);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence())
    }
}
