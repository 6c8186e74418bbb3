//! What to expect of every method, before anything is read or spent.

use shoal_curator::MOST_DIMS;
use shoal_curator::{Auto, AutoParams, Decision, DesignSize, Prediction, Route, System, find_method, predictions};
use shoal_privacy::{Delta, Epsilon};

use crate::epsilon::{IntoDelta, IntoEpsilon};
use crate::k::IntoK;
use crate::{Error, K};

/// A question about the error to expect. Reads nothing and spends nothing.
///
/// ```
/// let plan = shoal::Plan::new(50_000, 6, 5, "1")?.run()?;
/// assert!(plan.predictions.iter().any(|found| found.method == plan.route.name()));
/// # Ok::<(), shoal::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Plan {
    rows: u64,
    dims: usize,
    k: usize,
    epsilon: Epsilon,
    delta: Delta,
}

/// What is to be expected.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Planned {
    /// The route that `auto` would take.
    pub route: Route,
    /// Why, and how it would divide the budget.
    pub decisions: Vec<Decision>,
    /// Every method, the best first.
    pub predictions: Vec<Prediction>,
}

impl Plan {
    /// A plan for about this many rows and columns, `k` clusters, and ε.
    pub fn new(rows: u64, dims: usize, k: impl IntoK, epsilon: impl IntoEpsilon) -> Result<Self, Error> {
        let k = match k.into_k()? {
            K::Given(k) => k,
            auto => return Err(Error::K { given: auto.to_string(), wanted: "a number: a plan needs one".into() }),
        };
        if rows == 0 {
            return Err(Error::Rows);
        }
        if !(1..=MOST_DIMS).contains(&dims) {
            return Err(Error::Dimensions { most: MOST_DIMS });
        }
        Ok(Self { rows, dims, k, epsilon: epsilon.into_epsilon()?, delta: Delta::ZERO })
    }

    /// δ: the probability with which the guarantee may fail.
    pub fn delta(mut self, delta: impl IntoDelta) -> Result<Self, Error> {
        self.delta = delta.into_delta()?;
        if let Some(auto) = find_method("auto") {
            auto.check_delta(&self.delta)?;
        }
        Ok(self)
    }

    /// Predicts.
    pub fn run(&self) -> Result<Planned, Error> {
        let rows = self.rows as f64;
        let params = AutoParams::new(self.k, self.epsilon.clone(), DesignSize::Public(self.rows));
        let auto = Auto::new(AutoParams { delta: self.delta.clone(), ..params }, self.dims)?;
        Ok(Planned {
            route: auto.choice(rows).route,
            decisions: auto.plan(rows),
            predictions: predictions(rows, self.dims, self.k, &self.epsilon, &self.delta),
        })
    }
}
