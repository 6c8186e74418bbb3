//! Everything in Shoal that makes a claim, ready to be audited by name.

pub mod consortium;
pub mod crowd;
pub mod curator;
pub mod noise;
pub mod releases;
mod subject;

use crate::{Target, known_bad};

/// All targets, in the order in which they are listed: Shoal's own first, then what must be caught.
#[must_use]
pub fn all() -> Vec<Box<dyn Target>> {
    let own = [noise::targets(), releases::targets(), curator::targets(), crowd::targets(), consortium::targets()];
    own.into_iter().chain([known_bad::targets()]).flatten().collect()
}

/// The target of a name.
#[must_use]
pub fn find(name: &str) -> Option<Box<dyn Target>> {
    all().into_iter().find(|target| target.info().name == name)
}
