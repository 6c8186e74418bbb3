//! What a claim allows between two inputs, as a curve: the largest ε at each δ.

use std::fmt;
use std::sync::Arc;

use shoal_page::text::{Rounding, significant_trimmed};
use shoal_privacy::{Amount, Claim, Delta, Loss, Neighbours, Rho, zcdp_to_epsilon_up};

/// The most that may be lost between one pair of inputs.
#[derive(Clone)]
pub enum Allowed {
    /// No event may be more than e^ε times as likely.
    Pure(f64),
    /// The same up to a probability δ; nothing is claimed for a smaller δ.
    Approximate {
        /// Bound on the change of odds.
        epsilon: f64,
        /// Probability that is left out.
        delta: f64,
    },
    /// Zero-concentrated, with this ρ.
    Zcdp(f64),
    /// ε at every δ, with words for it.
    Curve {
        /// What the curve is.
        words: String,
        /// ε at a δ.
        epsilon_at: Arc<dyn Fn(f64) -> f64 + Send + Sync>,
        /// The δ at which it is worth a test.
        tested_at: Vec<f64>,
    },
}

impl Allowed {
    /// What a loss allows between two inputs `distance` apart, where it is a loss per unit of distance.
    #[must_use]
    pub fn of(loss: &Loss, distance: f64) -> Self {
        match loss {
            Loss::Pure(epsilon) => Self::Pure(epsilon.to_f64_up()),
            Loss::PerDistance(epsilon) => Self::Pure(epsilon.to_f64_up() * distance),
            Loss::Approximate { epsilon, delta } => {
                Self::Approximate { epsilon: epsilon.to_f64_up(), delta: delta.amount().to_f64_up() }
            }
            Loss::Zcdp(rho) => Self::Zcdp(rho.to_f64_up()),
        }
    }

    /// The largest ε allowed at a δ; infinite where nothing is claimed.
    #[must_use]
    pub fn epsilon_at(&self, delta: f64) -> f64 {
        match self {
            // Randomised response loses most at every δ of all that keeps a pure ε.
            Self::Pure(epsilon) => {
                let odds = epsilon.exp();
                if odds.is_finite() { (odds - delta * (1.0 + odds)).max(1.0).ln() } else { *epsilon }
            }
            Self::Approximate { epsilon, delta: from } => {
                if delta < *from {
                    return f64::INFINITY;
                }
                // The truth with probability δ and randomised response otherwise loses most at every larger δ.
                let odds = epsilon.exp();
                let left = odds - (delta - from) * (1.0 + odds) / (1.0 - from);
                if odds.is_finite() { left.max(1.0).ln() } else { *epsilon }
            }
            Self::Zcdp(rho) => {
                if delta <= 0.0 {
                    return f64::INFINITY;
                }
                let rho = Amount::from_shortest_decimal(*rho).ok().map(Rho::new);
                let delta = Amount::from_shortest_decimal(delta).ok().and_then(|delta| Delta::new(delta).ok());
                let epsilon = rho.zip(delta).and_then(|(rho, delta)| zcdp_to_epsilon_up(&rho, &delta));
                epsilon.map_or(f64::INFINITY, |epsilon| epsilon.to_f64_up())
            }
            Self::Curve { epsilon_at, .. } => epsilon_at(delta),
        }
    }

    /// The δ at which the claim is tested, the one it is made for first.
    #[must_use]
    pub fn tested_at(&self) -> Vec<f64> {
        match self {
            Self::Pure(_) => vec![0.0, 1e-3, 1e-2, 0.05, 0.2],
            Self::Approximate { delta, .. } => {
                std::iter::once(*delta).chain([0.05, 0.2].into_iter().filter(|larger| larger > delta)).collect()
            }
            Self::Zcdp(_) => vec![1e-2, 1e-4, 1e-3, 0.05, 0.2],
            Self::Curve { tested_at, .. } => tested_at.clone(),
        }
    }

    /// The claim in a few symbols.
    #[must_use]
    pub fn symbols(&self) -> String {
        match self {
            Self::Pure(epsilon) => format!("ε = {}", short(*epsilon)),
            Self::Approximate { epsilon, delta } => format!("(ε, δ) = ({}, {})", short(*epsilon), short(*delta)),
            Self::Zcdp(rho) => format!("ρ = {}", short(*rho)),
            Self::Curve { words, .. } => words.clone(),
        }
    }
}

impl fmt::Debug for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.symbols())
    }
}

/// A claim in a few symbols and words: "ε = 1, add or remove one row".
#[must_use]
pub fn promise(claim: &Claim) -> String {
    let between = match claim.neighbours {
        Neighbours::AddRemoveOne => "add or remove one row",
        Neighbours::ReplaceOne => "replace one row",
        Neighbours::AddRemovePerson => "add or remove one person",
        Neighbours::ReplacePerson => "replace one person",
        Neighbours::AnyTwoInputs => "any two records",
        Neighbours::PerUnitOf(_) => "for each width of distance",
    };
    format!("{}, {between}", Allowed::of(&claim.loss, 1.0).symbols())
}

/// A lower bound in four digits, never more than it is.
#[must_use]
pub fn short_down(value: f64) -> String {
    significant_trimmed(value, 4, Rounding::Down)
}

/// A number in four digits, without a tail of zeros.
#[must_use]
pub fn short(value: f64) -> String {
    significant_trimmed(value, 4, Rounding::Nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pure_promise_allows_what_randomised_response_loses() {
        let allowed = Allowed::Pure(1.0);
        assert!((allowed.epsilon_at(0.0) - 1.0).abs() < 1e-12);
        // Truth with probability e/(1+e): P(truth) − e^x·P(lie) = δ.
        let (truth, lie) = (1.0_f64.exp() / (1.0 + 1.0_f64.exp()), 1.0 / (1.0 + 1.0_f64.exp()));
        let epsilon = allowed.epsilon_at(0.1);
        assert!((truth - epsilon.exp() * lie - 0.1).abs() < 1e-12);
        assert_eq!(allowed.epsilon_at(0.9), 0.0);
    }

    #[test]
    fn nothing_is_promised_below_a_claimed_delta() {
        let allowed = Allowed::Approximate { epsilon: 1.0, delta: 1e-6 };
        assert_eq!(allowed.epsilon_at(1e-7), f64::INFINITY);
        assert!((allowed.epsilon_at(1e-6) - 1.0).abs() < 1e-12);
        // The truth with probability 0.1, else randomised response at 1: P − e^x·Q = δ at the x that is allowed.
        let (allowed, truth, lie) =
            (Allowed::Approximate { epsilon: 1.0, delta: 0.1 }, 0.9 * 0.731_058_6, 0.9 * 0.268_941_4);
        let x: f64 = allowed.epsilon_at(0.3);
        assert!((0.1 + truth - x.exp() * lie - 0.3).abs() < 1e-6);
        assert_eq!(Allowed::Zcdp(0.5).epsilon_at(0.0), f64::INFINITY);
        // ρ = 0.036523 at δ = 1e-6 is 1.24273 by another program.
        assert!((Allowed::Zcdp(0.036_523).epsilon_at(1e-6) - 1.242_73).abs() < 1e-4);
    }

    #[test]
    fn numbers_are_short() {
        let shown: Vec<_> = [1.0, 0.537, 13.90, 1e-6, 123_456.7, 0.0, f64::INFINITY].map(short).into();
        assert_eq!([1.234_56, 0.999_96, 12.999_9, 0.0].map(short_down), ["1.234", "0.9999", "12.99", "0"]);
        assert_eq!(shown, ["1", "0.537", "13.9", "1e-6", "123457", "0", "∞"]);
    }
}
