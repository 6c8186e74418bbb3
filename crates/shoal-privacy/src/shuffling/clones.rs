//! δ of the two distributions of (a, b) in the proof of [`shuffling`](super), never understated.
//!
//! Given C = c clones and m = c + 1, a has the probability q·B(a − 1) + (1 − q)·B(a), with B of Bin(c, ½) and
//! q = f/(f + 1), or the same with q and 1 − q exchanged. The ratio of the two rises with a, and exceeds e^ε from
//! a > m·(f·e^ε − 1)/((f − 1)(1 + e^ε)) on, so with a* the first such number
//!
//! δ_c = (f − e^ε)/(f + 1) · B(a* − 1) − (e^ε − 1) · P(Bin(c, ½) ≥ a*).
//!
//! δ_c does not rise with c, because a further clone can be added afterwards. So c may be rounded down within blocks, and
//! an upper bound on the distribution function of C gives one on δ = E δ_C, by summation by parts.

use super::binomial::{biased, fair};
use super::enclosure::Enclosure;

/// Blocks of numbers of clones.
const BLOCKS: u64 = 256;

/// Numbers of clones that are less probable than this count as none.
const NEVER: f64 = 1e-32;

/// A tail is summed down to this share of its sum. What is left out errs to the safe side.
const ENOUGH: f64 = 1e-9;

/// A number of clones, and a bound on the probability of fewer.
struct Block {
    first: u64,
    fewer_up: f64,
}

/// The clones among the other reports.
pub(super) struct Clones {
    local: f64,
    blocks: Vec<Block>,
}

impl Clones {
    /// For reports at ε₀ = `local`, this very double, which is above zero and at most some tens.
    pub fn new(local: f64, reports: u64) -> Self {
        let others = reports - 1;
        // Fewer clones are the worse case, so the probability of one is rounded down.
        let f = Enclosure::exactly(local).exp();
        let share = Enclosure::exactly(2.0).over(f.plus(Enclosure::exactly(1.0))).low.min(1.0);
        Self { local, blocks: blocks(others, share) }
    }

    /// δ at ε = `epsilon`, this very double, from zero to below `local`.
    pub fn delta_up(&self, epsilon: f64) -> f64 {
        let curve = Curve::new(self.local, epsilon);
        // Σ P(block)·δ(block) = δ(last) + Σ P(fewer than the next block)·(δ(block) − δ(next block)).
        let mut sum = 0.0_f64;
        let mut before = curve.delta_of_clones_up(0);
        for block in &self.blocks {
            // What holds for fewer clones holds for more.
            let here = curve.delta_of_clones_up(block.first).min(before);
            sum = (sum + (block.fewer_up * (before - here).next_up()).next_up()).next_up();
            before = here;
        }
        (sum + before).next_up().clamp(0.0, 1.0)
    }
}

/// Blocks that begin at growing numbers of clones. The first is preceded by numbers that count as none.
fn blocks(others: u64, share: f64) -> Vec<Block> {
    let mean = others as f64 * share;
    let deviation = (mean * (1.0 - share)).sqrt();
    // Beyond it more clones count as this many; a few more than the mean where that is near zero.
    let top = ((mean + 4.0 * deviation).floor() as u64 + 8).min(others);
    if others == 0 {
        return Vec::new();
    }
    // From the top down, every probability rounded up.
    let mut terms = vec![biased(others, share, top).high];
    let odds_up = Enclosure::exactly(1.0).minus(Enclosure::exactly(share)).over(Enclosure::exactly(share)).high;
    let mut k = top;
    while k > 0 {
        let ratio_up = ((k as f64 / (others - k + 1) as f64).next_up() * odds_up).next_up();
        let next = (terms[terms.len() - 1] * ratio_up).next_up();
        terms.push(next);
        k -= 1;
        if next < NEVER && (k as f64) < mean {
            break;
        }
    }
    // All that are fewer than k are less probable than k.
    let mut fewer_up = (k as f64 * terms[terms.len() - 1]).next_up();
    let width = ((top - k) / BLOCKS).max(1);
    let mut blocks = Vec::new();
    for (number, term) in (k..=top).zip(terms.iter().rev()) {
        if number > 0 && (number - k).is_multiple_of(width) {
            blocks.push(Block { first: number, fewer_up: fewer_up.min(1.0) });
        }
        fewer_up = (fewer_up + term).next_up();
    }
    blocks
}

/// δ for given numbers of clones at one ε₀ and ε.
struct Curve {
    /// (f − e^ε)/(f + 1), up.
    gain_up: f64,
    /// e^ε − 1, down.
    loss_down: f64,
    /// (f·e^ε − 1)/((f − 1)(1 + e^ε)).
    threshold: Enclosure,
}

impl Curve {
    fn new(local: f64, epsilon: f64) -> Self {
        let (local, epsilon) = (Enclosure::exactly(local), Enclosure::exactly(epsilon));
        let one = Enclosure::exactly(1.0);
        let (f, e) = (local.exp(), epsilon.exp());
        let above = local.minus(epsilon).exp_m1();
        Self {
            gain_up: e.times(above).over(f.plus(one)).high.max(0.0),
            loss_down: epsilon.exp_m1().low.max(0.0),
            threshold: local.plus(epsilon).exp_m1().over(local.exp_m1().times(one.plus(e))),
        }
    }

    /// δ_c. Every threshold that a* might be is tried: the largest is that of a*.
    fn delta_of_clones_up(&self, clones: u64) -> f64 {
        let place = self.threshold.times(Enclosure::whole(clones + 1));
        let (first, last) = (place.low.floor() as u64 + 1, place.high.floor() as u64 + 1);
        (first..=last).map(|from| self.delta_from_up(clones, from)).fold(0.0, f64::max)
    }

    fn delta_from_up(&self, clones: u64, from: u64) -> f64 {
        if from > clones + 1 {
            return 0.0;
        }
        let gained = (self.gain_up * fair(clones, from - 1).high).next_up();
        (gained - (self.loss_down * tail_down(clones, from)).next_down()).next_up().max(0.0)
    }
}

/// P(Bin(n, ½) ≥ from), rounded down, for a place above the middle.
fn tail_down(n: u64, from: u64) -> f64 {
    if from > n {
        return 0.0;
    }
    let mut term = fair(n, from).low;
    let mut sum = term;
    for k in from..n {
        term = (term * ((n - k) as f64 / (k + 1) as f64).next_down()).next_down();
        if term <= ENOUGH * sum {
            break;
        }
        sum = (sum + term).next_down();
    }
    sum.max(0.0)
}
