//! A bet against a promise: what the counts of an event on two inputs prove, exactly and at any number of runs.
//!
//! *Idea.* Let an event have the chance p on one input and q on the other. A promise (ε, δ) confines the two to
//! R = {p ≤ e^ε·q + δ and 1 − q ≤ e^ε·(1 − p) + δ}: the second is about the event that it does not happen. A bet names,
//! before the runs are seen, chances (p₁, q₁) outside R. Let (p₀, q₀) be the point of R that is nearest in relative
//! entropy. Each pair of runs multiplies the wealth by the probability of what happened under (p₁, q₁) over that under
//! (p₀, q₀); wealth of 1/α or more breaks the promise.
//!
//! *Why it is valid.* For any (p, q) in R, one pair of runs multiplies the wealth by (1 + x)(1 + y) on average, where
//! x = (p − p₀)(p₁ − p₀)/(p₀(1 − p₀)), and y the same in q. R is convex and (p₀, q₀) is nearest, so x + y ≤ 0, and the
//! product is at most 1 by the means of two numbers. So wealth never grows on average while the promise holds, and it
//! reaches 1/α with probability at most α (Markov). Nothing is asymptotic, however rare the event.
//!
//! *Why not two bounds.* Bounding p and q apart and dividing pays for both errors at their worst at once; a bet pays for
//! the error of the ratio, and uses that the event and its complement may both be as telling as they can.

/// Chances of an event, named before the runs that it is tested on.
#[derive(Clone, Copy, Debug)]
pub struct Bet {
    /// On the input that the event speaks for.
    p: f64,
    /// On the other.
    q: f64,
}

/// No loss above this is ever claimed.
const MOST: f64 = 64.0;

impl Bet {
    /// A bet on what earlier runs showed: hits on the input that the event speaks for, and on the other.
    #[must_use]
    pub fn on(hits: [usize; 2], of: usize) -> Self {
        // Half a hit keeps a bet possible where none was seen.
        let chance = |hits: usize| (hits as f64 + 0.5) / (of as f64 + 1.0);
        Self { p: chance(hits[0]), q: chance(hits[1]) }
    }

    /// ln of the wealth that a bet against (ε, δ) leaves after these runs.
    #[must_use]
    pub fn ln_wealth(&self, epsilon: f64, delta: f64, hits: [usize; 2], of: usize) -> f64 {
        let Some((p, q)) = self.nearest(epsilon, delta) else { return 0.0 };
        let gain = |hits: usize, bet: f64, nearest: f64| {
            hits as f64 * (bet / nearest).ln() + (of - hits) as f64 * ((1.0 - bet) / (1.0 - nearest)).ln()
        };
        gain(hits[0], self.p, p) + gain(hits[1], self.q, q)
    }

    /// The largest ε that is broken at this δ with chance of error α; zero when none is.
    #[must_use]
    pub fn breaks(&self, delta: f64, hits: [usize; 2], of: usize, alpha: f64) -> f64 {
        let broken = |epsilon: f64| self.ln_wealth(epsilon, delta, hits, of) >= -alpha.ln();
        if !broken(0.0) {
            return 0.0;
        }
        let (mut low, mut high) = (0.0, MOST);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if broken(middle) { low = middle } else { high = middle }
        }
        low
    }

    /// The nearest chances that the promise allows; none when it allows these.
    fn nearest(&self, epsilon: f64, delta: f64) -> Option<(f64, f64)> {
        let odds = epsilon.exp();
        let allows = |p: f64, q: f64| p <= odds * q + delta;
        let slightly = |p: f64, q: f64| p <= (odds * q + delta) * (1.0 + 1e-12);
        let (p, q) = (self.p, self.q);
        if allows(p, q) && allows(1.0 - q, 1.0 - p) {
            return None;
        }
        // On one border, if the other condition holds there; else where the borders meet.
        if let Some((p, q)) = on_border(p, q, odds, delta).filter(|&(p, q)| slightly(1.0 - q, 1.0 - p)) {
            return Some((p, q));
        }
        let complement = on_border(1.0 - q, 1.0 - p, odds, delta).map(|(a, b)| (1.0 - b, 1.0 - a));
        if let Some((p, q)) = complement.filter(|&(p, q)| slightly(p, q)) {
            return Some((p, q));
        }
        Some(((odds + delta) / (odds + 1.0), (1.0 - delta) / (odds + 1.0)))
    }
}

/// The point of the line p = odds·q + δ that is nearest to chances beyond it; none when they are not beyond it.
fn on_border(p: f64, q: f64, odds: f64, delta: f64) -> Option<(f64, f64)> {
    if p <= odds * q + delta {
        return None;
    }
    // Between the point right below and the one at its side, the slope of the entropy changes its sign once.
    let (mut low, mut high) = (q, (p - delta) / odds);
    for _ in 0..64 {
        let middle = 0.5 * (low + high);
        let at = odds * middle + delta;
        let slope = odds * (at - p) / (at * (1.0 - at)) + (middle - q) / (middle * (1.0 - middle));
        if slope < 0.0 { low = middle } else { high = middle }
    }
    let middle = 0.5 * (low + high);
    Some((odds * middle + delta, middle))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The wealth of one pair of runs, averaged over what can happen when the chances are (p, q).
    fn mean_wealth(bet: &Bet, epsilon: f64, delta: f64, p: f64, q: f64) -> f64 {
        let outcomes = [(1, 1, p * q), (1, 0, p * (1.0 - q)), (0, 1, (1.0 - p) * q), (0, 0, (1.0 - p) * (1.0 - q))];
        outcomes.iter().map(|&(a, b, chance)| chance * bet.ln_wealth(epsilon, delta, [a, b], 1).exp()).sum()
    }

    #[test]
    fn no_bet_wins_on_average_while_the_promise_holds() {
        let mut border = 0;
        for (epsilon, delta) in [(0.1, 0.0), (1.0, 0.0), (4.0, 0.0), (1.0, 0.2), (0.0, 0.05)] {
            for bet in [(0.9, 0.01), (0.5, 0.4), (0.99, 0.012), (0.01, 1e-5), (0.7, 0.3), (0.999, 0.9), (0.3, 0.6)] {
                let bet = Bet { p: bet.0, q: bet.1 };
                let odds = f64::exp(epsilon);
                for i in 0..=60 {
                    for j in 0..=60 {
                        let (p, q) = (f64::from(i) / 60.0, f64::from(j) / 60.0);
                        if p <= odds * q + delta && 1.0 - q <= odds * (1.0 - p) + delta {
                            let mean = mean_wealth(&bet, epsilon, delta, p, q);
                            assert!(mean <= 1.0 + 1e-9, "{epsilon} {delta} {bet:?} {p} {q}: {mean}");
                            border += usize::from(mean > 0.999);
                        }
                    }
                }
            }
        }
        assert!(border > 20, "the bound is nowhere near: {border}");
        // A bet against a promise twice as strong does win.
        let bet = Bet { p: 0.7, q: 0.3 };
        assert!(mean_wealth(&bet, 0.4, 0.0, 0.7, 0.3) > 1.01);
    }

    #[test]
    fn sure_events_break_as_much_as_runs_can_show() {
        // p = 1 and q = 0 in n runs: no more than about ln(n / ln(1/α)) can be shown.
        let shown = Bet::on([1000, 0], 1000).breaks(0.0, [10_000, 0], 10_000, 1e-6);
        assert!((shown - f64::ln(10_000.0 / 13.8)).abs() < 0.3, "{shown}");
        assert_eq!(Bet::on([0, 0], 1000).breaks(0.0, [0, 0], 1000, 1e-3), 0.0);
        assert_eq!(Bet::on([500, 500], 1000).breaks(0.0, [900, 100], 1000, 1e-3), 0.0, "no bet, no gain");
    }
}
