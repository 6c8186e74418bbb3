//! Mutants whose noise is made for an ε one tenth too large: a count, a crowd's report and a flipped bit.
//!
//! *Sold as.* What the mechanism made for ε says of itself.
//!
//! *Fault.* The noise is that of 1.1·ε.
//!
//! *Repaired.* The noise is that of ε.
//!
//! *Audit.* Events. The inputs are those between which the mechanism loses all it may, so that a tenth more is to be seen.

use shoal_curator::RowMechanism;
use shoal_curator::internals::NoisyCountsMechanism;
use shoal_device::NoiseLaw;
use shoal_lattice::STEPS;
use shoal_noise::{BitFlips, NoiseSource};
use shoal_privacy::{Epsilon, Loss, Neighbours};

use crate::known_bad::entry::{Case, KnownBad, Version, bpm, by_events, device, failure, rational, sold_as, times};
use crate::{RunFailure, Runs, Side, TargetInfo, each};

/// Counts: ε, and the runs on each input that show a tenth of it.
const COUNT_RUNS: [(&str, usize); 4] = [("0.5", 130_000), ("1", 56_000), ("2", 28_000), ("4", 44_000)];
/// Runs on each input for a report of BPM at ε = 2.
const REPORT_RUNS: usize = 70_000;
/// Runs on each input for a bit at ε = 1.
const BIT_RUNS: usize = 56_000;

/// Noisy counts at ε × 1.1.
#[derive(Clone, Copy)]
pub struct EpsilonOfCounts;
/// Reports of BPM at ε × 1.1.
#[derive(Clone, Copy)]
pub struct EpsilonOfReports;
/// Flipped bits at ε × 1.1.
#[derive(Clone, Copy)]
pub struct EpsilonOfBits;

fn drawn_at(epsilon: &Epsilon, version: Version) -> Epsilon {
    if version.is_faulty() { times(epsilon, 11, 10) } else { epsilon.clone() }
}

impl KnownBad for EpsilonOfCounts {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: "mutant-count-epsilon",
            group: "known-bad",
            what: "Shoal's noisy counts with noise for 1.1·ε; events on one count",
        }
    }

    fn cases(&self, asked: &Epsilon, version: Version) -> Result<Vec<Case>, RunFailure> {
        let case = |epsilon: &Epsilon, runs: usize| {
            let claim = NoisyCountsMechanism::new(epsilon)?.claim();
            let mechanism = NoisyCountsMechanism::new(&drawn_at(epsilon, version))?;
            let side = |rows: u64| -> Box<dyn Side> {
                let mechanism = mechanism.clone();
                each(move |noise: &mut dyn NoiseSource, out: &mut Runs| {
                    out.tell_all(mechanism.draw(vec![rows], noise).into_iter().map(|count| count as f64));
                })
            };
            let setting = format!("a count, ε = {epsilon}, noise for 1.1·ε");
            let sides = (side(0), side(1));
            Ok(by_events(setting, &claim, sides, "no row and one", (runs, 8 * runs), "by events on the count"))
        };
        let listed = COUNT_RUNS.iter().map(|(epsilon, runs)| Ok((epsilon.parse().map_err(failure)?, *runs)));
        let listed: Vec<(Epsilon, usize)> = listed.collect::<Result<_, RunFailure>>()?;
        // The listed ε unless another one was asked for.
        if *asked == "1".parse().map_err(failure)? {
            return listed.iter().map(|(epsilon, runs)| case(epsilon, *runs)).collect();
        }
        Ok(vec![case(asked, COUNT_RUNS[0].1)?])
    }
}

impl KnownBad for EpsilonOfReports {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: "mutant-bpm-epsilon",
            group: "known-bad",
            what: "Shoal's BPM with noise for 1.1·ε in one dimension; events on the likelihood ratio",
        }
    }

    fn usual_epsilon(&self) -> &'static str {
        "2"
    }

    fn cases(&self, epsilon: &Epsilon, version: Version) -> Result<Vec<Case>, RunFailure> {
        // The mutant keeps the radius: only its noise is for another ε.
        let mechanism = bpm(1, epsilon);
        let client = |epsilon: Epsilon| device(mechanism.clone(), 1, &epsilon);
        let promises = client(epsilon.clone())?.promises();
        let claim = promises.guarantee.claim().ok_or_else(|| failure("BPM promises nothing"))?;
        let drawn = client(drawn_at(epsilon, version))?;
        let side = |record: i64| -> Box<dyn Side> {
            let drawn = drawn.clone();
            each(move |noise: &mut dyn NoiseSource, out: &mut Runs| {
                let mut report = [0];
                drawn.report(&[record], noise, &mut report);
                out.tell(report[0] as f64);
            })
        };
        let setting = format!("d = 1, ε = {epsilon}, noise for 1.1·ε");
        // One width apart: the claim's loss is per width.
        let sides = (side(0), side(STEPS as i64));
        let words = "the two ends of the range, one unit apart";
        let remark = "by events on the log-likelihood ratio";
        let case = by_events(setting, claim, sides, words, (REPORT_RUNS, 8 * REPORT_RUNS), remark);
        Ok(vec![match drawn.noise_law() {
            Some(NoiseLaw::Radial { rate, radius }) => case.looking_at("log-likelihood ratio", move |report| {
                let weight = |record: f64| -rate * (report[0] / STEPS as f64 - record).abs().min(radius);
                weight(0.0) - weight(1.0)
            }),
            _ => case,
        }])
    }
}

impl KnownBad for EpsilonOfBits {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: "mutant-bits-epsilon",
            group: "known-bad",
            what: "Shoal's flipped bits with coins for 1.1·ε; events on a bit",
        }
    }

    fn cases(&self, epsilon: &Epsilon, version: Version) -> Result<Vec<Case>, RunFailure> {
        let promised = BitFlips::new(rational(epsilon))?;
        let loss = Loss::Pure(Epsilon::new(
            shoal_privacy::Amount::from_rational(promised.epsilon().clone()).map_err(failure)?,
        ));
        let flips = BitFlips::new(rational(&drawn_at(epsilon, version)))?;
        let side = |bit: u64| -> Box<dyn Side> {
            let flips = flips.clone();
            each(move |noise: &mut dyn NoiseSource, out: &mut Runs| {
                out.tell(((flips.sample(noise) & 1) ^ bit) as f64);
            })
        };
        let claim = sold_as(loss, Neighbours::AnyTwoInputs);
        let setting = format!("one bit, ε = {epsilon}, coins for 1.1·ε");
        let sides = (side(0), side(1));
        Ok(vec![by_events(setting, &claim, sides, "0 and 1", (BIT_RUNS, 8 * BIT_RUNS), "by events on the bit")])
    }
}
