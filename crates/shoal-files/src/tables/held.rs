//! Rows of the selected columns that are in memory already: a sheet of a workbook.

use super::kept::KeptCells;
use crate::Batch;
use crate::{CellLook, ColumnRef, DataError, Place};

/// The selected columns as numbers, with NaN for missing values. Sensitive.
#[derive(Default)]
pub(crate) struct HeldRows {
    pub(crate) columns: Vec<Vec<f64>>,
    pub(crate) labels: Option<Vec<String>>,
    /// Columns that are handed on word for word.
    pub(crate) kept: KeptCells,
    /// The levels of categories, as a batch has them.
    pub(crate) codes: Vec<Vec<f64>>,
    pub(crate) places: Vec<Place>,
    /// The first cell that is no number, in the order in which rows are read.
    pub(crate) fault: Option<Fault>,
}

/// A cell that is no number.
#[derive(Clone)]
pub(crate) struct Fault {
    pub(crate) row: usize,
    pub(crate) column: ColumnRef,
    pub(crate) look: CellLook,
}

impl HeldRows {
    pub(crate) fn new(dims: usize, labelled: bool, kept: usize, words: usize) -> Self {
        let (columns, labels) = (vec![Vec::new(); dims], labelled.then(Vec::new));
        Self { columns, labels, kept: KeptCells::new(kept), codes: vec![Vec::new(); words], ..Self::default() }
    }

    pub(crate) fn rows(&self) -> usize {
        self.places.len()
    }

    /// Appends up to `rows` rows to `batch`. Returns how many; zero is the end.
    pub(crate) fn fill(&self, at: &mut usize, batch: &mut Batch, rows: usize) -> Result<usize, DataError> {
        let (start, end) = (*at, self.rows().min(at.saturating_add(rows)));
        if let Some(fault) = self.fault.as_ref().filter(|fault| (start..end).contains(&fault.row)) {
            let Fault { row, column, look } = fault.clone();
            return Err(DataError::NotANumber { place: self.places[row], column, look, numeric: Vec::new() });
        }
        for (from, to) in self.columns.iter().zip(&mut batch.columns) {
            to.extend_from_slice(&from[start..end]);
        }
        if let (Some(from), Some(to)) = (&self.labels, &mut batch.labels) {
            to.extend_from_slice(&from[start..end]);
        }
        batch.kept.extend(&self.kept, start..end);
        for (from, to) in self.codes.iter().zip(&mut batch.codes) {
            to.extend_from_slice(&from[start..end]);
        }
        batch.places.extend_from_slice(&self.places[start..end]);
        *at = end;
        Ok(end - start)
    }
}
