//! Where rows begin, seen from the outside of a noisy histogram. Post-processing: it costs nothing.
//!
//! A single bucket shows only when its own count stands out of the noise; a thin tail spread over many buckets shows in
//! their sum. So sums over windows of 1, 2, 4, … buckets are compared with thresholds t, and the first bucket from the
//! outside that ends such a window with a sum of t or more is the evidence.
//!
//! *Distribution.* A sum S of k draws of discrete Laplace noise with decay a has E e^(sS) = M(s)^k with
//! M(s) = (1 − α)² / ((1 − αe^s)(1 − αe^−s)), α = e^−a, |s| < a. So P(S ≥ t) ≤ M(s)^k·e^(−st) for every s in (0, a)
//! (Chernoff), and t is the least whole number for which the best s makes this q at most; for k = 1 the tail is exact.
//! The same holds for −S.
//!
//! *Utility.* A window without rows is taken for evidence with a probability of at most `q_false`, and a window's sum is too
//! low by its slack or more with a probability of at most `q_low`. Otherwise every window that is evidence has a row in it,
//! and one that is not has at most (t − 1) + (slack − 1) rows. That is the worst case, known in advance. Once the counts
//! are released, [`MostRows`] is several times tighter: the sum that was released plus the slack of that many buckets.

use shoal_noise::DiscreteLaplace;

/// Places where the best s is looked for.
const GRID: usize = 400;

/// Window lengths for a histogram, with the sum from which on each is evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thresholds {
    /// Shortest first. The last window is as long as the histogram or longer.
    windows: Vec<Window>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Window {
    length: usize,
    /// t: a sum of so much is evidence.
    evidence: i64,
    /// The noise takes less than this away.
    slack: i64,
}

/// Where rows begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The innermost bucket of the window, counted from the outside: some row lies here or farther out.
    pub inner: usize,
    /// The outermost bucket of the window: few rows lie farther out.
    pub outer: usize,
}

impl Thresholds {
    /// Thresholds for histograms of `buckets` buckets under this noise. For each window, `q_false` is the chance that it is
    /// evidence without a row in it, and `q_low` the chance that its sum is too low by its slack.
    pub fn new(law: &DiscreteLaplace, buckets: usize, q_false: f64, q_low: f64) -> Self {
        let window =
            |length| Window { length, evidence: threshold(law, length, q_false), slack: threshold(law, length, q_low) };
        Self { windows: lengths(buckets).map(window).collect() }
    }

    /// Number of windows that a scan from one side looks at.
    pub fn windows(buckets: usize) -> usize {
        lengths(buckets).count() * buckets
    }

    /// The first evidence from the outside; `noisy` has the outermost bucket first.
    pub fn first(&self, noisy: &[i64]) -> Option<Evidence> {
        let mut sums = vec![0i128];
        for (inner, count) in noisy.iter().enumerate() {
            // Pushed one by one, so that a window's sum is the difference of two.
            sums.push(sums[inner] + i128::from(*count));
            for window in &self.windows {
                let outer = (inner + 1).saturating_sub(window.length);
                if sums[inner + 1] - sums[outer] >= i128::from(window.evidence) {
                    return Some(Evidence { inner, outer });
                }
            }
        }
        None
    }

    /// The noisy count from which on one bucket by itself is evidence.
    pub fn clear_from(&self) -> i64 {
        self.windows.first().map_or(i64::MAX, |window| window.evidence)
    }

    /// Most rows in the outermost `buckets` buckets when none of them ends a window that is evidence.
    pub fn most_missed(&self, buckets: usize) -> u64 {
        if buckets == 0 {
            return 0;
        }
        let window = self.windows.iter().find(|window| window.length >= buckets).or(self.windows.last());
        // Both are at least 1.
        window.map_or(0, |window| (window.evidence - 1).saturating_add(window.slack - 1) as u64)
    }
}

/// The most rows that the outermost buckets can have, given their released counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MostRows {
    /// For 1, 2, 3, … buckets: the noise takes less than this away from their sum.
    slack: Vec<i64>,
}

impl MostRows {
    /// For up to `buckets` buckets under this noise. `q` is the probability that the statement about any one number of
    /// buckets is wrong; since the released counts decide how many are meant, all of them have to hold.
    pub fn new(law: &DiscreteLaplace, buckets: usize, q: f64) -> Self {
        Self { slack: (1..=buckets).map(|length| threshold(law, length, q)).collect() }
    }

    /// The most rows in these buckets: all from the outermost to where the interval begins.
    pub fn of(&self, noisy: &[i64]) -> u64 {
        let Some(slack) = noisy.len().checked_sub(1).and_then(|last| self.slack.get(last)) else { return 0 };
        let sum: i128 = noisy.iter().map(|&count| i128::from(count)).sum();
        u64::try_from((sum + i128::from(slack - 1)).max(0)).unwrap_or(u64::MAX)
    }
}

/// 1, 2, 4, … up to the first that covers `buckets`.
fn lengths(buckets: usize) -> impl Iterator<Item = usize> {
    (0..).map(|power| 1usize << power).take_while(move |length| *length < 2 * buckets)
}

/// The least t found with P(a sum of `draws` draws ≥ t) ≤ q.
fn threshold(law: &DiscreteLaplace, draws: usize, q: f64) -> i64 {
    let decay = law.decay().to_f64().value();
    let ln_moment = |s: f64| {
        2.0 * libm::log(-libm::expm1(-decay)) - libm::log(-libm::expm1(s - decay)) - libm::log(-libm::expm1(-s - decay))
    };
    let bound = |i: usize| {
        let s = decay * i as f64 / GRID as f64;
        (draws as f64 * ln_moment(s) - libm::log(q)) / s
    };
    let best = (1..GRID).map(bound).fold(f64::INFINITY, f64::min);
    let chernoff = (best.ceil() as i64).saturating_add(1).max(1);
    if draws > 1 {
        return chernoff;
    }
    // P(Z ≥ t) = e^(−at)/(1 + α): one more than rounding can take away.
    let exact = (libm::log(1.0 / q) - libm::log1p(libm::exp(-decay))) / decay;
    let exact = (exact.ceil() as i64).max(1);
    if law.tail(exact) <= q { exact } else { exact + 1 }
}
