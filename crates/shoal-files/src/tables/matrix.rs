//! Columns that are in memory already: a row-major slice, a slice per column, or Arrow-style columns with a bitmap of
//! valid values. Nothing is copied but the batch at hand.

use std::sync::Arc;

use shoal_lattice::{Bounds, Category, LatticeMap, LatticePoints};

use super::batch::{Batch, Missing, middles, middles_of};
use super::column_ref::ColumnRef;
use super::error::{DataError, Place};
use super::kept::{KeptCells, KeptKind};
use super::levels::Levels;
use super::matrix_column::{Column, Naming, Texts, Values};
use super::persons::moment::of_number;
use super::persons::names::{Names, NoMoment};
use super::progress::{Progress, Silent};
use super::select::{ReadOptions, Selection};
use super::store::append;

/// Rows turned into lattice points at a time.
const BATCH: usize = 4096;

/// A table in the caller's memory. Sensitive: it gives access to the records.
///
/// ```
/// use shoal_files::{Matrix, Values, Column};
/// let rows = [39.0, 40.0, 50.0, 13.0];
/// let matrix = Matrix::from_rows(&["age", "hours"], &rows)?;
/// assert_eq!(matrix.columns(), ["age", "hours"]);
/// let (ages, hours) = ([39_i64, 50], [40.0_f32, 13.0]);
/// let columns = [("age", Column::new(Values::I64(&ages))), ("hours", Column::new(Values::F32(&hours)))];
/// assert_eq!(Matrix::from_columns(columns)?.dims(), 2);
/// # Ok::<(), shoal_files::DataError>(())
/// ```
pub struct Matrix<'a> {
    all_names: Vec<String>,
    names: Vec<String>,
    columns: Vec<Column<'a>>,
    /// Every column of numbers, selected or not.
    all_columns: Vec<Column<'a>>,
    /// Columns of text, which name persons, order their rows, are categories or labels, or are handed on.
    texts: Vec<(String, Texts<'a>)>,
    /// The columns that name persons, and the one that orders their rows.
    person: Vec<Naming<'a>>,
    order: Option<(String, Naming<'a>)>,
    /// The column of labels.
    label: Option<Naming<'a>>,
    /// The columns that are handed on.
    kept: Vec<Naming<'a>>,
    /// The categories.
    words: Vec<Naming<'a>>,
    levels: Arc<[Levels]>,
    rows: usize,
    missing: Missing,
    /// What stands for missing values, once the bounds are known.
    middles: Option<Vec<f64>>,
    allow_empty: bool,
    hand_on_gaps: bool,
}

impl<'a> Matrix<'a> {
    /// Rows one after the other, a number for each name in each row.
    pub fn from_rows<N: AsRef<str>>(names: &[N], rows: &'a [f64]) -> Result<Self, DataError> {
        if names.is_empty() {
            return Err(DataError::NoColumns);
        }
        if !rows.len().is_multiple_of(names.len()) {
            return Err(DataError::NotWholeRows { numbers: rows.len(), columns: names.len() });
        }
        let column = |i: usize| Column::new(Values::F64(rows)).strided(i, names.len());
        let columns = names.iter().enumerate().map(|(i, name)| (name.as_ref().to_string(), column(i)));
        Self::from_columns(columns)
    }

    /// Columns of equal length, each with its name.
    pub fn from_columns<N: Into<String>>(
        columns: impl IntoIterator<Item = (N, Column<'a>)>,
    ) -> Result<Self, DataError> {
        let (names, columns): (Vec<String>, Vec<Column<'a>>) =
            columns.into_iter().map(|(name, column)| (name.into(), column)).unzip();
        let rows = columns.first().ok_or(DataError::NoColumns)?.rows();
        for (name, column) in names.iter().zip(&columns) {
            let bits = column.validity.map_or(usize::MAX, |(bitmap, offset)| (bitmap.len() * 8).saturating_sub(offset));
            if column.rows() != rows || bits < rows {
                let found = column.rows().min(bits);
                return Err(DataError::UnequalColumns { column: name.clone(), found, expected: rows });
            }
        }
        Ok(Self {
            all_names: names.clone(),
            names,
            all_columns: columns.clone(),
            columns,
            texts: Vec::new(),
            person: Vec::new(),
            order: None,
            label: None,
            kept: Vec::new(),
            words: Vec::new(),
            levels: Arc::new([]),
            rows,
            missing: Missing::Refuse,
            middles: None,
            allow_empty: false,
            hand_on_gaps: false,
        })
    }

    /// Adds a column of text that names persons, orders their rows by a date, or is a category. Persons can also be named by a column of
    /// whole numbers among the others.
    ///
    /// ```
    /// use shoal_files::{Matrix, Texts};
    /// let people = ["ann", "bea", "ann"];
    /// let matrix = Matrix::from_rows(&["age"], &[39.0, 50.0, 40.0])?.with_texts("person", Texts::Str(&people))?;
    /// assert_eq!(matrix.columns(), ["age"]);
    /// # Ok::<(), shoal_files::DataError>(())
    /// ```
    pub fn with_texts(mut self, name: impl Into<String>, texts: Texts<'a>) -> Result<Self, DataError> {
        let name = name.into();
        if texts.len() != self.rows {
            return Err(DataError::UnequalColumns { column: name, found: texts.len(), expected: self.rows });
        }
        self.texts.push((name, texts));
        Ok(self)
    }

    /// The same with the columns that `options` selects, and its rule for missing values.
    pub fn select(self, options: &ReadOptions) -> Result<Self, DataError> {
        let texts = || self.texts.iter().map(|(name, _)| name.clone());
        let known: Vec<String> = self.all_names.iter().cloned().chain(texts()).collect();
        // Without names of columns, all numbers are meant, and no text.
        let special = |name: &&String| {
            options.person.contains(name)
                || options.label.iter().chain(&options.order).any(|it| it == *name)
                || options.categories.iter().any(|category| category.column() == name.as_str())
        };
        let numbers = || self.all_names.iter().filter(|name| !special(name)).cloned().collect();
        let columns = options.columns.clone().or_else(|| (!self.texts.is_empty()).then(numbers));
        let selection = Selection::new(&known, true, &ReadOptions { columns, ..options.clone() })?;
        if let Some(&at) = selection.picks.iter().find(|&&at| at >= self.all_columns.len()) {
            let numeric = self.all_names.clone();
            return Err(DataError::ColumnType { column: known[at].clone(), found: "text".into(), numeric });
        }
        let pick = |&at: &usize| self.all_columns[at];
        let naming = |at: usize| match at.checked_sub(self.all_columns.len()) {
            Some(text) => Naming::Texts(self.texts[text].1),
            None => Naming::Numbers(self.all_columns[at]),
        };
        Ok(Self {
            person: selection.person.iter().map(|&at| naming(at)).collect(),
            order: selection.order.map(|at| (known[at].clone(), naming(at))),
            label: selection.label.map(naming),
            kept: selection.kept.iter().map(|&at| naming(at)).collect(),
            words: selection.words.iter().map(|&at| naming(at)).collect(),
            names: {
                let numbers = selection.picks.iter().map(|&at| self.all_names[at].clone());
                numbers.chain(options.categories.iter().flat_map(Category::coordinates)).collect()
            },
            levels: selection.levels,
            columns: selection.picks.iter().map(pick).collect(),
            missing: options.missing,
            allow_empty: options.allow_empty,
            hand_on_gaps: options.hand_on_gaps,
            ..self
        })
    }

    /// The selected columns, in order: those of numbers, then the indicators of categories.
    pub fn columns(&self) -> &[String] {
        &self.names
    }

    /// The selected columns of numbers.
    pub fn numbers(&self) -> &[String] {
        &self.names[..self.columns.len()]
    }

    /// Every column, selected or not.
    pub fn all_columns(&self) -> &[String] {
        &self.all_names
    }

    /// Number of rows. Sensitive, as the rows are.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Number of selected columns.
    pub fn dims(&self) -> usize {
        self.names.len()
    }

    /// What the columns that are handed on hold, in their order.
    pub fn kept_kinds(&self) -> Vec<KeptKind> {
        self.kept.iter().map(Naming::kind).collect()
    }

    /// Makes the bounds known, whose middle may stand for missing values.
    pub fn set_bounds(&mut self, bounds: &Bounds) {
        self.middles = Some(middles(bounds));
    }

    /// Hands all rows to `f`, up to `rows` at a time, with missing values settled. Batches are sensitive.
    pub fn for_each_batch<E: From<DataError>>(
        &self,
        rows: usize,
        f: impl FnMut(&Batch) -> Result<(), E>,
    ) -> Result<(), E> {
        self.settled_batches(rows, self.middles.as_deref(), f)
    }

    fn settled_batches<E: From<DataError>>(
        &self,
        rows: usize,
        middles: Option<&[f64]>,
        mut f: impl FnMut(&Batch) -> Result<(), E>,
    ) -> Result<(), E> {
        // Whether any value is missing plays no part.
        if self.missing.fills_gaps() && middles.is_none() {
            return Err(DataError::NoMiddle.into());
        }
        let of_word = |levels: &Levels| vec![ColumnRef::name(levels.category().column()); levels.category().size()];
        let shown = self.numbers().iter().map(|name| ColumnRef::name(name));
        let shown: Vec<ColumnRef> = shown.chain(self.levels.iter().flat_map(of_word)).collect();
        let mut batch = Batch::new(self.dims(), self.label.is_some());
        batch.names = (!self.person.is_empty()).then(|| Names::new(self.order.is_some()));
        batch.kept = KeptCells::new(self.kept.len());
        batch.codes = vec![Vec::new(); self.words.len()];
        let mut kept = 0;
        for first in (0..self.rows).step_by(rows.max(1)) {
            let end = self.rows.min(first + rows.max(1));
            batch.clear();
            for (column, values) in self.columns.iter().zip(&mut batch.columns) {
                column.append_to(first..end, values);
            }
            batch.places.extend((first..end).map(|row| Place { row: row as u64 + 1, line: None }));
            for row in first..end {
                self.push_name(&mut batch, row)?;
            }
            if let (Some(column), Some(labels)) = (&self.label, &mut batch.labels) {
                labels.extend((first..end).map(|row| column.text(row).unwrap_or_default()));
            }
            for (place, column) in self.kept.iter().enumerate() {
                (first..end).for_each(|row| batch.kept.push(place, column.text(row)));
            }
            for ((column, levels), codes) in self.words.iter().zip(self.levels.iter()).zip(&mut batch.codes) {
                codes.extend((first..end).map(|row| levels.code_of(column.text(row).as_deref())));
            }
            batch.expand(&self.levels, self.missing);
            if !(self.hand_on_gaps && self.missing == Missing::Drop) {
                batch.settle(self.missing, &shown, middles)?;
            }
            kept += batch.rows();
            if batch.rows() > 0 {
                f(&batch)?;
            }
        }
        match (self.rows, kept) {
            _ if self.allow_empty => Ok(()),
            (0, _) => Err(DataError::NoRows { name: NAME.into() }.into()),
            (_, 0) => Err(DataError::AllDropped { name: NAME.into() }.into()),
            _ => Ok(()),
        }
    }

    /// Hands over every name and every text.
    pub(crate) fn for_each_text(&self, f: &mut dyn FnMut(&str)) {
        self.all_names.iter().for_each(|name| f(name));
        for (name, texts) in &self.texts {
            f(name);
            (0..self.rows).for_each(|row| f(texts.get(row)));
        }
    }

    /// Hands over every number, column by column.
    pub(crate) fn for_each_number(&self, mut f: impl FnMut(f64)) {
        let mut numbers = Vec::new();
        for column in &self.all_columns {
            for first in (0..self.rows).step_by(BATCH) {
                numbers.clear();
                column.append_to(first..self.rows.min(first + BATCH), &mut numbers);
                numbers.iter().for_each(|&number| f(number));
            }
        }
    }

    /// Appends the person of a row, where persons are asked for.
    fn push_name(&self, batch: &mut Batch, row: usize) -> Result<(), DataError> {
        let Some(names) = &mut batch.names else { return Ok(()) };
        for naming in &self.person {
            match naming {
                Naming::Texts(texts) => names.push_part(texts.get(row).as_bytes()),
                Naming::Numbers(column) => match column.exact(row) {
                    Some(text) => names.push_part(text.as_bytes()),
                    None => names.push_gap(),
                },
            }
        }
        names.end_row();
        match &self.order {
            None => Ok(()),
            Some((_, Naming::Numbers(column))) => {
                let value = column.value(row);
                names.push_moment(value.is_finite().then(|| of_number(value)));
                Ok(())
            }
            Some((name, Naming::Texts(texts))) => {
                let place = Place { row: row as u64 + 1, line: None };
                let refused = |NoMoment| DataError::NoMoment { place, column: ColumnRef::name(name) };
                names.push_moment_text(texts.get(row).as_bytes()).map_err(refused)
            }
        }
    }

    /// All rows on the lattice.
    ///
    /// # Panics
    /// When `map` has another number of attributes than columns are selected.
    pub fn points(&self, map: &LatticeMap) -> Result<LatticePoints, DataError> {
        self.points_watched(map, &Silent)
    }

    /// [`Matrix::points`] with a listener, which hears of rows instead of bytes.
    pub fn points_watched(&self, map: &LatticeMap, progress: &dyn Progress) -> Result<LatticePoints, DataError> {
        assert_eq!(self.dims(), map.dims(), "bounds are resolved against the selected columns");
        let mut points = LatticePoints::with_capacity(self.dims(), self.rows);
        let mut scratch = Vec::new();
        self.settled_batches(BATCH, Some(&middles_of(map)), |batch| {
            append(&mut points, map, batch, &mut scratch);
            progress.bytes(points.rows() as u64, self.rows as u64);
            Ok::<(), DataError>(())
        })?;
        Ok(points)
    }
}

/// What a matrix is called in messages.
const NAME: &str = "the table in memory";

#[cfg(test)]
mod tests {
    use super::*;

    fn options(columns: &[&str], missing: Missing) -> ReadOptions {
        let columns = Some(columns.iter().map(|name| name.to_string()).collect());
        ReadOptions { columns, missing, ..ReadOptions::default() }
    }

    fn all(matrix: &Matrix<'_>) -> Vec<Vec<f64>> {
        let mut columns = vec![Vec::new(); matrix.dims()];
        matrix
            .for_each_batch(2, |batch| {
                columns.iter_mut().enumerate().for_each(|(i, column)| column.extend(batch.column(i)));
                Ok::<(), DataError>(())
            })
            .unwrap();
        columns
    }

    #[test]
    fn labels_are_texts_or_whole_numbers() {
        let (rows, texts) = ([39.0, 1.0, f64::NAN, 2.0, 50.0, 3.0], ["ann", "bea", "cid"]);
        for (label, expected) in [("name", ["ann", "cid"]), ("number", ["1", "3"])] {
            let matrix = Matrix::from_rows(&["age", "number"], &rows).unwrap();
            let matrix = matrix.with_texts("name", Texts::Str(&texts)).unwrap();
            let options = ReadOptions { label: Some(label.into()), ..options(&["age"], Missing::Drop) };
            let mut found: Vec<String> = Vec::new();
            let take = |batch: &Batch| {
                found.extend_from_slice(batch.labels().unwrap());
                Ok::<(), DataError>(())
            };
            matrix.select(&options).unwrap().for_each_batch(2, take).unwrap();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn every_layout_gives_the_same_columns() {
        let rows = [1.0, -2.0, 3.0, -4.0, 5.0, -6.0];
        let by_rows = Matrix::from_rows(&["a", "b"], &rows).unwrap();
        let (a, b) = ([1_u8, 3, 5], [-2_i16, -4, -6]);
        let by_columns =
            Matrix::from_columns([("a", Column::new(Values::U8(&a))), ("b", Column::new(Values::I16(&b)))]).unwrap();
        assert_eq!(all(&by_rows), all(&by_columns));
        assert_eq!(all(&by_rows), [vec![1.0, 3.0, 5.0], vec![-2.0, -4.0, -6.0]]);
        let turned = by_rows.select(&options(&["b", "a"], Missing::Refuse)).unwrap();
        assert_eq!(all(&turned)[1], [1.0, 3.0, 5.0]);
        assert_eq!(turned.all_columns(), ["a", "b"]);
    }

    #[test]
    fn missing_values_are_refused_or_their_rows_left_out() {
        let values = [1.0, f64::NAN, 3.0, 4.0];
        let bitmap = [0b0001_0110_u8];
        let column = Column::new(Values::F64(&values)).with_validity(&bitmap, 1);
        // Bits 1 to 4 are 1, 1, 0, 1: the second value is NaN and the third is marked.
        let matrix = || Matrix::from_columns([("x", column)]).unwrap();
        assert_eq!(all(&matrix().select(&options(&["x"], Missing::Drop)).unwrap()), [vec![1.0, 4.0]]);
        let refused = matrix().for_each_batch(10, |_| Ok::<(), DataError>(()));
        assert!(matches!(refused, Err(DataError::Missing { place: Place { row: 2, .. }, .. })));
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        assert!(matches!(Matrix::from_rows(&["a", "b"], &[1.0]), Err(DataError::NotWholeRows { .. })));
        assert!(matches!(Matrix::from_rows::<&str>(&[], &[]), Err(DataError::NoColumns)));
        let (two, three) = ([1.0, 2.0], [1.0, 2.0, 3.0]);
        let columns = [("a", Column::new(Values::F64(&two))), ("b", Column::new(Values::F64(&three)))];
        assert!(matches!(Matrix::from_columns(columns), Err(DataError::UnequalColumns { .. })));
        let short = Column::new(Values::F64(&three)).with_validity(&[0xff], 6);
        assert!(matches!(Matrix::from_columns([("a", short)]), Err(DataError::UnequalColumns { found: 2, .. })));
        let none: [f64; 0] = [];
        let empty = Matrix::from_rows(&["a"], &none).unwrap();
        assert!(matches!(empty.for_each_batch(1, |_| Ok::<(), DataError>(())), Err(DataError::NoRows { .. })));
    }
}
