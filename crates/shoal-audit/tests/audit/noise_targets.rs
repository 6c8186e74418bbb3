//! Every building block keeps its promises at a quick audit, each in every way that applies.

use std::sync::atomic::{AtomicUsize, Ordering};

use shoal_audit::law::binomial;
use shoal_audit::statistical::Experiment;
use shoal_audit::targets::noise;
use shoal_audit::{Allowed, Effort, Measure, Pair, Plan, Randomness, each};
use shoal_curator::RowMechanism;
use shoal_curator::internals::{KNormSumsMechanism, NoisyCountsMechanism};
use shoal_kernel::{ClusterSums, LatticeCentres, Reach};
use shoal_noise::{BitFlips, RBig, SeededNoise};

#[test]
fn no_promise_is_broken_and_the_work_is_told_beforehand() {
    for target in noise::targets() {
        let made = AtomicUsize::new(0);
        let watch = |runs| {
            made.fetch_add(runs, Ordering::Relaxed);
        };
        let plan = Plan {
            effort: Effort::Quick,
            runs: Some(12_000),
            epsilon: None,
            alpha: 1e-6,
            randomness: Randomness::Seeded(1),
            watch: &watch,
        };
        let name = target.info().name;
        let lines = target.audit(&plan).unwrap();
        assert_eq!(made.load(Ordering::Relaxed), target.work(&plan), "{name}");
        for line in &lines {
            assert!(line.as_expected(), "{line:#?}");
            // Exact laws come close to their promise: a looser one would hide mistakes.
            if let Measure::Enumeration { allowed, worst, .. } | Measure::DensityRatio { allowed, worst, .. } =
                &line.measure
            {
                assert!(*worst > 0.7 * allowed, "{name}, {}: {worst} of {allowed}", line.setting);
                // What is promised is the ε that was asked for, not what follows from the noise.
                if ["exponential-mechanism", "noisy-max", "k-norm"].contains(&name) {
                    assert!((allowed - 1.0).abs() < 1e-12, "{name}, {}: {allowed}", line.setting);
                }
            }
        }
        let has = |kind: fn(&Measure) -> bool| lines.iter().any(|line| kind(&line.measure));
        assert!(has(|m| matches!(m, Measure::Events(_))), "{name}");
        assert!(has(|m| matches!(m, Measure::Lattice { .. })), "{name}");
    }
}

#[test]
fn any_epsilon_is_audited_or_refused_in_words() {
    for target in noise::targets() {
        for epsilon in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-300] {
            let plan = plan(epsilon);
            let refusal = target.audit(&plan).map(|lines| lines.len());
            if epsilon <= 0.0 || !epsilon.is_finite() {
                assert!(refusal.is_err(), "{}, ε = {epsilon}", target.info().name);
            }
            // Never a panic.
            target.work(&plan);
        }
        for epsilon in [0.05, 7.3, 40.0] {
            let lines = target.audit(&plan(epsilon)).unwrap();
            for line in lines {
                assert!(line.as_expected(), "ε = {epsilon}: {line:#?}");
            }
        }
    }
}

fn plan(epsilon: f64) -> Plan<'static> {
    Plan {
        effort: Effort::Quick,
        runs: Some(500),
        epsilon: Some(epsilon),
        alpha: 1e-6,
        randomness: Randomness::Seeded(2),
        watch: &|_| (),
    }
}

fn is_broken(pair: &Pair) -> bool {
    Experiment { runs: 60_000, alpha: 1e-6, randomness: Randomness::Seeded(3) }
        .audit(pair, &|_| ())
        .unwrap()
        .is_broken()
}

#[test]
fn counts_with_less_noise_than_promised_are_caught() {
    let mechanism = |epsilon: &str| NoisyCountsMechanism::new(&epsilon.parse().unwrap()).unwrap();
    let allowed = Allowed::of(&mechanism("1").loss(), 1.0);
    let pair = |epsilon: &str| {
        let of = |rows: u64| {
            let mechanism = mechanism(epsilon);
            each(move |noise, out| out.tell(mechanism.draw(vec![rows], noise)[0] as f64))
        };
        Pair::new("no row and one", of(0), of(1), allowed.clone())
    };
    assert!(!is_broken(&pair("1")));
    assert!(is_broken(&pair("1.1")));
}

#[test]
fn sums_that_a_row_pulls_beyond_its_reach_are_caught() {
    let reach = Reach::new(LatticeCentres::new(2, vec![0; 2]), vec![3, 700]);
    let mechanism = KNormSumsMechanism::new(&reach, &"1".parse().unwrap(), true).unwrap();
    let pair = |pull: [i64; 2]| {
        let of = |pull: [i64; 2], rows: i64| {
            let mechanism = mechanism.clone();
            each(move |noise, out| {
                let mut exact = ClusterSums::zero(1, 2);
                exact.sums.copy_from_slice(&pull);
                exact.counts[0] = rows;
                out.tell_all(mechanism.draw(exact, noise).sums.into_iter().map(|x| x as f64));
            })
        };
        Pair::new("no row and one", of([0; 2], 0), of(pull, 1), Allowed::of(&mechanism.loss(), 1.0))
    };
    assert!(!is_broken(&pair([3, 700])));
    // Clipping that was computed and not used.
    assert!(is_broken(&pair([3, 1400])));
}

#[test]
fn a_coin_that_is_never_thrown_or_too_rarely_is_caught() {
    let flips = BitFlips::new(RBig::from(1)).unwrap();
    let mut noise = SeededNoise::new(4);
    let runs = 30_000;
    let mut hits = [0; 64];
    for _ in 0..runs {
        // The first coin is lost, and the last is that of ε = 1.1.
        let word = flips.sample(&mut noise) & !1;
        hits.iter_mut().enumerate().for_each(|(bit, hits)| *hits += (word >> bit & 1) as usize);
    }
    let rare = BitFlips::new(RBig::from_parts(11.into(), 10_u8.into())).unwrap();
    hits[63] = (0..runs).filter(|_| rare.sample(&mut noise) & 1 == 1).count();
    let caught: Vec<usize> =
        (0..64).filter(|bit| binomial(hits[*bit], runs, flips.probability()) < 1e-6 / 64.0).collect();
    assert_eq!(caught, [0, 63]);
}
