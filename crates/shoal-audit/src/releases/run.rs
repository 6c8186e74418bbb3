//! A method on two neighbouring tables, with the same outputs on both.
//!
//! The run on the first table is recorded; the run on the second repeats its outputs. Then everything that is not an exact
//! answer must be the same on both: queries, mechanisms, noise, charges and the result. Whatever differs follows from a
//! row by another way than through a charged mechanism.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use shoal_curator::internals::{RecordedStep, Script, WitnessedNoise};
use shoal_privacy::{Loss, Sensitive};
use shoal_scan::{Answer, Question, QuestionId, Scan, ScanError};

use super::Tally;
use crate::runs::RunFailure;

/// The name of the query that a tree may ask several times.
const BOXES: &str = "box counts";

/// Everything that happened in a run.
pub struct Recorded {
    /// Each release.
    pub steps: Vec<RecordedStep>,
    /// What they gave.
    pub script: Script,
    /// Each query, and how many releases came before it.
    pub asked: Vec<(QuestionId, &'static str, usize)>,
    /// The result, in full.
    pub result: String,
    /// What the accountant charged for all releases together.
    pub charged: Loss,
    strayed: Option<usize>,
}

/// A run of something with its own result: what it printed in full, and what was charged.
pub type Job<'a> = dyn Fn(&dyn Scan, &mut WitnessedNoise) -> Result<(String, Loss), RunFailure> + 'a;

/// Makes a run; one that follows a script where there is one.
///
/// # Errors
/// When the job fails.
pub fn record(
    job: &Job<'_>,
    scan: &dyn Scan,
    seeds: [u64; 2],
    script: Option<&Script>,
) -> Result<Recorded, RunFailure> {
    let mut noise = match script {
        Some(script) => WitnessedNoise::replaying(seeds[0], seeds[1], script.clone()),
        None => WitnessedNoise::recording(seeds[0], seeds[1]),
    };
    let scan = Asked { scan, releases: noise.count(), asked: Mutex::default() };
    let (result, charged) = job(&scan, &mut noise)?;
    let asked = scan.asked.into_inner().unwrap_or_default();
    let (steps, script, strayed) = noise.finish();
    Ok(Recorded { steps, script, asked, result, charged, strayed })
}

/// Remembers what was asked.
struct Asked<'a> {
    scan: &'a dyn Scan,
    releases: Arc<AtomicUsize>,
    asked: Mutex<Vec<(QuestionId, &'static str, usize)>>,
}

impl Scan for Asked<'_> {
    fn dims(&self) -> usize {
        self.scan.dims()
    }

    fn ask(&self, question: &Question) -> Result<Sensitive<Answer>, ScanError> {
        // A query about no blocks asks only whether an engine can answer.
        if !matches!(question, Question::Blocks { wanted, .. } if wanted.is_empty()) {
            let entry = (question.id(), question.name(), self.releases.load(Ordering::Relaxed));
            if let Ok(mut asked) = self.asked.lock() {
                asked.push(entry);
            }
        }
        self.scan.ask(question)
    }
}

impl Recorded {
    /// What is wrong with one run by itself: releases that nobody recorded.
    pub fn check(&self, tally: &mut Tally) {
        // Every answer must leave through a recorded release before another query is asked. Only a tree that grows may look
        // again before it decides.
        for (place, (_, name, releases)) in self.asked.iter().enumerate() {
            let next = self.asked.get(place + 1);
            let until = next.map_or(self.steps.len(), |(_, _, releases)| *releases);
            let grows = *name == BOXES && next.is_some_and(|(_, next, _)| *next == BOXES);
            if until == *releases && !grows {
                tally.fault(format!("the answer to {name} left by a release that was not recorded"));
            }
        }
        let sum = self.steps.iter().try_fold(Loss::NONE, |sum, step| sum.then(&step.charge).ok());
        match (&sum, &self.charged) {
            (Some(Loss::Pure(sum)), Loss::Pure(charged)) if sum == charged => {}
            // Pure steps may be charged in zCDP where a δ is allowed.
            (Some(sum), charged @ Loss::Approximate { .. }) if self.implies(sum, charged) => {}
            _ => {
                let sum = sum.map_or("no single loss".into(), |sum| sum.symbols());
                tally.fault(format!("the releases cost {sum} and the run reports {}", self.charged.symbols()));
            }
        }
    }

    fn implies(&self, sum: &Loss, charged: &Loss) -> bool {
        let zero = Loss::Zcdp(shoal_privacy::Rho::ZERO);
        let concentrated = self.steps.iter().try_fold(zero, |sum, step| sum.then(&step.charge).ok());
        sum.implies(charged) || concentrated.is_some_and(|sum| sum.implies(charged))
    }

    /// Compares each release with that of a run on a neighbouring table that followed this one's script.
    pub fn compare(&self, other: &Self, real: bool, words: &str, tally: &mut Tally) {
        let mut fault = |what: &str| tally.fault(format!("{what} ({words})"));
        if other.strayed.is_some() || self.steps.len() != other.steps.len() {
            return fault("given the same outputs, the two tables lead to different releases");
        }
        if self.asked != other.asked {
            return fault("given the same outputs, the two tables are asked different queries");
        }
        if self.result != other.result || self.charged != other.charged {
            fault("given the same outputs, the two tables give different results");
        }
        for (number, (first, second)) in self.steps.iter().zip(&other.steps).enumerate() {
            tally.compare(number, first, second, real, words);
        }
    }
}
