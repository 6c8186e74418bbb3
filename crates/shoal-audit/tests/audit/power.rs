//! How small a fault is still seen: mutants of Shoal's mechanisms are caught with the power that is stated for them.

use rayon::prelude::*;
use shoal_audit::known_bad::entry::{Entry, KnownBad, Version};
use shoal_audit::known_bad::mutants::{
    EpsilonOfBits, EpsilonOfCounts, EpsilonOfReports, ShortSensitivity, UnchargedIteration,
};
use shoal_audit::{Effort, Plan, Randomness, Target, Verdict};

/// How many of `audits` quick audits catch each line of a mutant.
fn caught<K: KnownBad + Send + Copy + 'static>(mutant: K, audits: u64) -> Vec<(String, usize)> {
    let one = |seed: u64| {
        let plan = Plan {
            effort: Effort::Quick,
            runs: None,
            epsilon: None,
            alpha: 1e-6,
            randomness: Randomness::Seeded(1000 + seed),
            watch: &|_| (),
        };
        Entry::new(mutant, Version::Faulty).audit(&plan).unwrap()
    };
    let audits: Vec<_> = (0..audits).into_par_iter().map(one).collect();
    (0..audits[0].len())
        .map(|i| {
            let hits = audits.iter().filter(|lines| lines[i].verdict == Verdict::Broken).count();
            (audits[0][i].setting.clone(), hits)
        })
        .collect()
}

/// The stated power is 0.99: of 100 audits 97 or more succeed with probability 0.98, of 40 38 or more with 0.99, of 20
/// 19 or more with 0.98. The seeds are fixed, so this is about the power and not about luck.
fn at_least(wanted: usize, found: &[(String, usize)]) {
    for (setting, caught) in found {
        assert!(*caught >= wanted, "{setting}: {caught} caught, {wanted} wanted");
    }
}

#[test]
fn counts_at_a_tenth_too_much() {
    at_least(97, &caught(EpsilonOfCounts, 100));
}

#[test]
fn bits_at_a_tenth_too_much() {
    at_least(97, &caught(EpsilonOfBits, 100));
}

#[test]
fn reports_at_a_tenth_too_much() {
    at_least(38, &caught(EpsilonOfReports, 40));
}

#[test]
fn sums_at_nine_tenths_of_their_sensitivity() {
    at_least(38, &caught(ShortSensitivity, 40));
}

#[test]
fn an_iteration_that_is_not_charged() {
    at_least(19, &caught(UnchargedIteration, 20));
}
