//! Noise from a generator that is seeded with seed × round, as FastLloyd's published code seeds it.
//!
//! *Sold as.* ε-DP for adding or removing one row: Laplace noise on a sum and a count in each round, ε/2 each.
//!
//! *Fault.* In round 0 the seed is 0 whatever was drawn for it: the noise is the same in every run, and anyone can take it
//! away. In later rounds the sum's noise and the count's come from generators with the same seed, so that one is a
//! multiple of the other, and their difference has no noise at all.
//!
//! *Repaired.* Noise from the source, fresh for every number.
//!
//! *Audit.* Events: round 0 on the count, round 1 on the sum less the count.

use shoal_noise::{NoiseSource, SeededNoise};
use shoal_privacy::{Epsilon, Loss, Neighbours};

use super::entry::{Case, KnownBad, Version, by_events, laplace_f64, sold_as};
use crate::{RunFailure, Runs, Side, TargetInfo, each};

/// Sum and count with noise that is seeded twice alike.
pub struct SeededByRound;

fn step(rows: &'static [f64], round: u64, scale: f64, version: Version) -> Box<dyn Side> {
    each(move |noise: &mut dyn NoiseSource, out: &mut Runs| {
        let seed = noise.next_u64() >> 32;
        let mut drawn = || match version {
            Version::Faulty => laplace_f64(scale, &mut SeededNoise::new(seed * round)),
            Version::Repaired => laplace_f64(scale, noise),
        };
        let sum = rows.iter().sum::<f64>() + drawn();
        let count = rows.len() as f64 + drawn();
        out.tell_all([sum, count].map(|x| (x * 1e6).round()));
    })
}

impl KnownBad for SeededByRound {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: "seeded-by-round",
            group: "known-bad",
            what: "noise seeded with seed × round (FastLloyd): round 0 is known, later noises are alike; events",
        }
    }

    fn cases(&self, epsilon: &Epsilon, version: Version) -> Result<Vec<Case>, RunFailure> {
        let claim = sold_as(Loss::Pure(epsilon.clone()), Neighbours::AddRemoveOne);
        let scale = 2.0 / epsilon.to_f64_up();
        let (without, with): (&[f64], &[f64]) = (&[0.25, -0.75], &[0.25, -0.75, -1.0]);
        let case = |round: u64, remark: &str| {
            let sides = (step(without, round, scale, version), step(with, round, scale, version));
            let setting = format!("d = 1, ε = {epsilon}, round {round}");
            by_events(setting, &claim, sides, "two rows, and the same with one at -1", (10_000, 200_000), remark)
        };
        Ok(vec![
            case(0, "by events on the numbers themselves: the noise is always the same"),
            case(1, "by events on the difference, which has no noise").looking_at("sum less count", |numbers| {
                numbers.first().zip(numbers.get(1)).map_or(0.0, |(a, b)| a - b)
            }),
        ])
    }
}
