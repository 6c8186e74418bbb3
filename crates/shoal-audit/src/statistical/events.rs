//! Events that distinguish two inputs, chosen on one part of the runs.

use rayon::prelude::*;

use super::bet::Bet;
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

/// "What is looked at is at least, or at most, so much", or that it is not, which speaks for one of the inputs.
#[derive(Clone)]
pub struct Event {
    look: Look,
    at_least: bool,
    threshold: f64,
    /// Whether it is the complement that speaks.
    not: bool,
    /// Whether it is likelier under the first input.
    pub speaks_for_first: bool,
    /// How often it happened on the runs that it was chosen on.
    pub bet: Bet,
}

impl Event {
    /// Whether it happened.
    #[must_use]
    pub fn happened(&self, run: &[f64]) -> bool {
        self.happened_at(self.look.of(run))
    }

    fn happened_at(&self, value: f64) -> bool {
        (if self.at_least { value >= self.threshold } else { value <= self.threshold }) != self.not
    }

    /// The event in words.
    #[must_use]
    pub fn words(&self) -> String {
        if let Look::At(Feature::Equals(i, value)) = &self.look {
            // Zero or one: what happens is that it is, or that it is not.
            let (no, yes) = (self.happened_at(0.0), self.happened_at(1.0));
            return match (no, yes) {
                (false, true) => format!("number {} is exactly {value}", i + 1),
                (true, false) => format!("number {} is not exactly {value}", i + 1),
                _ => "anything".into(),
            };
        }
        let sign = match (self.at_least, self.not) {
            (true, false) => "≥",
            (false, false) => "≤",
            (true, true) => "<",
            (false, true) => ">",
        };
        format!("{} {sign} {}", self.look.words(), short(self.threshold))
    }
}

/// What may be looked at, learnt from the first part of the runs.
pub struct Looks {
    looks: Vec<Look>,
    learnt_on: std::ops::Range<usize>,
}

impl Looks {
    /// Learns on the runs `range` of both sides.
    pub fn learn(first: &Runs, second: &Runs, range: std::ops::Range<usize>, scores: &[Score]) -> Self {
        let features = worth_looking_at(first, second, range.clone(), scores);
        let mut looks: Vec<Look> = features.iter().cloned().map(Look::At).collect();
        if features.len() > 1 {
            looks.push(Look::Guess(Boosted::learn(&features, first, second, range.clone()).into()));
        }
        Self { looks, learnt_on: range }
    }

    /// The best event at each δ, judged on the runs `range` of both sides; none where nothing was seen to vary.
    ///
    /// `z` is how many standard deviations a bound will stand off, so that rare events are not taken for sure ones. A
    /// classifier knows the runs that it was learnt on too well; whatever else is looked at is judged on those as well.
    #[must_use]
    pub fn choose(
        &self,
        first: &Runs,
        second: &Runs,
        range: std::ops::Range<usize>,
        deltas: &[f64],
        z: f64,
    ) -> Vec<Option<(Event, f64)>> {
        let judged_on = |look: &Look| match look {
            Look::Guess(_) => range.clone(),
            Look::At(_) => self.learnt_on.start.min(range.start)..range.end,
        };
        let best = |look: &Look| best_of_look(look, first, second, judged_on(look), deltas, z);
        let per_look: Vec<Vec<(Event, f64)>> = self.looks.par_iter().map(best).collect();
        (0..deltas.len())
            // The first of equals: what is known to matter comes first, and is put in the plainest words.
            .map(|i| per_look.iter().map(|events| &events[i]).reduce(|a, b| if b.1 > a.1 { b } else { a }).cloned())
            .collect()
    }
}

/// The best threshold of one look at each δ, with what it is expected to show.
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
        values.sort_unstable_by(f64::total_cmp);
        values
    };
    let (of_first, of_second) = (values(first), values(second));
    let mut thresholds: Vec<f64> = [&of_first, &of_second].into_iter().flat_map(|sorted| spread_out(sorted)).collect();
    thresholds.sort_unstable_by(f64::total_cmp);
    thresholds.dedup();
    let n = range.len();
    let event = |at_least, threshold, speaks_for_first: bool, hits: [usize; 2]| {
        // Whether it happens or not is the same evidence. The one with the larger odds is reported: the complement
        // speaks for the other input with (n − q) : (n − p), which is more than p : q when p + q > n.
        let not = hits[0] + hits[1] > n;
        let (speaks_for_first, hits) =
            if not { (!speaks_for_first, [n - hits[1], n - hits[0]]) } else { (speaks_for_first, hits) };
        Event { look: look.clone(), at_least, threshold, not, speaks_for_first, bet: Bet::on(hits, n) }
    };
    let mut best = vec![(true, f64::INFINITY, true, [0, 0], f64::NEG_INFINITY); deltas.len()];
    for &threshold in &thresholds {
        let below = |sorted: &[f64]| sorted.partition_point(|value| *value < threshold);
        let up_to = |sorted: &[f64]| sorted.partition_point(|value| *value <= threshold);
        let hits = |at_least: bool, sorted: &[f64]| if at_least { n - below(sorted) } else { up_to(sorted) };
        for at_least in [true, false] {
            let (a, b) = (hits(at_least, &of_first), hits(at_least, &of_second));
            let (speaks_for_first, hits) = if a >= b { (true, [a, b]) } else { (false, [b, a]) };
            let shows = Shows::new(hits, n, z);
            for (best, delta) in best.iter_mut().zip(deltas) {
                let shows = shows.at(*delta);
                if shows > best.4 {
                    *best = (at_least, threshold, speaks_for_first, hits, shows);
                }
            }
        }
    }
    best.into_iter().map(|(a, t, s, h, shows)| (event(a, t, s, h), shows)).collect()
}

/// What an event is about to show, from how often it happened.
struct Shows {
    /// Probability on the input that it speaks for and on the other: as seen, and as far off as may be.
    p: [f64; 2],
    q: [f64; 2],
    /// Probability that the event, or that it does not happen, indicates the right input, and how far it may be off.
    truth: f64,
    off: f64,
}

impl Shows {
    fn new(hits: [usize; 2], n: usize, z: f64) -> Self {
        let seen = |hits: usize| (hits as f64 + 0.5) / (n as f64 + 1.0);
        let (p, q) = (seen(hits[0]), seen(hits[1]));
        let truth = 0.5 * (p + 1.0 - q);
        Self {
            p: [p, wilson(hits[0], n, z, false)],
            q: [q, wilson(hits[1], n, z, true)],
            truth,
            off: z * (truth * (1.0 - truth) / (2.0 * n as f64)).sqrt(),
        }
    }

    /// The ε at a δ: by the odds of the event, by those of its complement, or by both where they agree.
    fn at(&self, delta: f64) -> f64 {
        // Errors of two independent logarithms, each with its own interval, add in squares.
        let odds = |p: [f64; 2], q: [f64; 2]| {
            if p[1] <= delta {
                return f64::NEG_INFINITY;
            }
            let (above, below) = (((p[0] - delta) / (p[1] - delta)).ln(), (q[1] / q[0]).ln());
            ((p[0] - delta) / q[0]).ln() - above.hypot(below)
        };
        let not = |chance: [f64; 2]| chance.map(|c| 1.0 - c);
        let both = if self.truth <= delta {
            f64::NEG_INFINITY
        } else {
            ((self.truth - delta) / (1.0 - self.truth)).ln()
                - self.off * (1.0 / (self.truth - delta) + 1.0 / (1.0 - self.truth))
        };
        odds(self.p, self.q).max(odds(not(self.q), not(self.p))).max(both)
    }
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
