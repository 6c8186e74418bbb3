//! How much a release may give away, and how losses add up.

use serde::{Deserialize, Serialize};

use crate::Amount;
use crate::rounding::{add_up, div_up, exp_up, ln_down, ln_up, mul_up, sub_up};
use crate::units::{Delta, Epsilon, Rho};

/// The loss of a release, in the unit its mechanism proves it in.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// Pure differential privacy.
    Pure(Epsilon),
    /// Approximate differential privacy.
    Approximate {
        /// Bound on the change of odds.
        epsilon: Epsilon,
        /// Chance that the bound may fail.
        delta: Delta,
    },
    /// Zero-concentrated differential privacy.
    Zcdp(Rho),
    /// ε for each unit of the distance that [`Neighbours::PerUnitOf`](crate::Neighbours::PerUnitOf) names.
    PerDistance(Epsilon),
}

/// Two losses that have no common unit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{left} and {right} cannot be added: {why}")]
pub struct Incomparable {
    left: String,
    right: String,
    why: &'static str,
}

impl Loss {
    /// No loss.
    pub const NONE: Self = Self::Pure(Epsilon::ZERO);

    /// What two releases from the same rows give away together.
    ///
    /// Pure and approximate losses add; zCDP losses add; a pure ε joins zCDP as ε²/2 (exact). An approximate loss does
    /// not join zCDP: convert the zCDP side first, at a δ of your choice.
    pub fn then(&self, next: &Self) -> Result<Self, Incomparable> {
        use Loss::{Approximate, PerDistance, Pure, Zcdp};
        Ok(match (self, next) {
            (none, other) | (other, none) if *none == Self::NONE => other.clone(),
            (Pure(a), Pure(b)) => Pure(a.plus(b)),
            (PerDistance(a), PerDistance(b)) => PerDistance(a.plus(b)),
            (Zcdp(a), Zcdp(b)) => Zcdp(a.plus(b)),
            (Pure(a), Zcdp(b)) | (Zcdp(b), Pure(a)) => Zcdp(pure_to_zcdp(a).plus(b)),
            (Approximate { epsilon, delta }, Pure(b)) | (Pure(b), Approximate { epsilon, delta }) => {
                Approximate { epsilon: epsilon.plus(b), delta: delta.clone() }
            }
            (Approximate { epsilon: a, delta: p }, Approximate { epsilon: b, delta: q }) => Approximate {
                epsilon: a.plus(b),
                delta: Delta::new(p.amount().plus(q.amount()))
                    .map_err(|_| self.incomparable(next, "their δ add up to one or more, which promises nothing"))?,
            },
            (Approximate { .. }, Zcdp(_)) | (Zcdp(_), Approximate { .. }) => {
                return Err(self.incomparable(next, "convert the zCDP part to (ε, δ) first"));
            }
            (PerDistance(_), _) | (_, PerDistance(_)) => {
                return Err(self.incomparable(next, "a loss per unit of distance adds only to its own kind"));
            }
        })
    }

    /// What releases from disjoint sets of rows give away together, when one row is added or removed: it is in one set
    /// only, so the largest loss counts.
    ///
    /// There is no such rule for replacing a row. It may leave one set and enter another, which each set sees as a row
    /// more or less and not as a replacement; convert the result with [`Loss::for_replacing_up`] instead.
    ///
    /// Of two losses in (ε, δ) neither of which implies the other, both imply the one with the larger ε and the larger δ.
    pub fn parallel(parts: &[Self]) -> Result<Self, Incomparable> {
        let mut largest = Self::NONE;
        for part in parts {
            largest = match part.is_at_least(&largest) {
                Ok(true) => part.clone(),
                Ok(false) => largest,
                Err(apart) => part.above_both(&largest).ok_or(apart)?,
            };
        }
        Ok(largest)
    }

    /// The least (ε, δ) that two losses in (ε, δ) both imply; nothing for other units.
    fn above_both(&self, other: &Self) -> Option<Self> {
        let in_both = |loss: &Self| match loss {
            Self::Pure(epsilon) => Some((epsilon.clone(), Delta::ZERO)),
            Self::Approximate { epsilon, delta } => Some((epsilon.clone(), delta.clone())),
            Self::Zcdp(_) | Self::PerDistance(_) => None,
        };
        let ((a, p), (b, q)) = (in_both(self)?, in_both(other)?);
        Some(Self::Approximate { epsilon: a.max(b), delta: p.max(q) })
    }

    /// True when a release with this loss also has the loss `weaker`.
    ///
    /// zCDP implies an (ε, δ) by [`zcdp_to_epsilon_up`]; the other way round there is no finite bound. A pure ε implies the
    /// (ε′, δ) of its zCDP, too, which may be for an ε′ below ε.
    pub fn implies(&self, weaker: &Self) -> bool {
        use Loss::{Approximate, PerDistance, Pure, Zcdp};
        match (self, weaker) {
            (Pure(a), Pure(b)) | (PerDistance(a), PerDistance(b)) => a <= b,
            (Pure(a), Approximate { epsilon, delta }) => {
                a <= epsilon
                    || Zcdp(pure_to_zcdp(a)).implies(&Approximate { epsilon: epsilon.clone(), delta: delta.clone() })
            }
            (Pure(a), Zcdp(b)) => pure_to_zcdp(a) <= *b,
            (Zcdp(a), Zcdp(b)) => a <= b,
            (Zcdp(a), Approximate { epsilon, delta }) => {
                zcdp_to_epsilon_up(a, delta).is_some_and(|bound| bound <= *epsilon)
            }
            (Approximate { epsilon: a, delta: p }, Approximate { epsilon: b, delta: q }) => a <= b && p <= q,
            (Approximate { epsilon, delta }, Pure(b)) => delta.amount().is_zero() && epsilon <= b,
            (Zcdp(a), Pure(_)) => a.amount().is_zero(),
            (Approximate { .. }, Zcdp(_)) | (PerDistance(_), _) | (_, PerDistance(_)) => false,
        }
    }

    /// The ε of this loss at the given δ, never understated; `None` where there is none (a loss per distance, or zCDP at δ = 0).
    pub fn epsilon_at_up(&self, delta: &Delta) -> Option<Epsilon> {
        match self {
            Self::Pure(epsilon) => Some(epsilon.clone()),
            Self::Approximate { epsilon, delta: own } => (own <= delta).then(|| epsilon.clone()),
            Self::Zcdp(rho) => zcdp_to_epsilon_up(rho, delta),
            Self::PerDistance(_) => None,
        }
    }

    /// The loss when one row is replaced, from the loss when one row is added or removed: two steps instead of one.
    pub fn for_replacing_up(&self) -> Option<Self> {
        let twice = Amount::ratio(2, 1);
        Some(match self {
            Self::Pure(epsilon) => Self::Pure(epsilon.times(&twice)),
            Self::Approximate { epsilon, delta } => {
                let factor = Amount::from_shortest_decimal(add_up(1.0, exp_up(epsilon.to_f64_up()))).ok()?;
                Self::Approximate {
                    epsilon: epsilon.times(&twice),
                    delta: Delta::new(delta.amount().times(&factor)).ok()?,
                }
            }
            // Group privacy of zCDP: k² for a group of k.
            Self::Zcdp(rho) => Self::Zcdp(rho.times(&Amount::ratio(4, 1))),
            Self::PerDistance(_) => return None,
        })
    }

    fn is_at_least(&self, other: &Self) -> Result<bool, Incomparable> {
        if other.implies(self) {
            Ok(true)
        } else if self.implies(other) {
            Ok(false)
        } else {
            Err(self.incomparable(other, "neither implies the other"))
        }
    }

    fn incomparable(&self, other: &Self, why: &'static str) -> Incomparable {
        Incomparable { left: self.symbols(), right: other.symbols(), why }
    }

    /// The loss in symbols, such as `ε = 1` or `(ε = 1, δ = 1e-6)`.
    pub fn symbols(&self) -> String {
        match self {
            Self::Pure(epsilon) => format!("ε = {epsilon}"),
            Self::Approximate { epsilon, delta } => format!("(ε = {epsilon}, δ = {delta})"),
            Self::Zcdp(rho) => format!("ρ = {rho} (zCDP)"),
            Self::PerDistance(epsilon) => format!("ε = {epsilon} per unit of distance"),
        }
    }
}

/// Pure ε-DP is (ε²/2)-zCDP (Bun and Steinke 2016, Proposition 1.4); exact, no rounding.
pub fn pure_to_zcdp(epsilon: &Epsilon) -> Rho {
    Rho::new(epsilon.amount().times(epsilon.amount()).split(2))
}

/// An ε such that ρ-zCDP implies (ε, δ)-DP, rounded up; `None` for δ = 0.
///
/// For every order α > 1, ρ-zCDP bounds the Rényi divergence by αρ, and that implies
/// ε = αρ + ln(1 − 1/α) + (ln(1/δ) − ln α)/(α − 1) (Canonne, Kamath, Steinke 2020, Proposition 12). Any α gives a
/// valid ε; the search only looks for a small one, and the value at the α it stops at is rounded up.
pub fn zcdp_to_epsilon_up(rho: &Rho, delta: &Delta) -> Option<Epsilon> {
    if rho.amount().is_zero() {
        return Some(Epsilon::ZERO);
    }
    let delta_down = delta.amount().to_f64_down();
    if delta_down <= 0.0 {
        return None;
    }
    let rho_up = rho.to_f64_up();
    let log_inverse_delta_up = -ln_down(delta_down);
    let bound_up = |order_minus_one: f64| {
        let order = 1.0 + order_minus_one;
        // Recompute α − 1 from the rounded α so that both are the same order.
        let gap = order - 1.0;
        if gap <= 0.0 {
            return f64::INFINITY;
        }
        let tail = div_up(sub_up(log_inverse_delta_up, ln_down(order)), gap);
        add_up(add_up(mul_up(order, rho_up), ln_up(sub_up(1.0, (1.0 / order).next_down()))), tail)
    };
    // Ternary search over ln(α − 1): the bound is unimodal there.
    let (mut low, mut high) = (-30.0_f64, 60.0_f64);
    for _ in 0..200 {
        let third = (high - low) / 3.0;
        if bound_up((low + third).exp()) <= bound_up((high - third).exp()) {
            high -= third;
        } else {
            low += third;
        }
    }
    let epsilon = bound_up(low.exp()).min(bound_up(high.exp())).max(0.0);
    // A double's shortest decimal may lie half a unit below it, hence the step up.
    Amount::from_shortest_decimal(epsilon.next_up()).ok().map(Epsilon::new)
}

/// A ρ, as large as can be found, such that ρ-zCDP implies (ε, δ)-DP by [`zcdp_to_epsilon_up`]; `None` when δ or ε is zero,
/// or so small that no ρ above zero will do.
///
/// ```
/// use shoal_privacy::{largest_rho_down, zcdp_to_epsilon_up};
///
/// let (epsilon, delta) = ("1".parse()?, "1e-6".parse()?);
/// let rho = largest_rho_down(&epsilon, &delta).unwrap();
/// assert!(zcdp_to_epsilon_up(&rho, &delta).unwrap() <= epsilon);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn largest_rho_down(epsilon: &Epsilon, delta: &Delta) -> Option<Rho> {
    let rho = |value: f64| Amount::from_shortest_decimal(value).ok().map(Rho::new);
    let fits = |value: f64| {
        let bound = rho(value).and_then(|rho| zcdp_to_epsilon_up(&rho, delta));
        bound.is_some_and(|bound| bound <= *epsilon)
    };
    // αρ alone is more than ρ, so no ρ above ε will do, but for the logarithms: they are worth less than one.
    let most = epsilon.amount().to_f64_up() + 1.0;
    // Bisection over the exponent, then over the digits that make a difference in noise.
    let (mut low, mut high) = (-300.0_f64, most.log10().max(-300.0) + 1.0);
    for _ in 0..80 {
        let middle = (low + high) / 2.0;
        if fits(10f64.powf(middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    // Whatever the search did, what is returned was tried.
    let found = 10f64.powf(low);
    fits(found).then(|| rho(found)).flatten().filter(|rho| !rho.amount().is_zero())
}
