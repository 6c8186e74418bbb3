//! What codes promise, which is not what is published for them. One file per statement.
//!
//! - (a) [`Reach`]: for the agreed anchors, ε times the most bits that can differ. Holds for all values, also those chosen
//!   by somebody who knows the anchors.
//! - (b) [`Curve`]: the (ε′, δ′) curve. For a number of bits that differ, it refines (a). Over the draw of the anchors, it
//!   holds for two values fixed before the anchors were drawn, even if the anchors are published afterwards; it is no
//!   promise for values chosen after seeing the anchors.
//! - (c) [`divergence()`]: the mean loss, linear in the distance. No guarantee.
//! - [`published`]: what the paper says, never printed as a guarantee.
//!
//! [`Promise`] puts them together for a whole record.

mod at_distance;
mod curve;
mod divergence;
mod limit;
mod loss_law;
pub mod published;
mod reach;

use std::borrow::Cow;

use serde::Serialize;
use shoal_privacy::{
    Amount, Assumption, Claim, Delta, Epsilon, Guarantee, Loss, Neighbours, NoGuarantee, Numerics, Published,
};

use crate::Agreement;
use crate::{Flips, Terms, TermsError};
use shoal_lattice::STEPS;

pub use at_distance::{AtDistance, at_distance};
pub use curve::Curve;
pub use divergence::{bit_divergence, divergence};
pub use limit::{Limit, OverLimit};
pub use loss_law::Draw;
pub use reach::{Differing, MOST_CELLS, Reach};

/// How records are coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Partition {
    /// Attribute by attribute, once per record.
    Records,
    /// Two scalars for each pair of records (eqs 21–23): a record is in all pairs with the others, so their bits add up.
    Pairs {
        /// How many records there are.
        records: u64,
    },
}

/// What the codes of one record promise.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Promise {
    /// What holds, for any two records.
    pub guarantee: Guarantee,
    /// The same without a δ.
    pub pure: Option<Epsilon>,
    /// What the paper says.
    pub published: Option<Published>,
    /// In how many bits the codes of two records can differ.
    pub differing: Differing,
    /// ε of a bit; `None` where bits are not flipped.
    pub per_bit: Option<Epsilon>,
}

impl Promise {
    /// For the very anchors that were agreed on: the bits in which codes can differ are counted.
    ///
    /// # Errors
    /// When the attributes' ranges make no pairs; see [`Terms::decomposed`].
    pub fn of_agreement(
        agreement: &Agreement,
        partition: Partition,
        delta: Option<&Delta>,
    ) -> Result<Self, TermsError> {
        let terms = agreement.terms();
        let differing = match partition {
            Partition::Records => {
                total(agreement.anchors().iter().map(|anchors| Reach::new(anchors).most_differing(STEPS)))
            }
            Partition::Pairs { records } => {
                let one = Reach::new(&agreement.pair_anchors(&terms.decomposed()?)).most_differing(STEPS);
                Differing { bits: codes_of_pairs(records).saturating_mul(one.bits), exact: false }
            }
        };
        Ok(Self::of_bits(terms, differing, delta))
    }

    /// For anchors that are not known: every bit may differ.
    ///
    /// # Errors
    /// When the attributes' ranges make no pairs; see [`Terms::decomposed`].
    pub fn of_terms(terms: &Terms, partition: Partition, delta: Option<&Delta>) -> Result<Self, TermsError> {
        let bits = match partition {
            Partition::Records => u64::from(terms.bits()) * terms.dims() as u64,
            Partition::Pairs { records } => {
                codes_of_pairs(records).saturating_mul(u64::from(terms.decomposed()?.bits()))
            }
        };
        Ok(Self::of_bits(terms, Differing { bits, exact: false }, delta))
    }

    fn of_bits(terms: &Terms, differing: Differing, delta: Option<&Delta>) -> Self {
        let Flips::PerBit(epsilon) = terms.flips() else {
            let guarantee = Guarantee::Void { none: NoGuarantee::NotPrivate };
            return Self { guarantee, pure: None, published: None, differing, per_bit: None };
        };
        let claim = Claim {
            neighbours: Neighbours::AnyTwoInputs,
            loss: loss_of_bits(epsilon, differing.bits, delta),
            // Coins are exact, codes are integers, and so is the count of bits.
            numerics: Numerics::Exact,
            assumes: [Assumption::BoundsPublic, Assumption::OneReportPerPerson].into(),
        };
        Self {
            guarantee: Guarantee::Holds(claim),
            pure: Some(pure_of_bits(epsilon, differing.bits)),
            published: Some(published::claim(epsilon, terms.bits(), terms.dims())),
            differing,
            per_bit: Some(epsilon.clone()),
        }
    }

    /// The same on further conditions.
    #[must_use]
    pub fn assuming(mut self, more: impl IntoIterator<Item = Assumption>) -> Self {
        if let Guarantee::Holds(claim) = &mut self.guarantee {
            claim.assumes.extend(more);
        }
        self
    }

    /// The same when the flips came from a seed: none. Bits that were not flipped promise nothing either way.
    #[must_use]
    pub fn with_seeded_noise(mut self) -> Self {
        if self.per_bit.is_some() {
            self.guarantee = Guarantee::Void { none: NoGuarantee::Seeded };
            self.pure = None;
        }
        self
    }

    /// Whether the published statement is true, which it is of codes of single records with few bits whose flips nobody can
    /// repeat.
    pub fn published_holds(&self, terms: &Terms) -> bool {
        let of_records = self.differing.bits <= u64::from(terms.bits()) * terms.dims() as u64;
        self.guarantee.claim().is_some() && of_records && published::holds(terms.bits())
    }

    /// The loss at a δ, or without one; `None` where nothing is promised.
    pub fn loss_at(&self, delta: Option<&Delta>) -> Option<Cow<'_, Loss>> {
        let (claim, epsilon) = (self.guarantee.claim()?, self.per_bit.as_ref()?);
        match (&claim.loss, delta) {
            (Loss::Approximate { delta: own, .. }, Some(delta)) if own == delta => Some(Cow::Borrowed(&claim.loss)),
            _ => Some(Cow::Owned(loss_of_bits(epsilon, self.differing.bits, delta))),
        }
    }
}

/// Codes that one record has a part in: two for each other record.
fn codes_of_pairs(records: u64) -> u64 {
    records.saturating_sub(1).saturating_mul(2)
}

fn total(attributes: impl Iterator<Item = Differing>) -> Differing {
    attributes.fold(Differing { bits: 0, exact: true }, |sum, one| Differing {
        bits: sum.bits + one.bits,
        exact: sum.exact && one.exact,
    })
}

fn pure_of_bits(epsilon: &Epsilon, bits: u64) -> Epsilon {
    epsilon.times(&Amount::ratio(bits, 1))
}

/// Statement (a), or (b) for so many bits where a δ is given and helps.
pub(super) fn loss_of_bits(epsilon: &Epsilon, bits: u64, delta: Option<&Delta>) -> Loss {
    let pure = pure_of_bits(epsilon, bits);
    let Some(delta) = delta.filter(|delta| !delta.amount().is_zero()) else { return Loss::Pure(pure) };
    match up(Curve::of_bits(epsilon, bits).epsilon_up(delta.amount().to_f64_down())) {
        Some(epsilon) if epsilon < pure => Loss::Approximate { epsilon, delta: delta.clone() },
        _ => Loss::Pure(pure),
    }
}

/// A double as ε, never less. A double's shortest decimal may lie half a unit below it, hence the step up.
pub(super) fn up(epsilon: f64) -> Option<Epsilon> {
    let amount = if epsilon > 0.0 { Amount::from_shortest_decimal(epsilon.next_up()) } else { Ok(Amount::ZERO) };
    amount.ok().map(Epsilon::new)
}
