//! A vector of randomised bits whose loop starts at 1.
//!
//! *Sold as.* ε between any two records whose bits differ in one place: each bit is flipped with probability
//! 1/(1 + e^ε).
//!
//! *Fault.* The loop that flips runs from 1, so one bit of every report is in the clear. A released library, proof and
//! all, did this for 20 months.
//!
//! *Repaired.* The loop runs from 0.
//!
//! *Audit.* Events on every bit, records that differ in one place after the other.

use shoal_noise::uniform::unit_f64;
use shoal_privacy::{Epsilon, Loss, Neighbours};

use super::entry::{Case, KnownBad, Version, by_events, sold_as};
use crate::{RunFailure, Side, TargetInfo, each};

/// Bits of a record.
const BITS: usize = 8;

/// Randomised bits, all but one.
pub struct LastBitInClear;

fn report(record: [bool; BITS], flip: f64, version: Version) -> Box<dyn Side> {
    let from = usize::from(version.is_faulty());
    each(move |noise, out| {
        let mut bits = record;
        for bit in bits.iter_mut().skip(from) {
            *bit ^= unit_f64(noise) < flip;
        }
        out.tell_all(bits.map(|bit| f64::from(u8::from(bit))));
    })
}

impl KnownBad for LastBitInClear {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: "last-bit-in-clear",
            group: "known-bad",
            what: "randomised bits whose loop leaves one out; events on each bit",
        }
    }

    fn cases(&self, epsilon: &Epsilon, version: Version) -> Result<Vec<Case>, RunFailure> {
        let claim = sold_as(Loss::Pure(epsilon.clone()), Neighbours::AnyTwoInputs);
        let flip = 1.0 / (1.0 + epsilon.to_f64_up().exp());
        let record = std::array::from_fn(|i| i % 3 == 0);
        let mut other = record;
        other[0] = !other[0];
        let sides = (report(record, flip, version), report(other, flip, version));
        let setting = format!("{BITS} bits, ε = {epsilon} per bit");
        let words = "two records that differ in one bit";
        Ok(vec![by_events(setting, &claim, sides, words, (10_000, 200_000), "by events on each bit")])
    }
}
