//! What codes cost: their promise and the error of the distances that are left in them, from public numbers only.
//!
//! - [`Price`]: both for given terms.
//! - [`afford()`]: the other way round, bits and ε per bit for a total that a record may give away.
//! - [`CrowdComparison`]: the same job done by reports of the crowd at the same total. Reports also give
//!   centres with error bars, which codes do not.

mod afford;
mod binomial;
mod crowd_comparison;
mod distance_error;
mod pair_error;

use serde::Serialize;
use shoal_privacy::{Delta, Epsilon};

use crate::Agreement;
use crate::{Partition, Promise};
use crate::{Terms, TermsError};
use shoal_lattice::STEPS;

pub use afford::{Afford, AffordRow, GRID, afford, largest_per_bit};
pub use crowd_comparison::{BpmChoice, CrowdComparison};
pub use distance_error::{
    bit_differs, blind_error, decoded, mean_absolute_error, shrinkage, standard_deviation, theorem_6,
};
pub use pair_error::mean_absolute_error_of_pairs;

/// The β at which Theorem 6 is shown: 95 %.
pub const BETA: f64 = 0.05;

/// What terms cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Price {
    /// What a record's codes promise.
    pub promise: Promise,
    /// Errors of single distances, one entry for each attribute; for pairs, of the one squared distance.
    pub attributes: Vec<AttributeError>,
    /// The mean absolute error of distances between uniform records (eqs 19 and 24), in the terms' scale.
    pub mean_absolute_error: f64,
    /// The same for whoever sees no codes at all and always answers the mean distance.
    pub blind_error: f64,
}

/// The error of eq. 11's distance in one attribute, in its own unit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AttributeError {
    /// The attribute.
    pub name: String,
    /// Its range.
    pub range: f64,
    /// The largest distance that codes distinguish from farther ones, 2t.
    pub farthest: f64,
    /// Standard deviation for equal values.
    pub at_zero: f64,
    /// Standard deviation for values a range apart, or 2t where that is less.
    pub at_range: f64,
    /// Theorem 6 at [`BETA`].
    pub theorem_6: f64,
}

impl Price {
    /// For terms without anchors.
    pub fn of_terms(terms: &Terms, partition: Partition, delta: Option<&Delta>) -> Result<Self, TermsError> {
        Self::with(terms, partition, Promise::of_terms(terms, partition, delta)?)
    }

    /// For agreed anchors, whose bits are counted.
    pub fn of_agreement(
        agreement: &Agreement,
        partition: Partition,
        delta: Option<&Delta>,
    ) -> Result<Self, TermsError> {
        Self::with(agreement.terms(), partition, Promise::of_agreement(agreement, partition, delta)?)
    }

    /// The ε for any two records, at the δ where one is given.
    pub fn loss_at(&self, delta: Option<&Delta>) -> Epsilon {
        let loss = self.promise.loss_at(delta);
        loss.and_then(|loss| loss.epsilon_at_up(delta.unwrap_or(&Delta::ZERO))).unwrap_or(Epsilon::ZERO)
    }

    fn with(terms: &Terms, partition: Partition, promise: Promise) -> Result<Self, TermsError> {
        let pair;
        let coded = match partition {
            Partition::Records => terms,
            Partition::Pairs { .. } => {
                pair = terms.decomposed()?;
                &pair
            }
        };
        Ok(Self {
            promise,
            attributes: attribute_errors(coded),
            mean_absolute_error: mean_error(terms, partition)?,
            blind_error: blind_error(terms, |i| terms.step(i)),
        })
    }
}

/// The mean absolute error of distances in the terms' scale, however records are coded.
fn mean_error(terms: &Terms, partition: Partition) -> Result<f64, TermsError> {
    match partition {
        Partition::Records => Ok(mean_absolute_error(terms, |i| terms.step(i))),
        Partition::Pairs { .. } => mean_absolute_error_of_pairs(terms),
    }
}

fn attribute_errors(terms: &Terms) -> Vec<AttributeError> {
    let tau = shrinkage(terms.flips());
    let of = |attribute: &super::Attribute| {
        let sd = |steps| standard_deviation(attribute, terms.bits(), tau, steps);
        let farthest = (2 * u64::from(attribute.t_steps)).min(STEPS);
        AttributeError {
            name: attribute.name.clone(),
            range: attribute.range.width(),
            farthest: 2.0 * attribute.t(),
            at_zero: sd(0),
            at_range: sd(farthest),
            theorem_6: theorem_6(attribute, terms.bits(), tau, BETA),
        }
    };
    terms.attributes().iter().map(of).collect()
}
