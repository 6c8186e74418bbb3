//! The rows of a batch as lattice steps from the lower bounds: the form in which records are perturbed or encoded.

use shoal_lattice::{Bounds, Lattice, LatticeMap, Steps};

use crate::Batch;

/// Turns batches into lattice steps and counts the records that had to be moved into the bounds. Sensitive.
pub struct LatticeRows {
    bounds: Bounds,
    map: LatticeMap,
    /// Lattice coordinates, attribute by attribute.
    lattice: Vec<i16>,
    outside: Vec<bool>,
    clamped: u64,
}

impl LatticeRows {
    /// Rows within these bounds.
    pub fn new(bounds: &Bounds) -> Self {
        let map = LatticeMap::new(bounds);
        Self { bounds: bounds.clone(), map, lattice: Vec::new(), outside: Vec::new(), clamped: 0 }
    }

    /// Replaces the rows by those of a batch.
    ///
    /// # Panics
    /// When the batch has another number of columns than there are bounds.
    pub fn take(&mut self, batch: &Batch) {
        let (rows, dims) = (batch.rows(), self.bounds.dims());
        assert_eq!(batch.dims(), dims, "one attribute per column");
        self.lattice.resize(rows * dims, 0);
        self.outside.clear();
        self.outside.resize(rows, false);
        for (i, interval) in self.bounds.intervals().iter().enumerate() {
            let values = batch.column(i);
            // Unwrap safety: missing values were settled, so a batch holds finite numbers only.
            self.map.column_to_lattice(i, values, &mut self.lattice[i * rows..(i + 1) * rows]).unwrap();
            for (outside, value) in self.outside.iter_mut().zip(values) {
                *outside |= *value < interval.lo() || *value > interval.hi();
            }
        }
        self.clamped += self.outside.iter().filter(|outside| **outside).count() as u64;
    }

    /// One record: lattice steps from the lower bound, from 0 to [`STEPS`](shoal_lattice::STEPS), for each attribute.
    pub fn record(&self, row: usize) -> impl Iterator<Item = Steps> + '_ {
        let rows = self.outside.len();
        (0..self.bounds.dims()).map(move |i| Lattice(self.lattice[i * rows + row]).in_steps())
    }

    /// Records of all batches so far with a value outside the bounds, which was moved to the nearest limit.
    pub fn clamped(&self) -> u64 {
        self.clamped
    }
}
