//! Shoal's own figures: all systems at equal guarantees.

mod crowd;
mod utility;

use crate::Figure;

/// All of them.
pub fn figures() -> Vec<Box<dyn Figure>> {
    vec![Box::new(utility::Utility), Box::new(crowd::Crowd)]
}
