//! What the releases of several custodians promise together, when each was made from a table of the custodian's own.
//!
//! Tables of custodians are apart from each other whatever a row says: which table a row is in is decided by who holds it,
//! not by its values. So a change of one row, or of one person's rows, is a change of one table as long as nobody is in two
//! of them, and all other releases have the same distribution before and after: the largest loss counts. That holds for
//! adding or removing as well as for replacing, since a replaced row stays where it is. (Parts that a *method* makes of one
//! table by the rows' values are another matter: see [`Loss::parallel`].)
//!
//! A person who is in all tables changes all of them, and the losses add up. Both statements are part of what is claimed:
//! nobody can check from the releases which of the two applies.

use crate::claim::{Assumption, Claim, CompositionError};
use crate::loss::Loss;
use crate::neighbours::Neighbours;

/// The promise of releases from several custodians' tables, seen together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfCustodians {
    /// For people who are in one of the tables: the largest loss, on the condition that nobody is in two.
    pub in_one: Claim,
    /// For people who may be in all of them: the sum of the losses.
    pub in_all: Claim,
}

impl OfCustodians {
    /// The promise of these releases, at least one, each from a table of another custodian.
    ///
    /// # Errors
    /// When they promise different things: rows and persons, adding and replacing, or losses without a common unit.
    pub fn of(releases: &[Claim]) -> Result<Self, CompositionError> {
        let Some((first, others)) = releases.split_first() else {
            return Err(CompositionError::NothingReleased);
        };
        let person = match first.neighbours {
            Neighbours::AddRemoveOne | Neighbours::AddRemovePerson => Neighbours::AddRemovePerson,
            Neighbours::ReplaceOne | Neighbours::ReplacePerson => Neighbours::ReplacePerson,
            _ => return Err(CompositionError::NoParallel(first.neighbours.clone().into())),
        };
        let sum = others.iter().try_fold(first.clone(), |sum, next| sum.then(next))?;
        let losses: Vec<Loss> = releases.iter().map(|release| release.loss.clone()).collect();
        let mut in_one = Claim { loss: Loss::parallel(&losses)?, ..sum.clone() };
        in_one.assumes.insert(Assumption::OneCustodianPerPerson);
        let mut in_all = Claim { neighbours: person, ..sum };
        if in_all.neighbours != first.neighbours {
            // Of a person it is known that they have one row in each table, not one in all.
            in_all.assumes.remove(&Assumption::OneRowPerPerson);
            in_all.assumes.insert(Assumption::OneRowPerTable);
        }
        Ok(Self { in_one, in_all })
    }
}
