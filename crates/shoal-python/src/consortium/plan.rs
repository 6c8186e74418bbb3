//! What to expect of each way to cluster the tables of several custodians, before anybody reads or spends anything.

use pyo3::prelude::*;
use serde_json::{Value, json};
use shoal::consortium::{Plan, PlannedConsortium};

use crate::errors::OrRaise;

/// The guesses about the data.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct GuessArg {
    spread: Option<f64>,
    overlap: Option<f64>,
    smallest: Option<f64>,
}

/// The forecast as JSON.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn consortium_plan(
    py: Python<'_>,
    rows: u64,
    custodians: u64,
    dims: usize,
    k: &str,
    epsilon: &str,
    delta: &str,
    bounds: Option<&str>,
    guess: GuessArg,
) -> PyResult<String> {
    let mut plan = Plan::new(rows, custodians, dims, k, epsilon).and_then(|plan| plan.delta(delta)).or_raise(py)?;
    if let Some(bounds) = bounds {
        plan = plan.bounds(bounds).or_raise(py)?;
    }
    if let Some(share) = guess.spread {
        plan = plan.spread(share).or_raise(py)?;
    }
    if let Some(share) = guess.overlap {
        plan = plan.overlap(share).or_raise(py)?;
    }
    if let Some(share) = guess.smallest {
        plan = plan.smallest(share).or_raise(py)?;
    }
    let planned = plan.run().or_raise(py)?;
    Ok(numbers(&planned).to_string())
}

/// The forecast with the words that people read.
fn numbers(planned: &PlannedConsortium) -> Value {
    let mut value = json!(planned);
    value["epsilon"] = planned.epsilon.to_f64_up().into();
    value["delta"] = planned.delta.to_f64_up().into();
    for (shown, way) in value["ways"].as_array_mut().into_iter().flatten().zip(&planned.ways) {
        shown["name"] = way.way.name().into();
        shown["trusted"] = way.way.trusted().into();
        shown["plus_minus"] = way.accuracy.map(|accuracy| accuracy.centre_plus_minus().0).into();
    }
    value
}
