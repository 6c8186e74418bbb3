//! Events that tell two inputs apart, chosen on one part of the runs.

use rayon::prelude::*;

use super::boosted::Boosted;
use super::features::{Feature, worth_looking_at};
use crate::allowed::short;
use crate::pair::Score;
use crate::runs::Runs;

/// What an event looks at.
#[derive(Clone)]
pub enum Look {
    /// One feature.
    At(Feature),
    /// A classifier's guess.
    Guess(std::sync::Arc<Boosted>),
}

impl Look {
    fn of(&self, run: &[f64]) -> f64 {
        match self {
            Self::At(feature) => feature.of(run),
            Self::Guess(boosted) => boosted.score(run),
        }
    }

    fn words(&self) -> String {
        match self {
            Self::At(feature) => feature.words(),
            Self::Guess(_) => "classifier's score".into(),
        }
    }
}

/// "What is looked at is at least, or at most, so much", which speaks for one of the inputs.
#[derive(Clone)]
pub struct Event {
    look: Look,
    at_least: bool,
    threshold: f64,
    /// Whether it is likelier under the first input.
    pub speaks_for_first: bool,
}

impl Event {
    /// Whether it happened.
    #[must_use]
    pub fn happened(&self, run: &[f64]) -> bool {
        let value = self.look.of(run);
        if self.at_least { value >= self.threshold } else { value <= self.threshold }
    }

    /// The event in words.
    #[must_use]
    pub fn words(&self) -> String {
        let sign = if self.at_least { "≥" } else { "≤" };
        format!("{} {sign} {}", self.look.words(), short(self.threshold))
    }
}

/// What may be looked at, learnt from the first part of the runs.
pub struct Looks {
    looks: Vec<Look>,
}

impl Looks {
    /// Learns on the runs `range` of both sides.
    pub fn learn(first: &Runs, second: &Runs, range: std::ops::Range<usize>, scores: &[Score]) -> Self {
        let features = worth_looking_at(first, second, range.clone(), scores);
        let mut looks: Vec<Look> = features.iter().cloned().map(Look::At).collect();
        if features.len() > 1 {
            looks.push(Look::Guess(Boosted::learn(&features, first, second, range).into()));
        }
        Self { looks }
    }

    /// The best event at each δ, judged on the runs `range` of both sides; none where nothing was seen to vary.
    ///
    /// `z` is how many standard deviations a bound will stand off, so that rare events are not taken for sure ones.
    #[must_use]
    pub fn choose(
        &self,
        first: &Runs,
        second: &Runs,
        range: std::ops::Range<usize>,
        deltas: &[f64],
        z: f64,
    ) -> Vec<Option<(Event, f64)>> {
        let per_look: Vec<Vec<(Event, f64)>> =
            self.looks.par_iter().map(|look| best_of_look(look, first, second, range.clone(), deltas, z)).collect();
        (0..deltas.len())
            // The first of equals: what is known to matter comes first, and is put in the plainest words.
            .map(|i| per_look.iter().map(|events| &events[i]).reduce(|a, b| if b.1 > a.1 { b } else { a }).cloned())
            .collect()
    }
}

/// The best threshold of one look at each δ, with what it promises to show.
fn best_of_look(
    look: &Look,
    first: &Runs,
    second: &Runs,
    range: std::ops::Range<usize>,
    deltas: &[f64],
    z: f64,
) -> Vec<(Event, f64)> {
    let values = |runs: &Runs| {
        let mut values: Vec<f64> = range.clone().map(|i| look.of(runs.run(i))).collect();
        values.sort_by(f64::total_cmp);
        values
    };
    let (of_first, of_second) = (values(first), values(second));
    let mut thresholds: Vec<f64> = [&of_first, &of_second].into_iter().flat_map(|sorted| spread_out(sorted)).collect();
    thresholds.sort_by(f64::total_cmp);
    thresholds.dedup();
    let n = range.len();
    let nothing =
        |speaks_for_first| Event { look: look.clone(), at_least: true, threshold: f64::INFINITY, speaks_for_first };
    let mut best = vec![(nothing(true), f64::NEG_INFINITY); deltas.len()];
    for &threshold in &thresholds {
        let below = |sorted: &[f64]| sorted.partition_point(|value| *value < threshold);
        let up_to = |sorted: &[f64]| sorted.partition_point(|value| *value <= threshold);
        let hits = |at_least: bool, sorted: &[f64]| if at_least { n - below(sorted) } else { up_to(sorted) };
        for at_least in [true, false] {
            let (a, b) = (hits(at_least, &of_first), hits(at_least, &of_second));
            for (speaks_for_first, p, q) in [(true, a, b), (false, b, a)] {
                let (low, high) = (wilson(p, n, z, false), wilson(q, n, z, true));
                for (i, delta) in deltas.iter().enumerate() {
                    let shows = if low > *delta { ((low - delta) / high).ln() } else { f64::NEG_INFINITY };
                    if shows > best[i].1 {
                        best[i] = (Event { look: look.clone(), at_least, threshold, speaks_for_first }, shows);
                    }
                }
            }
        }
    }
    best
}

/// Values at ranks that grow by a few per cent from both ends: tails are where losses show.
fn spread_out(sorted: &[f64]) -> Vec<f64> {
    let n = sorted.len();
    let mut ranks = Vec::new();
    let mut rank = 0;
    while rank < n {
        ranks.extend([sorted[rank], sorted[n - 1 - rank]]);
        rank += 1 + rank / 40;
    }
    ranks
}

/// Wilson's bound on a probability, `z` standard deviations off.
fn wilson(hits: usize, runs: usize, z: f64, upper: bool) -> f64 {
    let (k, n) = (hits as f64, runs as f64);
    let (p, z2) = (k / n, z * z);
    let width = z * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    let centre = p + z2 / (2.0 * n);
    ((if upper { centre + width } else { centre - width }) / (1.0 + z2 / n)).clamp(0.0, 1.0)
}
