//! An audit of noisy codes: two values, real flips, the odds of an event that was chosen on other draws.
//!
//! The lower bound that draws prove for ε must stay below the stated guarantee, and must exceed the published (ε, δ): the
//! paper's claim is refuted by experiment. Mutants (flips at a larger ε, a bit in the clear) must exceed the guarantee.

use shoal::consortium::promise::{Curve, published};
use shoal::consortium::{Agreement, AnchorSecret, Attribute, Flips, Partition, Promise, Scale, Terms};
use shoal::crowd::STEPS;
use shoal::data::Interval;
use shoal_noise::{BitFlips, NoiseSource, SeededNoise};
use shoal_privacy::{Delta, Epsilon, Loss};
use statrs::distribution::{Beta, ContinuousCDF};

const DRAWS: usize = 400_000;
/// Of each bound, so that a pair of them fails once in 500,000 audits.
const ALPHA: f64 = 1e-6;

/// The clean codes of both ends of the range, whose bits nearly all differ when the window is half of it.
fn ends(bits: u32, per_bit: &Epsilon) -> (u64, u64, u64) {
    let attribute = Attribute::new("x", Interval::new(0.0, 50.0).unwrap(), 25.0).unwrap();
    let terms = Terms::new(vec![attribute], bits, Flips::PerBit(per_bit.clone()), Scale::Own).unwrap();
    let agreement = Agreement::new(terms, AnchorSecret::from_seed(11));
    let anchors = &agreement.anchors()[0];
    let code = |x: i32| (0..anchors.len()).filter(|&i| anchors.bit(i, x)).fold(0, |code, i| code | 1 << i);
    let stated = Promise::of_agreement(&agreement, Partition::Records, None).unwrap();
    (code(0), code(STEPS as i32), stated.differing.bits)
}

/// How many of the differing bits speak for the first code: all that a likelihood ratio test looks at.
fn votes(code: u64, codes: (u64, u64), flips: &BitFlips, clear: u64, noise: &mut impl NoiseSource) -> Vec<u32> {
    let differing = codes.0 ^ codes.1;
    let vote = |noise: &mut _| {
        let sent = code ^ (flips.sample(noise) & !clear);
        (!(sent ^ codes.0) & differing).count_ones()
    };
    (0..DRAWS).map(|_| vote(noise)).collect()
}

/// Clopper–Pearson, one side.
fn bounds(successes: usize, trials: usize) -> (f64, f64) {
    let (k, n) = (successes as f64, trials as f64);
    let low = if successes == 0 { 0.0 } else { Beta::new(k, n - k + 1.0).unwrap().inverse_cdf(ALPHA) };
    let high = if successes == trials { 1.0 } else { Beta::new(k + 1.0, n - k).unwrap().inverse_cdf(1.0 - ALPHA) };
    (low, high)
}

/// The largest ε that the draws prove at a δ: the event "at least so many votes" is chosen on the first halves.
fn proven(of_first: &[u32], of_second: &[u32], delta: f64) -> f64 {
    let half = DRAWS / 2;
    let count = |votes: &[u32], least: u32| votes.iter().filter(|v| **v >= least).count();
    let epsilon = |p: usize, q: usize| {
        let (low, high) = (bounds(p, half).0 - delta, bounds(q, half).1);
        if low > 0.0 { (low / high).ln() } else { f64::NEG_INFINITY }
    };
    let best = (0..=64)
        .max_by(|&a, &b| {
            let of = |least| epsilon(count(&of_first[..half], least), count(&of_second[..half], least));
            of(a).total_cmp(&of(b))
        })
        .unwrap();
    epsilon(count(&of_first[half..], best), count(&of_second[half..], best))
}

struct Audit {
    codes: (u64, u64),
    differing: u64,
    per_bit: Epsilon,
    noise: SeededNoise,
}

impl Audit {
    fn new(bits: u32, per_bit: &str, seed: u64) -> Self {
        let per_bit: Epsilon = per_bit.parse().unwrap();
        let (low, high, most) = ends(bits, &per_bit);
        let differing = u64::from((low ^ high).count_ones());
        assert_eq!(differing, most, "the ends of the range are the worst pair");
        assert!(differing + 1 >= u64::from(bits), "{differing} of {bits} bits differ");
        Self { codes: (low, high), differing, per_bit, noise: SeededNoise::new(seed) }
    }

    /// Draws with flips at so many times the agreed ε, and the lowest differing bits left in the clear.
    fn proven(&mut self, times: f64, in_clear: u32, delta: f64) -> f64 {
        let epsilon = self.per_bit.to_f64_up() * times;
        let flips = BitFlips::new(epsilon.try_into().unwrap()).unwrap();
        let mut clear = 0;
        for _ in 0..in_clear {
            let left = (self.codes.0 ^ self.codes.1) & !clear;
            clear |= 1 << left.trailing_zeros();
        }
        let of_first = votes(self.codes.0, self.codes, &flips, clear, &mut self.noise);
        let of_second = votes(self.codes.1, self.codes, &flips, clear, &mut self.noise);
        proven(&of_first, &of_second, delta)
    }

    fn stated(&self, delta: f64) -> f64 {
        Curve::of_bits(&self.per_bit, self.differing).epsilon_up(delta)
    }
}

#[test]
fn five_bits_keep_the_guarantee_and_refute_the_published_claim() {
    let mut audit = Audit::new(5, "1", 41);
    let delta = 10_f64.powf(published::log10_delta(1.0, 5));
    for at in [0.0, 1e-3, 0.05, delta] {
        let (found, stated) = (audit.proven(1.0, 0, at), audit.stated(at));
        assert!(found <= stated, "at δ = {at}: {found} proven, {stated} stated");
        assert!(found > 0.8 * stated, "at δ = {at}: the audit sees {found} of {stated}");
    }
    let found = audit.proven(1.0, 0, delta);
    assert!(found > 1.5, "published (1, {delta:.3}); proven ε of {found} at that δ");
}

#[test]
fn twenty_bits_keep_the_guarantee_and_refute_the_published_claim() {
    let mut audit = Audit::new(20, "1", 42);
    let delta = 10_f64.powf(published::log10_delta(1.0, 20));
    let found = audit.proven(1.0, 0, delta);
    assert!(found > 5.0, "published (1, {delta:.4}); proven ε of {found} at that δ");
    // So many draws prove no odds above e^9 or so, which is short of the guarantee at a small δ.
    for (at, power) in [(1e-3, 0.4), (0.05, 0.5), (0.5, 0.8)] {
        let (found, stated) = (audit.proven(1.0, 0, at), audit.stated(at));
        assert!(found <= stated && found > power * stated, "at δ = {at}: {found} proven, {stated} stated");
    }
}

#[test]
fn wrong_flips_are_caught() {
    let mut audit = Audit::new(5, "1", 43);
    for (what, times, in_clear) in [("flips at 1.2 ε", 1.2, 0), ("a bit in the clear", 1.0, 1)] {
        let caught = [0.0, 0.05, 0.2].into_iter().any(|at| audit.proven(times, in_clear, at) > audit.stated(at));
        assert!(caught, "{what} passed");
    }
    // At twenty bits a single event shows less than the pure bound, so the curve is what catches them.
    let mut audit = Audit::new(20, "0.5", 44);
    for (what, times, in_clear) in [("flips at 1.2 ε", 1.2, 0), ("a bit in the clear", 1.0, 1)] {
        let caught = [0.05, 0.1, 0.2, 0.4].into_iter().any(|at| audit.proven(times, in_clear, at) > audit.stated(at));
        assert!(caught, "{what} passed at twenty bits");
    }
    for at in [0.05, 0.1, 0.2, 0.4] {
        assert!(audit.proven(1.0, 0, at) <= audit.stated(at));
    }
}

/// What the program prints is the curve that is audited here.
#[test]
fn the_stated_guarantee_is_the_audited_curve() {
    let audit = Audit::new(20, "1", 45);
    let delta: Delta = "0.05".parse().unwrap();
    let attribute = Attribute::new("x", Interval::new(0.0, 50.0).unwrap(), 25.0).unwrap();
    let terms = Terms::new(vec![attribute], 20, Flips::PerBit(audit.per_bit.clone()), Scale::Own).unwrap();
    let agreement = Agreement::new(terms, AnchorSecret::from_seed(11));
    let promise = Promise::of_agreement(&agreement, Partition::Records, Some(&delta)).unwrap();
    let Loss::Approximate { epsilon, .. } = &promise.guarantee.claim().unwrap().loss else { panic!("a δ was given") };
    assert!((epsilon.to_f64_up() / audit.stated(0.05) - 1.0).abs() < 1e-9);
}
