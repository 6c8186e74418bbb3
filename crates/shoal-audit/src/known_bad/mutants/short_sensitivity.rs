//! A mutant of Shoal's noisy sums, whose noise on sums is made for nine tenths of what a row can move them by.
//!
//! *Sold as.* What noisy sums with nine tenths of ε for the sum and a tenth for the count say of themselves.
//!
//! *Fault.* The decay per lattice unit is divided by 0.9, so that the loss is 1.1·ε.
//!
//! *Repaired.* It is not.
//!
//! *Audit.* Events on the log-likelihood ratio, no row against one at the border of the box.

use shoal_curator::RowMechanism;
use shoal_curator::internals::NoisySumsMechanism;
use shoal_kernel::ClusterSums;
use shoal_lattice::HALF_WIDTH;
use shoal_noise::{NoiseSource, RBig};
use shoal_privacy::Epsilon;

use crate::known_bad::entry::{Case, KnownBad, Version, by_events, ln_laplace, rational, times};
use crate::{RunFailure, Runs, Side, TargetInfo, each};

/// Runs on each input.
const RUNS: usize = 130_000;

/// Noisy sums at nine tenths of their sensitivity.
#[derive(Clone, Copy)]
pub struct ShortSensitivity;

impl KnownBad for ShortSensitivity {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: "mutant-sum-sensitivity",
            group: "known-bad",
            what: "Shoal's noisy sums with noise for 0.9 of their sensitivity; events on the likelihood ratio",
        }
    }

    fn usual_epsilon(&self) -> &'static str {
        "2"
    }

    fn cases(&self, epsilon: &Epsilon, version: Version) -> Result<Vec<Case>, RunFailure> {
        let sum_decay = rational(&times(epsilon, 9, 10)) / RBig::from(HALF_WIDTH);
        let count_decay = rational(&times(epsilon, 1, 10));
        let claim = NoisySumsMechanism::new(1, sum_decay.clone(), count_decay.clone())?.claim();
        let mutated =
            if version.is_faulty() { rational(&times(epsilon, 1, 1)) / RBig::from(HALF_WIDTH) } else { sum_decay };
        let scales = [1.0 / mutated.to_f64().value(), 1.0 / count_decay.to_f64().value()];
        let mechanism = NoisySumsMechanism::new(1, mutated, count_decay)?;
        let side = |rows: i64| -> Box<dyn Side> {
            let mechanism = mechanism.clone();
            each(move |noise: &mut dyn NoiseSource, out: &mut Runs| {
                let mut exact = ClusterSums::zero(1, 1);
                exact.sums[0] = rows * i64::from(HALF_WIDTH);
                exact.counts[0] = rows;
                let noisy = mechanism.draw(exact, noise);
                out.tell_all([noisy.sums[0], noisy.counts[0]].map(|x| x as f64));
            })
        };
        let setting = format!("k = 1, d = 1, ε = {epsilon}, noise for 0.9 of the sensitivity");
        let sides = (side(0), side(1));
        let words = "no row and one at the border";
        let remark = "by events on the log-likelihood ratio";
        let case = by_events(setting, &claim, sides, words, (RUNS, 8 * RUNS), remark);
        let with = [f64::from(HALF_WIDTH), 1.0];
        Ok(vec![case.looking_at("log-likelihood ratio", move |noisy| {
            (0..2).map(|i| ln_laplace(noisy[i], scales[i]) - ln_laplace(noisy[i] - with[i], scales[i])).sum()
        })])
    }
}
