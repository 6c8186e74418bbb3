//! Laplace noise in plain doubles on a count.
//!
//! *Sold as.* ε-DP for adding or removing one row: Lap(1/ε) on a count.
//!
//! *Fault.* Doubles are denser near zero: noise of size 0.01 alone has bits below 2^−58, but added to a count of 1 they are
//! rounded away. Which doubles can come out depends on the count (Mironov 2012).
//!
//! *Repaired.* Discrete Laplace noise on the integers, drawn exactly.
//!
//! *Audit.* Events on the place of the lowest bit that is set; the numbers themselves look as they should.

use shoal_noise::DiscreteLaplace;
use shoal_privacy::{Epsilon, Loss, Neighbours};

use super::entry::{Case, KnownBad, Version, by_events, laplace_f64, rational, sold_as};
use crate::{RunFailure, Side, TargetInfo, each};

/// A count with Laplace noise in doubles.
pub struct LaplaceInDoubles;

impl KnownBad for LaplaceInDoubles {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: "laplace-in-doubles",
            group: "known-bad",
            what: "a count with inverse-transform Laplace noise in plain doubles; events on the lowest bit",
        }
    }

    fn cases(&self, epsilon: &Epsilon, version: Version) -> Result<Vec<Case>, RunFailure> {
        let claim = sold_as(Loss::Pure(epsilon.clone()), Neighbours::AddRemoveOne);
        let law = DiscreteLaplace::new(rational(epsilon))?;
        let scale = 1.0 / epsilon.to_f64_up();
        let count = |rows: i64| -> Box<dyn Side> {
            let law = law.clone();
            match version {
                Version::Faulty => each(move |noise, out| out.tell(rows as f64 + laplace_f64(scale, noise))),
                Version::Repaired => each(move |noise, out| out.tell((rows + law.sample(noise)) as f64)),
            }
        };
        let setting = format!("a count, ε = {epsilon}");
        let remark = "by events on the lowest bit that is set: which doubles can occur depends on the count";
        Ok(vec![by_events(setting, &claim, (count(0), count(1)), "no row and one", (4000, 100_000), remark)])
    }
}
