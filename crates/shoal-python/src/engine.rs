//! Rows on other machines: questions go out, integers come back.

use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;
use shoal_files::{LoadOptions, Missing, PointStore, ReadOptions, Silent, Table};
use shoal_lattice::{Bounds, Category, Interval, LatticeMap, Scale};
use shoal_privacy::Sensitive;
use shoal_scan::{Answer, LocalScan, Partial, Scan, ScanError};

use crate::errors::{OrRaise, exception, named};
use crate::fit::{BoundsArg, Settings};
use crate::frame::{Frame, Held};
use crate::job::{self, JobWatch};
use crate::model::Model;

/// The version of questions as bytes.
const VERSION: u32 = 2;

/// A query about rows, with the bounds, scales, weights and categories by which every worker turns them into lattice points.
#[pyclass(frozen, module = "shoal._shoal")]
pub(crate) struct Question {
    question: shoal_scan::Question,
    bounds: Bounds,
    missing: Missing,
}

#[pymethods]
impl Question {
    /// What it asks for.
    #[getter]
    fn name(&self) -> &'static str {
        self.question.name()
    }

    /// The columns that a worker needs.
    #[getter]
    fn columns(&self) -> Vec<String> {
        numbers_of(&self.bounds).iter().cloned().chain(self.categories()).collect()
    }

    /// Those of them that are categories.
    #[getter]
    fn categories(&self) -> Vec<String> {
        self.bounds.categories().iter().map(|category| category.column().to_string()).collect()
    }

    /// The question as bytes, for another machine.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let numbers = self.bounds.numbers();
        let bounds = self.bounds.columns().iter().zip(self.bounds.intervals()).take(numbers);
        let bounds: Vec<_> = bounds.map(|(name, interval)| json!([name, interval.lo(), interval.hi()])).collect();
        let head = json!({
            "version": VERSION,
            "bounds": bounds,
            "scales": self.bounds.scales()[..numbers],
            "weights": self.bounds.weights()[..numbers],
            "categories": self.bounds.categories(),
            "missing": self.missing,
        });
        let head = head.to_string();
        let mut bytes = (head.len() as u32).to_le_bytes().to_vec();
        bytes.extend(head.as_bytes());
        bytes.extend(self.question.to_bytes());
        PyBytes::new(py, &bytes)
    }

    /// Reads a question that came over the wire.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let broken = || exception(py, "DataError", "these bytes hold no question of this version", "not-a-question");
        let (size, rest) = bytes.split_first_chunk::<4>().ok_or_else(broken)?;
        let (head, body) = rest.split_at_checked(u32::from_le_bytes(*size) as usize).ok_or_else(broken)?;
        let mut head: serde_json::Value = serde_json::from_slice(head).map_err(|_| broken())?;
        if head["version"] != VERSION {
            return Err(broken());
        }
        let mut part = |name: &str| head[name].take();
        let pairs: Vec<(String, f64, f64)> = serde_json::from_value(part("bounds")).map_err(|_| broken())?;
        let scales: Vec<Scale> = serde_json::from_value(part("scales")).map_err(|_| broken())?;
        let weights: Vec<f64> = serde_json::from_value(part("weights")).map_err(|_| broken())?;
        let categories: Vec<Category> = serde_json::from_value(part("categories")).map_err(|_| broken())?;
        let missing: Missing = serde_json::from_value(part("missing")).map_err(|_| broken())?;
        let question = shoal_scan::Question::from_bytes(body).map_err(ScanError::from).or_raise(py)?;
        let bounds = bounds_of(py, &pairs)?.scaled(scales, weights);
        let bounds = bounds.and_then(|bounds| bounds.with_categories(categories)).or_raise(py)?;
        Ok(Self { question, bounds, missing })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let py = slf.py();
        Ok((py.get_type::<Self>().getattr("from_bytes")?, (slf.get().to_bytes(py),)))
    }

    fn __repr__(&self) -> String {
        format!("Question({}, {} columns)", self.question.name(), self.bounds.dims())
    }

    /// The answer for the rows of a table, which are those from `first_row` on of the whole. As sensitive as the rows.
    #[pyo3(signature = (frame, first_row=0))]
    fn answer<'py>(&self, py: Python<'py>, frame: &Frame, first_row: u64) -> PyResult<Bound<'py, PyBytes>> {
        let (question, bounds, missing) = (self.question.clone(), self.bounds.clone(), self.missing);
        let held = frame.held.clone();
        let bytes = job::run(py, None, None, move |_: JobWatch| {
            held.check_numbers(numbers_of(&bounds))?;
            let partial = partial(&held, &question, &bounds, missing, first_row)?;
            Ok(partial.to_bytes().map_err(ScanError::from)?)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }
}

fn bounds_of(py: Python<'_>, pairs: &[(String, f64, f64)]) -> PyResult<Bounds> {
    let intervals = pairs.iter().map(|(_, lo, hi)| Interval::new(*lo, *hi)).collect::<Result<_, _>>().or_raise(py)?;
    Bounds::new(pairs.iter().map(|(name, ..)| name.clone()).collect(), intervals).or_raise(py)
}

/// The columns of numbers that a worker needs.
fn numbers_of(bounds: &Bounds) -> &[String] {
    &bounds.columns()[..bounds.numbers()]
}

/// What the rows of a table contribute.
fn partial(
    held: &Held,
    question: &shoal_scan::Question,
    bounds: &Bounds,
    missing: Missing,
    first_row: u64,
) -> Result<Partial, shoal::Error> {
    let options = ReadOptions {
        columns: Some(numbers_of(bounds).to_vec()),
        categories: bounds.categories().to_vec(),
        missing,
        allow_empty: true,
        ..ReadOptions::default()
    };
    let map = LatticeMap::new(bounds);
    let store = match held.input()? {
        shoal::Input::Matrix(matrix) => PointStore::InMemory(matrix.select(&options)?.points(&map)?),
        shoal::Input::Source(source) => {
            let mut table = Table::open(source, &options)?;
            table.set_bounds(bounds);
            shoal_files::load_points(table, map, &LoadOptions::default(), &Silent)?
        }
        _ => return Err(shoal::Error::NoFiles),
    };
    match store {
        PointStore::InMemory(points) => Ok(Partial::of_shard(question, &points, first_row)?),
        store => Ok(LocalScan::new(store).partial(question, first_row)?),
    }
}

/// The sum of partial answers.
#[pyfunction]
pub(crate) fn merge<'py>(py: Python<'py>, question: &Question, answers: Vec<Vec<u8>>) -> PyResult<Bound<'py, PyBytes>> {
    let question = &question.question;
    let mut total = Partial::nothing(question).or_raise(py)?;
    for answer in answers {
        let answer = Partial::from_bytes(question, &answer).map_err(ScanError::from).or_raise(py)?;
        total = total.merge(answer).map_err(ScanError::from).or_raise(py)?;
    }
    Ok(PyBytes::new(py, &total.to_bytes().map_err(ScanError::from).or_raise(py)?))
}

/// A function of Python that maps and reduces.
struct Asked {
    ask: Py<PyAny>,
    bounds: Bounds,
    missing: Missing,
    /// What the function raised.
    raised: std::sync::Arc<Mutex<Option<PyErr>>>,
    watch: JobWatch,
}

impl Scan for Asked {
    fn dims(&self) -> usize {
        self.bounds.dims()
    }

    fn ask(&self, question: &shoal_scan::Question) -> Result<Sensitive<Answer>, ScanError> {
        if question.moves_rows() {
            return Err(ScanError::RowsStay { question: question.name() });
        }
        if self.watch.is_stopped() {
            return Err(ScanError::Engine { worker: "ask".into(), source: "the fit was interrupted".into() });
        }
        let bytes = Python::attach(|py| {
            let asked = Question { question: question.clone(), bounds: self.bounds.clone(), missing: self.missing };
            self.ask.call1(py, (Bound::new(py, asked)?,))?.extract::<Vec<u8>>(py)
        });
        match bytes {
            Ok(bytes) => Partial::from_bytes(question, &bytes)?.finish(question),
            Err(error) => {
                let source = Box::from(error.to_string());
                *self.raised.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(error);
                Err(ScanError::Engine { worker: "ask".into(), source })
            }
        }
    }
}

/// Clusters rows that `ask` answers for.
#[pyfunction]
pub(crate) fn fit_on(py: Python<'_>, ask: Py<PyAny>, settings: Settings) -> PyResult<Model> {
    let (declared, missing) = (settings.declared(py)?, crate::fit::missing(&settings.missing)?);
    let bounds = match &settings.bounds {
        Some(BoundsArg::Named(pairs)) => bounds_of(py, pairs)?,
        None if !declared.categories.is_empty() => bounds_of(py, &[])?,
        _ => {
            let message = "rows on other machines need bounds by column: {\"age\": (17, 90), …}";
            return Err(exception(py, "UsageError", message, "bounds-of-scan"));
        }
    };
    // What makes no sense is refused before a ledger is opened or a worker is asked.
    settings.fit(py)?.check().or_raise(py)?;
    let bounds = declared.within(bounds, missing).or_raise(py)?;
    let fit = settings.with_ledger(py, settings.fit_of_scan(py)?)?;
    let raised = std::sync::Arc::new(Mutex::new(None));
    let inside = std::sync::Arc::clone(&raised);
    let pays = settings.ledger.is_some();
    let result = job::run(py, settings.threads, None, move |watch: JobWatch| {
        let scan = Asked { ask, bounds: bounds.clone(), missing, raised: inside, watch: watch.clone() };
        if pays {
            // Every row is read once before the debit, so that bad input and lost workers cost nothing. Nobody looks at the answer.
            drop(scan.ask(&shoal_scan::Question::RowCount)?);
        }
        fit.watch(watch).run_scan(&scan, &bounds)
    });
    let cause = raised.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
    match (result, cause) {
        (Ok(fitted), _) => Ok(Model::of_fit(fitted)),
        (Err(error), cause) => {
            error.set_cause(py, cause);
            Err(named(|| error))
        }
    }
}
