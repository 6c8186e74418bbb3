//! One point of a figure.

use std::fmt;

use sha2::{Digest, Sha256};
use shoal_noise::SeededNoise;

use crate::Failure;

/// The parameters of a cell, in the order in which they are written. Everything that a result depends on is in it, but for
/// the seed and the number of the run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(Vec<(&'static str, String)>);

impl Key {
    /// The experiment that a cell belongs to. Figures that show the same runs name the same experiment.
    #[must_use]
    pub fn new(experiment: &'static str) -> Self {
        Self(vec![("experiment", experiment.to_string())])
    }

    /// The same key with one parameter more.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.0.push((name, value.to_string()));
        self
    }

    /// A parameter.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(own, _)| *own == name).map(|(_, value)| &**value)
    }

    /// All parameters.
    pub fn parameters(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(name, value)| (*name, &**value))
    }

    /// A name that no other key has, for files and noise.
    #[must_use]
    pub fn digest(&self, seed: u64) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(seed.to_le_bytes());
        for (name, value) in &self.0 {
            for part in [*name, value] {
                hash.update((part.len() as u64).to_le_bytes());
                hash.update(part);
            }
        }
        hash.finalize().into()
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<_> = self.0.iter().map(|(_, value)| &**value).filter(|value| !value.is_empty()).collect();
        f.write_str(&values.join(" "))
    }
}

/// One run of a cell: its number, from 0, and its own noise.
pub struct Run {
    /// The number of the run.
    pub index: usize,
    /// Noise that depends on the seed, the key and the number of the run, and on nothing else.
    pub noise: SeededNoise,
    seed: u64,
}

impl Run {
    /// The run of this number.
    #[must_use]
    pub fn new(key: &Key, seed: u64, index: usize) -> Self {
        let mut hash = Sha256::new();
        hash.update(key.digest(seed));
        hash.update((index as u64).to_le_bytes());
        Self { index, noise: SeededNoise::from_key(hash.finalize().into()), seed }
    }

    /// Noise that other cells have as well, in the run of the same number: such as the reports that several servers see.
    #[must_use]
    pub fn shared(&self, key: &Key) -> SeededNoise {
        Self::new(key, self.seed, self.index).noise
    }
}

/// How a cell is measured once: a value for each of the cell's measures, or several records of values one after the other.
type Measure = dyn Fn(&mut Run) -> Result<Vec<f64>, Failure> + Send + Sync;

/// One point of a figure: its parameters, and how to measure it.
pub struct Cell {
    /// Its parameters.
    pub key: Key,
    /// What a run reports.
    pub measures: &'static [&'static str],
    /// How often it is run.
    pub runs: usize,
    /// How long a run takes, in any unit that all cells of a figure share; for the time left.
    pub cost: f64,
    /// Whether nothing else may run at the same time, because it measures time.
    pub alone: bool,
    /// A run.
    pub measure: Box<Measure>,
}

impl Cell {
    /// A cell whose runs take about as long as those of others.
    pub fn new(
        key: Key,
        measures: &'static [&'static str],
        runs: usize,
        measure: impl Fn(&mut Run) -> Result<Vec<f64>, Failure> + Send + Sync + 'static,
    ) -> Self {
        Self { key, measures, runs, cost: 1.0, alone: false, measure: Box::new(measure) }
    }

    /// The same cell, whose runs take so long.
    #[must_use]
    pub fn costing(self, cost: f64) -> Self {
        Self { cost: cost.max(1e-6), ..self }
    }

    /// The same cell, beside which nothing else may run.
    #[must_use]
    pub fn alone(self) -> Self {
        Self { alone: true, ..self }
    }
}
