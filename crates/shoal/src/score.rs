//! How well a model fits raw rows. None of these figures is private.

mod beside_reports;

use serde::Serialize;
use shoal_crowd::report_file::Reports;
use shoal_files::{Missing, Source, TableFormat};
use shoal_kernel::score::{Contingency, Normalizer, adjusted_rand_index, normalized_mutual_information};
use shoal_privacy::{NonPrivate, Sensitive};

use crate::Error;
use crate::input::{Input, Reading};
use crate::model::Model;
use crate::predict::{Labeller, missing_in_table, of_model, rename};
use crate::watch::{Phase, Watch, Watcher};

use beside_reports::Beside;
pub use beside_reports::ReportMeasures;

/// Rows at a time.
const BATCH: usize = 4096;

/// Measures a model on rows. The table is read as the model's own was, and the methods here override that.
///
/// ```
/// use shoal::{Fit, Score};
/// use shoal_files::Matrix;
/// use shoal_privacy::ThisIsNotPrivate;
///
/// let rows: Vec<f64> = (0..2000).map(|i| if i % 2 == 0 { 1.0 } else { 9.0 }).collect();
/// let table = || Matrix::from_rows(&["x"], &rows).unwrap();
/// let model = Fit::new(2, "5")?.bounds("x=0:10")?.run(table())?;
/// let scores = Score::new(&model)?.run(table())?.reveal(ThisIsNotPrivate);
/// assert!(scores.nicv < 0.1 && scores.rows == 2000);
/// # Ok::<(), shoal::Error>(())
/// ```
pub struct Score<'m> {
    model: &'m Model,
    beside: Option<Reports>,
    reading: Reading,
    watch: Watcher,
}

/// How well a model fits raw rows, every column scaled to [−1, 1].
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Scores {
    /// Always false: a reader of the JSON must not take these figures for a release.
    pub private: bool,
    /// Rows measured.
    pub rows: u64,
    /// Mean squared distance of a row from the nearest centre.
    pub nicv: f64,
    /// The same without the square, as NQC21 prints it.
    pub nicv_unsquared: f64,
    /// Sum of squared distances.
    pub sse: f64,
    /// Agreement with known groups, from 0 (as by accident) to 1, where a column of groups was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ari: Option<f64>,
    /// Information shared with known groups, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nmi: Option<f64>,
    /// The measures of the crowd papers, where reports of these rows were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reports: Option<ReportMeasures>,
}

impl<'m> Score<'m> {
    /// Measures `model`.
    pub fn new(model: &'m Model) -> Result<Self, Error> {
        Labeller::new(model)?;
        Ok(Self { model, beside: None, reading: of_model(model), watch: Watcher::default() })
    }

    /// What the model's columns are called in this table, in the model's order, where they have other names.
    pub fn columns<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Result<Self, Error> {
        rename(&mut self.reading, self.model, names)?;
        Ok(self)
    }

    /// A column with the true groups, to compare with.
    #[must_use]
    pub fn labels(mut self, column: &str) -> Self {
        self.reading.label = Some(column.into());
        self
    }

    /// The reports that were made of these very rows, in the same order: adds the measures of the crowd papers.
    pub fn reports(mut self, file: Source) -> Result<Self, Error> {
        let reports = Reports::read(vec![file])?;
        Beside::check(&reports, self.model)?;
        self.beside = Some(reports);
        Ok(self)
    }

    /// What to do with rows in which a value is missing, where that differs from the model.
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

    /// Reads the rows and measures.
    pub fn run<'a>(&self, input: impl Into<Input<'a>>) -> Result<NonPrivate<Scores>, Error> {
        let opened = self.reading.open(input.into());
        let mut opened = opened.map_err(|error| missing_in_table(self.model, error))?;
        opened.set_bounds(&self.model.to_bounds()?);
        let mut labeller = Labeller::new(self.model)?;
        let mut beside = self.beside.as_ref().map(Beside::new);
        let mut groups: Contingency<usize, String> = Contingency::default();
        let mut row = vec![0.0; self.model.columns.len()];
        let scoring = self.watch.phase(Phase::Scoring);
        opened.rows().for_each_batch(BATCH, &scoring, |batch| {
            for r in 0..batch.rows() {
                batch.copy_row(r, &mut row);
                let label = labeller.label(&row)?.label;
                let group = batch.labels().map(|labels| &labels[r]);
                if let Some(group) = group {
                    groups.add(&label, group);
                }
                if let Some(beside) = &mut beside {
                    beside.add(labeller.place(), group);
                }
            }
            Ok::<(), Error>(())
        })?;
        let distances = labeller.into_distances();
        let labelled = self.reading.label.is_some();
        let scores = Sensitive::new(Scores {
            private: false,
            rows: distances.rows(),
            nicv: distances.squared()?,
            nicv_unsquared: distances.unsquared()?,
            sse: distances.total_squared()?,
            ari: labelled.then(|| adjusted_rand_index(&groups)).transpose()?,
            nmi: labelled.then(|| normalized_mutual_information(&groups, Normalizer::Arithmetic)).transpose()?,
            reports: beside.map(|beside| beside.measures(self.model)).transpose()?,
        });
        Ok(scores.without_privacy())
    }
}
