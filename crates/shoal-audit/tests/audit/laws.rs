//! Tests of samplers' laws: those of Shoal pass, and each mutant is rejected.

use rayon::prelude::*;
use shoal_audit::law::{coordinates, inside};
use shoal_audit::report::LawTest;
use shoal_audit::{Measure, Verdict};
use shoal_device::{BpmLaw, choose_radius};
use shoal_device::{Client, Design, Ending, Mechanism, Sampler};
use shoal_lattice::STEPS;
use shoal_lattice::{Bounds, Interval};
use shoal_noise::{NoiseSource, SeededNoise, uniform};

const RUNS: usize = 12_000;
const ALPHA: f64 = 1e-6;

/// Reports, in widths, on one record.
fn reports(mechanism: Mechanism, epsilon: &str, sampler: Sampler, record: &[f64], seed: u64) -> Vec<Vec<f64>> {
    let dims = record.len();
    let columns = (0..dims).map(|i| format!("a{i}")).collect();
    let bounds = Bounds::new(columns, vec![Interval::new(0.0, 1.0).unwrap(); dims]).unwrap();
    let design = Design::new(mechanism, epsilon.parse().unwrap(), bounds).unwrap().with_sampler(sampler);
    let client = Client::new(&design).unwrap();
    let record: Vec<i64> = record.iter().map(|v| (v * STEPS as f64).round() as i64).collect();
    let part = |part: u64| {
        let mut noise = SeededNoise::new(seed).fork(part);
        let mut report = vec![0; dims];
        let one = |_| {
            client.report(&record, &mut noise, &mut report);
            report.iter().map(|x| *x as f64 / STEPS as f64).collect::<Vec<_>>()
        };
        (0..RUNS / 20).map(one).collect::<Vec<_>>()
    };
    (0..20).into_par_iter().flat_map_iter(part).collect()
}

fn record(dims: usize) -> Vec<f64> {
    (0..dims).map(|i| [0.0, 0.3, 0.5, 1.0][i % 4]).collect()
}

fn verdict(tests: Vec<LawTest>) -> (Verdict, String) {
    let worst = tests.iter().min_by(|a, b| a.p_value.total_cmp(&b.p_value)).map(|test| format!("{test:?}"));
    (Measure::SamplerLaw { tests, runs: RUNS, alpha: ALPHA }.verdict(), worst.unwrap())
}

fn accept(what: &str, tests: Vec<LawTest>) {
    let (verdict, worst) = verdict(tests);
    assert_eq!(verdict, Verdict::NotBroken, "{what}: {worst}");
}

fn reject(what: &str, tests: Vec<LawTest>) {
    let (verdict, worst) = verdict(tests);
    assert_eq!(verdict, Verdict::Broken, "{what} passes: {worst}");
}

/// A radius with most reports inside and enough outside.
fn radius(dims: usize) -> f64 {
    let inside = |radius| BpmLaw { dims, rate: 4.0, radius }.p_inside();
    (1..).map(|i| 0.05 * f64::from(i)).find(|radius| inside(*radius) > 0.8).unwrap()
}

#[test]
fn bpm_has_its_law_and_neighbouring_laws_are_rejected() {
    for dims in [1, 2, 4, 8] {
        let steps = choose_radius::given(radius(dims)).steps;
        let law = BpmLaw { dims, rate: 4.0, radius: steps as f64 / STEPS as f64 };
        let v = record(dims);
        for sampler in [Sampler::Exact, Sampler::Doubles] {
            let of = |epsilon: &str, steps| reports(Mechanism::Bpm { radius_steps: steps }, epsilon, sampler, &v, 7);
            let what = format!("d = {dims}, {sampler:?}");
            accept(&what, inside::tests(&law, &v, &of("4", steps)));
            reject(&format!("{what}, rate × 1.1"), inside::tests(&law, &v, &of("4.4", steps)));
            reject(&format!("{what}, rate × 0.9"), inside::tests(&law, &v, &of("3.6", steps)));
            reject(&format!("{what}, radius × 1.1"), inside::tests(&law, &v, &of("4", steps * 11 / 10)));
        }
    }
}

#[test]
fn nd_laplace_has_its_law_and_that_of_a_dimension_more_is_rejected() {
    for dims in [1, 2, 8] {
        let of = |dims: usize| {
            let radius_steps = choose_radius::nd_laplace(dims, 4.0).steps;
            let mechanism = Mechanism::NdLaplace { radius_steps, ending: Ending::Raw };
            let law = BpmLaw { dims, rate: 4.0, radius: radius_steps as f64 / STEPS as f64 };
            (law, reports(mechanism, "4", Sampler::Exact, &record(dims), 8))
        };
        let (law, drawn) = of(dims);
        accept(&format!("d = {dims}"), inside::tests(&law, &record(dims), &drawn));
        let cut: Vec<Vec<f64>> = of(dims + 1).1.iter().map(|x| x[..dims].to_vec()).collect();
        reject(&format!("d = {dims}, off by one"), inside::tests(&law, &record(dims), &cut));
    }
}

/// The moves of right reports, changed.
fn changed(drawn: &[Vec<f64>], v: &[f64], mut change: impl FnMut(&mut [f64])) -> Vec<Vec<f64>> {
    let one = |x: &Vec<f64>| {
        let mut z: Vec<f64> = x.iter().zip(v).map(|(x, v)| x - v).collect();
        change(&mut z);
        z.iter().zip(v).map(|(z, v)| z + v).collect()
    };
    drawn.iter().map(one).collect()
}

fn norm(z: &[f64]) -> f64 {
    z.iter().map(|z| z * z).sum::<f64>().sqrt()
}

#[test]
fn wrong_directions_at_right_distances_are_rejected() {
    for dims in [2, 4, 8] {
        let radius_steps = choose_radius::nd_laplace(dims, 4.0).steps;
        let mechanism = Mechanism::NdLaplace { radius_steps, ending: Ending::Raw };
        let law = BpmLaw { dims, rate: 4.0, radius: radius_steps as f64 / STEPS as f64 };
        let v = record(dims);
        let drawn = reports(mechanism, "4", Sampler::Exact, &v, 9);
        let mut noise = SeededNoise::new(10);
        let mut at_same_distance = |direction: &mut dyn FnMut(&mut SeededNoise, &mut [f64])| {
            let wrong = changed(&drawn, &v, |z| {
                let r = norm(z);
                direction(&mut noise, z);
                let stretch = r / norm(z).max(1e-12);
                z.iter_mut().for_each(|z| *z *= stretch);
            });
            inside::tests(&law, &v, &wrong)
        };
        let what = |what: &str| format!("d = {dims}, {what}");
        let fresh = at_same_distance(&mut |s, z| z.iter_mut().for_each(|z| *z = uniform::normal_f64(s)));
        accept(&what("fresh normals"), fresh);
        let cube = at_same_distance(&mut |s, z| z.iter_mut().for_each(|z| *z = 2.0 * uniform::unit_f64(s) - 1.0));
        reject(&what("a normalised point of a cube"), cube);
        reject(&what("a missing sign"), at_same_distance(&mut |_, z| z[dims - 1] = z[dims - 1].abs()));
        reject(&what("a coordinate that is not randomised"), at_same_distance(&mut |_, z| z[0] = 0.0));
        reject(&what("one coordinate twice"), at_same_distance(&mut |_, z| z[0] = z[1]));
        reject(&what("signs that agree"), at_same_distance(&mut |_, z| z[0] = z[0].abs() * z[1].signum()));
    }
}

#[test]
fn reports_beyond_the_radius_must_be_uniform() {
    let (dims, v) = (2, [0.0, 0.3]);
    let law = BpmLaw { dims, rate: 2.0, radius: 0.5 };
    let mechanism = Mechanism::Bpm { radius_steps: choose_radius::given(0.5).steps };
    let drawn = reports(mechanism, "2", Sampler::Exact, &v, 11);
    accept("as drawn", inside::tests(&law, &v, &drawn));
    let beyond = drawn.iter().filter(|x| norm(&[x[0] - v[0], x[1] - v[1]]) > 0.5).count();
    assert!(beyond > RUNS / 4, "{beyond}");
    let wrong = changed(&drawn, &v, |z| {
        // Pushed outwards along the first attribute, where there is room.
        if norm(z) > 0.5 && z[0] > 0.5 && z[0] < 1.3 {
            z[0] += 0.2;
        }
    });
    reject("pushed outwards", inside::tests(&law, &v, &wrong));
}

#[test]
fn independent_laplace_noise_has_its_law() {
    for (dims, mechanism) in [(4, Mechanism::Laplace), (4, Mechanism::LaplaceMetric), (8, Mechanism::Laplace)] {
        let scale = if mechanism == Mechanism::Laplace { dims as f64 / 4.0 } else { (dims as f64).sqrt() / 4.0 };
        let v = record(dims);
        let drawn = reports(mechanism, "4", Sampler::Exact, &v, 12);
        let tests = |drawn: &[Vec<f64>], scale| {
            let moves: Vec<Vec<f64>> = drawn.iter().map(|x| x.iter().zip(&v).map(|(x, v)| x - v).collect()).collect();
            coordinates::tests(dims, scale, &moves)
        };
        accept("as drawn", tests(&drawn, scale));
        reject("scale × 1.1", tests(&drawn, scale * 1.1));
        reject("scale × 0.9", tests(&drawn, scale * 0.9));
        reject("a missing sign", tests(&changed(&drawn, &v, |z| z[3] = z[3].abs()), scale));
        reject("a coordinate in the clear", tests(&changed(&drawn, &v, |z| z[3] = 0.0), scale));
        reject("shared noise", tests(&changed(&drawn, &v, |z| z[0] = z[3]), scale));
        reject("shared sizes", tests(&changed(&drawn, &v, |z| z[0] = z[3].abs() * z[0].signum()), scale));
        reject("shared signs", tests(&changed(&drawn, &v, |z| z[0] = z[0].abs() * z[3].signum()), scale));
    }
}
