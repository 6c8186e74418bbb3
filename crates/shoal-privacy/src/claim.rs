//! What a release promises, as a value.

mod sentence;

pub use sentence::{Statement, Strength};

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::loss::{Incomparable, Loss};
use crate::neighbours::Neighbours;

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
    /// The number of persons is public knowledge.
    PersonCountPublic,
    /// No person has more than one row.
    OneRowPerPerson,
    /// The columns that name the person do: rows of one person have the same name there, and rows of two have not.
    PersonColumn,
    /// No person sends more than one report, in whatever file or at whatever time.
    OneReportPerPerson,
    /// No person sends further reports than those that the claim is about.
    NoFurtherReports,
    /// Reports that came in a file were made in the way that it describes.
    ReportsAsDescribed,
    /// No row has a missing or unreadable value: one that has stops the fit, and whoever gets a result knows that none had.
    RowsComplete,
    /// Every row can be read, though some may lack a value and are left out: an unreadable one stops the fit.
    RowsReadable,
    /// There is at least one row: it alone shows how many columns there are.
    SomeRow,
    /// Which rows lack a value is no secret: they are left out, and the number of the others is disclosed.
    GapsPublic,
    /// The number of rows that a method was set up for came from elsewhere: one read off the data would give the number away.
    DesignSizePublic,
    /// Only results that do not depend on the order of reports are seen: reports, their order and who sent them are not.
    OnlyResultsPublished,
    /// The reports of the others were made as the design says, with randomness that the observer does not know.
    OthersAsDescribed,
    /// No person is in the tables of two custodians.
    OneCustodianPerPerson,
    /// No person has more than one row in the table of a custodian, in however many tables they are.
    OneRowPerTable,
    /// One of the helpers of a split-trust run keeps its shares to itself and adds its noise.
    OneHelperHonest,
    /// Nobody reads or forges messages between parties of a split-trust run, and its pads look random to them.
    EncryptionHolds,
    /// The query whose rows these are was chosen without looking at the data.
    QueryPublic,
}

impl Assumption {
    /// The assumption as a clause that can follow "this holds if".
    pub fn words(self) -> &'static str {
        match self {
            Self::BoundsPublic => "the bounds were chosen without looking at the data",
            Self::RowCountPublic => "the number of rows is no secret",
            Self::PersonCountPublic => "the number of people is no secret",
            Self::PersonColumn => "the person column identifies people",
            Self::OneRowPerPerson => "each person has one row",
            Self::OneReportPerPerson => "each person sends one report and no more",
            Self::NoFurtherReports => "the person sends no further reports",
            Self::ReportsAsDescribed => "the reports were made as their file says",
            Self::RowsComplete => "no row lacks a value",
            Self::RowsReadable => "every row can be read",
            Self::SomeRow => "it is no secret that there is a row at all",
            Self::GapsPublic => "it is no secret which rows lack a value",
            Self::DesignSizePublic => "the number of rows it was set up for was not read off the data",
            Self::OnlyResultsPublished => "only results are seen, and not the reports, their order or who sent them",
            Self::OthersAsDescribed => {
                "the other people's reports were made as the design says, by noise that nobody knows"
            }
            Self::OneCustodianPerPerson => "nobody is in the tables of two custodians",
            Self::OneRowPerTable => {
                "each person has at most one row in the table of a custodian, in however many of the tables they are"
            }
            Self::OneHelperHonest => "one of the helpers keeps its shares to itself and adds its noise",
            Self::EncryptionHolds => "the encryption of messages and shares holds",
            Self::QueryPublic => "the query was chosen without looking at the data",
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
/// assert!(both.sentence().starts_with("If someone is unsure whether a given row is in this data"));
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
    /// There is nothing to compose.
    #[error("no release was given, so nothing is promised; give at least one")]
    NothingReleased,
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
            Self::NothingReleased => "nothing-to-compose",
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
    /// about adding or removing a row or a person.
    pub fn with_public_row_count(&self) -> Option<Self> {
        let (neighbours, number) = match self.neighbours {
            Neighbours::AddRemoveOne => (Neighbours::ReplaceOne, Assumption::RowCountPublic),
            Neighbours::AddRemovePerson => (Neighbours::ReplacePerson, Assumption::PersonCountPublic),
            _ => return None,
        };
        let mut assumes = self.assumes.clone();
        assumes.insert(number);
        Some(Self { neighbours, loss: self.loss.for_replacing_up()?, numerics: self.numerics, assumes })
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
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence())
    }
}
