//! Labels for rows: the nearest centre of a model. Labels are as sensitive as the rows.

use shoal_files::{Missing, TableFormat};
use shoal_kernel::score::NicvAccumulator;
use shoal_lattice::{BoxPosition, LatticeMap};
use shoal_privacy::{NonPrivate, Sensitive};

use crate::Error;
use crate::input::{Input, Reading};
use crate::model::Model;
use crate::watch::{Phase, Watch, Watcher};

/// Rows at a time.
const BATCH: usize = 4096;

/// Finds the nearest centre of each row of a table.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// The row's number in its table, from 1, with rows that were left out counted too.
    pub row: u64,
    /// The nearest centre, from 0.
    pub label: usize,
}

impl<'m> Predict<'m> {
    /// Labels by the centres of `model`.
    pub fn new(model: &'m Model) -> Result<Self, Error> {
        // A model that does not hold together is refused now and not at the first row.
        Labeller::new(model)?;
        let reading = Reading { columns: Some(model.columns.clone()), cells: true, ..Reading::default() };
        Ok(Self { model, reading, watch: Watcher::default() })
    }

    /// What to do with rows in which a value is missing. The default refuses the table.
    #[must_use]
    pub fn missing(mut self, missing: Missing) -> Self {
        self.reading.missing = missing;
        self
    }

    /// The CSV file has no header; its columns are called c1, c2, and so on.
    #[must_use]
    pub fn no_header(mut self) -> Self {
        self.reading.no_header = true;
        self
    }

    /// How the table is written, where that has to be declared: separators, decimal commas, dates, a sheet.
    #[must_use]
    pub fn format(mut self, format: TableFormat) -> Self {
        self.reading.format = format;
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

    /// All labels, in the order of the rows.
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
        self.for_each_place(input, |label, _| each(label))
    }

    /// [`Predict::for_each`] with the place of the row in the box, from which distances to all centres follow.
    pub fn for_each_place<'a, E: From<Error>>(
        &self,
        input: impl Into<Input<'a>>,
        mut each: impl FnMut(Label, &[f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut opened = self.reading.open(input.into())?;
        opened.set_bounds(&self.model.to_bounds().map_err(Error::from)?);
        let mut labeller = Labeller::new(self.model)?;
        let labelling = self.watch.phase(Phase::Labelling);
        let mut row = vec![0.0; self.model.columns.len()];
        let mut refused = None;
        let read = opened.rows().for_each_batch(BATCH, &labelling, |batch| {
            for r in 0..batch.rows() {
                batch.copy_row(r, &mut row);
                let label = labeller.label(&row)?;
                if let Err(error) = each(Label { row: batch.row_number(r), label }, &labeller.place) {
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

/// Brings rows in the user's units into the box of a model and finds their nearest centre there, so that every column
/// weighs as much as its public range makes it.
pub(crate) struct Labeller {
    map: LatticeMap,
    /// The last row: the insides of [`BoxPosition`]s.
    place: Vec<f64>,
    distances: NicvAccumulator,
}

impl Labeller {
    /// Ready to label rows for a model.
    pub(crate) fn new(model: &Model) -> Result<Self, Error> {
        let map = LatticeMap::new(&model.to_bounds()?);
        let centres = BoxPosition::numbers(&model.centres_in_box()?);
        let dims = model.columns.len();
        Ok(Self { map, place: vec![0.0; dims], distances: NicvAccumulator::new(&centres, dims)? })
    }

    /// The number of the centre nearest to a row in the user's units, from zero.
    pub(crate) fn label(&mut self, row: &[f64]) -> Result<usize, Error> {
        for (i, (place, &x)) in self.place.iter_mut().zip(row).enumerate() {
            *place = self.map.to_box(i, x).0;
        }
        Ok(self.distances.add_row(&self.place)?)
    }

    /// Where the last row lies in the box.
    pub(crate) fn place(&self) -> impl Iterator<Item = BoxPosition> + '_ {
        self.place.iter().map(|&x| BoxPosition(x))
    }

    /// The distances in the box of all rows labelled so far.
    pub(crate) fn into_distances(self) -> NicvAccumulator {
        self.distances
    }
}
