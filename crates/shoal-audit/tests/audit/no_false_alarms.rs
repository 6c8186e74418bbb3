//! Promises that are kept, and not a bit more than kept, are not called broken more often than α allows.
//!
//! All mechanisms lose exactly what they promise between the two inputs, so that an alarm is as likely as it can be.

use std::sync::Arc;

use rayon::prelude::*;
use shoal_audit::runs::draw;
use shoal_audit::statistical::Experiment;
use shoal_audit::statistical::bet::Bet;
use shoal_audit::{Allowed, Pair, Randomness, Runs, Score, Side, each};
use shoal_device::choose_radius;
use shoal_device::{Client, Design, Ending, Mechanism};
use shoal_lattice::STEPS;
use shoal_lattice::{Bounds, Interval};
use shoal_noise::uniform::unit_f64;
use shoal_noise::{BitFlips, DiscreteGaussian, DiscreteLaplace, ExponentialMechanism, LInfinityKNorm, ScoreKind};
use shoal_noise::{NoiseSource, RBig};
use shoal_privacy::Claim;

const RUNS: usize = 2500;
const ALPHA: f64 = 1e-3;

fn count() -> Pair {
    let side = |rows: i64| {
        let law = DiscreteLaplace::new(RBig::ONE).unwrap();
        each(move |noise, out| out.tell((rows + law.sample(noise)) as f64))
    };
    Pair::new("count", side(0), side(1), Allowed::Pure(1.0))
}

/// Sixteen bits of which one differs: many features, and only one of them reveals anything.
fn bits() -> Pair {
    let side = |record: u64| {
        let flips = BitFlips::new(RBig::ONE).unwrap();
        each(move |noise, out| {
            let code = flips.sample(noise) ^ record;
            out.tell_all((0..16).map(|i| (code >> i & 1) as f64));
        })
    };
    Pair::new("bits", side(0b1010), side(0b1110), Allowed::Pure(1.0))
}

fn knorm() -> Pair {
    let side = |moved: i64| {
        let law = LInfinityKNorm::new(RBig::from_parts(1.into(), 2_u8.into()), 3).unwrap();
        each(move |noise, out| {
            let mut vector = [0; 3];
            law.sample(noise, &mut vector);
            out.tell_all(vector.map(|z| (z + moved) as f64));
        })
    };
    Pair::new("knorm", side(0), side(1), Allowed::Pure(0.5))
}

/// One of fifty candidates gets better: its chance grows by nearly e^ε.
fn choice() -> Pair {
    let side = |best: i64| {
        let mechanism = ExponentialMechanism::new(&RBig::from(2), &RBig::ONE, ScoreKind::Monotone).unwrap();
        let mut scores = [0; 50];
        scores[7] = best;
        let choice = mechanism.prepare(&scores).unwrap();
        each(move |noise, out| out.tell(choice.sample(noise) as f64))
    };
    Pair::new("choice", side(0), side(1), Allowed::Pure(2.0))
}

fn of_client(words: &str, mechanism: Mechanism, epsilon: &str, records: [i64; 2]) -> Pair {
    let bounds = Bounds::new(vec!["x".into()], vec![Interval::new(0.0, 1.0).unwrap()]).unwrap();
    let design = Design::new(mechanism, epsilon.parse().unwrap(), bounds).unwrap();
    let client = Client::new(&design).unwrap();
    let promises = client.promises();
    let claim: &Claim = promises.guarantee.claim().unwrap();
    let side = |record: i64| -> Box<dyn Side> {
        let client = client.clone();
        each(move |noise: &mut dyn NoiseSource, out: &mut Runs| {
            let mut report = [0];
            client.report(&[record], noise, &mut report);
            out.tell(report[0] as f64);
        })
    };
    let distance = (records[1] - records[0]) as f64 / STEPS as f64;
    Pair::new(words, side(records[0]), side(records[1]), Allowed::of(&claim.loss, distance))
}

fn report() -> Pair {
    let radius_steps = choose_radius::information(1, 1.0).steps;
    of_client("report", Mechanism::Bpm { radius_steps }, "1", [0, STEPS as i64])
}

/// Half a unit apart: ε·distance.
fn metric() -> Pair {
    let radius_steps = choose_radius::nd_laplace(1, 3.0).steps;
    let mechanism = Mechanism::NdLaplace { radius_steps, ending: Ending::Clamped };
    of_client("metric", mechanism, "3", [STEPS as i64 / 4, 3 * (STEPS as i64 / 4)])
}

/// The discrete Gaussian against its exact curve, tight at every δ.
fn gaussian() -> Pair {
    let law = || DiscreteGaussian::new(RBig::from(2)).unwrap();
    let curve = law();
    let delta_at = move |epsilon: f64| -> f64 {
        (-60..60).map(|z| (curve.pmf(z) - epsilon.exp() * curve.pmf(z - 1)).max(0.0)).sum()
    };
    let epsilon_at = move |delta: f64| {
        let (mut low, mut high) = (0.0, 20.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if delta_at(middle) > delta { low = middle } else { high = middle }
        }
        high
    };
    let side = |rows: i64| {
        let law = law();
        each(move |noise, out| out.tell((rows + law.sample(noise)) as f64))
    };
    let tested_at = vec![0.05, 1e-3, 1e-2, 0.1, 0.2];
    let words = "its own curve".into();
    Pair::new("gaussian", side(0), side(1), Allowed::Curve { words, epsilon_at: Arc::new(epsilon_at), tested_at })
}

/// With probability δ the truth, marked as such; otherwise randomised response.
fn response() -> Pair {
    let (epsilon, delta) = (1.0_f64, 0.05);
    let side = |truth: bool| {
        each(move |noise, out| {
            let in_clear = unit_f64(noise) < delta;
            let lie = unit_f64(noise) < 1.0 / (1.0 + epsilon.exp());
            out.tell(f64::from(u8::from(truth != (lie && !in_clear))) + if in_clear { 10.0 } else { 0.0 });
        })
    };
    Pair::new("response", side(false), side(true), Allowed::Approximate { epsilon, delta })
}

const MECHANISMS: [fn() -> Pair; 8] = [count, bits, knorm, choice, report, metric, gaussian, response];

fn runs_of(pair: &Pair, seed: u64) -> (Runs, Runs) {
    let of = |side: &dyn Side, part| draw(side, RUNS, Randomness::Seeded(seed), part, &|_| ()).unwrap();
    (of(&*pair.first, 1), of(&*pair.second, 2))
}

fn experiment(alpha: f64) -> Experiment {
    Experiment { runs: RUNS, alpha, randomness: Randomness::Seeded(0) }
}

#[test]
fn of_a_thousand_audits_of_kept_promises_at_most_six_alarm() {
    // With α = 10⁻³, more than six alarms have a chance of 8·10⁻⁵ if the promise of the audit itself is kept.
    let alarm = |i: u64| {
        let pair = MECHANISMS[i as usize % MECHANISMS.len()]();
        let (first, second) = runs_of(&pair, 7000 + i);
        experiment(ALPHA).judge(&pair, &first, &second).is_broken()
    };
    let alarms = (0..1000_u64).into_par_iter().filter(|i| alarm(*i)).count();
    assert!(alarms <= 6, "{alarms} alarms");
}

/// The bits of an output.
fn code(run: &[f64]) -> u16 {
    run.iter().enumerate().fold(0, |code, (i, bit)| code | u16::from(*bit > 0.5) << i)
}

/// "The third bit is unset, and the parity of these others is even": each of them is tight, as the others reveal nothing.
fn happened(code: u16, event: u16) -> bool {
    let others = event.wrapping_mul(40_503) & !0b100;
    code & 0b100 == 0 && (code & others).count_ones().is_multiple_of(2)
}

/// Thousands of events, each chosen and tested on the same runs, with all of α for each.
fn alarm_without_correction(first: &Runs, second: &Runs) -> bool {
    let codes = |runs: &Runs| -> Vec<u16> { (0..RUNS).map(|i| code(runs.run(i))).collect() };
    let (first, second) = (codes(first), codes(second));
    (1..=4000).any(|event| {
        let count = |codes: &[u16]| codes.iter().filter(|code| happened(**code, event)).count();
        let hits = [count(&first), count(&second)];
        Bet::on(hits, RUNS).ln_wealth(1.0, 0.0, hits, RUNS) >= -ALPHA.ln()
    })
}

#[test]
fn an_auditor_that_tests_all_it_looks_at_is_found_out_by_the_same_count() {
    let audits = 200_u64;
    let alarms = |alarm: &(dyn Fn(&Pair, &Runs, &Runs) -> bool + Sync)| {
        let one = |i: &u64| {
            let pair = bits();
            let (first, second) = runs_of(&pair, 9000 + i);
            alarm(&pair, &first, &second)
        };
        (0..audits).into_par_iter().filter(one).count()
    };
    let uncorrected = alarms(&|_, first, second| alarm_without_correction(first, second));
    // Six of a thousand would be 1.2 of these.
    assert!(uncorrected > 10, "only {uncorrected} of {audits} alarm");
    // The same events given to the audit as things to look at: one is chosen on one half and tested on the other.
    let corrected = alarms(&|pair, first, second| {
        let scores = (1..=100).map(|event| {
            Score::new(format!("event {event}"), move |run| f64::from(u8::from(happened(code(run), event))))
        });
        let bare = || each(|_, out| out.tell(0.0));
        let looking = Pair {
            words: pair.words.clone(),
            first: bare(),
            second: bare(),
            allowed: pair.allowed.clone(),
            scores: scores.collect(),
        };
        experiment(ALPHA).judge(&looking, first, second).is_broken()
    });
    assert!(corrected <= 2, "{corrected} of {audits} alarm");
}

#[test]
fn the_mechanisms_are_tight() {
    // Against seven tenths of the promise the same mechanisms are found out, so that alarms are possible at all.
    for make in MECHANISMS {
        let pair = make();
        let less = match &pair.allowed {
            Allowed::Pure(epsilon) => Allowed::Pure(0.7 * epsilon),
            Allowed::Approximate { epsilon, delta } => Allowed::Approximate { epsilon: 0.7 * epsilon, delta: *delta },
            Allowed::Curve { words, epsilon_at, tested_at } => {
                let epsilon_at = epsilon_at.clone();
                let less = Arc::new(move |delta| 0.7 * epsilon_at(delta));
                Allowed::Curve { words: words.clone(), epsilon_at: less, tested_at: tested_at.clone() }
            }
            Allowed::Zcdp(rho) => Allowed::Zcdp(0.5 * rho),
        };
        let pair = Pair { allowed: less, ..pair };
        let audit = Experiment { runs: 60_000, alpha: 1e-6, randomness: Randomness::Seeded(1) };
        assert!(audit.audit(&pair, &|_| ()).unwrap().is_broken(), "{}", pair.words);
    }
}
