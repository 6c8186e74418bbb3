//! DPBV of SZY19 against the (ε, δ) that was published for it.
//!
//! *Sold as.* (ε, δ)-LDP with δ = (e^ε/(e^ε+1))^s − e^ε·(1/(e^ε+1))^s for s bits (SZY19, Theorem 4).
//!
//! *Fault.* The proof bounds single outcomes and not sets of them. At s = 5 and ε = 1 the δ is 0.537 and not 0.205.
//!
//! *Repaired.* The same codes against what `Promise` says of them.
//!
//! *Audit.* Events on how many bits agree with the code of one value, two values at the two ends of the range.

use shoal_consortium::custodian::Dpbv;
use shoal_consortium::promise::published;
use shoal_consortium::{Agreement, AnchorSecret, Attribute, Flips, Partition, Promise, Scale, Terms};
use shoal_lattice::Interval;
use shoal_lattice::STEPS;
use shoal_noise::{NoiseSource, SeededNoise};
use shoal_privacy::{Amount, Delta, Epsilon, Loss, Neighbours};

use super::entry::{Case, KnownBad, Version, by_events, failure, sold_as};
use crate::{RunFailure, Runs, Side, TargetInfo, each};

/// The published mechanism.
pub struct PublishedDpbv;

fn agreement(bits: u32, flips: Flips) -> Result<Agreement, RunFailure> {
    let range = Interval::new(0.0, 50.0).map_err(failure)?;
    // A window of the whole range: the ends of the range differ in every bit.
    let attribute = Attribute::new("x", range, 25.0).map_err(failure)?;
    let terms = Terms::new(vec![attribute], bits, flips, Scale::Own).map_err(failure)?;
    Ok(Agreement::new(terms, AnchorSecret::from_seed(5)))
}

fn bits_of(code: u64, bits: u32) -> impl Iterator<Item = f64> {
    (0..bits).map(move |i| (code >> i & 1) as f64)
}

impl KnownBad for PublishedDpbv {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: "published-dpbv",
            group: "known-bad",
            what: "DPBV (SZY19) with 5 and 9 bits against its published (ε, δ); events on the bits that agree",
        }
    }

    fn cases(&self, epsilon: &Epsilon, version: Version) -> Result<Vec<Case>, RunFailure> {
        let case = |bits: u32| -> Result<Case, RunFailure> {
            let agreed = agreement(bits, Flips::PerBit(epsilon.clone()))?;
            let stated = Promise::of_agreement(&agreed, Partition::Records, None).map_err(failure)?;
            let claim = match version {
                Version::Repaired => stated.guarantee.claim().cloned().ok_or_else(|| failure("nothing is promised"))?,
                Version::Faulty => {
                    let delta = 10_f64.powf(published::log10_delta(epsilon.to_f64_up(), bits));
                    let delta = Amount::from_shortest_decimal(delta).map_err(failure)?;
                    let loss =
                        Loss::Approximate { epsilon: epsilon.clone(), delta: Delta::new(delta).map_err(failure)? };
                    sold_as(loss, Neighbours::AnyTwoInputs)
                }
            };
            let encoder = Dpbv::new(&agreed)?;
            let side = |value: i32| -> Box<dyn Side> {
                let encoder = encoder.clone();
                each(move |noise: &mut dyn NoiseSource, out: &mut Runs| {
                    let mut code = [0];
                    encoder.encode(&[value], noise, &mut code);
                    out.tell_all(bits_of(code[0], bits));
                })
            };
            let mut clean = [0];
            Dpbv::new(&agreement(bits, Flips::None)?)?.encode(&[0], &mut SeededNoise::new(0), &mut clean);
            let first: Vec<f64> = bits_of(clean[0], bits).collect();
            let setting = format!("s = {bits} bits, range 50, t = 25, ε = {epsilon} per bit");
            let remark = "by events on sets of outcomes, which the proof leaves out";
            let sides = (side(0), side(STEPS as i32));
            let case = by_events(setting, &claim, sides, "the two ends of the range", (10_000, 1_000_000), remark);
            let paper = stated.published.filter(|_| version.is_faulty());
            let paper = paper.map_or_else(String::new, |p| format!(" ({}: {})", p.paper, p.text));
            let case = Case { promise: case.promise.clone() + &paper, ..case };
            Ok(case.looking_at("bits that agree with the first value's", move |code| {
                code.iter().zip(&first).filter(|(a, b)| a == b).count() as f64
            }))
        };
        Ok(vec![case(5)?, case(9)?])
    }
}
