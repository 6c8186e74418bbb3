//! How often each pair of labels occurs together.

use std::collections::BTreeMap;

use crate::score::error::ScoreError;

/// Counts of label pairs, all that ARI and NMI need to know of two labellings.
///
/// Labels are anything that can be ordered: numbers or names. What they are called does not matter, only who shares
/// one.
///
/// ```
/// use shoal_kernel::score::{Contingency, adjusted_rand_index};
///
/// let mut table = Contingency::default();
/// table.add_all(&["a", "a", "b", "b"], &[7, 7, 5, 5])?;
/// assert_eq!(adjusted_rand_index(&table)?, 1.0);
/// # Ok::<(), shoal_kernel::score::ScoreError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Contingency<A, B> {
    cells: BTreeMap<A, BTreeMap<B, u64>>,
    rows: u64,
}

impl<A, B> Default for Contingency<A, B> {
    fn default() -> Self {
        Self { cells: BTreeMap::new(), rows: 0 }
    }
}

impl<A: Ord + Clone, B: Ord + Clone> Contingency<A, B> {
    /// Adds one row with its two labels.
    pub fn add(&mut self, left: &A, right: &B) {
        self.add_count(left, right, 1);
    }

    /// Adds many rows with the same two labels.
    ///
    /// # Panics
    /// When more than 2⁶⁴ − 1 rows are added.
    pub fn add_count(&mut self, left: &A, right: &B, count: u64) {
        if count == 0 {
            return;
        }
        // Unwrap safety: a documented panic; adding rows one by one would take centuries to get there.
        self.rows = self.rows.checked_add(count).expect("fewer than 2^64 rows");
        // Labels repeat, so looking first saves a copy of the label in almost every row.
        if let Some(cell) = self.cells.get_mut(left).and_then(|row| row.get_mut(right)) {
            *cell += count;
        } else {
            self.cells.entry(left.clone()).or_default().insert(right.clone(), count);
        }
    }

    /// Adds two columns of labels for the same rows.
    pub fn add_all(&mut self, left: &[A], right: &[B]) -> Result<(), ScoreError> {
        if left.len() != right.len() {
            return Err(ScoreError::Lengths { left: left.len(), right: right.len() });
        }
        left.iter().zip(right).for_each(|(left, right)| self.add(left, right));
        Ok(())
    }

    /// Adds what another table has counted.
    pub fn merge(&mut self, other: &Self) {
        for (left, row) in &other.cells {
            row.iter().for_each(|(right, count)| self.add_count(left, right, *count));
        }
    }

    /// Rows counted so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The counts without the labels.
    pub(crate) fn counts(&self) -> Result<Counts, ScoreError> {
        if self.rows == 0 {
            return Err(ScoreError::NoRows);
        }
        let mut right_totals: BTreeMap<&B, u64> = BTreeMap::new();
        for (right, count) in self.cells.values().flatten() {
            *right_totals.entry(right).or_default() += count;
        }
        let left_totals: Vec<u64> = self.cells.values().map(|row| row.values().sum()).collect();
        let mut cells: Vec<Cell> = Vec::new();
        for (row, &left) in self.cells.values().zip(&left_totals) {
            cells.extend(row.iter().map(|(name, &both)| Cell { both, left, right: right_totals[name] }));
        }
        let mut counts =
            Counts { rows: self.rows, cells, left: left_totals, right: right_totals.into_values().collect() };
        // In an order that does not depend on names or on who came first, so that doubles add up to the same bits.
        counts.cells.sort_unstable();
        counts.left.sort_unstable();
        counts.right.sort_unstable();
        Ok(counts)
    }
}

/// A contingency table without names: its cells that are not zero, and its margins, sorted.
pub(crate) struct Counts {
    pub(crate) rows: u64,
    pub(crate) cells: Vec<Cell>,
    pub(crate) left: Vec<u64>,
    pub(crate) right: Vec<u64>,
}

/// Rows with both labels, with the left one, and with the right one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cell {
    pub(crate) both: u64,
    pub(crate) left: u64,
    pub(crate) right: u64,
}
