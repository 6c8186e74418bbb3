//! Where a release comes from, and whom it protects.

use std::fmt;

use shoal_privacy::Neighbours;

/// Where a release comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// A hash of the table's content, where the table is known. Sensitive; the ledger keeps it under a secret of its own.
    pub table: Option<[u8; 32]>,
    /// The budget is that of a population: several tables of the same people share it.
    pub population: bool,
    /// Whom the release protects, where that is known.
    pub unit: Option<Unit>,
}

/// Whom a release protects. Losses add up for the same unit, and for no two different ones: to add a row to a person who
/// has others is another change than to add a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// A row that is added or removed.
    Row,
    /// A person who is added or removed, with all their rows.
    Person,
    /// A row that is replaced: the number of rows is public.
    ReplacedRow,
    /// A person all of whose rows are replaced: the number of persons is public.
    ReplacedPerson,
    /// A record that one person holds and perturbs.
    Record,
}

impl Unit {
    /// The unit of a claim about these neighbours.
    pub fn of(neighbours: &Neighbours) -> Self {
        match neighbours {
            Neighbours::AddRemoveOne => Self::Row,
            Neighbours::AddRemovePerson => Self::Person,
            Neighbours::ReplaceOne => Self::ReplacedRow,
            Neighbours::ReplacePerson => Self::ReplacedPerson,
            Neighbours::AnyTwoInputs | Neighbours::PerUnitOf(_) => Self::Record,
        }
    }

    const ALL: [Self; 5] = [Self::Row, Self::Person, Self::ReplacedRow, Self::ReplacedPerson, Self::Record];

    /// A short name that stays the same between versions.
    pub fn name(self) -> &'static str {
        match self {
            Self::Row => "row",
            Self::Person => "person",
            Self::ReplacedRow => "replaced-row",
            Self::ReplacedPerson => "replaced-person",
            Self::Record => "record",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.name() == name)
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Row => "a row that is added or removed",
            Self::Person => "a person who is added or removed",
            Self::ReplacedRow => "a row that is replaced",
            Self::ReplacedPerson => "a person who is replaced",
            Self::Record => "a record that is replaced",
        })
    }
}
