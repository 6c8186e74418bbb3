//! What attackers read out of codes: the two of SZY19 §VI and the one its last paragraph warns of.
//!
//! - [`CuriousAggregator`]: has the codes and decodes distances, without anchors. Finds everyone's place up to a shift and a
//!   mirror.
//! - [`KnowsParameters`]: has the anchors too (a custodian, or whoever got the agreement). Finds each value from its code.
//! - [`KnownPlaintext`]: has no anchors, but knows the values of some records among the codes. Finds the others by their
//!   distances.
//!
//! They work on one attribute, in lattice steps. Beside each stands what a guess without codes achieves. [`demonstrate`] runs
//! all of them on the same records; what it reports is computed from true values, so it is for one's own or made-up data.

mod curious_aggregator;
mod demonstrate;
mod known_plaintext;
mod knows_parameters;

pub use curious_aggregator::CuriousAggregator;
pub use demonstrate::{Attack, Demonstration, demonstrate};
pub use known_plaintext::KnownPlaintext;
pub use knows_parameters::{Cell, KnowsParameters, Located};
