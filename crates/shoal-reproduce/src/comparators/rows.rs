//! Records as plain numbers, for methods that do not protect them.

/// Numbers row by row. Not private.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    dims: usize,
    values: Vec<f64>,
}

impl Rows {
    /// Rows of `dims` numbers each, one after the other.
    ///
    /// # Panics
    /// When the numbers do not make whole rows.
    pub fn new(dims: usize, values: Vec<f64>) -> Self {
        assert!(dims > 0 && values.len().is_multiple_of(dims), "whole rows");
        Self { dims, values }
    }

    /// Numbers in a row.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.values.len() / self.dims
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// One row.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.dims..(i + 1) * self.dims]
    }

    /// All rows, one after the other.
    pub fn values(&self) -> &[f64] {
        &self.values
    }
}
