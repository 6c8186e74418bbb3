//! One claim of a mechanism, ready to be audited in each way that applies.

use std::time::Instant;

use crate::lattice::LatticeAudit;
use crate::runs::{RunFailure, draw};
use crate::statistical::Experiment;
use crate::{Expected, Line, Measure, Pair, Plan};

/// An audit that needs no draws, made when its turn comes.
pub(super) type WithoutDraws = Box<dyn Fn() -> Result<Measure, RunFailure> + Send + Sync>;

/// A mechanism with one claim.
pub(super) struct Subject {
    /// The mechanism.
    pub(super) name: &'static str,
    /// Its parameters.
    pub(super) setting: String,
    /// The claim in words.
    pub(super) promise: String,
    /// Audits of its distribution.
    pub(super) exact: Vec<WithoutDraws>,
    /// Two inputs to be distinguished by events, and to be compared as lattices.
    pub(super) pair: Option<Pair>,
}

impl Subject {
    /// A subject without audits.
    pub(super) fn new(name: &'static str, setting: impl Into<String>, promise: impl Into<String>) -> Self {
        Self { name, setting: setting.into(), promise: promise.into(), exact: Vec::new(), pair: None }
    }

    /// The same with an audit of its distribution.
    pub(super) fn with_exact(
        mut self,
        exact: impl Fn() -> Result<Measure, RunFailure> + Send + Sync + 'static,
    ) -> Self {
        self.exact.push(Box::new(exact));
        self
    }

    /// The same with two inputs.
    pub(super) fn with_pair(mut self, pair: Pair) -> Self {
        self.pair = Some(pair);
        self
    }

    /// How many draws its audit takes, for so many runs on each input.
    pub(super) fn work(&self, runs: usize) -> usize {
        if self.pair.is_some() { 2 * runs } else { 0 }
    }

    /// All its lines. Events and lattices are looked for in the same runs.
    pub(super) fn audit(&self, plan: &Plan<'_>, runs: usize) -> Result<Vec<Line>, RunFailure> {
        let mut lines = Vec::new();
        let mut start = Instant::now();
        let mut push = |measure| {
            let mut line = Line::new(self.name, &self.setting, &self.promise, Expected::Kept, measure);
            line.seconds = start.elapsed().as_secs_f64();
            start = Instant::now();
            lines.push(line);
        };
        for exact in &self.exact {
            push(exact()?);
        }
        if let Some(pair) = &self.pair {
            let randomness = plan.randomness.for_part(&format!("{}, {}", self.name, self.setting));
            let first = draw(&*pair.first, runs, randomness, 1, plan.watch)?;
            let second = draw(&*pair.second, runs, randomness, 2, plan.watch)?;
            push(Measure::Events(Experiment { runs, alpha: plan.alpha, randomness }.judge(pair, &first, &second)));
            push(LatticeAudit { runs, alpha: plan.alpha, randomness }.judge(pair, &first, &second));
        }
        Ok(lines)
    }
}
