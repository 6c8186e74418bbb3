//! NICV, the normalised intra-cluster variance: how far records are, on average, from the centre nearest to them.
//!
//! SCL16 eq. 1 takes the squared distance, (1/N) Σ min_j ‖x − o_j‖², and so does everything here unless it says
//! otherwise. NQC21 prints the same formula without the square, (1/N) Σ min_j ‖x − o_j‖.

use crate::score::error::{ScoreError, check_centres, check_row};
use crate::score::sum::{Sum, squared_distance};

/// Adds up distances to the nearest of given centres.
///
/// ```
/// use shoal_kernel::score::NicvAccumulator;
///
/// let mut nicv = NicvAccumulator::new(&[0.0, 0.0, 10.0, 10.0], 2)?;
/// nicv.add_rows(&[0.0, 2.0, 10.0, 6.0])?;
/// assert_eq!(nicv.squared()?, (4.0 + 16.0) / 2.0);
/// assert_eq!(nicv.unsquared()?, (2.0 + 4.0) / 2.0);
/// # Ok::<(), shoal_kernel::score::ScoreError>(())
/// ```
#[derive(Clone, Debug)]
pub struct NicvAccumulator {
    centres: Vec<f64>,
    dims: usize,
    squared: Sum,
    unsquared: Sum,
    rows: u64,
}

impl NicvAccumulator {
    /// Takes the centres row by row, each `dims` wide.
    pub fn new(centres: &[f64], dims: usize) -> Result<Self, ScoreError> {
        check_centres(centres, dims)?;
        Ok(Self { centres: centres.into(), dims, squared: Sum::default(), unsquared: Sum::default(), rows: 0 })
    }

    /// Adds one record, and gives the number of the centre nearest to it (the first of several).
    pub fn add_row(&mut self, row: &[f64]) -> Result<usize, ScoreError> {
        Ok(self.add_nearest(row)?.0)
    }

    /// [`Self::add_row`] with the squared distance from that centre.
    pub fn add_nearest(&mut self, row: &[f64]) -> Result<(usize, f64), ScoreError> {
        check_row("a record", row, self.dims)?;
        let mut nearest = (0, f64::INFINITY);
        for (index, centre) in self.centres.chunks_exact(self.dims).enumerate() {
            let distance = squared_distance(row, centre);
            if distance < nearest.1 {
                nearest = (index, distance);
            }
        }
        self.squared.add(nearest.1);
        self.unsquared.add(nearest.1.sqrt());
        self.rows += 1;
        Ok(nearest)
    }

    /// Adds records given row by row in one slice.
    pub fn add_rows(&mut self, rows: &[f64]) -> Result<(), ScoreError> {
        rows.chunks(self.dims).try_for_each(|row| self.add_row(row).map(drop))
    }

    /// Adds what another accumulator with the same centres has seen.
    ///
    /// # Panics
    /// When the centres differ.
    pub fn merge(&mut self, other: &Self) {
        assert!(self.centres == other.centres && self.dims == other.dims, "merged scores are of the same centres");
        self.squared.merge(&other.squared);
        self.unsquared.merge(&other.unsquared);
        self.rows += other.rows;
    }

    /// NICV of SCL16: the mean squared distance.
    pub fn squared(&self) -> Result<f64, ScoreError> {
        self.mean(&self.squared)
    }

    /// NICV as NQC21 prints it: the mean distance.
    pub fn unsquared(&self) -> Result<f64, ScoreError> {
        self.mean(&self.unsquared)
    }

    /// The sum of squared distances: SSE when every record joins the centre nearest to it.
    pub fn total_squared(&self) -> Result<f64, ScoreError> {
        if self.rows == 0 { Err(ScoreError::NoRows) } else { Ok(self.squared.value()) }
    }

    /// Records added so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    fn mean(&self, sum: &Sum) -> Result<f64, ScoreError> {
        if self.rows == 0 { Err(ScoreError::NoRows) } else { Ok(sum.value() / self.rows as f64) }
    }
}
