//! A bet against a claim: what the counts of an event on two inputs prove, exactly and at any number of runs.
//!
//! *Idea.* Let an event have the probability p on one input and q on the other. A claim (ε, δ) confines the two to
//! R = {p ≤ e^ε·q + δ and 1 − q ≤ e^ε·(1 − p) + δ}: the second is about the event that it does not happen. A bet names,
//! before the runs are seen, probabilities (p₁, q₁) outside R. Let (p₀, q₀) be the point of R that is nearest in relative
//! entropy. Each pair of runs multiplies the wealth by the probability of what happened under (p₁, q₁) over that under
//! (p₀, q₀); wealth of 1/α or more breaks the claim.
//!
//! *Why it is valid.* For any (p, q) in R, one pair of runs multiplies the wealth by (1 + x)(1 + y) on average, where
//! x = (p − p₀)(p₁ − p₀)/(p₀(1 − p₀)), and y the same in q. R is convex and (p₀, q₀) is nearest, so x + y ≤ 0, and the
//! product is at most 1 by the means of two numbers. So wealth never grows on average while the claim holds, and it
//! reaches 1/α with probability at most α (Markov). Nothing is asymptotic, however rare the event.
//!
//! *Why not two bounds.* Bounding p and q apart and dividing pays for both errors at their worst at once; a bet pays for
//! the error of the ratio, and uses that the event and its complement may both be as telling as they can.

/// Probabilities of an event, named before the runs that it is tested on.
#[derive(Clone, Copy, Debug)]
pub struct Bet {
    /// On the input that the event speaks for.
    p: f64,
    /// On the other.
    q: f64,
}

/// No loss above this is ever claimed.
const MOST: f64 = 64.0;

/// How far apart the ε are at which a bet is tried one after the other.
const STEP: f64 = 1.0 / 32.0;

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

    /// The ε that is certainly lost at this δ, with probability of error α; zero when none is.
    ///
    /// It is above `promised` if and only if the bet against that very claim is won. Wealth mostly falls as ε grows, but
    /// where the tested runs are unlike those that the bet was made on it can dip and rise again. So what is reported is the
    /// end of a stretch of ε that are all broken. Were the true loss below that end, then the bet against it, or against
    /// the claim above it, would have been won, which has a probability of at most α.
    #[must_use]
    pub fn breaks(&self, promised: f64, delta: f64, hits: [usize; 2], of: usize, alpha: f64) -> f64 {
        let broken = |epsilon: f64| self.ln_wealth(epsilon, delta, hits, of) >= -alpha.ln();
        let is_broken = promised < MOST && broken(promised);
        // Just above the claim where that is broken, so that it shows.
        let (mut low, end) = if is_broken { (promised.next_up(), MOST) } else { (0.0, promised.min(MOST)) };
        if !is_broken && !broken(0.0) {
            return 0.0;
        }
        let mut high = (low + STEP).min(end);
        while broken(high) {
            if high >= end {
                return high;
            }
            (low, high) = (high, (high + STEP).min(end));
        }
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if broken(middle) { low = middle } else { high = middle }
        }
        low
    }

    /// The nearest probabilities that the claim allows; none when it allows these.
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

/// The point of the line p = odds·q + δ that is nearest to probabilities beyond it; none when they are not beyond it.
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

    /// The wealth of one pair of runs, averaged over what can happen when the probabilities are (p, q).
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
        // A bet against a claim twice as strong does win.
        let bet = Bet { p: 0.7, q: 0.3 };
        assert!(mean_wealth(&bet, 0.4, 0.0, 0.7, 0.3) > 1.01);
    }

    #[test]
    fn sure_events_break_as_much_as_runs_can_show() {
        // p = 1 and q = 0 in n runs: no more than about ln(n / ln(1/α)) can be shown.
        let shown = Bet::on([1000, 0], 1000).breaks(f64::INFINITY, 0.0, [10_000, 0], 10_000, 1e-6);
        assert!((shown - f64::ln(10_000.0 / 13.8)).abs() < 0.3, "{shown}");
        assert_eq!(Bet::on([0, 0], 1000).breaks(1.0, 0.0, [0, 0], 1000, 1e-3), 0.0);
        assert_eq!(Bet::on([500, 500], 1000).breaks(1.0, 0.0, [900, 100], 1000, 1e-3), 0.0, "no bet, no gain");
    }

    #[test]
    fn a_promise_is_broken_when_the_bet_against_it_is_won() {
        // Wealth against ε = 0 is below that against 0.7 here: few hits were bet on and none came.
        let (bet, hits, of, alpha) = (Bet::on([121, 1], 1566), [106, 0], 1566, 1e-2_f64);
        let wins = |epsilon: f64| bet.ln_wealth(epsilon, 0.05, hits, of) >= -alpha.ln();
        assert!(!wins(0.0) && wins(0.7) && !wins(1.0));
        assert!(bet.breaks(0.7, 0.05, hits, of, alpha) > 0.7);
        assert_eq!(bet.breaks(1.0, 0.05, hits, of, alpha), 0.0);
        // A stretch that is broken ends where it first is not, whatever follows.
        let (bet, hits, of) = (Bet { p: 0.861_572_389_924, q: 0.098_035_318_252 }, [31_656, 4346], 39_553);
        let shown = bet.breaks(f64::INFINITY, 0.0, hits, of, 1e-6);
        let all = (0..1000).map(|i| shown * f64::from(i) / 1000.0);
        assert!(all.into_iter().all(|epsilon| bet.ln_wealth(epsilon, 0.0, hits, of) >= -1e-6_f64.ln()), "{shown}");
    }

    /// The probability, summed over all outcomes of 40 runs on each side, that more is reported than is lost.
    fn chance_of_telling_too_much(p: f64, q: f64, delta: f64, loss_of: impl Fn([usize; 2], f64) -> f64) -> f64 {
        let ln_factorial = |k: usize| libm::lgamma(k as f64 + 1.0);
        let chance = |k: usize, p: f64| {
            let ln_ways = ln_factorial(RUNS) - ln_factorial(k) - ln_factorial(RUNS - k);
            (ln_ways + k as f64 * p.ln() + (RUNS - k) as f64 * (1.0 - p).ln()).exp()
        };
        let lost = f64::max((p - delta) / q, (1.0 - q - delta) / (1.0 - p)).max(1.0).ln();
        let too_much =
            |hits: &[usize; 2]| [f64::INFINITY, lost].iter().any(|promised| loss_of(*hits, *promised) > lost + 1e-9);
        let outcomes = (0..=RUNS).flat_map(|a| (0..=RUNS).map(move |b| [a, b]));
        outcomes.filter(too_much).map(|[a, b]| chance(a, p) * chance(b, q)).sum()
    }

    const RUNS: usize = 40;

    #[test]
    fn what_is_told_is_lost_but_for_a_chance_of_alpha() {
        for (p, q, delta) in [(0.6, 0.2, 0.0), (0.3, 0.05, 0.0), (0.5, 0.5, 0.0), (0.6, 0.2, 0.1), (0.2, 0.01, 0.05)] {
            for bet in [[30, 2], [24, 8], [10, 1], [20, 0]] {
                let loss_of = |hits, promised| Bet::on(bet, RUNS).breaks(promised, delta, hits, RUNS, 0.05);
                let chance = chance_of_telling_too_much(p, q, delta, loss_of);
                assert!(chance <= 0.05, "{p} {q} {delta} {bet:?}: {chance}");
            }
        }
        // A mutant that places its bet after it has seen the runs, and counts each of them four times.
        let mutant = |hits: [usize; 2], promised| {
            Bet::on(hits, RUNS).breaks(promised, 0.0, hits.map(|hits| 4 * hits), 4 * RUNS, 0.05)
        };
        assert!(chance_of_telling_too_much(0.6, 0.2, 0.0, mutant) > 0.05);
    }
}
