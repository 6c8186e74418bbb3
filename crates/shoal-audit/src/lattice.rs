//! Whether two inputs reach the same numbers: multiples of the same powers of two, and the same residues.
//!
//! Noise in doubles is added by rounding to a step that depends on where the sum lies, and the noise itself has gaps. So
//! some numbers come from one input and never from the other, however wide the noise: Mironov's attack (2012). Exact
//! noise on a lattice has no such numbers. What counts as an exception is what chance cannot explain under the
//! claim: an event whose probability is surely more than e^ε times as large, plus δ, on one input than on the other.

use rayon::prelude::*;

use crate::clopper_pearson::{at_least, at_most};
use crate::runs::{RunFailure, Runs, Watch, draw};
use crate::statistical::features::lowest_bit;
use crate::{Measure, Pair, Randomness};

/// Residues are looked at for steps counted modulo each of these.
const MODULI: [u32; 4] = [16, 3, 5, 7];

/// Most numbers of one output that are looked at.
const MOST_NUMBERS: usize = 32;

/// Places that a lowest bit can have, and as many at which a step can be: a bound for sharing out α.
const PLACES: usize = 2200;

/// How the lattices of two inputs are compared.
#[derive(Clone, Copy, Debug)]
pub struct LatticeAudit {
    /// Runs on each of the two inputs.
    pub runs: usize,
    /// Probability that a kept claim is called broken.
    pub alpha: f64,
    /// Where the mechanism's noise comes from.
    pub randomness: Randomness,
}

impl LatticeAudit {
    /// Compares the lattices of a pair.
    pub fn audit(&self, pair: &Pair, watch: Watch<'_>) -> Result<Measure, RunFailure> {
        let first = draw(&*pair.first, self.runs, self.randomness, 1, watch)?;
        let second = draw(&*pair.second, self.runs, self.randomness, 2, watch)?;
        Ok(self.judge(pair, &first, &second))
    }

    /// Compares the lattices of runs that were already made.
    #[must_use]
    pub fn judge(&self, pair: &Pair, first: &Runs, second: &Runs) -> Measure {
        let runs = first.len().min(second.len());
        let numbers = (0..runs).flat_map(|i| [first.run(i).len(), second.run(i).len()]).max().unwrap_or(0);
        let numbers = numbers.min(MOST_NUMBERS);
        let deltas: Vec<f64> =
            pair.allowed.tested_at().into_iter().filter(|delta| pair.allowed.epsilon_at(*delta).is_finite()).collect();
        // Every event that could be looked at, whatever the runs turn out to be, in both directions at each δ: both kinds
        // of lowest bits, and all residues for every possible step.
        let residues: usize = MODULI.iter().map(|modulus| *modulus as usize).sum();
        let events = (PLACES * (2 + residues) * 2 * deltas.len().max(1)) as f64;
        // How many numbers come out may depend on chance, so the i-th of them gets α/(i·(i + 1)), which sums to α whatever
        // their number.
        let alpha = |i: usize| self.alpha / (events * ((i + 1) * (i + 2)) as f64);
        let exceptions = (0..numbers)
            .into_par_iter()
            .flat_map_iter(|i| {
                let (deltas, alpha) = (&deltas, alpha(i));
                let seen = events_of(i, first, second, runs);
                seen.into_iter().filter(move |event| unexplained(event, runs, pair, deltas, alpha)).map(describe)
            })
            .collect();
        Measure::Lattice { exceptions, runs }
    }
}

/// Something that was seen so often on each input.
struct Seen {
    words: String,
    hits: [usize; 2],
}

fn describe(event: Seen) -> String {
    let [first, second] = event.hits;
    format!("{}: {first} times on the first input, {second} times on the second", event.words)
}

/// Whether one input has an event more often than the claim and chance can explain.
fn unexplained(event: &Seen, runs: usize, pair: &Pair, deltas: &[f64], alpha: f64) -> bool {
    let [first, second] = event.hits;
    [(first, second), (second, first)].into_iter().any(|(more, less)| {
        if more <= less {
            return false;
        }
        let (low, high) = (at_least(more, runs, alpha / 2.0), at_most(less, runs, alpha / 2.0));
        deltas.iter().any(|delta| low > pair.allowed.epsilon_at(*delta).exp() * high + delta)
    })
}

/// How often number `i` has each lowest bit, a lowest bit below each, and each residue.
fn events_of(i: usize, first: &Runs, second: &Runs, runs: usize) -> Vec<Seen> {
    let numbers = |side: &'_ Runs| -> Vec<f64> { (0..runs).filter_map(|run| side.run(run).get(i).copied()).collect() };
    let sides = [numbers(first), numbers(second)];
    // Zero and what is not a number are multiples of everything, or of nothing.
    let bits = sides.each_ref().map(|side| side.iter().copied().map(lowest_bit).filter(|bit| *bit < 2000).collect());
    let mut seen = of_bits(i, &bits);
    let finest = bits.iter().flatten().copied().min();
    let Some(finest) = finest else { return seen };
    for modulus in MODULI {
        let mut hits = vec![[0; 2]; modulus as usize];
        for (side, numbers) in sides.iter().enumerate() {
            for number in numbers {
                let steps = in_steps(*number, finest).rem_euclid(f64::from(modulus));
                if steps.is_finite() {
                    hits[steps as usize][side] += 1;
                }
            }
        }
        let words = |residue| format!("number {} is {residue} modulo {modulus} steps of 2^{finest}", i + 1);
        seen.extend(hits.into_iter().enumerate().map(|(residue, hits)| Seen { words: words(residue), hits }));
    }
    seen
}

fn of_bits(i: usize, bits: &[Vec<i32>; 2]) -> Vec<Seen> {
    let mut at = std::collections::BTreeMap::<i32, [usize; 2]>::new();
    for (side, bits) in bits.iter().enumerate() {
        bits.iter().for_each(|bit| at.entry(*bit).or_default()[side] += 1);
    }
    let mut below = [0; 2];
    let mut seen = Vec::new();
    for (bit, hits) in at {
        below = [below[0] + hits[0], below[1] + hits[1]];
        let number = i + 1;
        seen.push(Seen { words: format!("number {number} is an odd multiple of 2^{bit}"), hits });
        seen.push(Seen { words: format!("number {number} is not a multiple of 2^{}", bit + 1), hits: below });
    }
    seen
}

/// How many steps of 2^`finest` a number is, exactly; not finite where doubles end.
fn in_steps(number: f64, finest: i32) -> f64 {
    // In two factors, of which neither overflows.
    let half = -finest / 2;
    number * libm::exp2(f64::from(half)) * libm::exp2(f64::from(-finest - half))
}
