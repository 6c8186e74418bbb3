//! A claim in words: first what a person understands, then the formula, then the conditions.
//!
//! Every text about a guarantee (terminal, JSON, report, README, PRIVACY) comes from here. The first sentence is about
//! someone for whom the two cases are equally likely beforehand, and is rounded up:
//!
//! - *Pure ε.* Bayes' rule multiplies odds of 1 by at most e^ε, so no result makes either case more probable than
//!   e^ε/(1 + e^ε).
//! - *(ε, δ).* Single results may exceed that: there is no bound on what one result reveals. What is bounded is how often
//!   a guess is right, whatever the rule: at most (e^ε + δ)/(1 + e^ε) (Kairouz, Oh and Viswanath 2015, Theorem 2.1:
//!   the total variation distance is at most (e^ε − 1 + 2δ)/(e^ε + 1)).
//! - *ρ-zCDP.* The same, with a total variation distance of at most √(ρ/2) (Pinsker; the divergence of order 1 is at most
//!   ρ) and at most √(1 − e^−ρ) (Bretagnolle and Huber). A guess is right with probability (1 + distance)/2 at most.
//! - *Per distance.* As pure, with ε times the distance: for two records that differ by a tenth of one column's range.

use std::fmt;

use super::{Assumption, Claim, Numerics};
use crate::loss::Loss;
use crate::neighbours::{Metric, Neighbours};
use crate::rounding::{add_up, div_up, exp_up, mul_up};

/// From this ε on, a guarantee is weak.
const WEAK: f64 = 5.0;

/// Above this ε, a guarantee protects nobody worth the name.
const VERY_WEAK: f64 = 10.0;

/// Doubt that is not worth a number: one in a million.
const NO_DOUBT: f64 = 1e-6;

/// A claim in words. Its `Display` is one paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// What someone who tosses a coin beforehand can know afterwards.
    pub plain: String,
    /// The loss, and between which inputs; begins with "Formally:".
    pub formal: String,
    /// What must be true of the world, in clauses.
    pub conditions: Vec<&'static str>,
}

impl Statement {
    /// The conditions as a sentence: "This holds if: …".
    pub fn holds_if(&self) -> Option<String> {
        (!self.conditions.is_empty()).then(|| format!("This holds if: {}.", self.conditions.join("; ")))
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.plain, self.formal)?;
        self.holds_if().map_or(Ok(()), |conditions| write!(f, " {conditions}"))
    }
}

/// How much a guarantee protects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// As is usual: an ε below 5.
    Usual,
    /// An ε from 5 to 10: whoever tosses a coin beforehand may be over 99 % sure.
    Weak,
    /// An ε above 10: almost no doubt is left.
    VeryWeak,
}

impl Claim {
    /// The claim in words.
    pub fn statement(&self) -> Statement {
        let mut conditions: Vec<_> = self.assumes.iter().map(|a| a.words()).collect();
        if self.numerics == Numerics::IdealReals {
            conditions.push("the rounded numbers of the computer behave like real numbers");
        }
        Statement { plain: self.plain(), formal: self.formal(), conditions }
    }

    /// The whole statement as one paragraph.
    pub fn sentence(&self) -> String {
        self.statement().to_string()
    }

    /// How much the claim protects: by its ε, or by an ε that leaves as much doubt.
    pub fn strength(&self) -> Strength {
        let epsilon = match &self.loss {
            Loss::Pure(epsilon) | Loss::Approximate { epsilon, .. } => epsilon.to_f64_up(),
            Loss::PerDistance(_) => self.epsilon_nearby(),
            Loss::Zcdp(_) => ((1.0 - self.doubt()) / self.doubt()).ln(),
        };
        match epsilon {
            epsilon if epsilon > VERY_WEAK => Strength::VeryWeak,
            epsilon if epsilon >= WEAK => Strength::Weak,
            _ => Strength::Usual,
        }
    }

    /// The doubt that is left, never overstated: one minus the largest probability of being right.
    pub fn doubt(&self) -> f64 {
        let of_pure = |epsilon: f64| div_down(1.0, add_up(1.0, exp_up(epsilon)));
        match &self.loss {
            loss if *loss == Loss::NONE => 0.5,
            Loss::Pure(epsilon) => of_pure(epsilon.to_f64_up()),
            Loss::PerDistance(_) => of_pure(self.epsilon_nearby()),
            Loss::Approximate { epsilon, delta } => {
                ((1.0 - delta.to_f64_up()).next_down() * of_pure(epsilon.to_f64_up())).next_down().max(0.0)
            }
            Loss::Zcdp(rho) => {
                let rho = rho.to_f64_up();
                let pinsker = div_up(rho, 2.0).sqrt().next_up();
                let bretagnolle_huber = (1.0 - 1.0 / exp_up(rho)).next_up().sqrt().next_up();
                ((1.0 - pinsker.min(bretagnolle_huber)).next_down() / 2.0).max(0.0)
            }
        }
    }

    /// ε for two records that are near each other, where the loss grows with the distance.
    fn epsilon_nearby(&self) -> f64 {
        let Loss::PerDistance(epsilon) = &self.loss else { return f64::INFINITY };
        let distance = match &self.neighbours {
            Neighbours::PerUnitOf(Metric::Attribute(_)) => 1.0,
            // Rounding may move the two apart by one step.
            Neighbours::PerUnitOf(Metric::EuclideanOnLattice { steps } | Metric::EuclideanAndWords { steps, .. }) => {
                add_up(0.1, div_up(1.0, *steps as f64))
            }
            _ => 0.1_f64.next_up(),
        };
        mul_up(epsilon.to_f64_up(), distance)
    }

    /// Whether the data are reports that people sent.
    fn is_about_reports(&self) -> bool {
        [Assumption::OneReportPerPerson, Assumption::NoFurtherReports].iter().any(|about| self.assumes.contains(about))
    }

    fn plain(&self) -> String {
        let one_row = self.assumes.contains(&Assumption::OneRowPerPerson);
        let (unsure, seen) = match (&self.neighbours, one_row) {
            (Neighbours::AddRemoveOne, true) => ("whether a given person is in this data", "this result"),
            (Neighbours::AddRemoveOne, false) => ("whether a given row is in this data", "this result"),
            (Neighbours::ReplaceOne, _) if self.is_about_reports() => {
                ("which of two records a given person has", "this result")
            }
            (Neighbours::ReplaceOne, true) => ("which of two rows a given person has in this data", "this result"),
            (Neighbours::ReplaceOne, false) => ("which of two values a given row has", "this result"),
            (Neighbours::AddRemovePerson, _) => ("whether a given person is in this data", "this result"),
            (Neighbours::ReplacePerson, _) => {
                ("which of two sets of rows a given person has in this data", "this result")
            }
            (Neighbours::AnyTwoInputs | Neighbours::PerUnitOf(_), _)
                if self.assumes.contains(&Assumption::NoFurtherReports) =>
            {
                ("which of two records a person's reports came from", "all of them")
            }
            (Neighbours::AnyTwoInputs | Neighbours::PerUnitOf(_), _) => {
                ("which of two records a person's report came from", "the report")
            }
        };
        let doubt = self.doubt();
        let near = match (&self.loss, &self.neighbours) {
            (Loss::PerDistance(_), Neighbours::PerUnitOf(Metric::Attribute(name))) => {
                format!(" and the two differ by 1 in {name}")
            }
            (Loss::PerDistance(_), _) => " and the two differ by a tenth of one column's range".into(),
            _ => String::new(),
        };
        let unsure = format!("If someone is unsure {unsure} (a coin toss){near}");
        match &self.loss {
            Loss::Pure(_) | Loss::PerDistance(_) => {
                let further = if near.is_empty() { "" } else { "; the more they differ, the surer" };
                let sure = if doubt < NO_DOUBT { "almost certain".into() } else { at_most(doubt) + " sure" };
                format!("{unsure}, seeing {seen} can make them {sure}{further}.")
            }
            Loss::Approximate { .. } | Loss::Zcdp(_) => {
                let right = if doubt < NO_DOUBT { "close to 1".into() } else { at_most(doubt) };
                format!("{unsure} and guesses after seeing {seen}, they are right with a probability of {right}.")
            }
        }
    }

    fn formal(&self) -> String {
        let between = match &self.neighbours {
            Neighbours::AddRemoveOne => "when one row is added or removed".into(),
            Neighbours::ReplaceOne if self.is_about_reports() => "when one person's record is replaced".into(),
            Neighbours::ReplaceOne => "when one row is replaced".into(),
            Neighbours::AddRemovePerson => "when one person, with all their rows, is added or removed".into(),
            Neighbours::ReplacePerson => "when all rows of one person are replaced".into(),
            Neighbours::AnyTwoInputs => "for any two records".into(),
            Neighbours::PerUnitOf(metric) => format!("per unit of {}", metric.words()),
        };
        let formula = match &self.loss {
            Loss::Pure(epsilon) => {
                let factor = factor(&epsilon.to_string(), epsilon.to_f64_up());
                format!("ε = {epsilon} {between} (odds change by a factor of at most {factor})")
            }
            Loss::Approximate { epsilon, delta } => {
                let factor = factor(&epsilon.to_string(), epsilon.to_f64_up());
                format!(
                    "(ε = {epsilon}, δ = {delta}) {between} (the probability of any finding changes by a factor of at most {factor}, plus {delta})"
                )
            }
            Loss::Zcdp(rho) => format!(
                "ρ = {rho} of zero-concentrated differential privacy {between} (the Rényi divergence of order α is at most α·ρ)"
            ),
            Loss::PerDistance(epsilon) => {
                let factor = factor(&epsilon.to_string(), epsilon.to_f64_up());
                let unit = match &self.neighbours {
                    Neighbours::PerUnitOf(_) => between,
                    _ => format!("per unit of distance {between}"),
                };
                format!("ε = {epsilon} {unit} (odds change by a factor of at most {factor} for each unit)")
            }
        };
        format!("Formally: {formula}, no matter what else they know.")
    }
}

/// `a / b`, rounded down.
fn div_down(a: f64, b: f64) -> f64 {
    (a / b).next_down()
}

/// `at most 73.2 %`: one minus the doubt, rounded up, with a digit more where little doubt is left.
fn at_most(doubt: f64) -> String {
    if doubt >= 0.5 {
        return "at most 50 %".into();
    }
    let decimals = (1.0 - (100.0 * doubt).log10().floor()).clamp(1.0, 6.0) as i32;
    let unit = 10f64.powi(decimals);
    let percent = 100.0 - (100.0 * doubt * unit).floor() / unit;
    format!("at most {percent:.*} %", decimals as usize)
}

/// `e^ε ≈ 2.72`, the factor rounded up to three digits.
fn factor(epsilon: &str, epsilon_up: f64) -> String {
    let shorter = if epsilon.len() > 7 { short_up(epsilon_up) } else { epsilon.into() };
    let epsilon = &shorter;
    if epsilon_up == 0.0 {
        return "e^0 = 1".into();
    }
    let odds = exp_up(epsilon_up);
    if !odds.is_finite() || odds >= 1e6 {
        return format!("e^{epsilon}, more than a million");
    }
    let unit = 10f64.powi(odds.log10().floor() as i32 - 2);
    let shown = (odds / unit).ceil() * unit;
    let decimals = (-unit.log10().round()).max(0.0) as usize;
    format!("e^{epsilon} ≈ {shown:.decimals$}")
}

/// Five digits, rounded up.
fn short_up(value: f64) -> String {
    let unit = 10f64.powi(value.log10().floor() as i32 - 4);
    let text = format!("{:.*}", (-unit.log10().round()).max(0.0) as usize, (value / unit).ceil() * unit);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}
