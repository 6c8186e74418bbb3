//! What the paper says alike of Figs 3 and 4, and the price of a promise that holds.

use super::setting::{AWARE, BPGT_1, BPGT_10, BPM, Curve, EPSILONS, ND_LAPLACE, PLAIN, SOUND, Seen};
use crate::Failure;
use crate::figure::{Statement, Verdict};
use crate::papers::words::short;
use crate::printed::Printed;
use crate::statistics::rises;

/// How far below K-means without privacy still counts as nearly the same, in ARI or NMI.
const NEARLY: f64 = 0.05;

/// How near a headline or a factor must come to count, in parts of it.
pub(super) const NEAR: f64 = 0.25;

impl Seen<'_> {
    /// The measure grows with ε.
    pub fn grows(&self, name: &str) -> Result<Statement, Failure> {
        let (mut held, mut tried, mut not) = (0, 0, Vec::new());
        for place in self.places {
            for curve in [BPGT_1, BPGT_10, BPM, ND_LAPLACE] {
                tried += 1;
                if rises(&self.curve(place, &curve)?) {
                    held += 1;
                } else {
                    not.push(format!("{} on {}", short_name(&curve), place.title()));
                }
            }
        }
        let mut found = format!("{held} of {tried} curves rise and never fall");
        if !not.is_empty() {
            found += &format!("; not {}", not.join(", "));
        }
        Ok(Statement::counted(format!("{name} increases with ε for all methods"), held, tried, found))
    }

    /// Both of the paper's own are above both comparators.
    pub fn comparators_are_worst(
        &self,
        name: &str,
        budgets: &[&'static str],
        says: &str,
    ) -> Result<Statement, Failure> {
        let (mut held, mut tried, mut told) = (0, 0, Vec::new());
        for place in self.places {
            for epsilon in budgets {
                for own in [BPGT_1, BPGT_10] {
                    for other in [BPM, ND_LAPLACE] {
                        tried += 1;
                        held += usize::from(
                            self.of(place, &other, epsilon)?.is_clearly_below(&self.of(place, &own, epsilon)?),
                        );
                    }
                }
            }
            let epsilon = budgets[0];
            let values = [BPGT_1, BPGT_10, BPM, ND_LAPLACE].map(|curve| self.of(place, &curve, epsilon));
            let values: Vec<_> = values.into_iter().collect::<Result<Vec<_>, _>>()?;
            let values: Vec<String> = values.iter().map(|s| short(s.mean)).collect();
            told.push(format!("{}: {}", place.title(), values.join(", ")));
        }
        let found = format!(
            "{held} of {tried} comparisons; {name} at ε = {} of BPGT ℓ = 1, ℓ = 10, BPM, nD-Laplace: {}",
            budgets[0],
            told.join("; ")
        );
        Ok(Statement::counted(says, held, tried, found))
    }

    /// At ε = 9 and 10 both of the paper's own are nearly as good as K-means without privacy.
    pub fn nearly_plain(&self) -> Result<Statement, Failure> {
        let (mut held, mut tried, mut told) = (0, 0, Vec::new());
        for place in self.places {
            let plain = self.of(place, &PLAIN, EPSILONS[0])?;
            let mut line = Vec::new();
            for curve in [BPGT_1, BPGT_10] {
                for epsilon in ["9", "10"] {
                    let own = self.of(place, &curve, epsilon)?;
                    tried += 1;
                    held += usize::from(plain.mean - own.mean <= NEARLY + 2.0 * own.error().hypot(plain.error()));
                    line.push(short(own.mean));
                }
            }
            told.push(format!("{}: {} against {}", place.title(), line.join(", "), short(plain.mean)));
        }
        let found = format!("within {NEARLY} in {held} of {tried}; ℓ = 1 and ℓ = 10 at ε = 9, 10: {}", told.join("; "));
        let says = "At ε = 9 and 10 both BPGT nearly match K-means without privacy";
        Ok(Statement::counted(says, held, tried, found))
    }

    /// The headline: how much better the paper's own is than the comparators, over all that is measured. The paper does not
    /// say whether its gain is in points or in parts of the comparators' mean, so that both readings must come near it.
    pub fn headline(&self, name: &str, printed: &Printed) -> Result<Statement, Failure> {
        let (own, others) = (self.average(&[BPGT_1, BPGT_10])?, self.average(&[BPM, ND_LAPLACE])?);
        // An error gains by falling.
        let gain = if self.measure == "centres" { others - own } else { own - others };
        let (points, parts, value) = (100.0 * gain, 100.0 * gain / others, printed.number()?);
        let near = [points, parts].map(|gain| (gain - value).abs() <= NEAR * value);
        let verdict = match near {
            [true, true] => Verdict::Holds,
            _ if gain > 0.0 => Verdict::Partly,
            _ => Verdict::Fails,
        };
        let found = format!(
            "{} on average for BPGT and {} for BPM and nD-Laplace over all data sets and budgets: better by {} points, or by \
             {} %; the paper says neither which of the two it means nor how it takes its average",
            short(own),
            short(others),
            short(points),
            short(parts)
        );
        Ok(Statement::judged(format!("BPGT improves {name} by {} % on average", printed.value), verdict, found))
    }

    /// What becomes of the figure where the claim is met.
    pub fn where_it_holds(&self, name: &str) -> Result<String, Failure> {
        let mean = |curve: Curve| Ok::<_, Failure>(short(self.average(&[curve])?));
        let mut at_ten = Vec::new();
        for place in self.places {
            let at = |curve: Curve| Ok::<_, Failure>(short(self.of(place, &curve, "10")?.mean));
            at_ten.push(format!("{} {}, {} and {}", place.title(), at(BPGT_1)?, at(SOUND)?, at(AWARE)?));
        }
        Ok(format!(
            "But BPGM keeps no promise: its reports crowd around the record, without bound on what they give away. Where \
             ε per width is really kept, the same server has a mean {name} of {} over all data sets and budgets instead of {} \
             (ℓ = 1), and ours {}; at ε = 10 these are, for BPGT ℓ = 1, TK-means and ours: {}. BPM ({}) and nD-Laplace \
             ({}), over which the paper reports its gain, do keep it.",
            mean(SOUND)?,
            mean(BPGT_1)?,
            mean(AWARE)?,
            at_ten.join("; "),
            mean(BPM)?,
            mean(ND_LAPLACE)?,
        ))
    }
}

/// The name without what is in brackets.
pub(super) fn short_name(curve: &Curve) -> &'static str {
    curve.name.split(" (").next().unwrap_or(curve.name)
}
