//! A search over pairs: try a catalogue and variations of what looks worst on few runs, then audit the worst in full.
//!
//! The full audit uses fresh runs, so a search, however long, costs no confidence.

use shoal_noise::NoiseSource;

use super::{Experiment, Finding};
use crate::Pair;
use crate::runs::{RunFailure, Watch};

/// Pairs of inputs to a mechanism: those known to be hard, and how to find others.
pub trait PairSpace {
    /// What describes a pair.
    type Spec: Clone;

    /// Pairs that have broken mechanisms before.
    fn catalogue(&self) -> Vec<Self::Spec>;

    /// A pair a little different from another, or quite another.
    fn vary(&self, from: &Self::Spec, noise: &mut dyn NoiseSource) -> Self::Spec;

    /// The pair itself.
    fn pair(&self, spec: &Self::Spec) -> Result<Pair, RunFailure>;
}

/// How long to search.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Runs on each input of a pair that is tried.
    pub pilot_runs: usize,
    /// Variations of the worst pair so far, one after the other.
    pub variations: usize,
}

impl Search {
    /// How many runs a search makes in addition to the full audit, both sides counted.
    #[must_use]
    pub fn runs(&self, catalogue: usize) -> usize {
        2 * self.pilot_runs * (catalogue + self.variations)
    }
}

/// Searches for the worst pair and audits it. The finding is about that pair only.
pub fn search_and_audit<S: PairSpace>(
    space: &S,
    search: Search,
    experiment: &Experiment,
    watch: Watch<'_>,
) -> Result<(S::Spec, Finding), RunFailure> {
    let pilot = Experiment {
        runs: search.pilot_runs,
        // A guess is enough here.
        alpha: 0.05,
        randomness: experiment.randomness.for_part("search"),
    };
    let mut tried = 0_u64;
    let mut shown = |spec: &S::Spec| -> Result<f64, RunFailure> {
        let pair = space.pair(spec)?;
        tried += 1;
        let pilot = Experiment { randomness: pilot.randomness.for_part(&tried.to_string()), ..pilot };
        let finding = pilot.audit(&pair, watch)?;
        // How far above what is allowed, in parts of it, at the worst δ.
        let excess = |point: &super::Point| {
            let allowed = point.allowed.unwrap_or(f64::INFINITY);
            if allowed > 0.0 { point.at_least / allowed } else { point.at_least * 1e3 }
        };
        Ok(finding.curve.iter().map(excess).fold(0.0, f64::max))
    };
    let mut worst: Option<(S::Spec, f64)> = None;
    for spec in space.catalogue() {
        let loss = shown(&spec)?;
        if worst.as_ref().is_none_or(|(_, most)| loss > *most) {
            worst = Some((spec, loss));
        }
    }
    let Some(mut worst) = worst else { return Err(RunFailure::Other("there is no pair to audit".into())) };
    let mut noise = experiment.randomness.for_part("variations").stream(0)?;
    for _ in 0..search.variations {
        let spec = space.vary(&worst.0, &mut *noise);
        let loss = shown(&spec)?;
        if loss > worst.1 {
            worst = (spec, loss);
        }
    }
    let finding = experiment.audit(&space.pair(&worst.0)?, watch)?;
    Ok((worst.0, finding))
}
