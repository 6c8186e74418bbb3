//! Tables without clusters: rows spread evenly over a box that has the mean and the covariance of the released cells.
//!
//! A row is μ + U·diag(√λ)·z with z uniform on ±√3 in each direction and S = U·diag(λ)·Uᵀ, clipped to the public bounds.
//! Uniform, because of all distributions with one peak it gains most from being divided: whatever divides better than this
//! has more than one.

use nalgebra::{DMatrix, DVector, SymmetricEigen};
use shoal_lattice::{HALF_WIDTH, LatticePoints};
use shoal_noise::{NoiseSource, SeededNoise};

use super::spread::Spread;

/// Eigenvalues are at least this: a covariance is estimated, so it may have none of the signs it should.
const LEAST_VARIANCE: f64 = 1e-5;

/// The distribution of a reference table.
pub struct EvenSpread {
    mean: DVector<f64>,
    /// U·diag(√(3λ)); of variances alone √(3λ), d × 1.
    sides: DMatrix<f64>,
}

impl EvenSpread {
    /// With the given mean and covariance.
    pub fn new(spread: &Spread) -> Self {
        let side = |value: f64| (3.0 * value.max(LEAST_VARIANCE)).sqrt();
        if !spread.covariance.is_square() {
            return Self { mean: spread.mean.clone(), sides: spread.covariance.map(side) };
        }
        let SymmetricEigen { eigenvectors, eigenvalues } = SymmetricEigen::new(spread.covariance.clone());
        let mut sides = eigenvectors * DMatrix::from_diagonal(&eigenvalues.map(side));
        // Raised eigenvalues would widen the attributes.
        for (axis, mut row) in sides.row_iter_mut().enumerate() {
            let wide = row.norm_squared();
            row *= (3.0 * spread.variance(axis).max(LEAST_VARIANCE) / wide.max(1e-300)).sqrt();
        }
        Self { mean: spread.mean.clone(), sides }
    }

    /// Its mean and covariance, before anything is clipped.
    pub fn spread(&self) -> Spread {
        let sides = &self.sides;
        let covariance = if sides.is_square() { sides * sides.transpose() } else { sides.component_mul(sides) } / 3.0;
        Spread { mean: self.mean.clone(), covariance }
    }

    /// A table of so many rows.
    pub fn draw(&self, rows: usize, random: &mut SeededNoise) -> LatticePoints {
        let dims = self.mean.len();
        let mut points = LatticePoints::with_capacity(dims, rows);
        let mut z = DVector::zeros(dims);
        let mut x = DVector::zeros(dims);
        let mut row = vec![0; dims];
        for _ in 0..rows {
            for z in &mut z {
                // From −1 to 1.
                *z = (random.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
            }
            x.copy_from(&self.mean);
            if self.sides.is_square() {
                x.gemv(1.0, &self.sides, &z, 1.0);
            } else {
                x += z.component_mul(&self.sides.column(0));
            }
            for (to, &x) in row.iter_mut().zip(&x) {
                *to = (x.clamp(-1.0, 1.0) * f64::from(HALF_WIDTH)).round() as i16;
            }
            points.push_row(&row);
        }
        points
    }
}
