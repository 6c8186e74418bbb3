//! Rows that come as Arrow arrays from elsewhere, such as a query engine: checked, settled and brought to the lattice as the
//! program reads an Arrow file.

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use shoal_lattice::{Bounds, Category, LatticeMap, LatticePoints};

use super::arrow_kept::append_kept;
use super::arrow_table::{append_numbers, declared, is_text};
use super::batch::{Batch, Missing, middles_of};
use super::error::{DataError, Place};
use super::levels::Levels;
use super::select::{ReadOptions, Selection};
use super::store::append;
use crate::ColumnRef;

/// Turns Arrow arrays into lattice points, for rows that no reader of this crate reads. Sensitive: it holds records.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Float64Array};
/// use shoal_files::{ArrowRows, BoundsSpec, Missing};
/// use shoal_lattice::LatticePoints;
///
/// let names = ["age".to_string()];
/// let bounds = BoundsSpec::parse("age=0:100")?.resolve(&names, &names)?;
/// let mut rows = ArrowRows::new(&bounds, Missing::Drop);
/// let ages: ArrayRef = Arc::new(Float64Array::from(vec![Some(30.0), None]));
/// let mut points = LatticePoints::new(1);
/// rows.append_points(&[ages], &mut points)?;
/// assert_eq!(points.rows(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ArrowRows {
    names: Vec<ColumnRef>,
    levels: Vec<Levels>,
    missing: Missing,
    /// The lattice, and what stands for missing values; there are none before there are bounds.
    placed: Option<(LatticeMap, Vec<f64>)>,
    batch: Batch,
    scratch: Vec<i16>,
}

impl ArrowRows {
    /// Rows within these bounds: the columns of numbers, then those of words, as [`ArrowRows::wanted`] lists them.
    pub fn new(bounds: &Bounds, missing: Missing) -> Self {
        let map = LatticeMap::new(bounds);
        let middles = middles_of(&map);
        Self::with(bounds.columns(), bounds.categories(), missing, Some((map, middles)))
    }

    /// Rows before there are bounds, for [`ArrowRows::columns`] only.
    pub fn raw(columns: &[String], missing: Missing) -> Self {
        Self::with(columns, &[], missing, None)
    }

    fn with(
        names: &[String],
        categories: &[Category],
        missing: Missing,
        placed: Option<(LatticeMap, Vec<f64>)>,
    ) -> Self {
        let batch = Batch { codes: vec![Vec::new(); categories.len()], ..Batch::new(names.len(), false) };
        Self {
            names: names.iter().map(|name| ColumnRef::name(name)).collect(),
            levels: categories.iter().map(Levels::new).collect(),
            missing,
            placed,
            batch,
            scratch: Vec::new(),
        }
    }

    /// The columns of a table that rows within `bounds` are made of, in this order.
    pub fn wanted(bounds: &Bounds) -> Vec<String> {
        let words = bounds.categories().iter().map(|category| category.column().to_string());
        bounds.columns().iter().take(bounds.numbers()).cloned().chain(words).collect()
    }

    /// The columns of numbers that `options` selects among those that a table has; the others are its categories.
    pub fn numbers(known: &[String], options: &ReadOptions) -> Result<Vec<String>, DataError> {
        let selection = Selection::new(known, true, options)?;
        Ok(selection.picks.iter().map(|&at| known[at].clone()).collect())
    }

    /// Refuses a column whose type cannot be read as what it is wanted for, before any row is.
    pub fn check(column: &str, kind: &DataType, as_words: bool) -> Result<(), DataError> {
        let (found, numeric) = declared(kind);
        let words = match kind {
            DataType::Dictionary(_, values) => is_text(values),
            kind => is_text(kind) || numeric,
        };
        match (as_words, numeric, words) {
            (true, _, true) | (false, true, _) => Ok(()),
            (true, ..) => Err(DataError::CannotCategorise { column: column.into(), found }),
            (false, ..) => Err(DataError::ColumnType { column: column.into(), found, numeric: Vec::new() }),
        }
    }

    /// Adds the rows of `arrays`, one for each wanted column and all of one length, to `points`.
    ///
    /// # Panics
    /// When there were no bounds, or `points` has another number of attributes.
    pub fn append_points(&mut self, arrays: &[ArrayRef], points: &mut LatticePoints) -> Result<(), DataError> {
        self.read(arrays)?;
        // Unwrap safety: documented.
        let (map, _) = self.placed.as_ref().unwrap();
        append(points, map, &self.batch, &mut self.scratch);
        Ok(())
    }

    /// The values of `arrays` in the user's units, one list for each column, with missing values settled.
    pub fn columns(&mut self, arrays: &[ArrayRef]) -> Result<&[Vec<f64>], DataError> {
        self.read(arrays)?;
        Ok(&self.batch.columns)
    }

    /// Replaces the batch by these rows.
    fn read(&mut self, arrays: &[ArrayRef]) -> Result<(), DataError> {
        self.batch.clear();
        let rows = arrays.first().map_or(0, |array| array.len());
        let numbers = arrays.len() - self.levels.len();
        let damaged = |_| DataError::Damaged { name: "the engine's batch".into(), format: "Arrow" };
        for (array, out) in arrays.iter().zip(&mut self.batch.columns).take(numbers) {
            append_numbers(array, out).map_err(damaged)?;
        }
        for ((array, levels), codes) in arrays[numbers..].iter().zip(&self.levels).zip(&mut self.batch.codes) {
            append_kept(array, &mut |cell| codes.push(levels.code_of(cell.as_deref()))).map_err(damaged)?;
        }
        // Rows of an engine have no fixed place in a table.
        self.batch.places.resize(rows, Place { row: 0, line: None });
        self.batch.expand(&self.levels, self.missing);
        let middles = self.placed.as_ref().map(|(_, middles)| middles.as_slice());
        self.batch.settle(self.missing, &self.names, middles).map_err(without_place)
    }
}

/// An engine reads rows in any order, so the number of one within its batch would mislead.
fn without_place(error: DataError) -> DataError {
    match error {
        DataError::Missing { column, .. } => DataError::MissingSomewhere { column },
        error => error,
    }
}
