//! SSE, the sum of squared errors: Σ_i Σ_{v ∈ C_i} ‖v − c_i‖² (YTL22).
//!
//! Unlike NICV it takes labels as given. In the crowd model labels are found on the reports and centres are the means
//! of the members' reports ([`super::ClusterSums::means`]), while the distance is taken to the true records, so a record
//! may well be nearer to another centre than to its own.

use crate::score::error::{ScoreError, check_centres, check_row};
use crate::score::sum::{Sum, squared_distance};

/// Adds up squared distances to the centres that labels name.
#[derive(Clone, Debug)]
pub struct SseAccumulator {
    centres: Vec<f64>,
    dims: usize,
    total: Sum,
    rows: u64,
}

impl SseAccumulator {
    /// Takes the centres row by row, each `dims` wide.
    pub fn new(centres: &[f64], dims: usize) -> Result<Self, ScoreError> {
        check_centres(centres, dims)?;
        Ok(Self { centres: centres.into(), dims, total: Sum::default(), rows: 0 })
    }

    /// Adds one record that belongs to centre `label`.
    pub fn add_row(&mut self, row: &[f64], label: usize) -> Result<(), ScoreError> {
        check_row("a record", row, self.dims)?;
        let clusters = self.centres.len() / self.dims;
        let centre = self.centres.chunks_exact(self.dims).nth(label);
        let centre = centre.ok_or(ScoreError::UnknownCluster { label, clusters })?;
        self.total.add(squared_distance(row, centre));
        self.rows += 1;
        Ok(())
    }

    /// Adds what another accumulator with the same centres has seen.
    ///
    /// # Panics
    /// When the centres differ.
    pub fn merge(&mut self, other: &Self) {
        assert!(self.centres == other.centres && self.dims == other.dims, "merged scores are of the same centres");
        self.total.merge(&other.total);
        self.rows += other.rows;
    }

    /// The sum of squared errors.
    pub fn value(&self) -> Result<f64, ScoreError> {
        if self.rows == 0 { Err(ScoreError::NoRows) } else { Ok(self.total.value()) }
    }
}
