//! One draw of noise, added to all coordinates of a vector, as PE-means' high-dimensional variant does.
//!
//! *Sold as.* ε-DP for adding or removing one row: Laplace noise of scale d/ε on each of d sums of values in [0, 1].
//!
//! *Fault.* The noise is drawn once and broadcast: differences between coordinates have none.
//!
//! *Repaired.* A draw for each coordinate.
//!
//! *Audit.* Events on the difference of two coordinates.

use shoal_privacy::{Epsilon, Loss, Neighbours};

use super::entry::{Case, KnownBad, Version, by_events, laplace_f64, sold_as};
use crate::{RunFailure, TargetInfo, each};

/// Coordinates.
const DIMS: usize = 3;

/// A vector that is moved as a whole.
pub struct OneScalarOfNoise;

impl KnownBad for OneScalarOfNoise {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: "one-scalar-of-noise",
            group: "known-bad",
            what: "one draw of noise for a whole vector (PE-means); events on differences of coordinates",
        }
    }

    fn cases(&self, epsilon: &Epsilon, version: Version) -> Result<Vec<Case>, RunFailure> {
        let claim = sold_as(Loss::Pure(epsilon.clone()), Neighbours::AddRemoveOne);
        let scale = DIMS as f64 / epsilon.to_f64_up();
        let sums = |rows: &'static [[f64; DIMS]]| {
            each(move |noise, out| {
                let shared = laplace_f64(scale, noise);
                for i in 0..DIMS {
                    let drawn = if version.is_faulty() { shared } else { laplace_f64(scale, noise) };
                    let sum: f64 = rows.iter().map(|row| row[i]).sum();
                    out.tell(((sum + drawn) * 1e6).round());
                }
            })
        };
        let setting = format!("d = {DIMS}, ε = {epsilon}");
        let sides = (sums(&[[0.5; DIMS]]), sums(&[[0.5; DIMS], [1.0, 0.0, 0.0]]));
        let words = "one row, and the same with one at (1, 0, 0)";
        let remark = "by events on the difference of two coordinates, which has no noise";
        let case = by_events(setting, &claim, sides, words, (10_000, 200_000), remark);
        Ok(vec![
            case.looking_at("second number less first", |sums| {
                sums.first().zip(sums.get(1)).map_or(0.0, |(a, b)| b - a)
            }),
        ])
    }
}
