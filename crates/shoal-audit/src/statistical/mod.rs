//! Audits by experiment: run a mechanism on two inputs many times, choose an event that distinguishes them on one half of
//! the runs, and bound its odds on the other half.
//!
//! What comes out is a loss that is certain but for a probability α: if the claim were kept, an audit would say otherwise in
//! at most α of all cases, whatever was tried before the event was chosen. The first half of the runs is for choosing
//! only (a quarter teaches the classifier, a quarter judges all events), the second half sees one event for each δ, and α
//! is shared out among the δ. The counts of the event are judged by Clopper and Pearson's bounds on its
//! two probabilities, and by a [`bet`] that was placed on the first half, which sees more where many runs show little. An audit
//! can refute a claim; it cannot prove one.

pub mod bet;
pub mod boosted;
pub mod events;
pub mod features;
pub mod search;

use serde::Serialize;

use crate::clopper_pearson::{at_least, at_most};
use crate::runs::{RunFailure, Runs, Watch, draw};
use crate::{Pair, Randomness};
use events::{Event, Looks};

/// With fewer there is nothing to learn from, and nothing to show.
const FEWEST_RUNS: usize = 8;

/// Stands for an event when every run released the same.
pub const NOTHING_VARIES: &str = "nothing varies";

/// How an audit is made.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Runs on each of the two inputs.
    pub runs: usize,
    /// Probability that a kept claim is called broken.
    pub alpha: f64,
    /// Where the mechanism's noise comes from.
    pub randomness: Randomness,
}

/// What was found at one δ.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// δ.
    pub delta: f64,
    /// The ε that is claimed there; none where nothing is.
    pub allowed: Option<f64>,
    /// The ε that is certainly lost; zero where nothing was shown.
    pub at_least: f64,
    /// The event that shows it.
    pub event: String,
    /// How often it happened on the input it speaks for, and on the other.
    pub hits: [usize; 2],
    /// Runs on each input that the event was tested on.
    pub of: usize,
    /// Probability of error at this δ.
    pub alpha: f64,
}

impl Point {
    /// Whether more is lost than claimed.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.allowed.is_some_and(|allowed| self.at_least > allowed)
    }
}

/// What an experiment found.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// The two inputs.
    pub pair: String,
    /// What was found at each δ, the one that the claim is made for first.
    pub curve: Vec<Point>,
    /// Runs on each input.
    pub runs: usize,
    /// Probability that a kept claim is called broken.
    pub alpha: f64,
}

impl Finding {
    /// The point that decides: where the claim is broken by most, or the one that it is made for.
    #[must_use]
    pub fn telling_point(&self) -> Option<&Point> {
        let excess = |point: &Point| point.at_least - point.allowed.unwrap_or(f64::INFINITY);
        let broken = self.curve.iter().filter(|point| point.is_broken());
        broken.max_by(|a, b| excess(a).total_cmp(&excess(b))).or(self.curve.first())
    }

    /// Whether more is lost than claimed, at any δ.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.curve.iter().any(Point::is_broken)
    }
}

impl Experiment {
    /// Audits one pair.
    pub fn audit(&self, pair: &Pair, watch: Watch<'_>) -> Result<Finding, RunFailure> {
        // Which inputs they were is half of what a reader needs to mend it.
        let on = |failure: RunFailure| match failure {
            RunFailure::Other(why) => RunFailure::Other(format!("{why} (inputs: {})", pair.words)),
            other => other,
        };
        let first = draw(&*pair.first, self.runs, self.randomness, 1, watch).map_err(on)?;
        let second = draw(&*pair.second, self.runs, self.randomness, 2, watch).map_err(on)?;
        Ok(self.judge(pair, &first, &second))
    }

    /// Audits runs that were already made.
    #[must_use]
    pub fn judge(&self, pair: &Pair, first: &Runs, second: &Runs) -> Finding {
        let runs = first.len().min(second.len());
        let deltas = pair.allowed.tested_at();
        let z = (-2.0 * self.alpha_at(0, deltas.len()).ln()).sqrt();
        let chosen = if runs < FEWEST_RUNS {
            vec![None; deltas.len()]
        } else {
            let looks = Looks::learn(first, second, 0..runs / 4, &pair.scores);
            looks.choose(first, second, runs / 4..runs / 2, &deltas, z)
        };
        let curve = deltas.iter().enumerate().map(|(i, &delta)| {
            let alpha = self.alpha_at(i, deltas.len());
            let epsilon = pair.allowed.epsilon_at(delta);
            let event = chosen[i].as_ref().map(|(event, _)| event);
            let (at_least, hits) = test(event, first, second, runs / 2..runs, (epsilon, delta), alpha);
            Point {
                delta,
                allowed: Some(epsilon).filter(|epsilon| epsilon.is_finite()),
                at_least,
                event: event.map_or(NOTHING_VARIES.into(), Event::words),
                hits,
                of: runs - runs / 2,
                alpha,
            }
        });
        Finding { pair: pair.words.clone(), curve: curve.collect(), runs, alpha: self.alpha }
    }

    /// Half of α goes to the δ that the claim is made for, the rest to the others alike.
    fn alpha_at(&self, i: usize, of: usize) -> f64 {
        match (i, of) {
            (_, 1) => self.alpha,
            (0, _) => self.alpha / 2.0,
            _ => self.alpha / (2.0 * (of - 1) as f64),
        }
    }
}

/// The ε that an event proves at a δ on runs that it was not chosen on, and how often it happened.
fn test(
    event: Option<&Event>,
    first: &Runs,
    second: &Runs,
    range: std::ops::Range<usize>,
    (allowed, delta): (f64, f64),
    alpha: f64,
) -> (f64, [usize; 2]) {
    let Some(event) = event else { return (0.0, [0, 0]) };
    let count = |runs: &Runs| range.clone().filter(|&i| event.happened(runs.run(i))).count();
    let hits = if event.speaks_for_first { [count(first), count(second)] } else { [count(second), count(first)] };
    // Two ways to bound what is lost, each with half of α: the better one counts.
    let half = alpha / 2.0;
    let bet = event.bet.breaks(allowed, delta, hits, range.len(), half);
    (bet.max(by_two_bounds(hits, range.len(), delta, half)), hits)
}

/// The ε that Clopper and Pearson's bounds on the two probabilities of an event prove at a δ.
fn by_two_bounds([p, q]: [usize; 2], of: usize, delta: f64, alpha: f64) -> f64 {
    let low = at_least(p, of, alpha / 2.0) - delta;
    if low > 0.0 { (low / at_most(q, of, alpha / 2.0)).ln().max(0.0) } else { 0.0 }
}
