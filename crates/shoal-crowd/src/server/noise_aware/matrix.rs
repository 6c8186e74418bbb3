//! Symmetric matrices, as many numbers as a covariance needs.

/// A symmetric matrix, its lower half by rows.
#[derive(Clone)]
pub(super) struct Matrix {
    pub size: usize,
    cells: Vec<f64>,
}

impl Matrix {
    pub fn new(size: usize) -> Self {
        Self { size, cells: vec![0.0; size * size] }
    }

    /// Adds a vector's outer product with itself.
    pub fn add_square(&mut self, vector: &[f64], scale: f64) {
        for (i, &x) in vector.iter().enumerate() {
            let x = x * scale;
            if x != 0.0 {
                for (cell, y) in self.cells[i * self.size..].iter_mut().zip(&vector[..=i]) {
                    *cell += x * y;
                }
            }
        }
    }

    /// Adds another.
    pub fn add(&mut self, other: &Self) {
        for (cell, other) in self.cells.iter_mut().zip(&other.cells) {
            *cell += other;
        }
    }

    /// A matrix of nothing but its diagonal.
    pub fn diagonal(values: &[f64]) -> Self {
        Self::symmetric(values.len(), |i, j| if i == j { values[i] } else { 0.0 })
    }

    /// A matrix from its lower half.
    pub fn symmetric(size: usize, value: impl Fn(usize, usize) -> f64) -> Self {
        let mut matrix = Self::new(size);
        for i in 0..size {
            for j in 0..=i {
                matrix.cells[i * size + j] = value(i, j);
            }
        }
        matrix
    }

    /// A number of the diagonal.
    pub fn at(&self, i: usize) -> f64 {
        self.cells[i * self.size + i]
    }

    /// The matrix with row and column `i` multiplied by `factor(i)`.
    pub fn scaled(&self, factor: impl Fn(usize) -> f64) -> Self {
        Self::symmetric(self.size, |i, j| factor(i) * factor(j) * self.cells[i * self.size + j])
    }

    /// The matrix without one of its rows and columns.
    pub fn without(&self, left_out: usize) -> Self {
        let from = |i: usize| if i < left_out { i } else { i + 1 };
        Self::symmetric(self.size - 1, |i, j| self.cells[from(i) * self.size + from(j)])
    }

    /// The Cholesky factor; nothing when the matrix is not positive.
    pub fn factor(mut self) -> Option<Factor> {
        let n = self.size;
        for i in 0..n {
            let own = self.cells[i * n + i];
            for j in 0..=i {
                let (row_i, row_j) = (&self.cells[i * n..i * n + j], &self.cells[j * n..j * n + j]);
                let sum = self.cells[i * n + j] - row_i.iter().zip(row_j).map(|(a, b)| a * b).sum::<f64>();
                if i == j && (sum.is_nan() || sum <= own * ROUNDING) {
                    return None;
                }
                self.cells[i * n + j] = if i == j { sum.sqrt() } else { sum / self.cells[j * n + j] };
            }
        }
        Some(Factor { size: n, cells: self.cells })
    }
}

/// A pivot that is less of its own diagonal is nothing but rounding.
const ROUNDING: f64 = 1e-13;

/// The lower factor L of a positive matrix A = LLᵀ.
pub(super) struct Factor {
    size: usize,
    cells: Vec<f64>,
}

impl Factor {
    /// ln det A.
    pub fn ln_determinant(&self) -> f64 {
        (0..self.size).map(|i| 2.0 * libm::log(self.cells[i * self.size + i])).sum()
    }

    /// The diagonal of A⁻¹: the squared norms of the columns of L⁻¹.
    pub fn diagonal_of_inverse(&self) -> Vec<f64> {
        (0..self.size).map(|column| self.solve_lower(column).iter().map(|x| x * x).sum()).collect()
    }

    /// The diagonal of A⁻¹BA⁻¹.
    pub fn diagonal_between(&self, middle: &Matrix) -> Vec<f64> {
        let n = self.size;
        (0..n)
            .map(|column| {
                // A⁻¹e = L⁻ᵀL⁻¹e.
                let x = self.solve_transposed(&self.solve_lower(column));
                let row = |i: usize| {
                    let off: f64 = middle.cells[i * n..i * n + i].iter().zip(&x).map(|(b, x)| b * x).sum();
                    x[i] * (2.0 * off + middle.cells[i * n + i] * x[i])
                };
                (0..n).map(row).sum::<f64>().max(0.0)
            })
            .collect()
    }

    /// L⁻ᵀ times a vector.
    pub fn solve_transposed(&self, vector: &[f64]) -> Vec<f64> {
        let n = self.size;
        let mut x = vector.to_vec();
        for i in (0..n).rev() {
            x[i] /= self.cells[i * n + i];
            let here = x[i];
            let row = &self.cells[i * n..i * n + i];
            x.iter_mut().zip(row).for_each(|(x, factor)| *x -= factor * here);
        }
        x
    }

    /// L⁻¹ times a vector.
    pub fn solve(&self, vector: &[f64]) -> Vec<f64> {
        let n = self.size;
        let mut y = vec![0.0; n];
        for i in 0..n {
            let row = &self.cells[i * n..i * n + i];
            let known: f64 = row.iter().zip(&y).map(|(a, b)| a * b).sum();
            y[i] = (vector[i] - known) / self.cells[i * n + i];
        }
        y
    }

    /// L⁻¹ times a unit vector.
    fn solve_lower(&self, column: usize) -> Vec<f64> {
        let n = self.size;
        let mut y = vec![0.0; n];
        y[column] = 1.0 / self.cells[column * n + column];
        for i in column + 1..n {
            let row = &self.cells[i * n + column..i * n + i];
            y[i] = -row.iter().zip(&y[column..i]).map(|(a, b)| a * b).sum::<f64>() / self.cells[i * n + i];
        }
        y
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_of_a_known_matrix() {
        let mut matrix = Matrix::new(3);
        for vector in [[1.0, 2.0, 0.5], [0.0, 1.0, -1.0], [2.0, 0.0, 1.0]] {
            matrix.add_square(&vector, 1.0);
        }
        matrix.add(&Matrix::diagonal(&[0.5, 0.0, 0.0]));
        // A = [[5.5, 2, 2.5], [2, 5, 0], [2.5, 0, 2.25]]: determinant 21.625, cofactors 11.25, 6.125, 23.5.
        let factor = matrix.clone().factor().unwrap();
        let (inverse, between) = (factor.diagonal_of_inverse(), factor.diagonal_between(&matrix));
        for ((inverse, between), cofactor) in inverse.iter().zip(between).zip([11.25, 6.125, 23.5]) {
            assert!((inverse - cofactor / 21.625).abs() < 1e-12, "{inverse}");
            assert!((between - cofactor / 21.625).abs() < 1e-12, "A between its inverses is its inverse: {between}");
        }
        let identity = Matrix::diagonal(&[1.0; 3]);
        // The first row of the inverse is (11.25, -4.5, -12.5)/21.625.
        let squares = factor.diagonal_between(&identity)[0];
        assert!((squares - (11.25f64.powi(2) + 4.5f64.powi(2) + 12.5f64.powi(2)) / 21.625f64.powi(2)).abs() < 1e-12);
        assert!((factor.ln_determinant() - 21.625f64.ln()).abs() < 1e-12);
        assert!(Matrix::diagonal(&[1.0, -1.0]).factor().is_none(), "not positive");
    }
}
