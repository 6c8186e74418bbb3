//! Noise whose length is right and whose direction is not uniform, as in a thesis' code for nD-Laplace.
//!
//! *Sold as.* ε for each unit of distance between two records in three dimensions: length Gamma(3, 1/ε), direction "random".
//!
//! *Fault.* Both angles are drawn uniformly, which crowds directions towards the poles: the density has no bound near
//! the axis through the record.
//!
//! *Repaired.* Three normal numbers, divided by their length.
//!
//! *Audit.* The distribution of the direction: on a sphere every coordinate is uniform (Archimedes), tested by χ² in twenty bins.
//! And events near the axis of one of two records, which show that it is a loss and no blemish.

use shoal_noise::NoiseSource;
use shoal_noise::uniform::{normal_f64, unit_f64};
use shoal_privacy::{Epsilon, Loss, Metric, Neighbours};
use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::entry::{By, Case, KnownBad, Version, sold_as};
use crate::allowed::promise;
use crate::report::LawTest;
use crate::{Allowed, Pair, RunFailure, Runs, Score, Side, TargetInfo, each};

/// Bins of a coordinate.
const BINS: usize = 20;

/// nD-Laplace with crowded poles.
pub struct DirectionsNotUniform;

fn direction(version: Version, noise: &mut dyn NoiseSource) -> [f64; 3] {
    match version {
        Version::Faulty => {
            let (tilt, turn) = (std::f64::consts::PI * unit_f64(noise), std::f64::consts::TAU * unit_f64(noise));
            [tilt.sin() * turn.cos(), tilt.sin() * turn.sin(), tilt.cos()]
        }
        Version::Repaired => {
            let point = [normal_f64(noise), normal_f64(noise), normal_f64(noise)];
            let length = point.iter().map(|x| x * x).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
            point.map(|x| x / length)
        }
    }
}

fn report(record: [f64; 3], rate: f64, version: Version) -> Box<dyn Side> {
    each(move |noise: &mut dyn NoiseSource, out: &mut Runs| {
        // A Gamma distribution with shape 3 is the sum of three exponential ones.
        let length: f64 = (0..3).map(|_| -(1.0 - unit_f64(noise)).ln() / rate).sum();
        let towards = direction(version, noise);
        out.tell_all((0..3).map(|i| ((record[i] + length * towards[i]) * 1e6).round() / 1e6));
    })
}

/// χ² for each coordinate of the direction from a record at 0.
fn law_tests(runs: &Runs) -> Vec<LawTest> {
    let expected = runs.len() as f64 / BINS as f64;
    let test = |axis: usize| {
        let mut seen = [0.0; BINS];
        for run in (0..runs.len()).map(|i| runs.run(i)) {
            let length = run.iter().map(|x| x * x).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
            let place = (run[axis] / length + 1.0) / 2.0 * BINS as f64;
            seen[(place as usize).min(BINS - 1)] += 1.0;
        }
        let off: f64 = seen.iter().map(|n| (n - expected) * (n - expected) / expected).sum();
        // Twenty bins leave nineteen degrees of freedom, which is a valid number of them.
        let p_value = ChiSquared::new(BINS as f64 - 1.0).map_or(1.0, |law| law.sf(off));
        LawTest { what: format!("coordinate {} of the direction is uniform", axis + 1), p_value }
    };
    (0..3).map(test).collect()
}

impl KnownBad for DirectionsNotUniform {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: "directions-not-uniform",
            group: "known-bad",
            what: "nD-Laplace noise with directions from uniform angles; the distribution of directions, and events",
        }
    }

    fn usual_epsilon(&self) -> &'static str {
        "4"
    }

    fn cases(&self, epsilon: &Epsilon, version: Version) -> Result<Vec<Case>, RunFailure> {
        let claim = sold_as(Loss::PerDistance(epsilon.clone()), Neighbours::PerUnitOf(Metric::Euclidean));
        let rate = epsilon.to_f64_up();
        let side = |record: [f64; 3]| report(record, rate, version);
        let apart = 0.1;
        let pair = Pair::new(
            format!("two records {apart} apart"),
            side([0.0; 3]),
            side([apart, 0.0, 0.0]),
            Allowed::of(&claim.loss, apart),
        )
        .with_score(Score::new("closeness to the axis through the first record", |report| -report[0].hypot(report[1])));
        let case = |how: &str, by, remark: &str| Case {
            setting: format!("d = 3, ε = {epsilon}, {how}"),
            promise: promise(&claim),
            by,
            remark: remark.into(),
        };
        let (quick, full) = (40_000, 1_000_000);
        Ok(vec![
            case(
                "directions",
                By::Law { side: side([0.0; 3]), tests: law_tests, quick, full },
                "by the distribution of the sampler: coordinates of directions are uniform on a sphere in space",
            ),
            case("reports", By::Events { pair, quick, full }, "by events near the axis, where directions crowd"),
        ])
    }
}

#[cfg(test)]
mod tests {
    use shoal_noise::SeededNoise;

    use super::*;

    #[test]
    fn directions_have_length_one() {
        let mut noise = SeededNoise::new(1);
        for version in [Version::Faulty, Version::Repaired] {
            let length = direction(version, &mut noise).iter().map(|x| x * x).sum::<f64>();
            assert!((length - 1.0).abs() < 1e-12);
        }
    }
}
