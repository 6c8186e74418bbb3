//! What to expect of a fit, before anything is read or spent.

use pyo3::prelude::*;
use serde_json::json;
use shoal::{Plan, PlanTarget};

use crate::errors::{OrRaise, named};

/// The forecast in words, and its numbers as JSON.
#[pyfunction]
#[pyo3(signature = (rows, dims, k, epsilon, delta, bounds=None, scale=None, weight=None, categories=None, spread=None, overlap=None, smallest=None, per_person=None))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn plan(
    py: Python<'_>,
    rows: u64,
    dims: usize,
    k: &str,
    epsilon: &str,
    delta: &str,
    bounds: Option<&str>,
    scale: Option<&str>,
    weight: Option<&str>,
    categories: Option<&str>,
    spread: Option<f64>,
    overlap: Option<f64>,
    smallest: Option<f64>,
    per_person: Option<&str>,
) -> PyResult<(String, String)> {
    let mut plan = Plan::new(rows, dims, k, epsilon).and_then(|plan| plan.delta(delta)).or_raise(py)?;
    if let Some(bounds) = bounds {
        plan = plan.bounds(bounds).or_raise(py)?;
    }
    if let Some(scale) = scale {
        plan = plan.scale(scale).or_raise(py)?;
    }
    if let Some(weight) = weight {
        plan = plan.weight(weight).or_raise(py)?;
    }
    if let Some(categories) = categories {
        plan = plan.categories(categories).or_raise(py)?;
    }
    if let Some(share) = spread {
        plan = plan.spread(share).or_raise(py)?;
    }
    if let Some(share) = overlap {
        plan = plan.overlap(share).or_raise(py)?;
    }
    if let Some(share) = smallest {
        plan = plan.smallest(share).or_raise(py)?;
    }
    if let Some(way) = per_person {
        plan = plan.per_person(way).or_raise(py)?;
    }
    let planned = plan.run().or_raise(py)?;
    let predictions: Vec<_> =
        planned.predictions.iter().map(|it| json!({"method": it.method, "nicv": it.nicv})).collect();
    let numbers = json!({
        "rows": planned.rows,
        "k": planned.k,
        "dims": planned.dims,
        "levels": planned.levels,
        "epsilon": planned.epsilon.to_f64_up(),
        "route": format!("{:?}", planned.route).to_lowercase(),
        "accuracy": planned.accuracy,
        "columns": planned.columns,
        "predictions": predictions,
    });
    Ok((named(|| planned.to_string()), numbers.to_string()))
}

/// What a wanted accuracy needs, in words, and as JSON.
#[pyfunction]
#[pyo3(signature = (dims, k, target, rows=None, epsilon=None, delta="0", bounds=None, scale=None, weight=None, categories=None))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn plan_target(
    py: Python<'_>,
    dims: usize,
    k: &str,
    target: &str,
    rows: Option<u64>,
    epsilon: Option<&str>,
    delta: &str,
    bounds: Option<&str>,
    scale: Option<&str>,
    weight: Option<&str>,
    categories: Option<&str>,
) -> PyResult<(String, String)> {
    let mut job = PlanTarget::new(dims, k, target).and_then(|job| job.delta(delta)).or_raise(py)?;
    if let Some(bounds) = bounds {
        job = job.bounds(bounds).or_raise(py)?;
    }
    if let Some(scale) = scale {
        job = job.scale(scale).or_raise(py)?;
    }
    if let Some(weight) = weight {
        job = job.weight(weight).or_raise(py)?;
    }
    if let Some(categories) = categories {
        job = job.categories(categories).or_raise(py)?;
    }
    if let Some(rows) = rows {
        job = job.rows(rows).or_raise(py)?;
    }
    if let Some(epsilon) = epsilon {
        job = job.epsilon(epsilon).or_raise(py)?;
    }
    let found = job.run().or_raise(py)?;
    let rows: Vec<_> =
        found.rows.iter().map(|(epsilon, rows)| json!({"epsilon": epsilon.to_f64_up(), "rows": rows})).collect();
    let numbers = json!({ "k": found.k, "epsilon": found.epsilon, "rows": rows, "around": found.around });
    Ok((named(|| found.to_string()), numbers.to_string()))
}
