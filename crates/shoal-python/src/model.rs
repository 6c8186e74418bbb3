//! A released clustering, and released cells that can be clustered again.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use shoal::{Cluster, Compare, Error, Predict, Score};
use shoal_curator::synopsis_file::SynopsisFile;
use shoal_files::DataError;
use shoal_privacy::ThisIsNotPrivate;
use shoal_report::{About, Budget};

use crate::errors::{OrRaise, named};
use crate::frame::{Frame, SourceArg};
use crate::job::{self, JobWatch};

/// A released clustering: everything in it may be shown to anyone whom the guarantee is meant for.
#[pyclass(frozen, module = "shoal._shoal")]
pub(crate) struct Model {
    pub(crate) model: Arc<shoal::Model>,
    synopsis: Option<Arc<SynopsisFile>>,
    left: shoal::Left,
}

impl Model {
    pub(crate) fn new(model: shoal::Model, synopsis: Option<SynopsisFile>, left: shoal::Left) -> Self {
        Self { model: Arc::new(model), synopsis: synopsis.map(Arc::new), left }
    }
}

#[pymethods]
impl Model {
    /// Reads a model that was saved.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        Ok(Self::new(shoal::Model::from_json(text).or_raise(py)?, None, None))
    }

    /// The model as it is saved, with the words that people read.
    fn to_json(&self) -> String {
        named(|| self.model.to_json())
    }

    /// The columns that a table needs: those of numbers, then the categories.
    #[getter]
    fn table_columns(&self) -> Vec<String> {
        self.model.table_columns()
    }

    /// The released cells, where they were kept.
    #[getter]
    fn synopsis(&self) -> Option<Synopsis> {
        self.synopsis.as_ref().map(|file| Synopsis { file: Arc::clone(file) })
    }

    /// The data set of the ledger, and ε and δ that are left in it.
    #[getter]
    fn left(&self) -> Option<(String, String, String)> {
        let (dataset, balance) = self.left.as_ref()?;
        Some((dataset.clone(), balance.epsilon_left().to_string(), balance.delta_left().to_string()))
    }

    fn __str__(&self) -> String {
        named(|| self.model.to_string())
    }

    /// The report: one HTML page that is complete in itself.
    fn page(&self, source: &str, written_at: &str) -> String {
        let summary = self.model.summary();
        let budget = self.left.as_ref().map(|(dataset, balance)| Budget {
            dataset,
            total: balance.epsilon_total.to_string(),
            spent: balance.epsilon_spent.to_string(),
            left: balance.epsilon_left().amount().display_down(),
        });
        let about =
            About { source, command: "shoal.KMeans(…).fit(…)", written_at, method_summary: &summary, budget };
        named(|| shoal_report::render(&self.model, &about))
    }

    /// The nearest centre of each row, from zero; −1 where the row was left out. Not private.
    /// Rows with gaps are treated as in the model unless `missing` says otherwise.
    #[pyo3(signature = (frame, missing=None))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        frame: &Frame,
        missing: Option<&str>,
    ) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let (model, held) = (Arc::clone(&self.model), frame.held.clone());
        let missing = missing.map(crate::fit::missing).transpose()?;
        let rows = frame.row_count();
        let labels = job::run(py, None, None, move |watch: JobWatch| {
            held.check_numbers(&model.columns[..model.numbers()])?;
            let mut labels = Vec::with_capacity(rows.unwrap_or(0));
            let mut predict = Predict::new(&model)?.watch(watch);
            if let Some(missing) = missing {
                predict = predict.missing(missing);
            }
            predict.for_each(held.input()?, |label| {
                labels.push(label.label.map_or(-1, |label| label as i32));
                Ok::<(), Error>(())
            })?;
            Ok(labels)
        })?;
        Ok(labels.into_pyarray(py))
    }

    /// The distance of each row from each centre, every column scaled to [−1, 1]. Not private.
    fn transform<'py>(&self, py: Python<'py>, frame: &Frame) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (model, held) = (Arc::clone(&self.model), frame.held.clone());
        let k = model.k();
        let distances = job::run(py, None, None, move |watch: JobWatch| {
            held.check_numbers(&model.columns[..model.numbers()])?;
            let (centres, dims) = (model.centres_in_box()?, model.columns.len());
            let mut distances = Vec::new();
            Predict::new(&model)?.watch(watch).for_each_place(held.input()?, |_, place| {
                for centre in centres.chunks(dims) {
                    let squares = centre.iter().zip(place).map(|(centre, x)| (centre.0 - x).powi(2));
                    distances.push(squares.sum::<f64>().sqrt());
                }
                Ok::<(), Error>(())
            })?;
            Ok(distances)
        })?;
        let rows = distances.len() / k.max(1);
        distances.into_pyarray(py).reshape([rows, k])
    }

    /// How well the model fits rows, as JSON. Not private. `labels` is a column of known groups, of a file.
    #[pyo3(signature = (frame, missing=None, labels=None))]
    fn scores(&self, py: Python<'_>, frame: &Frame, missing: Option<&str>, labels: Option<String>) -> PyResult<String> {
        let (model, held) = (Arc::clone(&self.model), frame.held.clone());
        let missing = missing.map(crate::fit::missing).transpose()?;
        job::run(py, None, None, move |watch: JobWatch| {
            held.check_numbers(&model.columns[..model.numbers()])?;
            let mut score = Score::new(&model)?.watch(watch);
            if let Some(missing) = missing {
                score = score.missing(missing);
            }
            if let Some(labels) = &labels {
                score = score.labels(labels);
            }
            let scores = score.run(held.input()?)?.reveal(ThisIsNotPrivate);
            Ok(serde_json::to_string(&scores).unwrap_or_default())
        })
    }
}

/// Released noisy cells. Clustering them again costs nothing.
#[pyclass(frozen, module = "shoal._shoal")]
pub(crate) struct Synopsis {
    pub(crate) file: Arc<SynopsisFile>,
}

#[pymethods]
impl Synopsis {
    /// Reads a file, or its bytes.
    #[staticmethod]
    fn read(py: Python<'_>, data: SourceArg) -> PyResult<Self> {
        Ok(Self { file: Arc::new(SynopsisFile::read(Frame::source(data)).or_raise(py)?) })
    }

    /// The file, as bytes.
    fn to_bytes(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        let mut bytes = Vec::new();
        let failed = |source| Error::WriteReports { source };
        self.file.write(&mut bytes).map_err(failed).or_raise(py)?;
        Ok(bytes)
    }

    /// Clusters of the cells.
    #[pyo3(signature = (k, seed=None))]
    fn cluster(&self, py: Python<'_>, k: &str, seed: Option<u64>) -> PyResult<Model> {
        let mut cluster = Cluster::new(k).or_raise(py)?;
        if let Some(seed) = seed {
            cluster = cluster.seed(seed);
        }
        let file = Arc::clone(&self.file);
        let model = job::run(py, None, None, move |watch: JobWatch| cluster.watch(watch).run_synopsis(&file))?;
        Ok(Model { model: Arc::new(model), synopsis: Some(Arc::clone(&self.file)), left: None })
    }
}

/// Two models side by side, as JSON, with what noise alone explains.
#[pyfunction]
pub(crate) fn compare(py: Python<'_>, first: &Model, second: &Model) -> PyResult<String> {
    let found = named(|| Compare::of(&first.model, &second.model)).or_raise(py)?;
    let mut value = serde_json::to_value(&found).map_err(|_| DataError::NoColumns).or_raise(py)?;
    value["has_changes"] = found.has_changes().into();
    Ok(value.to_string())
}
