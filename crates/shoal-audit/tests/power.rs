//! How small a fault is still seen: mutants of Shoal's mechanisms are caught with the power that is stated for them.

use rayon::prelude::*;
use shoal_audit::known_bad::entry::{Entry, KnownBad, Version};
use shoal_audit::known_bad::mutants::{
    EpsilonOfBits, EpsilonOfCounts, EpsilonOfReports, ShortSensitivity, UnchargedIteration,
};
use shoal_audit::{Effort, Plan, Randomness, Target, Verdict};

/// How many of `audits` quick audits catch each line of a mutant.
fn caught<K: KnownBad + Send + Copy + 'static>(mutant: K, audits: u64) -> Vec<(String, usize, f64)> {
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
            let seconds = audits.iter().map(|lines| lines[i].seconds).sum::<f64>() / audits.len() as f64;
            (audits[0][i].setting.clone(), hits, seconds)
        })
        .collect()
}

#[test]
fn explore() {
    let n = 100;
    for lines in [
        caught(EpsilonOfCounts, n),
        caught(EpsilonOfBits, n),
        caught(EpsilonOfReports, n),
        caught(ShortSensitivity, n),
        caught(UnchargedIteration, n),
    ] {
        for (setting, hits, seconds) in lines {
            println!("{hits} of {n} in {seconds:.2} s each: {setting}");
        }
    }
}
