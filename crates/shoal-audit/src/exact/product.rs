//! Numbers with independent noise: the loss of all together is the sum of each one's worst, in the same direction.

use super::finite::ORDERS;
use super::{Compared, FiniteLaws};
use crate::Measure;

/// One number, or several that are drawn together, under the first of two inputs and under the second.
#[derive(Clone, Debug)]
pub struct Part {
    what: String,
    /// The worst towards the first input and towards the second, each with its output.
    towards: [(f64, String); 2],
    compared: usize,
}

impl Part {
    /// The worst outputs of one part, between the inputs `first` and `second` of its distributions.
    pub fn new(what: impl Into<String>, laws: &FiniteLaws, first: usize, second: usize) -> Self {
        let towards = [(first, second), (second, first)].map(|(p, q)| {
            let (worst, x) = laws.ln_ratio(p, q);
            (worst, laws.output(x))
        });
        Self { what: what.into(), towards, compared: 2 * laws.outputs() }
    }
}

/// The worst loss of independent parts between two inputs, called `inputs`, against the ε that is allowed.
#[must_use]
pub fn audit(inputs: &str, parts: &[Part], allowed: f64) -> Measure {
    let [first, second] = [0, 1].map(|side| {
        let lost = parts.iter().map(|part| part.towards[side].0).sum();
        let outputs: Vec<_> = parts.iter().map(|part| format!("{} {}", part.what, part.towards[side].1)).collect();
        Compared { allowed, lost, at: format!("{inputs}, output {}", outputs.join(", ")) }
    });
    let worst = if second.is_worse_than(&first) { second } else { first };
    let compared = parts.iter().map(|part| part.compared).sum();
    Measure::Enumeration { unit: "ε", allowed, worst: worst.lost, at: worst.at, compared }
}

/// The worst Rényi divergence of independent parts in parts of its order, between the inputs `first` and `second` of each,
/// against the ρ that is allowed. Divergences of one order add up.
#[must_use]
pub fn audit_concentrated(inputs: &str, parts: &[&FiniteLaws], first: usize, second: usize, rho: f64) -> Measure {
    let mut worst = Compared { allowed: rho, lost: 0.0, at: "nothing was compared".into() };
    for (p, q) in [(first, second), (second, first)] {
        for order in ORDERS {
            let lost = parts.iter().map(|laws| laws.renyi(p, q, order)).sum::<f64>() / order;
            let found = Compared { allowed: rho, lost, at: format!("{inputs}, at order {order}") };
            if found.is_worse_than(&worst) {
                worst = found;
            }
        }
    }
    let compared = 2 * parts.iter().map(|laws| laws.outputs()).sum::<usize>();
    Measure::Enumeration { unit: "ρ", allowed: rho, worst: worst.lost, at: worst.at, compared }
}
