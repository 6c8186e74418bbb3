//! Two inputs that a claim says should be hard to distinguish.

use std::sync::Arc;

use crate::Allowed;
use crate::runs::Side;

/// How a number is read off the output of a run.
pub type ScoreOf = dyn Fn(&[f64]) -> f64 + Send + Sync;

/// A number read off the output of a run, larger the more it speaks for the first input.
#[derive(Clone)]
pub struct Score {
    /// What it is.
    pub words: String,
    /// The number.
    pub of: Arc<ScoreOf>,
}

impl Score {
    /// A score with words for it.
    pub fn new(words: impl Into<String>, of: impl Fn(&[f64]) -> f64 + Send + Sync + 'static) -> Self {
        Self { words: words.into(), of: Arc::new(of) }
    }
}

/// A mechanism on two inputs, and what it may lose between them.
pub struct Pair {
    /// The inputs in words.
    pub words: String,
    /// The mechanism on the first input.
    pub first: Box<dyn Side>,
    /// The mechanism on the second input.
    pub second: Box<dyn Side>,
    /// What it claims between the two.
    pub allowed: Allowed,
    /// What an attacker who knows the mechanism would look at, such as its log-likelihood ratio. May be empty.
    pub scores: Vec<Score>,
}

impl Pair {
    /// A pair that is attacked through its output alone.
    pub fn new(words: impl Into<String>, first: Box<dyn Side>, second: Box<dyn Side>, allowed: Allowed) -> Self {
        Self { words: words.into(), first, second, allowed, scores: Vec::new() }
    }

    /// The same with another thing to look at.
    #[must_use]
    pub fn with_score(mut self, score: Score) -> Self {
        self.scores.push(score);
        self
    }
}
