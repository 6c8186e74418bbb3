//! How accurate the distances in codes are.

use serde::Serialize;
use shoal_consortium::price::{blind_error, mean_absolute_error, mean_absolute_error_of_pairs};
use shoal_consortium::{Flips, Partition, Scale, Terms};

/// With more attributes the simulation takes seconds; [`Price`](super::Price) is there for it.
const MOST_ATTRIBUTES: usize = 100;

/// How far distances decoded from codes are off on average, and how far without any codes. From public numbers only.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Worth {
    /// The mean absolute error of decoded distances between uniform records.
    pub mean_absolute_error: f64,
    /// The same for whoever answers the mean distance for every pair.
    pub blind_error: f64,
    /// The unit of both.
    #[serde(skip)]
    pub scale: Scale,
}

impl Worth {
    /// `None` for codes without flips, which have no guarantee to weigh it against, and for many attributes.
    pub(super) fn of(terms: &Terms, partition: Partition) -> Option<Self> {
        if *terms.flips() == Flips::None || terms.dims() > MOST_ATTRIBUTES {
            return None;
        }
        let mean_absolute_error = match partition {
            Partition::Records => mean_absolute_error(terms, |i| terms.step(i)),
            Partition::Pairs { .. } => mean_absolute_error_of_pairs(terms).ok()?,
        };
        Some(Self { mean_absolute_error, blind_error: blind_error(terms, |i| terms.step(i)), scale: terms.scale() })
    }
}
