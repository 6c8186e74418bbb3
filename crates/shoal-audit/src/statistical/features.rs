//! Numbers read off the output of a run, that events are made of.
//!
//! Beside the numbers themselves: how many there are, their sum and extremes, the place of the lowest bit that is set
//! (sums in doubles betray their terms there), and whether a number is exactly one that often comes out (an answer that
//! was left as it was).

use std::collections::HashMap;

use crate::pair::Score;
use crate::runs::Runs;

/// Most numbers of one output that are looked at one by one.
pub const MOST_NUMBERS: usize = 48;
/// A value is looked at as such when at least this part of the runs gives it.
const OFTEN: f64 = 0.005;
/// Runs on each side that such values are looked for in.
const LOOKED_FOR_IN: usize = 5_000;
/// Most such values of one number.
const MOST_VALUES: usize = 4;

/// Something to read off an output.
#[derive(Clone)]
pub enum Feature {
    /// The i-th number.
    Number(usize),
    /// The place of the lowest bit of the i-th number that is set.
    LowestBit(usize),
    /// Whether the i-th number is exactly this.
    Equals(usize, f64),
    /// How many numbers there are.
    Length,
    /// The sum of all numbers.
    Sum,
    /// The largest number.
    Largest,
    /// The smallest number.
    Smallest,
    /// What an attacker who knows the mechanism looks at.
    Known(Score),
}

impl Feature {
    /// The feature of one output. Never NaN: an answer that is not a number is beyond all numbers.
    #[must_use]
    pub fn of(&self, run: &[f64]) -> f64 {
        let at = |i: &usize| run.get(*i).copied().unwrap_or(f64::NEG_INFINITY);
        let value = match self {
            Self::Number(i) => at(i),
            Self::LowestBit(i) => f64::from(lowest_bit(at(i))),
            Self::Equals(i, value) => f64::from(u8::from(at(i).to_bits() == value.to_bits())),
            Self::Length => run.len() as f64,
            Self::Sum => run.iter().sum(),
            Self::Largest => run.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            Self::Smallest => run.iter().copied().fold(f64::INFINITY, f64::min),
            Self::Known(score) => (score.of)(run),
        };
        if value.is_nan() { f64::INFINITY } else { value }
    }

    /// The feature in words.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Number(i) => format!("number {}", i + 1),
            Self::LowestBit(i) => format!("lowest bit of number {}", i + 1),
            Self::Equals(i, value) => format!("[number {} is {value}]", i + 1),
            Self::Length => "how many numbers come out".into(),
            Self::Sum => "sum of all numbers".into(),
            Self::Largest => "largest number".into(),
            Self::Smallest => "smallest number".into(),
            Self::Known(score) => score.words.clone(),
        }
    }
}

/// e such that the number is an odd multiple of 2^e; 2000 for zero and what is not finite.
#[must_use]
pub fn lowest_bit(number: f64) -> i32 {
    if number == 0.0 || !number.is_finite() {
        return 2000;
    }
    let bits = number.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let (whole, exponent) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    exponent + whole.trailing_zeros() as i32
}

/// The features worth looking at: those that are not the same in all of the given runs.
pub fn worth_looking_at(first: &Runs, second: &Runs, runs: std::ops::Range<usize>, scores: &[Score]) -> Vec<Feature> {
    let outputs = || runs.clone().flat_map(|i| [first.run(i), second.run(i)]);
    let longest = outputs().map(<[f64]>::len).max().unwrap_or(0);
    let mut candidates: Vec<Feature> = scores.iter().cloned().map(Feature::Known).collect();
    candidates.push(Feature::Length);
    if longest > 1 {
        candidates.extend([Feature::Sum, Feature::Largest, Feature::Smallest]);
    }
    let some = runs.start..runs.end.min(runs.start + LOOKED_FOR_IN);
    for i in 0..longest.min(MOST_NUMBERS) {
        candidates.push(Feature::Number(i));
        let mut seen: HashMap<u64, usize> = HashMap::new();
        let mut see = |run: &[f64]| run.get(i).map(|value| *seen.entry(value.to_bits()).or_default() += 1);
        some.clone().for_each(|j| {
            see(first.run(j));
            see(second.run(j));
        });
        // Of two values, the number itself shows all.
        if seen.len() <= 2 {
            continue;
        }
        candidates.push(Feature::LowestBit(i));
        let mut often: Vec<_> =
            seen.into_iter().filter(|(_, times)| *times as f64 > OFTEN * 2.0 * some.len() as f64).collect();
        often.sort_by_key(|(bits, times)| (std::cmp::Reverse(*times), *bits));
        candidates.extend(often.iter().take(MOST_VALUES).map(|(bits, _)| Feature::Equals(i, f64::from_bits(*bits))));
    }
    let varies = |feature: &Feature| {
        let mut values = outputs().map(|run| feature.of(run));
        let one = values.next();
        values.any(|value| Some(value) != one)
    };
    candidates.retain(varies);
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lowest_bits() {
        let of = [1.0, 0.5, 12.0, -3.0, 0.1, 5e-324, 2.0_f64.powi(-1030), 0.0, f64::NAN].map(lowest_bit);
        assert_eq!(of, [0, -1, 2, 0, -55, -1074, -1030, 2000, 2000]);
    }
}
