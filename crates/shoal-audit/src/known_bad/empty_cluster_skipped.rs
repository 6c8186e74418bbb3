//! A noisy step of Lloyd's algorithm that skips clusters without rows, as diffprivlib 0.6 does.
//!
//! *Sold as.* ε-DP for adding or removing one row: noise on the sum and the count of each cluster.
//!
//! *Fault.* A cluster that is empty in the data is passed over, so that its centre stays exactly where it was: whoever sees
//! that it has not moved knows that nobody is there.
//!
//! *Repaired.* Every cluster gets its noise, empty or not.
//!
//! *Audit.* Events on whether a number is exactly one that comes out often.

use shoal_privacy::{Epsilon, Loss, Neighbours};

use super::entry::{Case, KnownBad, Version, by_events, laplace_f64, sold_as};
use crate::{RunFailure, TargetInfo, each};

/// Centres before the step.
const START: [f64; 2] = [-0.5, 0.5];

/// A step that passes over empty clusters.
pub struct EmptyClusterSkipped;

impl KnownBad for EmptyClusterSkipped {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: "empty-cluster-skipped",
            group: "known-bad",
            what: "a noisy step that leaves centres of empty clusters alone (diffprivlib); events on exact values",
        }
    }

    fn cases(&self, epsilon: &Epsilon, version: Version) -> Result<Vec<Case>, RunFailure> {
        let claim = sold_as(Loss::Pure(epsilon.clone()), Neighbours::AddRemoveOne);
        let scale = 2.0 / epsilon.to_f64_up();
        let step = |rows: &'static [f64]| {
            each(move |noise, out| {
                for (j, start) in START.into_iter().enumerate() {
                    let members = rows.iter().filter(|x| usize::from(**x > 0.0) == j);
                    if version.is_faulty() && members.clone().next().is_none() {
                        out.tell(start);
                        continue;
                    }
                    let sum = members.clone().sum::<f64>() + laplace_f64(scale, noise);
                    let count = members.count() as f64 + laplace_f64(scale, noise);
                    // In steps of a millionth, so that bits of doubles reveal nothing.
                    out.tell((1e6 * (sum / count.max(1.0)).clamp(-1.0, 1.0)).round() / 1e6);
                }
            })
        };
        let setting = format!("k = 2, d = 1, ε = {epsilon}, 1 iteration");
        let sides = (step(&[-0.5, -0.6]), step(&[-0.5, -0.6, 0.9]));
        let words = "a cluster without rows and with one";
        let remark = "by events on a number being exactly the centre from before";
        Ok(vec![by_events(setting, &claim, sides, words, (10_000, 200_000), remark)])
    }
}
