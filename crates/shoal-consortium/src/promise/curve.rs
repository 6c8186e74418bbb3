//! (b) What flipped bits promise: the (ε′, δ′) curve, exact up to rounding, which errs on the safe side.
//!
//! *Privacy*: the least δ′ for which the codes of two given values are (ε′, δ′)-indistinguishable is
//! δ(ε′) = Σ_m P(m)·[1 − e^(ε′ − εm)]_+ over losses εm ([`LossLaw`](crate::promise::loss_law::LossLaw)); both directions
//! are the same, as a code and its complement are.
//! - [`Curve::of_bits`], h bits that differ: holds for the agreed anchors and any two values whose codes differ in at
//!   most h bits.
//! - [`Curve::over_the_draw`]: holds for two values that were fixed before the anchors were drawn, even when the anchors
//!   are published afterwards. It is no promise for values that somebody chooses after seeing the anchors: those may
//!   sit where many anchors happen to have their edges. Then count the bits ([`Reach`](super::Reach)).
//!
//! *More bits never give away less*: whoever has the responses of h′ ≥ h bits can throw h′ − h of them away and has
//! exactly the responses of h bits. What can be computed from an output without the input satisfies every (ε′, δ′) that
//! the output does, so δ is at least as large for h′. The same with bits that separate the values more often: forget each
//! such bit with probability 1 − q/q′. The same with a larger ε per bit: flip again. Hence the worst case is the largest h,
//! the farthest values and the largest ε, and rounding any of them up is safe.
//!
//! *Method*: with A_m = Σ_{l≥m} P(l) and D_m = δ(εm), D_{m−1} = e^−ε·D_m + (1 − e^−ε)·A_m, and in between
//! δ(εm − x) = e^−x·D_m + (1 − e^−x)·A_m: sums of positive terms. Where there are too many bits to go through, a Chernoff
//! bound is used instead: P(loss > ε′) ≤ E[e^(λ·loss)]·e^(−λε′) for every λ > 0, and δ(ε′) ≤ P(loss > ε′).

use shoal_privacy::Epsilon;

use crate::promise::loss_law::{Draw, LossLaw};

/// Relative slack of closed formulas in doubles.
const ROUNDING: f64 = 1e-12;

/// The curve of codes.
#[derive(Clone, Debug)]
pub struct Curve {
    /// ε of a bit, rounded up.
    epsilon: f64,
    draws: Vec<Draw>,
    /// The distribution of the loss, unless it would take too long to compute.
    law: Option<LossLaw>,
}

impl Curve {
    /// For this many bits that differ.
    ///
    /// ```
    /// use shoal_consortium::promise::Curve;
    /// let thousand = Curve::of_bits(&"1".parse()?, 1000);
    /// // The paper says (1, 8.9e-137).
    /// assert!(thousand.delta_up(1.0) > 0.999_999);
    /// assert!((thousand.epsilon_up(1e-6) - 591.0).abs() < 1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_bits(epsilon: &Epsilon, bits: u64) -> Self {
        Self::over_the_draw(epsilon, vec![Draw { bits, telling: 1, positions: 1 }])
    }

    /// For bits that differ or not as the anchors come.
    pub fn over_the_draw(epsilon: &Epsilon, draws: Vec<Draw>) -> Self {
        let epsilon = epsilon.to_f64_up();
        let law = LossLaw::new(epsilon, &draws);
        Self { epsilon, draws, law }
    }

    /// False where a bound is used instead of the curve itself.
    pub fn is_tight(&self) -> bool {
        self.law.is_some()
    }

    /// The loss that no outcome exceeds: every bit that can separate the values does.
    pub fn most_up(&self) -> f64 {
        let bits: f64 = self.draws.iter().filter(|draw| draw.telling > 0).map(|draw| draw.bits as f64).sum();
        (self.epsilon * bits).next_up()
    }

    /// A δ′ that holds at this ε′.
    pub fn delta_up(&self, epsilon: f64) -> f64 {
        if epsilon >= self.most_up() {
            return 0.0;
        }
        let epsilon = epsilon.max(0.0);
        let Some(law) = &self.law else { return self.chernoff_delta(epsilon) };
        let m = (epsilon / self.epsilon).ceil().max(1.0);
        let sums = Sums::down_to(law, self.epsilon, m as i64);
        let loss = m * self.epsilon;
        let x = (loss - epsilon + 4.0 * f64::EPSILON * loss).max(0.0);
        let delta = sums.delta_before(x);
        (delta * law.slack * (1.0 + ROUNDING) + law.neglected).min(1.0)
    }

    /// An ε′ that holds at this δ′, the smallest up to rounding.
    pub fn epsilon_up(&self, delta: f64) -> f64 {
        let most = self.most_up();
        if delta.is_nan() || delta <= 0.0 {
            return most;
        }
        let Some(law) = &self.law else { return self.chernoff_epsilon(delta).min(most) };
        let wanted = delta / law.slack / (1.0 + 2.0 * ROUNDING) - law.neglected;
        if wanted <= 0.0 {
            return most;
        }
        let mut sums = Sums::above(law);
        while sums.m > 0 {
            let next = sums.next(law, self.epsilon);
            if next.delta > wanted {
                let x = -libm::log1p(-(wanted - sums.delta) / (next.above - sums.delta));
                let mut epsilon = (next.m + 1) as f64 * self.epsilon - x.max(0.0);
                // The answer is checked as it will be used; rounding may ask for a little more.
                let mut more = ROUNDING * epsilon.max(self.epsilon);
                while self.delta_up(epsilon) > delta && epsilon < most {
                    epsilon += more;
                    more *= 2.0;
                }
                return epsilon.clamp(0.0, most);
            }
            sums = next;
        }
        0.0
    }

    /// ln E[e^(λ·loss)].
    fn ln_moment(&self, lambda: f64) -> f64 {
        let y = lambda * self.epsilon;
        let keep = 1.0 / (1.0 + libm::exp(-self.epsilon));
        let flip = libm::exp(-self.epsilon) * keep;
        let gain = keep * libm::expm1(y) + flip * libm::expm1(-y);
        self.draws.iter().map(|draw| draw.bits as f64 * libm::log1p(draw.share() * gain)).sum()
    }

    /// The smallest value over λ, of which any is a bound.
    fn best(&self, value: impl Fn(f64) -> f64) -> f64 {
        // In ln λ; e^(λε) stays a double.
        let (mut low, mut high) = (-40.0, libm::log(600.0 / self.epsilon));
        for _ in 0..200 {
            let third = (high - low) / 3.0;
            if value(libm::exp(low + third)) <= value(libm::exp(high - third)) {
                high -= third;
            } else {
                low += third;
            }
        }
        value(libm::exp(low)).min(value(libm::exp(high)))
    }

    fn chernoff_delta(&self, epsilon: f64) -> f64 {
        let exponent =
            self.best(|lambda| self.ln_moment(lambda) * (1.0 + ROUNDING) - lambda * epsilon * (1.0 - ROUNDING));
        (libm::exp(exponent) * (1.0 + ROUNDING)).min(1.0)
    }

    fn chernoff_epsilon(&self, delta: f64) -> f64 {
        self.best(|lambda| (self.ln_moment(lambda) - libm::log(delta)) / lambda) * (1.0 + 4.0 * ROUNDING)
    }
}

/// The sums at a loss of m bits.
struct Sums {
    m: i64,
    /// A_{m+1}, the share of all higher losses.
    above: f64,
    /// D_m.
    delta: f64,
}

impl Sums {
    /// At the highest loss.
    fn above(law: &LossLaw) -> Self {
        Self { m: law.top.max(0), above: 0.0, delta: 0.0 }
    }

    /// At a loss one bit lower.
    fn next(&self, law: &LossLaw, epsilon: f64) -> Self {
        let share = |m: i64| usize::try_from(law.top - m).ok().and_then(|i| law.shares.get(i)).copied().unwrap_or(0.0);
        let above = self.above + share(self.m);
        Self { m: self.m - 1, above, delta: libm::exp(-epsilon) * self.delta - libm::expm1(-epsilon) * above }
    }

    fn down_to(law: &LossLaw, epsilon: f64, m: i64) -> SumsAt {
        if m > law.top {
            return SumsAt { from: 0.0, delta: 0.0 };
        }
        let mut sums = Self::above(law);
        while sums.m > m {
            sums = sums.next(law, epsilon);
        }
        SumsAt { from: sums.next(law, epsilon).above, delta: sums.delta }
    }
}

/// A_m and D_m.
struct SumsAt {
    from: f64,
    delta: f64,
}

impl SumsAt {
    /// δ at εm − x.
    fn delta_before(&self, x: f64) -> f64 {
        libm::exp(-x) * self.delta - libm::expm1(-x) * self.from
    }
}
