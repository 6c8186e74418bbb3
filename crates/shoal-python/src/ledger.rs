//! Budgets on disk.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::OrRaise;

/// The file that keeps the budget of each data set. It is opened for each call, so it can be copied to other processes.
#[pyclass(frozen, module = "shoal._shoal")]
pub(crate) struct Ledger {
    path: PathBuf,
}

#[pymethods]
impl Ledger {
    /// Opens a ledger, or makes one where there is none.
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        shoal::Ledger::create_or_open(&path).or_raise(py)?;
        Ok(Self { path })
    }

    /// Where it is.
    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// Enters a data set with its budget.
    fn init(&self, py: Python<'_>, dataset: &str, epsilon: &str, delta: &str) -> PyResult<()> {
        let mut ledger = shoal::Ledger::open(&self.path).or_raise(py)?;
        ledger.init(dataset, epsilon, delta).or_raise(py)
    }

    /// The names of all data sets.
    fn datasets(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        shoal::Ledger::open(&self.path).and_then(|ledger| ledger.datasets()).or_raise(py)
    }

    /// Granted, spent and left, exactly, as texts.
    fn balance<'py>(&self, py: Python<'py>, dataset: &str) -> PyResult<Bound<'py, PyDict>> {
        let balance = shoal::Ledger::open(&self.path).and_then(|ledger| ledger.balance(dataset)).or_raise(py)?;
        let found = PyDict::new(py);
        found.set_item("epsilon_total", balance.epsilon_total.to_string())?;
        found.set_item("epsilon_spent", balance.epsilon_spent.to_string())?;
        found.set_item("epsilon_left", balance.epsilon_left().to_string())?;
        found.set_item("delta_total", balance.delta_total.to_string())?;
        found.set_item("delta_spent", balance.delta_spent.to_string())?;
        found.set_item("delta_left", balance.delta_left().to_string())?;
        Ok(found)
    }

    /// All debits of a data set, first to last.
    fn entries<'py>(&self, py: Python<'py>, dataset: &str) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let entries = shoal::Ledger::open(&self.path).and_then(|ledger| ledger.entries(dataset)).or_raise(py)?;
        let dict = |entry: shoal_ledger::Entry| {
            let found = PyDict::new(py);
            found.set_item("number", entry.number)?;
            found.set_item("time", entry.time)?;
            found.set_item("purpose", entry.purpose)?;
            found.set_item("epsilon", entry.epsilon.to_string())?;
            found.set_item("delta", entry.delta.to_string())?;
            found.set_item(
                "finished",
                match entry.state {
                    shoal_ledger::EntryState::Finished => Some(true),
                    shoal_ledger::EntryState::Unfinished => Some(false),
                    _ => None,
                },
            )?;
            Ok(found)
        };
        entries.into_iter().map(dict).collect()
    }

    /// The name under which a ledger knows a file.
    #[staticmethod]
    fn name_of(path: PathBuf) -> String {
        shoal::Ledger::name_of(path)
    }
}
