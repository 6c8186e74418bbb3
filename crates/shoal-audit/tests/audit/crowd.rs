//! Audits of the crowd's mechanisms: what is promised is kept and, by the law, reached; mutants and BPGM are caught.
//!
//! On the lattice the probabilities have the very same exponents as the densities, and a sum of weights that does not
//! depend on the record, so their ratios are those of the samplers as well.

use std::sync::atomic::{AtomicUsize, Ordering};

use shoal_audit::exact::DensityRatio;
use shoal_audit::statistical::Experiment;
use shoal_audit::statistical::search::PairSpace;
use shoal_audit::targets::crowd;
use shoal_audit::targets::crowd::pairs::{CrowdPairs, Records, ln_density};
use shoal_audit::{Effort, Measure, Plan, Randomness, Verdict};
use shoal_device::bpm_law::ln_sphere_area;
use shoal_device::{Bpgm, choose_radius};
use shoal_device::{BpgmForm, Client, Design, Ending, Mechanism, NoiseLaw};
use shoal_lattice::STEPS;
use shoal_lattice::{Bounds, Interval};
use shoal_noise::SeededNoise;
use shoal_privacy::Loss;

const WIDTH: i64 = STEPS as i64;

fn client(mechanism: Mechanism, epsilon: &str, dims: usize) -> Client {
    let columns = (0..dims).map(|i| format!("a{i}")).collect();
    let bounds = Bounds::new(columns, vec![Interval::new(0.0, 1.0).unwrap(); dims]).unwrap();
    let epsilon = epsilon.parse().unwrap();
    Client::accepting_unsound(&Design::new(mechanism, epsilon, bounds).unwrap()).unwrap()
}

fn bpm(radius: f64) -> Mechanism {
    Mechanism::Bpm { radius_steps: choose_radius::given(radius).steps }
}

fn nd_laplace(dims: usize, epsilon: f64, ending: Ending) -> Mechanism {
    Mechanism::NdLaplace { radius_steps: choose_radius::nd_laplace(dims, epsilon).steps, ending }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// What is lost at the worst place that is found, and what is allowed there.
fn worst(
    dims: usize,
    beyond: f64,
    ln_density: &(dyn Fn(&[f64], &[f64]) -> f64 + Sync),
    allowed: &(dyn Fn(&[f64], &[f64]) -> f64 + Sync),
) -> (f64, f64, Verdict) {
    let measure = DensityRatio { dims, beyond, ln_density, allowed }.maximise();
    match &measure {
        Measure::DensityRatio { allowed, worst, compared, .. } if *compared > 100 => {
            (*worst, *allowed, measure.verdict())
        }
        other => panic!("{other:?}"),
    }
}

/// What a client claims: per unit of distance, and between any two records.
fn claimed(mechanism: Mechanism, epsilon: &str, dims: usize) -> (f64, f64) {
    let pairs = CrowdPairs::new(client(mechanism, epsilon, dims));
    let find = |per_distance: bool| {
        let of = |loss: &Loss| match loss {
            Loss::PerDistance(epsilon) if per_distance => Some(epsilon.to_f64_up()),
            Loss::Pure(epsilon) if !per_distance => Some(epsilon.to_f64_up()),
            _ => None,
        };
        pairs.claims().iter().find_map(|claim| of(&claim.loss)).unwrap()
    };
    (find(true), find(false))
}

/// The distribution that a server takes as known, with a rate changed by a factor.
fn known(mechanism: Mechanism, epsilon: &str, dims: usize, factor: f64) -> NoiseLaw {
    match client(mechanism, epsilon, dims).noise_law().unwrap() {
        NoiseLaw::Radial { rate, radius } => NoiseLaw::Radial { rate: rate * factor, radius },
        NoiseLaw::PerAttribute { scale } => NoiseLaw::PerAttribute { scale: scale / factor },
    }
}

#[test]
fn no_ratio_is_above_the_claims_and_some_reach_them() {
    for dims in 1..=3 {
        for (mechanism, beyond) in [
            (bpm(0.3), 0.3),
            (bpm(4.0), 4.0),
            (nd_laplace(dims, 1.5, Ending::Raw), 2.0),
            (Mechanism::Laplace, 2.0),
            (Mechanism::LaplaceMetric, 2.0),
        ] {
            let (per_distance, any_two) = claimed(mechanism.clone(), "1.5", dims);
            for (claim, of_distance) in [(per_distance, true), (any_two, false)] {
                let allowed = |v: &[f64], w: &[f64]| if of_distance { claim * distance(v, w) } else { claim };
                let test = |factor| {
                    let law = known(mechanism.clone(), "1.5", dims, factor);
                    worst(dims, beyond, &|x, v| ln_density(&law, x, v), &allowed)
                };
                let what = format!("{mechanism:?} at d = {dims}, {claim}, by distance: {of_distance}");
                let (lost, allowed, verdict) = test(1.0);
                assert_eq!(verdict, Verdict::NotBroken, "{what}: {lost} of {allowed}");
                // Both claims are tight: reports at a record, on an axis, at a corner.
                assert!(lost > 0.999 * allowed, "{what}: {lost} of {allowed}");
                let (lost, allowed, verdict) = test(1.1);
                assert!(verdict == Verdict::Broken && lost > 1.05 * allowed, "{what}, rate × 1.1: {lost} of {allowed}");
            }
        }
    }
}

#[test]
fn bpm_loses_no_more_than_its_radius_allows() {
    for dims in 1..=3 {
        let (rate, radius) = (1.5, 0.3);
        let law = |radius: f64, factor| known(bpm(radius), "1.5", dims, factor);
        let bound = |v: &[f64], w: &[f64]| rate * distance(v, w).min(radius + 1e-4);
        let test = |law: NoiseLaw| worst(dims, radius, &|x, v| ln_density(&law, x, v), &bound);
        let (lost, allowed, verdict) = test(law(radius, 1.0));
        assert!(verdict == Verdict::NotBroken && lost > 0.999 * allowed, "d = {dims}: {lost} of {allowed}");
        for mutant in [law(radius, 1.1), law(radius * 1.1, 1.0)] {
            let (lost, allowed, _) = test(mutant);
            assert!(lost > 1.05 * allowed, "d = {dims}, {mutant:?}: {lost} of {allowed}");
        }
    }
}

#[test]
fn bpgm_fails_the_test_that_the_others_pass() {
    for dims in 1..=3 {
        let bpgm = |bound: &str| {
            Bpgm::new(&"1.5".parse().unwrap(), dims, &bound.parse().unwrap(), BpgmForm::ClosedForm).unwrap()
        };
        let claim = |v: &[f64], w: &[f64]| 1.5 * distance(v, w);
        let near = bpgm("1");
        let (lost, ..) = worst(dims, 1.0, &|x, v| near.ln_density_of_idealisation(distance(x, v)), &claim);
        assert_eq!(lost, f64::INFINITY, "d = {dims}: the support moves with the record");
        // Without the rim, the singularity at the record is enough from d = 2 on.
        let far = bpgm("100");
        let off_record = |x: &[f64], v: &[f64]| far.ln_density_of_idealisation(distance(x, v).max(1e-3));
        let (lost, allowed, verdict) = worst(dims, 1.0, &off_record, &claim);
        assert_eq!(verdict == Verdict::Broken, dims > 1, "d = {dims}: {lost} of {allowed}");
    }
}

#[test]
fn bpgm_at_four_dimensions_is_off_by_a_hundred() {
    let bpgm = Bpgm::new(&"1".parse().unwrap(), 4, &"1".parse().unwrap(), BpgmForm::ClosedForm).unwrap();
    let ratio = bpgm.ln_density_of_idealisation(0.001) - bpgm.ln_density_of_idealisation(0.1);
    assert!((ratio - 13.9).abs() < 0.05, "{ratio}");
}

#[test]
fn the_idealised_density_of_bpgm_sums_to_one() {
    for dims in [1, 2, 3, 10] {
        let bpgm = Bpgm::new(&"3".parse().unwrap(), dims, &"2".parse().unwrap(), BpgmForm::ClosedForm).unwrap();
        let cells = 100_000;
        let in_shell = |i: i32| {
            let r = (f64::from(i) + 0.5) * 2.0 / f64::from(cells);
            (bpgm.ln_density_of_idealisation(r) + ln_sphere_area(dims) + (dims as f64 - 1.0) * r.ln()).exp()
        };
        let mass: f64 = (0..cells).map(in_shell).sum::<f64>() * 2.0 / f64::from(cells);
        assert!((mass - 1.0).abs() < 1e-6, "d = {dims}: {mass}");
    }
}

#[test]
fn clients_with_too_little_noise_are_caught() {
    for (dims, mechanism, epsilon) in [
        (1, bpm(4.0), "2.4"),
        (1, nd_laplace(1, 2.4, Ending::Raw), "2.4"),
        (1, nd_laplace(1, 2.4, Ending::Clamped), "2.4"),
        (1, nd_laplace(1, 2.4, Ending::Grid { cells: 8 }), "2.4"),
        (1, Mechanism::LaplaceMetric, "2.4"),
        (1, Mechanism::Laplace, "2.4"),
        (2, bpm(4.0), "2.6"),
        (2, nd_laplace(2, 2.6, Ending::Raw), "2.6"),
    ] {
        let honest = CrowdPairs::new(client(mechanism.clone(), epsilon, dims));
        let claims = CrowdPairs::new(client(mechanism.clone(), "2", dims)).claims().to_vec();
        let mutant = honest.clone().claiming(claims);
        let (mut first, mut second) = (vec![WIDTH / 2; dims], vec![WIDTH / 2; dims]);
        (first[0], second[0]) = (0, WIDTH);
        let records = Records { first, second };
        let experiment = Experiment { runs: 60_000, alpha: 1e-6, randomness: Randomness::Seeded(5) };
        let audit = |pairs: &CrowdPairs| experiment.audit(&pairs.pair(&records).unwrap(), &|_| ()).unwrap();
        assert!(!audit(&honest).is_broken(), "{mechanism:?}");
        let found = audit(&mutant);
        assert!(found.is_broken(), "{mechanism:?} at {epsilon} passes for 2: {:?}", found.curve[0]);
    }
}

#[test]
fn a_claim_between_any_two_records_is_tested_as_well() {
    // BPM with a radius of a quarter allows a quarter of ε, however far apart two records are.
    let pairs = CrowdPairs::new(client(bpm(0.25), "4", 1));
    let corners = Records { first: vec![0], second: vec![WIDTH] };
    assert!((pairs.allowed(&corners) - 1.0).abs() < 1e-4);
    assert!((pairs.allowed(&Records { first: vec![0], second: vec![WIDTH / 10] }) - 0.4).abs() < 1e-4);
    let wider = CrowdPairs::new(client(bpm(0.5), "4", 1)).claiming(pairs.claims().to_vec());
    let experiment = Experiment { runs: 60_000, alpha: 1e-6, randomness: Randomness::Seeded(6) };
    let audit = |pairs: &CrowdPairs| experiment.audit(&pairs.pair(&corners).unwrap(), &|_| ()).unwrap();
    assert!(!audit(&pairs).is_broken() && audit(&wider).is_broken());
}

#[test]
fn pairs_stay_in_the_box_and_apart() {
    let mut noise = SeededNoise::new(7);
    for dims in [1, 2, 5] {
        let pairs = CrowdPairs::new(client(Mechanism::Laplace, "1", dims));
        let mut spec = pairs.catalogue().remove(0);
        assert_eq!(pairs.catalogue().len(), 5 + dims);
        for i in 0..1000 {
            spec = pairs.vary(&spec, &mut noise);
            assert_ne!(spec.first, spec.second, "{i}");
            assert!(spec.first.iter().chain(&spec.second).all(|v| (0..=WIDTH).contains(v)), "{spec:?}");
        }
    }
}

#[test]
fn every_target_comes_out_as_it_should_and_tells_its_work_beforehand() {
    for target in crowd::targets() {
        let made = AtomicUsize::new(0);
        let watch = |runs| {
            made.fetch_add(runs, Ordering::Relaxed);
        };
        let plan = Plan {
            effort: Effort::Quick,
            runs: Some(5000),
            epsilon: None,
            alpha: 1e-6,
            randomness: Randomness::Seeded(1),
            watch: &watch,
        };
        let lines = target.audit(&plan).unwrap();
        let name = target.info().name;
        assert_eq!(made.load(Ordering::Relaxed), target.work(&plan), "{name}");
        for line in &lines {
            assert!(line.as_expected(), "{line:#?}");
            if name == "bpgm" {
                assert!(line.verdict == Verdict::Broken && line.remark.contains("Use bpm"), "{line:#?}");
            }
        }
    }
}

/// Noise of a few steps of the lattice has jumps that a law of real numbers has not.
#[test]
fn steps_of_the_lattice_do_not_pass_for_a_fault() {
    for target in crowd::targets().iter().filter(|target| target.info().name == "laplace") {
        let randomness = Randomness::Seeded(3);
        let plan = Plan {
            effort: Effort::Quick,
            runs: Some(8000),
            epsilon: Some(50_000.0),
            alpha: 1e-6,
            randomness,
            watch: &|_| (),
        };
        let lines = target.audit(&plan).unwrap();
        assert!(lines.iter().any(|line| matches!(line.measure, Measure::SamplerLaw { .. })));
        lines.iter().for_each(|line| assert!(line.as_expected(), "{line:#?}"));
    }
}

#[test]
fn any_epsilon_is_audited_or_refused_in_words() {
    for target in crowd::targets() {
        for epsilon in [0.0, -1.0, f64::NAN, f64::INFINITY, 0.1, 12.5] {
            let randomness = Randomness::Seeded(2);
            // A broken promise takes some runs to show.
            let runs = if target.info().name == "bpgm" { 5000 } else { 400 };
            let plan = Plan {
                effort: Effort::Quick,
                runs: Some(runs),
                epsilon: Some(epsilon),
                alpha: 1e-6,
                randomness,
                watch: &|_| (),
            };
            match target.audit(&plan) {
                Ok(lines) => assert!(epsilon > 0.0 && lines.iter().all(|line| line.as_expected()), "{lines:#?}"),
                Err(why) => assert!(!(epsilon > 0.0 && epsilon.is_finite()), "ε = {epsilon}: {why}"),
            }
            target.work(&plan);
        }
    }
}
