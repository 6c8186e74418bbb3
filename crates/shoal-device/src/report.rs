//! What a device sends.

use serde::{Deserialize, Serialize};
use shoal_lattice::{LatticeMap, Steps};

use crate::{Design, DeviceError};

/// One person's noisy record, and under which design it was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// The digest of the design.
    pub design: String,
    /// The collector's name for the design.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identifier: Option<String>,
    /// The noisy value of each column, in lattice steps from its lower bound: 0 is the lower bound and
    /// [`STEPS`](shoal_lattice::STEPS) the upper one. Noise may lead below and above. After these, the number of the reported
    /// outcome of each column of words: 0 for its first level, and so on; the last one is *other*.
    pub steps: Vec<Steps>,
}

impl Report {
    /// The noisy numbers in the user's units, for display. They may lie outside the bounds.
    ///
    /// # Errors
    /// When the report was made under another design, or does not have one value for each column.
    pub fn to_user(&self, design: &Design) -> Result<Vec<f64>, DeviceError> {
        let found = design.digest();
        if self.design != found {
            return Err(DeviceError::OtherDesign { expected: self.design.clone(), found });
        }
        let bounds = design.bounds();
        if self.steps.len() != design.columns().count() {
            let columns = design.columns().map(str::to_owned).collect();
            return Err(DeviceError::Length { columns, given: self.steps.len() });
        }
        let map = LatticeMap::new(bounds);
        Ok(self.steps[..bounds.dims()].iter().enumerate().map(|(i, &steps)| map.from_steps(i, steps)).collect())
    }
}
