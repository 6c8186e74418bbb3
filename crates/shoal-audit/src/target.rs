//! What can be audited by name.

use serde::Serialize;
use shoal_privacy::{Amount, Epsilon};

use crate::runs::{RunFailure, Watch};
use crate::{Line, Randomness};

/// How much to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Seconds for each target, for tests.
    Quick,
    /// Minutes for each target, for a report.
    Full,
}

/// How targets are audited.
pub struct Plan<'a> {
    /// How much to run.
    pub effort: Effort,
    /// Runs on each input, in place of the target's own number.
    pub runs: Option<usize>,
    /// The ε to audit at, in place of the target's own.
    pub epsilon: Option<f64>,
    /// Probability of a false alarm on each line.
    pub alpha: f64,
    /// Where noise comes from.
    pub randomness: Randomness,
    /// Informed of runs as they are made.
    pub watch: Watch<'a>,
}

impl Plan<'_> {
    /// Runs on each input: what was asked for, or the target's own number for this effort.
    #[must_use]
    pub fn runs(&self, quick: usize, full: usize) -> usize {
        self.runs.unwrap_or(match self.effort {
            Effort::Quick => quick,
            Effort::Full => full,
        })
    }

    /// The ε to audit at.
    #[must_use]
    pub fn epsilon(&self, usual: f64) -> f64 {
        self.epsilon.unwrap_or(usual)
    }

    /// The same as an exact amount, for a mechanism to be made with.
    ///
    /// # Errors
    /// When what was asked for is no ε.
    pub fn exact_epsilon(&self, usual: f64) -> Result<Epsilon, RunFailure> {
        let epsilon = self.epsilon(usual);
        let amount = Amount::from_shortest_decimal(epsilon).map_err(|why| RunFailure::Other(why.to_string()))?;
        if amount.is_zero() {
            return Err(RunFailure::Other("an ε of 0 allows no answer at all; give one above zero".into()));
        }
        Ok(Epsilon::new(amount))
    }
}

/// What a target is.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TargetInfo {
    /// Its name on the command line.
    pub name: &'static str,
    /// Who is trusted: "noise", "curator", "crowd", "consortium", "known-bad".
    pub group: &'static str,
    /// What it is and how it is audited, in one sentence.
    pub what: &'static str,
}

/// A mechanism or algorithm with claims to test.
pub trait Target: Sync {
    /// What it is.
    fn info(&self) -> TargetInfo;

    /// How many runs an audit makes in all, for the progress bar.
    fn work(&self, plan: &Plan<'_>) -> usize;

    /// Tests its claims.
    fn audit(&self, plan: &Plan<'_>) -> Result<Vec<Line>, RunFailure>;

    /// [`Target::audit`], with the target's group and how long it took on each line.
    fn lines(&self, plan: &Plan<'_>) -> Result<Vec<Line>, RunFailure> {
        let started = std::time::Instant::now();
        let mut lines = self.audit(plan)?;
        let seconds = started.elapsed().as_secs_f64() / lines.len().max(1) as f64;
        for line in &mut lines {
            line.group = self.info().group.into();
            // Targets that know the time of each line have set it.
            if line.seconds == 0.0 {
                line.seconds = seconds;
            }
        }
        Ok(lines)
    }
}
