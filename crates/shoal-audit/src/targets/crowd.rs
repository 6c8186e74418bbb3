//! Targets: mechanisms on people's own devices.

use crate::Target;

/// All of them.
#[must_use]
pub fn targets() -> Vec<Box<dyn Target>> {
    Vec::new()
}
