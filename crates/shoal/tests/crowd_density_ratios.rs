//! The worst ratio of densities over dense grids of records and reports, against what is claimed; and the same for
//! BPGM, which must fail.
//!
//! On the lattice the probabilities have the very same exponents, and a sum of weights that does not depend on the
//! record, so these ratios are those of the samplers as well.

use shoal::crowd::client::{Bpgm, BpmLaw, choose_radius};
use shoal::crowd::{BpgmForm, Mechanism, NoiseLaw};
use shoal_privacy::Loss;

mod crowd_support;
use crowd_support::client;

/// ln of a density of a report at x on a record v, up to what is the same for all records.
type LnDensity<'a> = &'a dyn Fn(&[f64], &[f64]) -> f64;

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// Points of a grid with `per_axis` coordinates from `low` to `high` on each axis.
fn grid(dims: usize, low: f64, high: f64, per_axis: usize) -> Vec<Vec<f64>> {
    (0..per_axis.pow(dims as u32))
        .map(|mut index| {
            (0..dims)
                .map(|_| {
                    let i = index % per_axis;
                    index /= per_axis;
                    low + (high - low) * i as f64 / (per_axis - 1) as f64
                })
                .collect()
        })
        .collect()
}

/// The worst ln f(x | v)/f(x | v') over records of [0, 1]^d and reports up to `beyond` outside, in parts of what is
/// `allowed` between v and v'. Records are reports too, where ratios are largest.
fn worst_part(dims: usize, beyond: f64, ln_density: LnDensity, allowed: &dyn Fn(&[f64], &[f64]) -> f64) -> f64 {
    let (records_per_axis, reports_per_axis) = [(41, 401), (7, 25), (5, 11)][dims - 1];
    let records = grid(dims, 0.0, 1.0, records_per_axis);
    let mut reports = grid(dims, -beyond, 1.0 + beyond, reports_per_axis);
    reports.extend(records.iter().cloned());
    let mut worst = 0.0_f64;
    for x in &reports {
        let of_records: Vec<f64> = records.iter().map(|v| ln_density(x, v)).collect();
        for (v, f) in records.iter().zip(&of_records) {
            for (w, g) in records.iter().zip(&of_records) {
                if v != w && f > g {
                    worst = worst.max((f - g) / allowed(v, w));
                }
            }
        }
    }
    worst
}

/// What a client claims: per unit of distance, and between any two records.
fn claimed(mechanism: Mechanism, epsilon: &str, dims: usize) -> (f64, f64) {
    let promises = client(mechanism, epsilon, dims).promises();
    let claims: Vec<_> = promises.guarantee.claim().into_iter().chain(&promises.also).collect();
    let find = |per_distance: bool| {
        claims
            .iter()
            .find_map(|claim| match &claim.loss {
                Loss::PerDistance(epsilon) if per_distance => Some(epsilon.to_f64_up()),
                Loss::Pure(epsilon) if !per_distance => Some(epsilon.to_f64_up()),
                _ => None,
            })
            .unwrap()
    };
    (find(true), find(false))
}

/// The density that a server is told, of a client at a rate changed by a factor.
fn told(mechanism: Mechanism, epsilon: &str, dims: usize, factor: f64) -> Box<dyn Fn(&[f64], &[f64]) -> f64> {
    match client(mechanism, epsilon, dims).noise_law().unwrap() {
        NoiseLaw::Radial { rate, radius } => {
            let law = BpmLaw { dims, rate: rate * factor, radius };
            let (top, slope) = (law.ln_lambda(), law.ln_density(radius) - law.ln_lambda());
            Box::new(move |x, v| top + slope * (distance(x, v) / radius).min(1.0))
        }
        NoiseLaw::PerAttribute { scale } => {
            Box::new(move |x, v| -factor / scale * x.iter().zip(v).map(|(x, v)| (x - v).abs()).sum::<f64>())
        }
    }
}

/// The mechanisms with a promise, and how far from the box their reports are looked at.
fn sound(dims: usize) -> Vec<(Mechanism, f64)> {
    let steps = |radius| choose_radius::given(radius).steps;
    vec![
        (Mechanism::Bpm { radius_steps: steps(0.3) }, 0.3),
        (Mechanism::Bpm { radius_steps: steps(4.0) }, 4.0),
        (
            Mechanism::NdLaplace {
                radius_steps: choose_radius::nd_laplace(dims, 1.5).steps,
                ending: shoal::crowd::Ending::Raw,
            },
            2.0,
        ),
        (Mechanism::Laplace, 2.0),
        (Mechanism::LaplaceMetric, 2.0),
    ]
}

#[test]
fn no_ratio_is_above_the_claims_and_some_reach_them() {
    for dims in 1..=3 {
        for (mechanism, beyond) in sound(dims) {
            let (per_distance, any_two) = claimed(mechanism.clone(), "1.5", dims);
            let test = |factor| {
                let density = told(mechanism.clone(), "1.5", dims, factor);
                let by_distance = worst_part(dims, beyond, &density, &|v, w| per_distance * distance(v, w));
                let by_any = worst_part(dims, beyond, &density, &|_, _| any_two);
                (by_distance, by_any)
            };
            let (by_distance, by_any) = test(1.0);
            println!("{mechanism:?}, d = {dims}: {by_distance:.6} per distance, {by_any:.6} any two");
            assert!(by_distance < 1.0 + 1e-9 && by_any < 1.0 + 1e-9, "{mechanism:?} at d = {dims}");
            // Both claims are tight: reports at a record, on an axis, at a corner.
            assert!(by_distance > 0.999, "{mechanism:?} at d = {dims}: {by_distance}");
            assert!(by_any > 0.999, "{mechanism:?} at d = {dims}: {by_any}");
            let mutant = test(1.1);
            assert!(mutant.0 > 1.05 && mutant.1 > 1.05, "{mechanism:?} at d = {dims} with rate × 1.1: {mutant:?}");
        }
    }
}

#[test]
fn bpm_loses_no_more_than_its_radius_allows() {
    for dims in 1..=3 {
        let (rate, radius) = (1.5, 0.3);
        let steps = choose_radius::given(radius).steps;
        let bound = |v: &[f64], w: &[f64]| rate * distance(v, w).min(radius + 1e-4);
        let density = told(Mechanism::Bpm { radius_steps: steps }, "1.5", dims, 1.0);
        let worst = worst_part(dims, radius, &density, &bound);
        assert!((0.999..=1.0 + 1e-9).contains(&worst), "d = {dims}: {worst}");
        for mutant in [
            told(Mechanism::Bpm { radius_steps: steps }, "1.5", dims, 1.1),
            told(Mechanism::Bpm { radius_steps: steps * 11 / 10 }, "1.5", dims, 1.0),
        ] {
            assert!(worst_part(dims, radius, &mutant, &bound) > 1.05, "d = {dims}");
        }
    }
}

#[test]
fn bpgm_fails_the_test_that_the_others_pass() {
    for dims in 1..=3 {
        let bpgm = Bpgm::new(&"1.5".parse().unwrap(), dims, &"1".parse().unwrap(), BpgmForm::ClosedForm).unwrap();
        let density = |x: &[f64], v: &[f64]| bpgm.ln_density_of_idealisation(distance(x, v));
        let worst = worst_part(dims, 1.0, &density, &|v, w| 1.5 * distance(v, w));
        assert_eq!(worst, f64::INFINITY, "d = {dims}: the support moves with the record");
        // Without the rim, the singularity at the record is enough from d = 2 on.
        let far_bound = Bpgm::new(&"1.5".parse().unwrap(), dims, &"100".parse().unwrap(), BpgmForm::Adam).unwrap();
        let off_record = |x: &[f64], v: &[f64]| far_bound.ln_density_of_idealisation(distance(x, v).max(1e-3));
        let inside = worst_part(dims, 1.0, &off_record, &|v, w| 1.5 * distance(v, w));
        println!("BPGM without its rim, d = {dims}: {inside:.2} times what is allowed");
        assert_eq!(inside > 1.0 + 1e-9, dims > 1, "d = {dims}: {inside}");
    }
}

#[test]
fn bpgm_at_four_dimensions_is_off_by_a_hundred() {
    let bpgm = Bpgm::new(&"1".parse().unwrap(), 4, &"1".parse().unwrap(), BpgmForm::ClosedForm).unwrap();
    let ratio = bpgm.ln_density_of_idealisation(0.001) - bpgm.ln_density_of_idealisation(0.1);
    println!("log-ratio {ratio:.2} where 0.10 is allowed");
    assert!((ratio - 13.9).abs() < 0.05, "{ratio}");
}

#[test]
fn the_idealised_density_of_bpgm_sums_to_one() {
    for dims in [1, 2, 3, 10] {
        let bpgm = Bpgm::new(&"3".parse().unwrap(), dims, &"2".parse().unwrap(), BpgmForm::ClosedForm).unwrap();
        let area = shoal::crowd::client::bpm_law::ln_sphere_area(dims);
        let cells = 100_000;
        let mass: f64 = (0..cells)
            .map(|i| {
                let r = (f64::from(i) + 0.5) * 2.0 / f64::from(cells);
                (bpgm.ln_density_of_idealisation(r) + area + (dims as f64 - 1.0) * r.ln()).exp() * 2.0
                    / f64::from(cells)
            })
            .sum();
        assert!((mass - 1.0).abs() < 1e-6, "d = {dims}: {mass}");
    }
}
