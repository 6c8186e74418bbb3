//! From one row to one person: a promise about rows becomes one about persons, of whom each has at most `most` rows.
//!
//! Tables that differ in all rows of one person, at most k of them, are joined by a chain of k + 1 tables of which each has one
//! row more than the next. Along that chain a promise about one row adds up (group privacy):
//!
//! - *Pure ε.* Each step changes a probability by a factor of at most e^ε, so k steps by at most e^(kε).
//! - *(ε, δ).* With P₀, …, Pₖ for the results along the chain, P₀(S) ≤ e^ε·P₁(S) + δ ≤ e^(2ε)·P₂(S) + δ·(1 + e^ε) ≤ … ≤
//!   e^(kε)·Pₖ(S) + δ·(1 + e^ε + … + e^((k−1)ε)): (kε, δ·Σ e^(iε)).
//! - *ρ-zCDP.* k²·ρ (Bun and Steinke 2016, Proposition 1.9).
//!
//! All three grow with k, so fewer rows lose no more. What a row may spend is the same, read backwards:
//! [`budget_of_a_row`].

use crate::accountant::{Allowance, ChargeError};
use crate::amount::Amount;
use crate::claim::{Assumption, Claim};
use crate::loss::Loss;
use crate::neighbours::Neighbours;
use crate::rounding::{add_up, exp_up, mul_up};
use crate::units::{Delta, Epsilon};

impl Loss {
    /// The loss for a group of at most `most` rows, from the loss for one; nothing for a group of none, where δ would reach
    /// one, and for a loss per distance.
    pub fn for_group_up(&self, most: u64) -> Option<Self> {
        if most <= 1 {
            return (most == 1 && !matches!(self, Self::PerDistance(_))).then(|| self.clone());
        }
        let times = Amount::ratio(most, 1);
        Some(match self {
            Self::Pure(epsilon) => Self::Pure(epsilon.times(&times)),
            Self::Approximate { epsilon, delta } => {
                let delta = Delta::new(delta.amount().times(&sum_of_deltas_up(epsilon, most)?)).ok()?;
                Self::Approximate { epsilon: epsilon.times(&times), delta }
            }
            Self::Zcdp(rho) => Self::Zcdp(rho.times(&times.times(&times))),
            Self::PerDistance(_) => return None,
        })
    }
}

/// 1 + e^ε + … + e^((most−1)ε), rounded up.
fn sum_of_deltas_up(epsilon: &Epsilon, most: u64) -> Option<Amount> {
    let epsilon = epsilon.to_f64_up();
    let mut sum = 0.0;
    for i in 0..most {
        sum = add_up(sum, if i == 0 { 1.0 } else { exp_up(mul_up(i as f64, epsilon)) });
        if !f64::is_finite(sum) {
            return None;
        }
    }
    // A double's shortest decimal may lie half a unit below it, hence the step up.
    Amount::from_shortest_decimal(sum.next_up()).ok()
}

/// What one row may spend of a person's ε and δ, where a person has at most `most` rows: for these the losses of all of them add
/// up to the person's, exactly. Nothing for no rows, and where δ would be too small to be written.
pub fn budget_of_a_row(epsilon: &Epsilon, delta: &Delta, most: u64) -> Option<(Epsilon, Delta)> {
    if most == 0 {
        return None;
    }
    let of_row = epsilon.split(most);
    if most == 1 || delta.amount().is_zero() {
        return Some((of_row, delta.clone()));
    }
    let sum = sum_of_deltas_up(&of_row, most)?;
    let share = Amount::from_rational(Amount::ONE.as_rational() / sum.as_rational()).ok()?;
    Some((of_row, Delta::new(delta.amount().times(&share)).ok()?))
}

impl Claim {
    /// The promise about persons of whom each has at most `most` rows, from one about adding or removing a row; nothing for any
    /// other. That a person has one row is no condition any more, and that the persons are known is one.
    pub fn for_persons(&self, most: u64) -> Option<Self> {
        if self.neighbours != Neighbours::AddRemoveOne {
            return None;
        }
        let mut assumes = self.assumes.clone();
        assumes.remove(&Assumption::OneRowPerPerson);
        assumes.insert(Assumption::PersonColumn);
        Some(Self {
            neighbours: Neighbours::AddRemovePerson,
            loss: self.loss.for_group_up(most)?,
            numerics: self.numerics,
            assumes,
        })
    }
}

/// Whom a run protects: rows, or persons with all their rows; and whether their number is public.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrivacyUnit {
    /// The most rows of a person that methods see; nothing where a row is what is protected.
    pub rows_of_a_person: Option<u64>,
    /// The number of rows, or of persons, is public: what is hidden is what they say.
    pub count_public: bool,
}

impl PrivacyUnit {
    /// What a method that promises `of_row` about adding or removing a row promises about this unit; nothing where it
    /// promises nothing.
    pub fn promise(&self, of_row: &Claim) -> Option<Claim> {
        let claim = match self.rows_of_a_person {
            Some(most) => of_row.for_persons(most)?,
            None => of_row.clone(),
        };
        if self.count_public { claim.with_public_row_count() } else { Some(claim) }
    }
}

impl Allowance {
    /// The right to run what promises `of_row` about one row, out of an allowance about `unit`.
    ///
    /// # Errors
    /// When that promises the unit less than this allowance must keep.
    pub fn for_rows(self, of_row: Claim, unit: &PrivacyUnit) -> Result<Self, ChargeError> {
        let promise = unit.promise(&of_row).ok_or_else(|| ChargeError::WeakerPromise(of_row.sentence()))?;
        let limit = self.claim();
        if limit.neighbours == promise.neighbours && !promise.loss.implies(&limit.loss) {
            let limit = format!("{} this run may spend", limit.loss.symbols());
            return Err(ChargeError::OverLimit { would_be: promise.loss.symbols(), limit });
        }
        if !promise.at_least_as_strong_as(limit) {
            return Err(ChargeError::WeakerPromise(promise.sentence()));
        }
        Ok(Self::without_ledger(of_row))
    }
}
