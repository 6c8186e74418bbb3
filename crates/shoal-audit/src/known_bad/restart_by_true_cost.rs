//! Several private fits of which the best is kept, by its cost on the data, as RUGNIK's script does.
//!
//! *Sold as.* ε-DP for adding or removing one row: R fits at ε/R each, the best of which is released.
//!
//! *Fault.* Which one is best is decided by the true cost, without noise: the choice itself reveals where the rows are.
//!
//! *Repaired.* The one with the largest noisy count is kept, which looks at nothing but what the fits released.
//!
//! *Audit.* Events on the centre: with a row at 1 in the data the centre nearest to 1 is always kept.

use shoal_noise::NoiseSource;
use shoal_privacy::{Epsilon, Loss, Neighbours};

use super::entry::{Case, KnownBad, Version, by_events, laplace_f64, sold_as};
use crate::{RunFailure, Runs, TargetInfo, each};

/// Fits.
const RESTARTS: usize = 10;

/// The best of some private fits.
pub struct RestartByTrueCost;

/// A noisy mean of values in [-1, 1], with its noisy count.
fn fit(rows: &[f64], budget: f64, noise: &mut dyn NoiseSource) -> (f64, f64) {
    let scale = 2.0 / budget;
    let sum = rows.iter().sum::<f64>() + laplace_f64(scale, noise);
    let count = rows.len() as f64 + laplace_f64(scale, noise);
    ((sum / count.max(1.0)).clamp(-1.0, 1.0), count)
}

fn true_cost(rows: &[f64], centre: f64) -> f64 {
    rows.iter().map(|x| (x - centre) * (x - centre)).sum()
}

impl KnownBad for RestartByTrueCost {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: "restart-by-true-cost",
            group: "known-bad",
            what: "private restarts of which the true cost picks one (RUGNIK's script); events on the centre",
        }
    }

    fn cases(&self, epsilon: &Epsilon, version: Version) -> Result<Vec<Case>, RunFailure> {
        let claim = sold_as(Loss::Pure(epsilon.clone()), Neighbours::AddRemoveOne);
        let budget = epsilon.to_f64_up() / RESTARTS as f64;
        let best = |rows: &'static [f64]| {
            each(move |noise: &mut dyn NoiseSource, out: &mut Runs| {
                let fits = (0..RESTARTS).map(|_| fit(rows, budget, noise));
                let kept = match version {
                    Version::Faulty => fits.min_by(|a, b| true_cost(rows, a.0).total_cmp(&true_cost(rows, b.0))),
                    Version::Repaired => fits.max_by(|a, b| a.1.total_cmp(&b.1)),
                };
                out.tell(kept.map_or(0.0, |(centre, _)| (centre * 1e4).round()));
            })
        };
        let setting = format!("k = 1, d = 1, ε = {epsilon}, {RESTARTS} restarts");
        let sides = (best(&[]), best(&[1.0]));
        let remark = "by events on the centre: it is drawn to the row";
        Ok(vec![by_events(setting, &claim, sides, "no row and one at 1", (10_000, 200_000), remark)])
    }
}
