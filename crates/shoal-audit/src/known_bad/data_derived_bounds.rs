//! A private mean of values that were scaled by their own smallest and largest.
//!
//! *Sold as.* ε-DP for replacing one of n rows: values are scaled to [0, 1], Lap(1/(n·ε)) on their mean, and the answer is
//! scaled back. So do the scripts of several papers.
//!
//! *Fault.* The scale is read off the data: one far row squeezes all others, and the answer is scaled back to bounds that
//! nobody hid.
//!
//! *Repaired.* Public bounds, to which values are clipped.
//!
//! *Audit.* Events on the mean, an outlier against none.

use shoal_privacy::{Epsilon, Loss, Neighbours};

use super::entry::{Case, KnownBad, Version, by_events, laplace_f64, sold_as};
use crate::{RunFailure, TargetInfo, each};

/// What everyone knows of the values.
const PUBLIC: (f64, f64) = (0.0, 100.0);

/// A mean of values scaled by their own range.
pub struct DataDerivedBounds;

impl KnownBad for DataDerivedBounds {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: "data-derived-bounds",
            group: "known-bad",
            what: "a private mean of values scaled by their own smallest and largest; events",
        }
    }

    fn cases(&self, epsilon: &Epsilon, version: Version) -> Result<Vec<Case>, RunFailure> {
        let claim = sold_as(Loss::Pure(epsilon.clone()), Neighbours::ReplaceOne);
        let budget = epsilon.to_f64_up();
        let mean = |rows: &'static [f64]| {
            each(move |noise, out| {
                let (low, high) = match version {
                    Version::Faulty => (
                        rows.iter().copied().fold(f64::INFINITY, f64::min),
                        rows.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                    ),
                    Version::Repaired => PUBLIC,
                };
                let n = rows.len() as f64;
                let scaled: f64 = rows.iter().map(|x| ((x - low) / (high - low)).clamp(0.0, 1.0)).sum::<f64>() / n;
                let noisy = scaled + laplace_f64(1.0 / (n * budget), noise);
                out.tell(((low + noisy * (high - low)) * 1000.0).round());
            })
        };
        let setting = format!("5 rows, ε = {epsilon}");
        let sides = (mean(&[1.0, 2.0, 3.0, 4.0, 5.0]), mean(&[1.0, 2.0, 3.0, 4.0, 100.0]));
        let words = "five rows, and the same with the last at 100";
        Ok(vec![by_events(setting, &claim, sides, words, (20_000, 400_000), "by events on the mean")])
    }
}
