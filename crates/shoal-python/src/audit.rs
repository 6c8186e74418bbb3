//! An audit of runs that Python made of any function.

use pyo3::prelude::*;
use serde_json::json;
use shoal_audit::statistical::Experiment;
use shoal_audit::{Allowed, Pair, Randomness, Runs, each};

/// The numbers of each run on both inputs, judged against a claim, as JSON.
#[pyfunction]
pub(crate) fn judge(
    py: Python<'_>,
    first: Vec<Vec<f64>>,
    second: Vec<Vec<f64>>,
    epsilon: f64,
    delta: f64,
    alpha: f64,
) -> PyResult<String> {
    let finding = py.detach(move || {
        let allowed = if delta > 0.0 { Allowed::Approximate { epsilon, delta } } else { Allowed::Pure(epsilon) };
        // The runs are there already: nothing is drawn from the sides of this pair.
        let pair = Pair::new("the two inputs", each(|_, _| ()), each(|_, _| ()), allowed);
        let (first, second) = (runs(first), runs(second));
        let experiment = Experiment { runs: first.len(), alpha, randomness: Randomness::Seeded(0) };
        experiment.judge(&pair, &first, &second)
    });
    let telling = finding.telling_point();
    Ok(json!({
        "broken": finding.is_broken(),
        "epsilon_at_least": telling.map(|point| point.at_least),
        "event": telling.map(|point| point.event.clone()),
        "runs": finding.runs,
        "alpha": finding.alpha,
        "curve": finding.curve.iter().map(|point| json!({
            "delta": point.delta,
            "allowed": point.allowed,
            "at_least": point.at_least,
            "event": point.event,
            "hits": point.hits,
            "of": point.of,
        })).collect::<Vec<_>>(),
    })
    .to_string())
}

fn runs(all: Vec<Vec<f64>>) -> Runs {
    let mut runs = Runs::default();
    for run in all {
        runs.tell_all(run);
        runs.end_run();
    }
    runs
}
