//! Amplification by shuffling: what a result reveals that depends on many reports and not on their order.
//!
//! Each of n people sends one report by the same mechanism, which is ε₀-differentially private between any two records.
//! Whoever sees only something computed from the reports as a set (a published model) learns less about one person than
//! from that person's report: the report hides among those of the others.
//!
//! *Privacy*: let R(x) be the distribution of a report on x, and x₀, x₁ two records of one person.
//!
//! 1. With f = e^ε₀, where R(x₀) > R(x₁) put u = (R(x₀) − R(x₁))/(f − 1), and v likewise with the roles exchanged. Both
//!    have the mass p = TV/(f − 1) ≤ 1/(f + 1), and R(x₀) = f·u + v + w, R(x₁) = u + f·v + w with the same w ≥ 0.
//! 2. Every other record has R(x) ≥ R(x₀)/f ≥ u where u > 0, and ≥ v where v > 0. So each other report is drawn from u or
//!    from v, with the probability p each, whatever its record: it is a *clone*.
//! 3. The set of reports is thus computed from the numbers (a, b) of draws from u and from v: C ~ Bin(n − 1, 2p) clones are
//!    divided by fair coins, and the person adds one to a or to b, with probabilities fp and p for x₀, p and fp for x₁.
//! 4. The largest p, 1/(f + 1), is the worst: dropping each draw with a fixed probability leads to any smaller one.
//!
//! This is the bound of Feldman, McMillan and Talwar (2023, "Stronger privacy amplification by shuffling"); their earlier
//! paper (2021, "Hiding among the clones") has e^−ε₀ for 2p = 2/(e^ε₀ + 1). δ for given ε is then a sum over the numbers,
//! which [`clones`] encloses: no result here is below the exact sum.
//!
//! *Assumes*: the result does not depend on the order of the reports, nor on who sent which; the other n − 1 reports were made
//! by the mechanism with randomness that the observer does not know. Forged reports, and those whose noise the observer
//! knows, hide nobody and must not be counted. Results that are published while reports arrive depend on which batch
//! a report was in: then n is the number of reports in the smallest batch, for all these results together.
//!
//! *Runtime*: a search for ε takes milliseconds for few reports and about a second for very many.

mod binomial;
mod clones;
mod enclosure;

use crate::amount::Amount;
use crate::claim::{Assumption, Claim};
use crate::loss::Loss;
use crate::neighbours::Neighbours;
use crate::rounding::{add_up, div_up, exp_up, ln_down, ln_up, mul_up};
use crate::units::{Delta, Epsilon};

/// More reports count as this many, which errs to the safe side and bounds the time.
const MOST_REPORTS: u64 = 100_000_000;

/// Above this ε₀ nothing is amplified: fewer than 10⁸·2e^−40 clones.
const LARGEST_LOCAL: f64 = 40.0;

/// The search for ε ends at this share of it.
const PRECISION: f64 = 1e-5;

/// A δ such that what is computed from the set of `reports` is (ε, δ)-differentially private when one person's record is
/// replaced, if each report is `local`-differentially private between any two records. Never below the exact bound.
///
/// ```
/// use shoal_privacy::shuffled_delta_up;
///
/// let alone = shuffled_delta_up(&"1".parse()?, 1, 0.5);
/// let hidden = shuffled_delta_up(&"1".parse()?, 1000, 0.5);
/// assert!(hidden < 1e-6 && 1e-6 < alone);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn shuffled_delta_up(local: &Epsilon, reports: u64, epsilon: f64) -> f64 {
    let local = local.to_f64_up();
    if epsilon >= local {
        return 0.0;
    }
    if local > LARGEST_LOCAL || !epsilon.is_finite() || epsilon < 0.0 {
        return 1.0;
    }
    clones::Clones::new(local, reports.clamp(1, MOST_REPORTS)).delta_up(epsilon)
}

/// An ε, as small as can be found, such that what is computed from the set of `reports` is (ε, δ)-differentially private
/// when one person's record is replaced. At most `local`, which holds in any case, with a δ of zero.
///
/// ```
/// use shoal_privacy::shuffled_epsilon_up;
///
/// let epsilon = shuffled_epsilon_up(&"2".parse()?, 10_000, &"1e-6".parse()?);
/// assert!(epsilon.to_f64_up() < 0.23);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn shuffled_epsilon_up(local: &Epsilon, reports: u64, delta: &Delta) -> Epsilon {
    let largest = local.to_f64_up();
    let delta = delta.amount().to_f64_down();
    if largest > LARGEST_LOCAL || delta <= 0.0 || reports < 2 {
        return local.clone();
    }
    let clones = clones::Clones::new(largest, reports.min(MOST_REPORTS));
    // What is returned was tried: `high` always fits.
    let (mut low, mut high) = (0.0, largest);
    while high - low > PRECISION * high {
        let middle = 0.5 * (low + high);
        if clones.delta_up(middle) <= delta {
            high = middle;
        } else {
            low = middle;
        }
    }
    // A double's shortest decimal may lie half a unit below it, hence the step up.
    let found = Amount::from_shortest_decimal(high.next_up()).map(Epsilon::new);
    found.map_or_else(|_| local.clone(), |found| found.min(local.clone()))
}

/// The closed form of Feldman, McMillan and Talwar (2023), rounded up: larger than [`shuffled_epsilon_up`],
/// and easily checked by hand. `None` where it does not apply, which is when ε₀ is above ln(n/(8·ln(2/δ)) − 1).
pub fn shuffled_epsilon_closed_form_up(local: &Epsilon, reports: u64, delta: &Delta) -> Option<f64> {
    let (local, n, delta) = (local.to_f64_up(), reports as f64, delta.amount().to_f64_down());
    let limit = n.next_down() / mul_up(8.0, ln_up(div_up(2.0, delta))) - 1.0;
    if delta <= 0.0 || limit <= 0.0 || local > ln_down(limit.next_down()) {
        return None;
    }
    let f = exp_up(local);
    let spread = mul_up(4.0, mul_up(2.0, ln_up(div_up(4.0, delta))).sqrt().next_up());
    let clones = ((1.0 + (1.0 - 4.0 * f64::EPSILON) * local.exp()) * n).next_down().sqrt().next_down();
    let inner = add_up(div_up(spread, clones), div_up(4.0, n));
    Some(ln_up(add_up(1.0, mul_up(f - 1.0, inner))))
}

impl Claim {
    /// What the public learns that sees only results computed from the set of at least `reports` such reports, and not the
    /// reports themselves, their order or who sent them: the claim about one report, amplified by shuffling.
    ///
    /// Where several results are published while reports arrive, `reports` is the number in the smallest batch between two
    /// of them. `None` unless this is a claim about any two records of one report at a pure ε.
    pub fn hidden_among(&self, reports: u64, delta: &Delta) -> Option<Self> {
        let Loss::Pure(local) = &self.loss else { return None };
        if self.neighbours != Neighbours::AnyTwoInputs {
            return None;
        }
        let epsilon = shuffled_epsilon_up(local, reports, delta);
        let loss = if epsilon < *local {
            Loss::Approximate { epsilon, delta: delta.clone() }
        } else {
            Loss::Pure(local.clone())
        };
        let mut assumes = self.assumes.clone();
        assumes.extend([Assumption::OnlyResultsPublished, Assumption::OthersAsDescribed]);
        Some(Self { neighbours: Neighbours::ReplaceOne, loss, numerics: self.numerics, assumes })
    }
}
