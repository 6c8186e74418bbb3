//! Mean and covariance of released cells, with the variance within cells on the diagonal.

use nalgebra::{DMatrix, DVector};
use shoal_lattice::HALF_WIDTH;

use crate::auto::placed_cells::PlacedCells;

/// Attributes up to which correlation is looked at: it takes the square of their number.
const CORRELATED: usize = 128;

/// Mean and covariance, in box units.
#[derive(Clone, Debug)]
pub struct Spread {
    /// Of the rows.
    pub mean: DVector<f64>,
    /// Of the rows, d × d; of more than [`CORRELATED`] attributes only the variances, d × 1.
    pub covariance: DMatrix<f64>,
}

impl Spread {
    /// Those of the rows that the cells stand for; none when they stand for none.
    pub fn of(cells: &PlacedCells) -> Option<Self> {
        let dims = cells.dims();
        let total: f64 = cells.weights.iter().sum();
        if !(total > 0.0 && total.is_finite()) {
            return None;
        }
        let mut row = vec![0; dims];
        let mut place = |cell: usize| {
            cells.points.copy_row(cell, &mut row);
            DVector::from_iterator(dims, row.iter().map(|&x| f64::from(x) / f64::from(HALF_WIDTH)))
        };
        let mut mean = DVector::zeros(dims);
        for (cell, &weight) in cells.weights.iter().enumerate() {
            mean += place(cell) * (weight / total);
        }
        let full = dims <= CORRELATED;
        let mut covariance = DMatrix::zeros(dims, if full { dims } else { 1 });
        for (cell, &weight) in cells.weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            let (apart, share) = (place(cell) - &mean, weight / total);
            if full {
                covariance.ger(share, &apart, &apart, 1.0);
            }
            for axis in 0..dims {
                let own = if full { 0.0 } else { apart[axis].powi(2) };
                covariance[(axis, if full { axis } else { 0 })] += share * (own + cells.within[cell * dims + axis]);
            }
        }
        Some(Self { mean, covariance })
    }

    /// The mean of several; none of none.
    pub fn mean_of(all: &[Self]) -> Option<Self> {
        let share = 1.0 / all.len() as f64;
        let (first, others) = all.split_first()?;
        let mut sum = first.clone();
        for other in others {
            sum.mean += &other.mean;
            sum.covariance += &other.covariance;
        }
        Some(Self { mean: sum.mean * share, covariance: sum.covariance * share })
    }

    /// Variance of an attribute.
    pub fn variance(&self, axis: usize) -> f64 {
        self.covariance[(axis, if self.covariance.is_square() { axis } else { 0 })]
    }

    /// Correlation of two attributes; 0 where it is not known.
    pub fn correlation(&self, i: usize, j: usize) -> f64 {
        let both = (self.variance(i) * self.variance(j)).sqrt();
        if self.covariance.is_square() && both > 0.0 { self.covariance[(i, j)] / both } else { 0.0 }
    }
}
