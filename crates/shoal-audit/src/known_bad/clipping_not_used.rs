//! A sum whose values are clipped, and the raw ones added up.
//!
//! *Sold as.* ε-DP for adding or removing one row: values are clipped to [0, 1], Lap(1/ε) on the sum.
//!
//! *Fault.* The clipped values are computed, and counted for a warning, but the sum is taken over the raw ones.
//!
//! *Repaired.* The sum is over the clipped values.
//!
//! *Audit.* Events on the sum, no row against one far outside the bounds.

use shoal_privacy::{Epsilon, Loss, Neighbours};

use super::entry::{Case, KnownBad, Version, by_events, laplace_f64, sold_as};
use crate::{RunFailure, TargetInfo, each};

/// A sum over values that were not clipped after all.
pub struct ClippingNotUsed;

fn sum_to_release(rows: &[f64], version: Version) -> f64 {
    let clipped: Vec<f64> = rows.iter().map(|x| x.clamp(0.0, 1.0)).collect();
    match version {
        Version::Faulty => rows.iter().sum(),
        Version::Repaired => clipped.iter().sum(),
    }
}

impl KnownBad for ClippingNotUsed {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: "clipping-not-used",
            group: "known-bad",
            what: "a sum of raw values beside clipped ones that nobody uses; events",
        }
    }

    fn cases(&self, epsilon: &Epsilon, version: Version) -> Result<Vec<Case>, RunFailure> {
        let claim = sold_as(Loss::Pure(epsilon.clone()), Neighbours::AddRemoveOne);
        let scale = 1.0 / epsilon.to_f64_up();
        let sum = |rows: &'static [f64]| {
            each(move |noise, out| {
                let noisy = sum_to_release(rows, version) + laplace_f64(scale, noise);
                out.tell((noisy * 1000.0).round());
            })
        };
        let setting = format!("values in [0, 1], ε = {epsilon}");
        let sides = (sum(&[0.5]), sum(&[0.5, 10.0]));
        let words = "one row, and the same with one at 10";
        Ok(vec![by_events(setting, &claim, sides, words, (20_000, 400_000), "by events on the sum")])
    }
}
