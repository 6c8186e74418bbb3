//! The figures of NQC21.

use crate::Figure;

/// All of them.
pub fn figures() -> Vec<Box<dyn Figure>> {
    Vec::new()
}
