//! Bounds estimated from a table under differential privacy.

use pyo3::prelude::*;
use shoal::EstimateBounds;

use crate::errors::{OrRaise, exception, named};
use crate::fit::{FormatArg, Settings, missing};
use crate::frame::Frame;
use crate::job::{self, JobWatch};

/// The interval of each column, and the guarantee in a sentence.
type Found = (Vec<(String, f64, f64)>, String, Option<(String, String, String)>);

/// Estimates the bounds of columns for a budget.
#[pyfunction]
#[pyo3(signature = (frame, settings, form=None))]
pub(crate) fn private_bounds(
    py: Python<'_>,
    frame: &Frame,
    settings: Settings,
    form: Option<FormatArg>,
) -> PyResult<Found> {
    let mut job = EstimateBounds::new(settings.epsilon.as_str()).or_raise(py)?;
    job = job.missing(missing(&settings.missing)?).person(&settings.person);
    if let Some(way) = &settings.per_person {
        job = job.per_person(way).or_raise(py)?;
    }
    if let Some(columns) = &settings.columns {
        job = job.columns(columns);
    }
    if let Some(seed) = settings.seed {
        job = job.seed(seed);
    }
    if let Some(form) = &form {
        job = job.format(form.format()?);
        job = if form.no_header { job.no_header() } else { job };
        job = if form.multiline { job.multiline() } else { job };
    }
    job = match (&settings.ledger, &settings.dataset, &settings.population) {
        (None, ..) => job,
        (Some(path), _, Some(people)) => job.population(path, people).or_raise(py)?,
        (Some(path), Some(dataset), None) => job.ledger(path, dataset).or_raise(py)?,
        (Some(_), None, None) => {
            return Err(exception(
                py,
                "UsageError",
                "a table in memory has no name; say which data set of the ledger it is with dataset",
                "dataset-needed",
            ));
        }
    };
    let (held, wanted) = (frame.held.clone(), settings.wanted(&[]));
    let found = job::run(py, settings.threads, None, move |watch: JobWatch| {
        held.check_numbers(&wanted)?;
        job.watch(watch).run(held.input()?)
    })?;
    let intervals = found.bounds.columns().iter().zip(found.bounds.intervals());
    let bounds = intervals.map(|(name, interval)| (name.clone(), interval.lo(), interval.hi())).collect();
    let left = found.left.as_ref().map(|(dataset, balance)| {
        (dataset.clone(), balance.epsilon_left().to_string(), balance.delta_left().to_string())
    });
    Ok((bounds, named(|| found.guarantee.to_string()), left))
}
