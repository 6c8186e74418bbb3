//! The worst of many comparisons, and the weakest of their mutants.

use std::collections::BTreeMap;

use super::loss::{Losses, between};
use shoal_curator::internals::RecordedStep;

/// The comparisons of one case.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// The largest loss, as a multiple of its charge.
    pub worst: f64,
    /// Where it is.
    pub at: String,
    /// The largest loss between two real tables.
    pub by_a_row: f64,
    /// Releases that were compared on two tables.
    pub compared: usize,
    /// What is wrong apart from amounts.
    pub faults: Vec<String>,
    /// For each noise of each release, the largest loss when it is halved.
    mutants: BTreeMap<(usize, usize), Mutant>,
    /// The mechanisms that took part.
    pub mechanisms: std::collections::BTreeSet<&'static str>,
}

/// One halved noise.
#[derive(Clone, Debug)]
struct Mutant {
    what: String,
    loss: f64,
    by_a_row: f64,
}

impl Tally {
    /// Compares one release, number `step` of its run, on two tables; `real` when a row makes the difference and not a change
    /// that the query merely allows.
    pub fn compare(&mut self, step: usize, first: &RecordedStep, second: &RecordedStep, real: bool, words: &str) {
        self.mechanisms.insert(first.mechanism);
        match between(first, second) {
            Err(why) => self.fault(format!("{why} ({words})")),
            Ok(losses) => self.add(step, first.mechanism, &losses, real, words),
        }
    }

    /// Adds what was computed elsewhere.
    pub fn add(&mut self, step: usize, mechanism: &str, losses: &Losses, real: bool, words: &str) {
        self.compared += 1;
        if losses.honest > self.worst || losses.honest.is_nan() || self.at.is_empty() {
            (self.worst, self.at) = (losses.honest, format!("release {}, {mechanism}, {words}", step + 1));
        }
        if real {
            self.by_a_row = self.by_a_row.max(losses.honest);
        }
        for (part, (of, loss)) in losses.mutants.iter().enumerate() {
            let mutant = self.mutants.entry((step, part)).or_insert_with(|| Mutant {
                what: format!("release {}, {mechanism}, {of}", step + 1),
                loss: 0.0,
                by_a_row: 0.0,
            });
            mutant.loss = mutant.loss.max(*loss);
            if real {
                mutant.by_a_row = mutant.by_a_row.max(*loss);
            }
        }
    }

    /// Notes something that is wrong apart from amounts, each once.
    pub fn fault(&mut self, what: String) {
        if self.faults.len() < 8 && !self.faults.contains(&what) {
            self.faults.push(what);
        }
    }

    /// Adds another case; its mutants are its own.
    pub fn join(&mut self, other: Self) {
        if other.worst > self.worst || self.at.is_empty() {
            (self.worst, self.at) = (other.worst, other.at);
        }
        self.by_a_row = self.by_a_row.max(other.by_a_row);
        self.compared += other.compared;
        self.mechanisms.extend(other.mechanisms);
        other.faults.into_iter().for_each(|fault| self.fault(fault));
        let before = self.mutants.last_key_value().map_or(0, |((step, _), _)| step + 1);
        self.mutants.extend(other.mutants.into_iter().map(|((step, part), mutant)| ((before + step, part), mutant)));
    }

    /// The same without its mutants.
    #[must_use]
    pub fn without_mutants(self) -> Self {
        Self { mutants: BTreeMap::new(), ..self }
    }

    /// Whether nothing is above its charge, and nothing else is wrong.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.faults.is_empty() && self.compared > 0 && self.worst <= 1.0
    }

    /// How many noises were halved, one at a time.
    #[must_use]
    pub fn mutants(&self) -> usize {
        self.mutants.len()
    }

    /// Halved noises that are not above their charge: what this audit would not see.
    #[must_use]
    pub fn missed(&self) -> Vec<&str> {
        self.mutants.values().filter(|mutant| mutant.loss <= 1.0).map(|mutant| mutant.what.as_str()).collect()
    }

    /// How many halved noises show with a real row, without the largest change that the query allows.
    #[must_use]
    pub fn shown_by_a_row(&self) -> usize {
        self.mutants.values().filter(|mutant| mutant.by_a_row > 1.0).count()
    }

    /// The halved noise that comes closest to passing: the multiple of its charge, and which it is.
    #[must_use]
    pub fn weakest_mutant(&self) -> Option<(f64, &str)> {
        let weakest = self.mutants.values().min_by(|a, b| a.loss.total_cmp(&b.loss))?;
        Some((weakest.loss, &weakest.what))
    }
}
