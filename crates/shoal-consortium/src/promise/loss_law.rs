//! The exact distribution of what many flipped bits give away.
//!
//! *Distribution*: take two values that were fixed before the anchors were drawn. Each bit separates them with probability
//! q, and whoever sees it knows the anchors, so knows whether it does. A bit that separates them and is kept with
//! probability k = 1/(1+e^−ε) speaks for the true value with +ε, and for the other with −ε when it was flipped; a bit
//! that does not is worth nothing. So the loss of n bits in units of ε has the distribution whose probabilities are the
//! coefficients of (c·z + b + a/z)^n, c = qk, b = 1 − q, a = q(1 − k). A fixed number h of differing bits is q = 1, n = h.
//!
//! *Method*: with g_i the share of loss n − i, the derivative of the power gives
//! (i+1)·c·g_{i+1} = (n−i)·b·g_i + (2n−i+1)·a·g_{i−1}. For i < n, that is down to loss 0, all terms are positive:
//! nothing cancels, and each step adds a few units in the last place at most. Below zero, P(−m) = e^(−εm)·P(m).
//! Shares below [`NEGLIGIBLE`] are not kept but counted in `neglected`, which callers add to δ.
//!
//! *Runtime*: one step per bit.

/// Shares below this are counted and not kept.
const NEGLIGIBLE: f64 = 1e-250;
/// What is cut off at both ends before the distributions of different kinds of bits are joined.
const CUT: f64 = 1e-60;
/// The most multiplications that joining may take.
const MOST_WORK: f64 = 5e8;
/// The most bits that are gone through one by one.
const MOST_STEPS: u64 = 1 << 26;
/// Values are kept within 2^±100 of one.
const RESCALE: f64 = (1_u128 << 100) as f64;
/// Relative error of a step of the recurrence: eight roundings.
const STEP_ERROR: f64 = 8.0 * f64::EPSILON;

/// Bits of one kind: each separates two values for so many of the positions that its anchor can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// How many bits.
    pub bits: u64,
    /// In how many positions an anchor separates the values.
    pub telling: u64,
    /// Positions an anchor can have.
    pub positions: u64,
}

impl Draw {
    /// The probability q that a bit separates the values.
    pub fn share(&self) -> f64 {
        self.telling as f64 / self.positions as f64
    }
}

/// Shares of losses, in units of ε.
#[derive(Clone, Debug)]
pub(super) struct LossLaw {
    /// The highest loss that is kept.
    pub top: i64,
    /// The share of loss `top − i` at `i`.
    pub shares: Vec<f64>,
    /// All that is not kept.
    pub neglected: f64,
    /// By what factor any share may be too small.
    pub slack: f64,
}

impl LossLaw {
    /// The distribution of all these bits together, or `None` when that would take too long. `epsilon` is that of a bit.
    pub fn new(epsilon: f64, draws: &[Draw]) -> Option<Self> {
        let mut kinds: Vec<Draw> = Vec::new();
        for draw in draws.iter().filter(|draw| draw.bits > 0 && draw.telling > 0) {
            match kinds.iter_mut().find(|kind| (kind.telling, kind.positions) == (draw.telling, draw.positions)) {
                Some(kind) => kind.bits += draw.bits,
                None => kinds.push(*draw),
            }
        }
        if kinds.iter().map(|kind| kind.bits).fold(0, u64::saturating_add) > MOST_STEPS {
            return None;
        }
        let mut laws = kinds.iter().map(|kind| Self::of_kind(epsilon, kind));
        let Some(first) = laws.next() else {
            return Some(Self { top: 0, shares: vec![1.0], neglected: 0.0, slack: 1.0 });
        };
        if kinds.len() == 1 {
            return Some(first);
        }
        let mut joined = first.with_gains(epsilon);
        for law in laws {
            let law = law.with_gains(epsilon);
            if joined.shares.len() as f64 * law.shares.len() as f64 > MOST_WORK / kinds.len() as f64 {
                return None;
            }
            joined = joined.joined(&law);
        }
        Some(joined)
    }

    /// Losses from 0 up.
    fn of_kind(epsilon: f64, kind: &Draw) -> Self {
        let n = kind.bits;
        let (steps, alpha) = (n as f64, libm::exp(-epsilon));
        let a = alpha;
        let b = (kind.positions - kind.telling) as f64 / kind.telling as f64 * (1.0 + alpha);
        let ln_c = libm::log(kind.share()) - libm::log1p(alpha);
        // The scale is worked out anew from the number of rescalings: adding to a large logarithm again and again would
        // round in the same direction each time.
        let (ln_first, ln_rescale) = (steps * ln_c, libm::log(RESCALE));
        let mut rescalings = 0_i64;
        let slack = 1.0 + 32.0 * f64::EPSILON + steps * (STEP_ERROR + 4.0 * f64::EPSILON * ln_c.abs());
        let mut law = Self { top: 0, shares: Vec::new(), neglected: 0.0, slack };
        let (mut before, mut now, mut scale) = (0.0_f64, 1.0_f64, libm::exp(ln_first));
        let mut skipped = 0;
        for i in 0..=n {
            let share = now * scale;
            if share < NEGLIGIBLE {
                law.neglected += NEGLIGIBLE;
                skipped += 1;
            } else {
                if law.shares.is_empty() {
                    law.top = (n - i) as i64;
                } else {
                    // Where nearly all bits separate the values, every other share is small; places must not shift.
                    law.shares.resize(law.shares.len() + skipped, 0.0);
                }
                skipped = 0;
                law.shares.push(share);
            }
            let next = (b * (n - i) as f64 * now + a * (2 * n - i + 1) as f64 * before) / (i + 1) as f64;
            (before, now) = (now, next);
            let size = now.max(before);
            if !(1.0 / RESCALE..=RESCALE).contains(&size) {
                let (factor, more) = if size > RESCALE { (1.0 / RESCALE, 1) } else { (RESCALE, -1) };
                (before, now) = (before * factor, now * factor);
                rescalings += more;
                scale = libm::exp(ln_first + rescalings as f64 * ln_rescale);
            }
        }
        law
    }

    /// With the losses below zero, and without the far ends.
    fn with_gains(mut self, epsilon: f64) -> Self {
        let zero = self.top as usize;
        for m in 1..=zero {
            let odds = libm::exp(-epsilon * m as f64);
            if odds < CUT {
                break;
            }
            let share = self.shares.get(zero - m).map_or(0.0, |share| share * odds);
            self.shares.resize((zero + m).max(self.shares.len()), 0.0);
            self.shares.push(share);
        }
        // All that the loop did not come to is together at most the odds at which it stopped.
        self.neglected += CUT;
        self.trimmed()
    }

    fn trimmed(mut self) -> Self {
        let mut gone = 0.0;
        let mut small = |share: &f64| {
            let cut = gone + share < CUT;
            if cut {
                gone += share;
            }
            !cut
        };
        let last = self.shares.iter().rposition(&mut small).map_or(0, |i| i + 1);
        self.shares.truncate(last);
        let first = self.shares.iter().position(&mut small).unwrap_or(0);
        self.shares.drain(..first);
        self.top -= first as i64;
        self.neglected += gone;
        self
    }

    fn joined(&self, other: &Self) -> Self {
        let mut shares = vec![0.0; self.shares.len() + other.shares.len() - 1];
        for (i, a) in self.shares.iter().enumerate().filter(|(_, a)| **a > 0.0) {
            for (sum, b) in shares[i..].iter_mut().zip(&other.shares) {
                *sum += a * b;
            }
        }
        let length = self.shares.len().min(other.shares.len()) as f64;
        Self {
            top: self.top + other.top,
            shares,
            neglected: self.neglected + other.neglected,
            slack: self.slack * other.slack * (1.0 + 2.0 * length * f64::EPSILON),
        }
        .trimmed()
    }
}
