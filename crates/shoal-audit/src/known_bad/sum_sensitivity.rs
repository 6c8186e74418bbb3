//! A sum whose noise is scaled to the width of the bounds, although rows come and go.
//!
//! *Sold as.* ε-DP for adding or removing one row: Lap((upper − lower)/ε) on a sum of values in [lower, upper].
//!
//! *Fault.* That is how far *replacing* a row moves the sum. Adding one moves it by the value itself, up to
//! max(|lower|, |upper|): with ages in [50, 60] six times as far.
//!
//! *Repaired.* Scaled to max(|lower|, |upper|).
//!
//! *Audit.* Events on the sum, no row against one at the upper bound.

use shoal_privacy::{Epsilon, Loss, Neighbours};

use super::entry::{Case, KnownBad, Version, by_events, laplace_f64, sold_as};
use crate::{RunFailure, TargetInfo, each};

/// The bounds, which exclude 0.
const BOUNDS: (f64, f64) = (50.0, 60.0);

/// A sum with noise for the width of its bounds.
pub struct SumSensitivity;

impl KnownBad for SumSensitivity {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: "sum-sensitivity",
            group: "known-bad",
            what: "a sum of values in a box without 0, with noise scaled to upper − lower; events",
        }
    }

    fn cases(&self, epsilon: &Epsilon, version: Version) -> Result<Vec<Case>, RunFailure> {
        let claim = sold_as(Loss::Pure(epsilon.clone()), Neighbours::AddRemoveOne);
        let (lower, upper) = BOUNDS;
        let sensitivity = if version.is_faulty() { upper - lower } else { f64::max(lower.abs(), upper.abs()) };
        let scale = sensitivity / epsilon.to_f64_up();
        let sum = |rows: &'static [f64]| {
            // To a hundredth, as a report would print it: bits of doubles are another entry's fault.
            each(move |noise, out| {
                let exact: f64 = rows.iter().map(|x| x.clamp(lower, upper)).sum();
                out.tell(((exact + laplace_f64(scale, noise)) * 100.0).round());
            })
        };
        let setting = format!("values in [{lower}, {upper}], ε = {epsilon}");
        let sides = (sum(&[]), sum(&[60.0]));
        let remark = "by events on the sum";
        Ok(vec![by_events(setting, &claim, sides, "no row and one at 60", (20_000, 400_000), remark)])
    }
}
