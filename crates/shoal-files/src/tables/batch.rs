//! Some rows of a table as plain numbers.

use serde::{Deserialize, Serialize};
use shoal_lattice::{Bounds, BoxPosition, LatticeMap};

use crate::tables::kept::KeptCells;
use crate::tables::levels::Levels;
use crate::tables::persons::names::{Gap, Names};
use crate::{ColumnRef, DataError, Place};

/// What stands for a missing value in each column within these bounds.
pub(crate) fn middles(bounds: &Bounds) -> Vec<f64> {
    middles_of(&LatticeMap::new(bounds))
}

pub(crate) fn middles_of(map: &LatticeMap) -> Vec<f64> {
    (0..map.dims()).map(|attribute| map.to_user(attribute, BoxPosition(0.0))).collect()
}

/// What to do with a row that lacks a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// Stop with an error that names row and column.
    #[default]
    Refuse,
    /// Leave the row out.
    Drop,
    /// Put the middle of the column's public bounds in its place: every row counts, with or without gaps. A gap in a category
    /// counts as *other*.
    Middle,
    /// The same for numbers; a gap in a category is a level of its own.
    Category,
}

impl Missing {
    /// Whether every row counts, with or without gaps.
    pub fn fills_gaps(self) -> bool {
        matches!(self, Self::Middle | Self::Category)
    }
}

/// Consecutive rows in the user's units, one list of numbers for each selected column. Sensitive: it holds records.
#[derive(Default)]
pub struct Batch {
    pub(crate) columns: Vec<Vec<f64>>,
    pub(crate) labels: Option<Vec<String>>,
    pub(crate) places: Vec<Place>,
    /// Whose rows these are, where that was asked for.
    pub(crate) names: Option<Names>,
    /// Columns that are handed on word for word.
    pub(crate) kept: KeptCells,
    /// The levels of each category, by their place in its list, before they become indicators.
    pub(crate) codes: Vec<Vec<f64>>,
}

impl Batch {
    pub(crate) fn new(dims: usize, labelled: bool) -> Self {
        Self { columns: vec![Vec::new(); dims], labels: labelled.then(Vec::new), ..Self::default() }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.places.len()
    }

    /// Number of columns.
    pub fn dims(&self) -> usize {
        self.columns.len()
    }

    /// All values of one column. Sensitive.
    pub fn column(&self, attribute: usize) -> &[f64] {
        &self.columns[attribute]
    }

    /// Copies row `row` into `out`. Sensitive.
    pub fn copy_row(&self, row: usize, out: &mut [f64]) {
        for (column, x) in self.columns.iter().zip(out) {
            *x = column[row];
        }
    }

    /// The label column as text, where one was asked for; a label that is not there is an empty text. Sensitive.
    pub fn labels(&self) -> Option<&[String]> {
        self.labels.as_deref()
    }

    /// The cell of a row in a column that is handed on word for word, by its place among them; nothing where there is none.
    /// Sensitive.
    pub fn kept(&self, column: usize, row: usize) -> Option<&str> {
        self.kept.get(column, row)
    }

    /// The row's number in the table, counted from 1 with dropped rows included.
    pub fn row_number(&self, row: usize) -> u64 {
        self.places[row].row
    }

    pub(crate) fn clear(&mut self) {
        self.columns.iter_mut().for_each(Vec::clear);
        self.labels.iter_mut().for_each(Vec::clear);
        self.names.iter_mut().for_each(Names::clear);
        self.kept.clear();
        self.codes.iter_mut().for_each(Vec::clear);
        self.places.clear();
    }

    /// Turns the levels of categories into indicators, the last columns.
    pub(crate) fn expand(&mut self, levels: &[Levels], missing: Missing) {
        let mut first = self.columns.len() - levels.iter().map(|it| it.category().size()).sum::<usize>();
        for (levels, codes) in levels.iter().zip(&self.codes) {
            let size = levels.category().size();
            levels.expand(codes, missing, &mut self.columns[first..first + size]);
            first += size;
        }
    }

    /// Applies the policy for missing values, which readers leave as NaN. Afterwards every value is finite. `middles` are those
    /// of the bounds, where the policy needs them.
    pub(crate) fn settle(
        &mut self,
        missing: Missing,
        names: &[ColumnRef],
        middles: Option<&[f64]>,
    ) -> Result<(), DataError> {
        let complete = |columns: &[Vec<f64>], row: usize| columns.iter().all(|column| column[row].is_finite());
        let all_finite = |column: &Vec<f64>| column.iter().fold(true, |finite, x| finite & (x.abs() < f64::INFINITY));
        if self.columns.iter().all(all_finite) && self.names.as_ref().is_none_or(Names::complete) {
            return Ok(());
        }
        if missing.fills_gaps() {
            for (column, middle) in self.columns.iter_mut().zip(middles.ok_or(DataError::NoMiddle)?) {
                column.iter_mut().filter(|x| !x.is_finite()).for_each(|x| *x = *middle);
            }
            // There is no middle of persons: a row that belongs to nobody is refused below.
            if self.names.as_ref().is_none_or(Names::complete) {
                return Ok(());
            }
        }
        let mut kept = 0;
        for row in 0..self.rows() {
            let gap = self.names.as_ref().and_then(|names| names.gap(row));
            if gap.is_none() && complete(&self.columns, row) {
                self.columns.iter_mut().for_each(|column| column[kept] = column[row]);
                self.labels.iter_mut().for_each(|labels| labels.swap(kept, row));
                self.names.iter_mut().for_each(|names| names.keep(kept, row));
                self.kept.swap(kept, row);
                self.places[kept] = self.places[row];
                kept += 1;
            } else if missing != Missing::Drop {
                match gap {
                    Some(Gap::Name) => return Err(DataError::MissingPerson { place: self.places[row] }),
                    Some(Gap::Moment) => return Err(DataError::MissingMoment { place: self.places[row] }),
                    None => {}
                }
                let at = self.columns.iter().position(|column| !column[row].is_finite()).unwrap_or(0);
                return Err(DataError::Missing { place: self.places[row], column: names[at].clone() });
            }
        }
        self.columns.iter_mut().for_each(|column| column.truncate(kept));
        self.labels.iter_mut().for_each(|labels| labels.truncate(kept));
        self.names.iter_mut().for_each(|names| names.truncate(kept));
        self.kept.truncate(kept);
        self.places.truncate(kept);
        Ok(())
    }
}
