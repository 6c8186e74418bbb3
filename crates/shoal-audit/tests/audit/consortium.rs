//! Audits of noisy codes: they keep what is stated and break what is published, and wrong flips break what is stated.

use std::sync::Arc;

use shoal_audit::pairs::consortium::{CodePairs, agreement, over_the_draw, published, sender, stated_delta, terms};
use shoal_audit::pairs::pair_scalars::{promise_of_two, scalars_of_pairs};
use shoal_audit::runs::draw;
use shoal_audit::statistical::search::PairSpace;
use shoal_audit::statistical::{Experiment, Finding};
use shoal_audit::targets::consortium::CodeLaw;
use shoal_audit::{Allowed, Measure, Pair, Randomness, Verdict};
use shoal_consortium::custodian::Dpbv;
use shoal_consortium::promise::{Curve, published as szy19};
use shoal_consortium::{Flips, Partition, Promise};
use shoal_privacy::{Delta, Epsilon, Loss};

const RUNS: usize = 40_000;

fn epsilon(text: &str) -> Epsilon {
    text.parse().unwrap()
}

fn experiment(runs: usize, seed: u64) -> Experiment {
    Experiment { runs, alpha: 1e-6, randomness: Randomness::Seeded(seed) }
}

fn ends(codes: &CodePairs) -> Pair {
    codes.pair(&codes.catalogue()[0]).unwrap()
}

fn audit(pair: &Pair, runs: usize, seed: u64) -> Finding {
    experiment(runs, seed).audit(pair, &|_| ()).unwrap()
}

/// Codes whose bits are flipped at so many times the agreed ε, the lowest differing bits left in the clear.
fn mutant(bits: u32, per_bit: &str, times: &str, in_clear: u32) -> CodePairs {
    let agreement = agreement(bits, &epsilon(per_bit)).unwrap();
    let honest = CodePairs::new(&agreement).unwrap();
    let flips = Flips::PerBit(epsilon(per_bit).times(epsilon(times).amount()));
    let send = sender(Dpbv::of(&agreement.anchors(), &flips).unwrap());
    let (x, y) = honest.catalogue()[0];
    let mut clear = 0_u64;
    for _ in 0..in_clear {
        clear |= 1 << ((honest.clean(x) ^ honest.clean(y)) & !clear).trailing_zeros();
    }
    let clean = honest.clone();
    honest.sent_by(Arc::new(move |x, noise| send(x, noise) & !clear | clean.clean(x) & clear))
}

#[test]
fn five_bits_keep_the_guarantee_and_refute_the_published_claim() {
    let codes = CodePairs::new(&agreement(5, &epsilon("1")).unwrap()).unwrap();
    assert_eq!(codes.promise.differing.bits, 5, "the ends of the range are the worst pair");
    let pair = ends(&codes.clone().promising(codes.stated_curve()));
    let first = draw(&*pair.first, RUNS, Randomness::Seeded(41), 1, &|_| ()).unwrap();
    let second = draw(&*pair.second, RUNS, Randomness::Seeded(41), 2, &|_| ()).unwrap();
    let finding = experiment(RUNS, 41).judge(&pair, &first, &second);
    assert!(!finding.is_broken(), "{finding:#?}");
    for point in &finding.curve {
        assert!(point.at_least > 0.75 * point.allowed.unwrap(), "{point:#?}");
    }
    let pair = Pair { allowed: published(&epsilon("1"), 5), ..pair };
    let finding = experiment(RUNS, 41).judge(&pair, &first, &second);
    assert!(finding.is_broken() && finding.curve[0].at_least > 2.0, "{finding:#?}");
}

#[test]
fn three_bits_keep_the_published_claim_and_twenty_do_not() {
    let of = |bits, seed| {
        let codes = CodePairs::new(&agreement(bits, &epsilon("1")).unwrap()).unwrap();
        audit(&ends(&codes.promising(published(&epsilon("1"), bits))), RUNS, seed)
    };
    assert!(!of(3, 42).is_broken());
    let twenty = of(20, 43);
    assert!(twenty.is_broken() && twenty.curve[0].at_least > 5.0, "{twenty:#?}");
}

#[test]
fn twenty_bits_keep_the_stated_curve() {
    let codes = CodePairs::new(&agreement(20, &epsilon("1")).unwrap()).unwrap();
    let finding = audit(&ends(&codes.clone().promising(codes.stated_curve())), RUNS, 44);
    assert!(!finding.is_broken(), "{finding:#?}");
    // So many draws prove no odds above e^7 or so, which is short of the guarantee at a small δ.
    let seen = |point: &shoal_audit::statistical::Point| point.at_least / point.allowed.unwrap();
    assert!(finding.curve.iter().map(seen).fold(0.0, f64::max) > 0.55, "{finding:#?}");
}

#[test]
fn wrong_flips_are_caught() {
    for (bits, per_bit) in [(5, "1"), (20, "0.5")] {
        for (what, times, in_clear) in [("flips at 1.1 ε", "1.1", 0), ("a bit in the clear", "1", 1)] {
            let codes = mutant(bits, per_bit, times, in_clear);
            let finding = audit(&ends(&codes.clone().promising(codes.stated_curve())), RUNS, 45);
            assert!(finding.is_broken(), "{what} pass at {bits} bits: {finding:#?}");
        }
        let codes = mutant(bits, per_bit, "1", 0);
        let finding = audit(&ends(&codes.clone().promising(codes.stated_curve())), RUNS, 46);
        assert!(!finding.is_broken(), "{finding:#?}");
    }
}

#[test]
fn the_promise_over_the_draw_of_anchors_is_kept_and_less_is_not() {
    let terms = terms(20, &epsilon("1")).unwrap();
    let mut pair = over_the_draw(&terms, 3000).unwrap();
    let finding = audit(&pair, 40_000, 47);
    assert!(!finding.is_broken(), "{finding:#?}");
    // Mutant: the mean number of bits that differ, taken for the most.
    let few = Curve::of_bits(&epsilon("1"), 1);
    let epsilon_at = Arc::new(move |delta: f64| few.epsilon_up(delta));
    pair.allowed = Allowed::Curve { words: "one bit".into(), epsilon_at, tested_at: vec![1e-2, 1e-3, 0.05] };
    assert!(audit(&pair, 40_000, 48).is_broken());
}

/// What the program prints is the curve that is audited here.
#[test]
fn the_stated_guarantee_is_the_audited_curve() {
    let agreement = agreement(20, &epsilon("1")).unwrap();
    let delta: Delta = "0.05".parse().unwrap();
    let promise = Promise::of_agreement(&agreement, Partition::Records, Some(&delta)).unwrap();
    let Loss::Approximate { epsilon, .. } = &promise.guarantee.claim().unwrap().loss else { panic!("a δ was given") };
    let audited = CodePairs::new(&agreement).unwrap().stated_curve().epsilon_at(0.05);
    assert!((epsilon.to_f64_up() / audited - 1.0).abs() < 1e-9);
}

#[test]
fn enumeration_agrees_with_the_stated_curve_and_refutes_the_published_claim() {
    for bits in [3, 5, 8, 10] {
        let agreement = agreement(bits, &epsilon("1")).unwrap();
        let codes = CodePairs::new(&agreement).unwrap();
        let law = CodeLaw::new(&agreement.anchors()[0], 1.0).unwrap();
        let (x, y) = codes.catalogue()[0];
        let differing = codes.promise.differing.bits;
        for at in [0.0, 0.5, 1.0, 2.5] {
            let exact = law.delta_at(codes.clean(x) as usize, codes.clean(y) as usize, at).unwrap();
            let stated = stated_delta(&epsilon("1"), differing, at);
            assert!((exact - stated).abs() < 1e-9, "{bits} bits at ε = {at}: {exact} exact, {stated} stated");
        }
        assert_eq!(law.measure(&Allowed::Pure(differing as f64)).verdict(), Verdict::NotBroken);
        assert_eq!(law.measure(&Allowed::Pure(0.99 * differing as f64)).verdict(), Verdict::Broken, "a mutant");
        let measure = law.measure(&published(&epsilon("1"), bits));
        assert_eq!(measure.verdict() == Verdict::NotBroken, szy19::holds(bits), "{measure:?}");
        assert!(matches!(measure, Measure::Enumeration { compared, .. } if compared > 0));
    }
}

#[test]
fn scalars_of_pairs_keep_their_promise_and_less_is_not_kept() {
    let agreement = agreement(4, &epsilon("1")).unwrap();
    let promise = promise_of_two(&agreement).unwrap();
    let mut pair = scalars_of_pairs(&agreement, &promise).unwrap();
    assert!(!audit(&pair, 4000, 49).is_broken());
    // Mutant: the promise of one bit.
    pair.allowed = Allowed::Pure(1.0);
    assert!(audit(&pair, 4000, 50).is_broken());
}
