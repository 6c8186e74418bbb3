//! Labels for rows: the nearest centre of a model. Labels are as sensitive as the rows.

mod labeller;
mod mixture;

use std::io::Write;
use std::path::Path;

use shoal_files::{Batch, DataError, Form, KeptKind, LabelLine, LabelsWriter, Missing, TableFormat};
use shoal_lattice::LatticeMap;
use shoal_privacy::{NonPrivate, Sensitive};

pub(crate) use labeller::Labeller;
use mixture::Mixture;

use crate::Error;
use crate::input::{Input, Opened, Reading};
use crate::model::Model;
use crate::watch::{Phase, Watch, Watcher};

/// Rows at a time,
const BATCH: usize = 4096;
/// and with columns that are handed on, whose cells may be long.
const BATCH_OF_TEXT: usize = 256;

/// What a file of labels has of its own; a column of the table with such a name is written with this before it.
const OWN: [&str; 4] = ["row", "label", "distance", "probability"];
const OF_INPUT: &str = "input.";

/// Finds the nearest centre of each row of a table.
///
/// The table is read as the model's own was: the settings of [`Fit`](crate::Fit) for columns, missing values and the way
/// the table is written is part of the model, and the methods here override it.
///
/// ```
/// use shoal::{Fit, Predict};
/// use shoal_files::Matrix;
/// use shoal_privacy::ThisIsNotPrivate;
///
/// let rows: Vec<f64> = (0..2000).map(|i| if i % 2 == 0 { 1.0 } else { 9.0 }).collect();
/// let table = || Matrix::from_rows(&["x"], &rows).unwrap();
/// let model = Fit::new(2, "5")?.bounds("x=0:10")?.run(table())?;
/// let labels = Predict::new(&model)?.run(table())?.reveal(ThisIsNotPrivate);
/// assert_eq!(labels.len(), 2000);
/// assert_ne!(labels[0].label, labels[1].label);
/// # Ok::<(), shoal::Error>(())
/// ```
#[derive(Clone)]
pub struct Predict<'m> {
    model: &'m Model,
    reading: Reading,
    watch: Watcher,
}

/// The label of a row. Sensitive: it depends on a single record.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Label {
    /// The row's number in its table, from 1.
    pub row: u64,
    /// The nearest centre, from 0; nothing where a value is missing and the row was not to be refused or filled up.
    pub label: Option<usize>,
    /// How far the row is from that centre, each column scaled to [−1, 1].
    pub distance: Option<f64>,
    /// The probability that the row belongs to that cluster, for models that know how their clusters spread: those that the
    /// noise-aware server found in reports.
    pub probability: Option<f64>,
}

/// How many rows have which label. Sensitive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LabelCounts {
    /// Rows of each centre.
    pub sizes: Vec<u64>,
    /// Rows without a label.
    pub unlabelled: u64,
}

impl<'m> Predict<'m> {
    /// Labels by the centres of `model`.
    pub fn new(model: &'m Model) -> Result<Self, Error> {
        // A model that does not hold together is refused now and not at the first row.
        Labeller::new(model)?;
        Ok(Self { model, reading: of_model(model), watch: Watcher::default() })
    }

    /// What the model's columns are called in this table, in the model's order, where they have other names.
    pub fn columns<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Result<Self, Error> {
        rename(&mut self.reading, self.model, names)?;
        Ok(self)
    }

    /// Columns of the table that [`Predict::write`] and [`Predict::for_each_kept`] hand on word for word, text among them.
    #[must_use]
    pub fn keep<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.reading.kept = names.into_iter().map(Into::into).collect();
        self
    }

    /// What to do with rows in which a value is missing, where that differs from the model. [`Missing::Drop`] leaves them
    /// without a label, [`Missing::Refuse`] refuses the table.
    #[must_use]
    pub fn missing(mut self, missing: Missing) -> Self {
        self.reading.missing = missing;
        self
    }

    /// Whether the CSV file has a header, where that differs from the model's table; without one its columns are called c1,
    /// c2, and so on.
    #[must_use]
    pub fn header(mut self, header: bool) -> Self {
        self.reading.no_header = !header;
        self
    }

    /// How the table is written: separators, decimal commas, dates, a sheet. What is not declared here is as in the model.
    #[must_use]
    pub fn format(mut self, format: TableFormat) -> Self {
        self.reading.format = self.model.reading.over(format);
        self
    }

    /// Quoted cells of the CSV file may span lines. Without this a record that does is refused: usually a quote was not closed,
    /// and the rows after it would be lost.
    #[must_use]
    pub fn multiline(mut self) -> Self {
        self.reading.multiline = true;
        self
    }

    /// Bytes of memory for a stream that cannot be read twice.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.reading.memory = bytes;
        self
    }

    /// Listens to the job.
    #[must_use]
    pub fn watch(mut self, watch: impl Watch + 'static) -> Self {
        self.watch = Watcher::new(watch);
        self
    }

    /// All labels, one for each row in the order of the table.
    pub fn run<'a>(&self, input: impl Into<Input<'a>>) -> Result<NonPrivate<Vec<Label>>, Error> {
        let mut labels = Vec::new();
        self.for_each(input, |label| {
            labels.push(label);
            Ok::<(), Error>(())
        })?;
        Ok(Sensitive::new(labels).without_privacy())
    }

    /// Hands every label to `each` as the rows are read. An error of `each` ends the pass.
    pub fn for_each<'a, E: From<Error>>(
        &self,
        input: impl Into<Input<'a>>,
        mut each: impl FnMut(Label) -> Result<(), E>,
    ) -> Result<(), E> {
        self.pass(&self.open(input.into())?, |label, _, _| each(label))
    }

    /// [`Predict::for_each`] with the row's cells of the columns that [`Predict::keep`] names, in that order; nothing where a
    /// cell is empty.
    pub fn for_each_kept<'a, E: From<Error>>(
        &self,
        input: impl Into<Input<'a>>,
        mut each: impl FnMut(Label, &[Option<&str>]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.pass(&self.open(input.into())?, |label, batch, r| {
            let kept: Vec<Option<&str>> = (0..self.reading.kept.len()).map(|column| batch.kept(column, r)).collect();
            each(label, &kept)
        })
    }

    /// [`Predict::for_each`] with the place of the row in the box, from which distances to all centres follow; no number where
    /// a value is missing.
    pub fn for_each_place<'a, E: From<Error>>(
        &self,
        input: impl Into<Input<'a>>,
        mut each: impl FnMut(Label, &[f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        let map = LatticeMap::new(&self.model.to_bounds().map_err(Error::from)?);
        let mut place = vec![0.0; self.model.columns.len()];
        self.pass(&self.open(input.into())?, |label, batch, r| {
            batch.copy_row(r, &mut place);
            place.iter_mut().enumerate().for_each(|(i, x)| *x = map.to_box(i, *x).0);
            each(label, &place)
        })
    }

    /// What the columns that are kept are called beside the labels: their own names, with `input.` before one that labels
    /// have themselves.
    pub fn kept_names(&self) -> Vec<String> {
        let beside =
            |name: &String| if OWN.contains(&name.as_str()) { format!("{OF_INPUT}{name}") } else { name.clone() };
        self.reading.kept.iter().map(beside).collect()
    }

    /// The form of a file of labels by the ending of its name: CSV or Parquet.
    pub fn form_of(path: &Path) -> Result<Form, Error> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        match ending.to_ascii_lowercase().as_str() {
            "csv" => Ok(Form::Csv),
            "parquet" => Ok(Form::Parquet),
            _ => Err(Error::LabelsEnding { path: path.into() }),
        }
    }

    /// Writes a file with a line for each row in the order of the table: `row`, `label`, `distance`, `probability` where the
    /// model knows it, and the columns that are kept. Clusters have the numbers that the model shows. The file is as
    /// sensitive as the table.
    pub fn write<'a, W: Write + Send>(
        &self,
        input: impl Into<Input<'a>>,
        out: W,
        form: Form,
    ) -> Result<NonPrivate<LabelCounts>, Error> {
        let opened = self.open(input.into())?;
        let kept: Vec<(String, KeptKind)> = self.kept_names().into_iter().zip(opened.kept_kinds()).collect();
        if let Some((_, (name, _))) =
            kept.iter().enumerate().find(|(i, (name, _))| kept[..*i].iter().any(|it| it.0 == *name))
        {
            return Err(DataError::SelectedTwice { name: name.clone() }.into());
        }
        let cannot = |source| Error::WriteLabels { source };
        let probability = Mixture::of(self.model)?.is_some();
        let mut file = LabelsWriter::start(out, form, probability, &kept).map_err(cannot)?;
        let mut counts = LabelCounts { sizes: vec![0; self.model.k()], unlabelled: 0 };
        self.pass(&opened, |found, batch, r| {
            *found.label.map_or(&mut counts.unlabelled, |label| &mut counts.sizes[label]) += 1;
            let line = LabelLine {
                row: found.row,
                label: found.label.map(|label| self.model.number(label) as u64),
                distance: found.distance,
                probability: found.probability,
            };
            file.push(&line, (0..kept.len()).map(|column| batch.kept(column, r))).map_err(cannot)
        })?;
        file.finish().map_err(cannot)?;
        Ok(Sensitive::new(counts).without_privacy())
    }

    fn open<'a>(&self, input: Input<'a>) -> Result<Opened<'a>, Error> {
        // Every row has its line, with or without a label.
        let reading = Reading { hand_on_gaps: true, ..self.reading.clone() };
        let mut opened = reading.open(input).map_err(|error| missing_in_table(self.model, error))?;
        opened.set_bounds(&self.model.to_bounds()?);
        Ok(opened)
    }

    /// Hands every label to `each`, with the batch of its row and the row's place in it.
    fn pass<E: From<Error>>(
        &self,
        opened: &Opened<'_>,
        mut each: impl FnMut(Label, &Batch, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut labeller = Labeller::new(self.model)?;
        let mixture = Mixture::of(self.model)?;
        let labelling = self.watch.phase(Phase::Labelling);
        let rows = if self.reading.kept.is_empty() { BATCH } else { BATCH_OF_TEXT };
        let mut row = vec![0.0; self.model.columns.len()];
        let mut refused = None;
        let read = opened.rows().for_each_batch(rows, &labelling, |batch| {
            for r in 0..batch.rows() {
                batch.copy_row(r, &mut row);
                let mut label = Label { row: batch.row_number(r), label: None, distance: None, probability: None };
                if row.iter().all(|x| x.is_finite()) {
                    let nearest = labeller.label(&row)?;
                    label.label = Some(nearest.label);
                    label.distance = Some(nearest.distance);
                    label.probability = mixture.as_ref().map(|it| it.probability(labeller.place(), nearest.label));
                }
                if let Err(error) = each(label, batch, r) {
                    refused = Some(error);
                    return Err(Error::Stopped);
                }
            }
            Ok(())
        });
        match refused {
            Some(error) => Err(error),
            None => Ok(read?),
        }
    }
}

/// How a table is read for a model: as the model's own was.
pub(crate) fn of_model(model: &Model) -> Reading {
    model.reading.reading(&model.columns[..model.numbers()], &model.categories)
}

/// Reads a table with other names for a model's columns: those of numbers, then the categories.
pub(crate) fn rename<N: Into<String>>(
    reading: &mut Reading,
    model: &Model,
    names: impl IntoIterator<Item = N>,
) -> Result<(), Error> {
    let names: Vec<String> = names.into_iter().map(Into::into).collect();
    let columns = model.table_columns();
    if names.len() != columns.len() {
        return Err(Error::ColumnsOfModel { given: names.len(), columns });
    }
    let (numbers, words) = names.split_at(model.numbers());
    reading.columns = Some(numbers.to_vec());
    reading.categories = model.categories.iter().zip(words).map(|(category, name)| category.called(name)).collect();
    Ok(())
}

/// A column that the table lacks is one that the model needs.
pub(crate) fn missing_in_table(model: &Model, error: Error) -> Error {
    match error {
        Error::Data(DataError::UnknownColumn { wanted, columns }) if model.table_columns().contains(&wanted) => {
            Error::ModelColumn { wanted, columns, needed: model.table_columns() }
        }
        error => error,
    }
}
