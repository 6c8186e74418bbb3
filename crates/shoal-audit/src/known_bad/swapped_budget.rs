//! One iteration's sums and count with their shares of the budget swapped, as diffprivlib 0.6 unpacks them.
//!
//! *Sold as.* ε-DP for adding or removing one row: a share for each of the d sums and one for the count, in the
//! proportion 1 : x with x = (4·d·ρ²)^(1/3), ρ = 0.225, divided by d + x.
//!
//! *Fault.* The two shares come back in the other order, so that each sum spends x and the count 1: together
//! (x·d + 1)/(d + x) of ε, which is 1.21 at d = 10 and 2.09 at d = 50.
//!
//! *Repaired.* Each share goes where it was meant to.
//!
//! *Audit.* The distribution is a product of Laplace distributions, so the worst ratio is a product of worst ratios, one for each number:
//! exact, and needs no run. Events would have to wait for an output beyond all d + 1 numbers at once, which has
//! probability 2^−11 at d = 10 and shows 1.21 in place of 1 only after about 2·10⁷ runs on each side.

use shoal_privacy::{Epsilon, Loss, Neighbours};

use super::entry::{By, Case, KnownBad, Version, ln_laplace, sold_as};
use crate::allowed::promise;
use crate::{Allowed, Measure, RunFailure, TargetInfo};

/// The constant of the split.
const RHO: f64 = 0.225;

/// Sums and a count with swapped shares.
pub struct SwappedBudget;

/// Budgets of one sum and of the count.
fn shares(dims: usize, epsilon: f64, version: Version) -> (f64, f64) {
    let d = dims as f64;
    let x = (4.0 * d * RHO * RHO).cbrt();
    let (sum, count) = (epsilon / (d + x), epsilon * x / (d + x));
    if version.is_faulty() { (count, sum) } else { (sum, count) }
}

/// The largest ln of a ratio of Laplace densities at two places, and where it is: outputs on a grid around both.
fn worst_ratio(places: [f64; 2], scale: f64) -> (f64, f64, usize) {
    let reach = 4.0 * scale;
    let (low, high) = (places[0].min(places[1]) - reach, places[0].max(places[1]) + reach);
    let grid = (0..=400).map(|i| low + (high - low) * f64::from(i) / 400.0);
    let ratio = |x: f64| (ln_laplace(x - places[0], scale) - ln_laplace(x - places[1], scale)).abs();
    let worst = grid.map(|x| (ratio(x), x)).max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, low));
    (worst.0, worst.1, 401)
}

/// The worst ratio over all outputs between no row and one at a corner of the box.
fn measure(dims: usize, allowed: f64, version: Version) -> Measure {
    let (sum, count) = shares(dims, allowed, version);
    let (of_sum, sum_at, tried) = worst_ratio([0.0, 1.0], 1.0 / sum);
    let (of_count, count_at, more) = worst_ratio([0.0, 1.0], 1.0 / count);
    Measure::DensityRatio {
        allowed,
        worst: dims as f64 * of_sum + of_count,
        at: format!("no row and one at a corner; every sum {sum_at:.1}, the count {count_at:.1}"),
        compared: dims * tried + more,
    }
}

impl KnownBad for SwappedBudget {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: "swapped-budget",
            group: "known-bad",
            what: "sums and a count whose shares of ε were swapped (diffprivlib); exact ratios of densities",
        }
    }

    fn cases(&self, epsilon: &Epsilon, version: Version) -> Result<Vec<Case>, RunFailure> {
        let claim = sold_as(Loss::Pure(epsilon.clone()), Neighbours::AddRemoveOne);
        let allowed = Allowed::of(&claim.loss, 1.0).epsilon_at(0.0);
        let case = |dims: usize| Case {
            setting: format!("d = {dims}, ε = {epsilon}, 1 iteration"),
            promise: promise(&claim),
            by: By::Exact(Box::new(move || measure(dims, allowed, version))),
            remark:
                "exact: a product of Laplace distributions; events of probability 2^-(d+1) would take too many runs"
                    .into(),
        };
        Ok(vec![case(10), case(50)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swapped_shares_cost_what_was_computed_by_hand() {
        let lost = |dims, version| measure(dims, 1.0, version).loss().map_or(0.0, |(worst, _)| worst);
        assert!((lost(10, Version::Faulty) - 1.21).abs() < 5e-3, "{}", lost(10, Version::Faulty));
        assert!((lost(50, Version::Faulty) - 2.09).abs() < 5e-3, "{}", lost(50, Version::Faulty));
        assert!((lost(10, Version::Repaired) - 1.0).abs() < 1e-12);
        assert!(lost(4, Version::Faulty) < 1.0, "below five attributes the swap costs nothing");
    }
}
