//! Distributions over a list of outputs, compared output by output.

use super::Compared;
use crate::allowed::short;
use crate::{Allowed, Measure, RunFailure};

/// How far the probabilities of a distribution may be from one in sum: rounding of millions of terms.
const SUM_TOLERANCE: f64 = 1e-9;

/// Orders at which Rényi divergences are compared.
pub(super) const ORDERS: [f64; 7] = [1.01, 1.1, 1.5, 2.0, 4.0, 8.0, 16.0];

/// δ at which a concentrated claim is compared.
const DELTAS: [f64; 4] = [1e-2, 1e-4, 1e-6, 1e-9];

/// The distribution of the output on one input.
#[derive(Clone, Debug)]
pub struct Law {
    /// The input in words.
    pub input: String,
    /// ln of the probability of each output; −∞ for none.
    pub ln_probabilities: Vec<f64>,
    /// Probability of an output that is not on the list.
    pub rest: f64,
}

impl Law {
    /// A distribution of which every output is on the list.
    pub fn new(input: impl Into<String>, ln_probabilities: Vec<f64>) -> Self {
        Self { input: input.into(), ln_probabilities, rest: 0.0 }
    }

    /// The same from the probabilities themselves.
    pub fn of_probabilities(input: impl Into<String>, probabilities: &[f64]) -> Self {
        Self::new(input, probabilities.iter().map(|p| p.ln()).collect())
    }
}

/// The distributions of one mechanism on several inputs, over the same outputs.
pub struct FiniteLaws {
    laws: Vec<Law>,
    output: Box<dyn Fn(usize) -> String + Send + Sync>,
}

impl FiniteLaws {
    /// Distributions, and words for each output.
    ///
    /// # Errors
    /// When a distribution does not sum to one, or two distributions have not the same outputs.
    pub fn new(laws: Vec<Law>, output: impl Fn(usize) -> String + Send + Sync + 'static) -> Result<Self, RunFailure> {
        let outputs = laws.first().map_or(0, |law| law.ln_probabilities.len());
        for law in &laws {
            let Law { input, ln_probabilities, rest } = law;
            if ln_probabilities.len() != outputs {
                let found = ln_probabilities.len();
                return Err(RunFailure::Other(format!(
                    "the distribution on {input} lists {found} outputs, the others list {outputs}"
                )));
            }
            let mass: f64 = ln_probabilities.iter().map(|ln| ln.exp()).sum::<f64>() + rest;
            // Written so that NaN fails, too.
            if (mass - 1.0).abs() <= SUM_TOLERANCE && *rest >= 0.0 {
                continue;
            }
            return Err(RunFailure::Other(format!("the probabilities on {input} sum to {mass}, not to one")));
        }
        Ok(Self { laws, output: Box::new(output) })
    }

    /// A number with integer noise on it, for several values of the number.
    ///
    /// Noise is given by ln P(Z = z) and P(Z ≥ z), and must be symmetric. Outputs up to `reach` from the outermost values
    /// are compared, those beyond are the rest.
    ///
    /// # Errors
    /// When the noise is not a distribution.
    pub fn of_noise(
        ln_pmf: impl Fn(i64) -> f64,
        tail: impl Fn(i64) -> f64,
        values: &[i64],
        reach: i64,
    ) -> Result<Self, RunFailure> {
        let low = values.iter().copied().min().unwrap_or(0) - reach;
        let high = values.iter().copied().max().unwrap_or(0) + reach;
        let law = |&value: &i64| Law {
            input: value.to_string(),
            ln_probabilities: (low..=high).map(|x| ln_pmf(x - value)).collect(),
            rest: tail(high + 1 - value) + tail(value - low + 1),
        };
        Self::new(values.iter().map(law).collect(), move |i| (low + i as i64).to_string())
    }

    /// How many inputs there are.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.laws.len()
    }

    /// The words for an input.
    #[must_use]
    pub fn input(&self, i: usize) -> &str {
        &self.laws[i].input
    }

    /// How many outputs are compared.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.laws.first().map_or(0, |law| law.ln_probabilities.len())
    }

    /// The words for an output.
    #[must_use]
    pub fn output(&self, i: usize) -> String {
        (self.output)(i)
    }

    /// The largest ln P(x | first)/P(x | second), and the output where it is.
    #[must_use]
    pub fn ln_ratio(&self, first: usize, second: usize) -> (f64, usize) {
        let mut worst = (f64::NEG_INFINITY, 0);
        for (x, (p, q)) in self.both(first, second).enumerate() {
            // An output that never comes from the first input says nothing for it.
            if p > f64::NEG_INFINITY && p - q > worst.0 {
                worst = (p - q, x);
            }
        }
        worst
    }

    /// The exact δ at an ε: the largest P(S | first) − e^ε·P(S | second) over all sets S. What is not on the list counts in
    /// full, so that δ is never understated.
    #[must_use]
    pub fn delta_at(&self, first: usize, second: usize, epsilon: f64) -> f64 {
        let more = |(p, q): (f64, f64)| if p > q + epsilon { p.exp() - (q + epsilon).exp() } else { 0.0 };
        self.both(first, second).map(more).sum::<f64>() + self.laws[first].rest
    }

    /// The exact ε at a δ: the smallest whose [`delta_at`](Self::delta_at) is not above δ.
    #[must_use]
    pub fn epsilon_at(&self, first: usize, second: usize, delta: f64) -> f64 {
        // A δ that is met to the last digit is met.
        let enough = |epsilon| self.delta_at(first, second, epsilon) <= delta * (1.0 + 1e-12) + f64::EPSILON / 2.0;
        if enough(0.0) {
            return 0.0;
        }
        let (mut low, mut high) = (0.0, 1.0);
        while !enough(high) {
            (low, high) = (high, 2.0 * high);
            // No ratio of doubles goes further: only a zero does.
            if high > 1e9 {
                return f64::INFINITY;
            }
        }
        while high - low > 1e-12 * high {
            let middle = 0.5 * (low + high);
            if enough(middle) { high = middle } else { low = middle }
        }
        high
    }

    /// The Rényi divergence of an order above one. What is not on the list is left out, so the window must reach as far as
    /// the order weighs it.
    #[must_use]
    pub fn renyi(&self, first: usize, second: usize, order: f64) -> f64 {
        let term = |(p, q): (f64, f64)| if p > f64::NEG_INFINITY { order * p + (1.0 - order) * q } else { p };
        let largest = self.both(first, second).map(term).fold(f64::NEG_INFINITY, f64::max);
        if largest == f64::INFINITY {
            return largest;
        }
        let sum: f64 = self.both(first, second).map(|both| (term(both) - largest).exp()).sum();
        (largest + sum.ln()) / (order - 1.0)
    }

    /// Compares every input with every other that something is claimed about.
    #[must_use]
    pub fn audit(&self, allowed: impl Fn(usize, usize) -> Option<Allowed>) -> Measure {
        self.worst("ε", allowed, |first, second, allowed| match allowed {
            Allowed::Pure(epsilon) => {
                let (lost, x) = self.ln_ratio(first, second);
                let at = format!("{}, output {}", self.words(first, second), self.output(x));
                vec![Compared { allowed: *epsilon, lost, at }]
            }
            other => {
                let deltas = match other {
                    Allowed::Zcdp(_) => DELTAS.to_vec(),
                    // What is exactly kept at its own δ is kept at every larger one.
                    Allowed::Approximate { delta, .. } => vec![*delta],
                    _ => other.tested_at(),
                };
                let at = |delta: f64| Compared {
                    allowed: other.epsilon_at(delta),
                    lost: self.epsilon_at(first, second, delta),
                    at: format!("{}, at δ = {}", self.words(first, second), short(delta)),
                };
                deltas.into_iter().map(at).collect()
            }
        })
    }

    /// Compares Rényi divergences, in parts of their order, with the ρ that a concentrated claim allows.
    #[must_use]
    pub fn audit_concentrated(&self, rho: impl Fn(usize, usize) -> Option<f64>) -> Measure {
        let allowed = |first, second| rho(first, second).map(Allowed::Zcdp);
        self.worst("ρ", allowed, |first, second, allowed| {
            let Allowed::Zcdp(rho) = *allowed else { return Vec::new() };
            let of_order = |order: f64| Compared {
                allowed: rho,
                lost: self.renyi(first, second, order) / order,
                at: format!("{}, at order {order}", self.words(first, second)),
            };
            ORDERS.map(of_order).into()
        })
    }

    fn worst(
        &self,
        unit: &'static str,
        allowed: impl Fn(usize, usize) -> Option<Allowed>,
        compare: impl Fn(usize, usize, &Allowed) -> Vec<Compared>,
    ) -> Measure {
        let mut worst: Option<Compared> = None;
        let mut compared = 0;
        for first in 0..self.laws.len() {
            for second in (0..self.laws.len()).filter(|second| *second != first) {
                let Some(allowed) = allowed(first, second) else { continue };
                compared += self.outputs();
                for found in compare(first, second, &allowed) {
                    if worst.as_ref().is_none_or(|worst| found.is_worse_than(worst)) {
                        worst = Some(found);
                    }
                }
            }
        }
        let nothing = Compared { allowed: 0.0, lost: 0.0, at: "nothing was compared".into() };
        let Compared { allowed, lost, mut at } = worst.unwrap_or(nothing);
        let rest = self.laws.iter().map(|law| law.rest).fold(0.0, f64::max);
        if rest > 0.0 {
            at += &format!(" (outputs further out, of probability {}, are not listed)", short(rest));
        }
        Measure::Enumeration { unit, allowed, worst: lost, at, compared }
    }

    fn both(&self, first: usize, second: usize) -> impl Iterator<Item = (f64, f64)> + '_ {
        let of = |i: usize| self.laws[i].ln_probabilities.iter().copied();
        of(first).zip(of(second))
    }

    fn words(&self, first: usize, second: usize) -> String {
        format!("inputs {} and {}", self.laws[first].input, self.laws[second].input)
    }
}
