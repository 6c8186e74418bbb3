//! Errors of the library as exceptions: its words with Python's names of parameters, and its codes.

use std::fmt;

use pyo3::prelude::*;
use shoal::Error;
use shoal_privacy::Parameter;

/// Where the classes of exceptions are.
const MODULE: &str = "shoal._errors";

/// A parameter as it is called in Python.
fn name(parameter: Parameter) -> String {
    match parameter {
        Parameter::K => "n_clusters".into(),
        Parameter::SYNOPSIS => "keep_cells".into(),
        other => other.name().replace('-', "_"),
    }
}

/// Work whose words mention parameters, which get their names in Python.
pub(crate) fn named<T>(work: impl FnOnce() -> T) -> T {
    Parameter::named_by(name, work)
}

/// The exception of an error.
pub(crate) fn raised(py: Python<'_>, error: impl Into<Error>) -> PyErr {
    let error = error.into();
    let class = match &error {
        error if error.is_usage() => "UsageError",
        Error::Ledger(_) | Error::Charge(_) | Error::NotForLedgers => "BudgetError",
        Error::Data(_)
        | Error::Bounds(_)
        | Error::NotATable { .. }
        | Error::Read { .. }
        | Error::ModelColumn { .. } => "DataError",
        _ => "Error",
    };
    exception(py, class, named(|| error.to_string()), error.code())
}

/// An exception of this package, for what the library does not know.
pub(crate) fn exception(py: Python<'_>, class: &str, message: impl fmt::Display, code: &str) -> PyErr {
    let message = message.to_string();
    let make = || py.import(MODULE)?.getattr(class)?.call1((message.as_str(), code));
    // A second Ctrl-C may come while the exception is being made, and must not take its place.
    match make().or_else(|_| make()) {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// Turns the errors of a result into exceptions.
pub(crate) trait OrRaise<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T, E: Into<Error>> OrRaise<T> for Result<T, E> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| raised(py, error))
    }
}
