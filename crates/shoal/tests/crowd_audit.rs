//! Audits of the clients as they run: reports on two records are told apart as well as an event can tell them, and a
//! lower bound on the loss that this shows must not be above what is promised for their distance.

use shoal::crowd::client::choose_radius;
use shoal::crowd::{BpgmForm, Client, Ending, Mechanism, Sampler};

mod audit_support;
mod crowd_support;
use audit_support::clopper_pearson;
use crowd_support::{M, client, design, reports};

/// Chance of error of each of the two one-sided bounds.
const ALPHA: f64 = 0.5e-6;
/// Reports per record.
const RUNS: usize = 60_000;

/// The largest loss that is certain between two sets of reports, each summed up as one number that is larger the more a
/// report speaks for the first record. The event is "the number is at least t", with t chosen on the first halves and
/// tested on the second.
fn certain_loss(first: &[f64], second: &[f64]) -> f64 {
    let half = first.len() / 2;
    let share = |of: &[f64], t: f64| of.iter().filter(|&&s| s >= t).count();
    let mut thresholds = first[..half].to_vec();
    thresholds.sort_by(f64::total_cmp);
    thresholds.dedup();
    let step = (thresholds.len() / 200).max(1);
    let tried = |t: f64, from: &[f64], against: &[f64]| {
        let low = clopper_pearson(share(from, t), from.len(), false, ALPHA);
        let high = clopper_pearson(share(against, t), against.len(), true, ALPHA);
        (low / high).ln()
    };
    let best = thresholds
        .iter()
        .step_by(step)
        .map(|&t| (t, tried(t, &first[..half], &second[..half])))
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .unwrap()
        .0;
    tried(best, &first[half..], &second[half..])
}

fn distance(a: &[i64], b: &[i64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| ((a - b) as f64 / M as f64).powi(2)).sum::<f64>().sqrt()
}

/// An audit of one client between two records: the certain loss under the better of two scores, nearness and log-ratio.
fn audit(client: &Client, v: &[i64], w: &[i64], seed: u64) -> f64 {
    let (on_v, on_w) = (reports(client, v, RUNS, seed), reports(client, w, RUNS, seed + 1));
    let mut worst = f64::NEG_INFINITY;
    for score in [
        (|x, v, w| distance(x, w) - distance(x, v)) as fn(&[i64], &[i64], &[i64]) -> f64,
        |x, v, _| -distance(x, v),
        // Beyond the reach of the other record.
        |x, _, w| distance(x, w),
    ] {
        let scores = |of: &[Vec<i64>]| of.iter().map(|x| score(x, v, w)).collect::<Vec<_>>();
        worst = worst.max(certain_loss(&scores(&on_v), &scores(&on_w)));
    }
    worst
}

/// Pairs of records at several distances.
fn pairs(dims: usize) -> Vec<(Vec<i64>, Vec<i64>)> {
    let middle = vec![M / 2; dims];
    let moved = |by: i64| {
        let mut point = middle.clone();
        point[0] += by;
        point
    };
    vec![(vec![0; dims], vec![M; dims]), (moved(-M / 4), moved(M / 4)), (middle.clone(), moved(M / 10))]
}

fn bpm(radius: f64) -> Mechanism {
    Mechanism::Bpm { radius_steps: choose_radius::given(radius).steps }
}

fn nd_laplace(dims: usize, epsilon: f64, ending: Ending) -> Mechanism {
    Mechanism::NdLaplace { radius_steps: choose_radius::nd_laplace(dims, epsilon).steps, ending }
}

#[test]
fn reports_lose_no_more_than_promised_for_the_distance() {
    for dims in [1, 2] {
        for (mechanism, epsilon) in [
            (bpm(4.0), "4"),
            (bpm(0.25), "4"),
            (nd_laplace(dims, 4.0, Ending::Raw), "4"),
            (nd_laplace(dims, 4.0, Ending::Clamped), "4"),
            (nd_laplace(dims, 4.0, Ending::Grid { cells: 8 }), "4"),
            (Mechanism::LaplaceMetric, "4"),
        ] {
            let rate: f64 = epsilon.parse().unwrap();
            let radius = if mechanism == bpm(0.25) { 0.25 } else { f64::INFINITY };
            for sampler in [Sampler::Exact, Sampler::Doubles] {
                let device = Client::new(&design(mechanism.clone(), epsilon, dims, sampler)).unwrap();
                for (i, (v, w)) in pairs(dims).iter().enumerate() {
                    let allowed = rate * distance(v, w).min(radius);
                    let certain = audit(&device, v, w, 100 + 10 * i as u64);
                    assert!(certain <= allowed, "{mechanism:?}, d = {dims}, {v:?} and {w:?}: {certain} > {allowed}");
                }
            }
        }
    }
}

#[test]
fn clients_with_too_little_noise_are_caught() {
    for (dims, mechanism, epsilon, claimed) in [
        (1, bpm(4.0), "2.4", 2.0),
        (1, nd_laplace(1, 2.4, Ending::Raw), "2.4", 2.0),
        (1, nd_laplace(1, 2.4, Ending::Clamped), "2.4", 2.0),
        (1, Mechanism::LaplaceMetric, "2.4", 2.0),
        (2, bpm(4.0), "2.6", 2.0),
        (2, nd_laplace(2, 2.6, Ending::Raw), "2.6", 2.0),
    ] {
        let device = client(mechanism.clone(), epsilon, dims);
        let (mut v, mut w) = (vec![M / 2; dims], vec![M / 2; dims]);
        (v[0], w[0]) = (0, M);
        let certain = audit(&device, &v, &w, 500);
        assert!(certain > claimed, "{mechanism:?} at {epsilon} passes for {claimed}: {certain}");
    }
}

#[test]
fn bpgm_is_caught() {
    for dims in [1, 2] {
        for form in [BpgmForm::Adam, BpgmForm::ClosedForm] {
            let device = client(Mechanism::Bpgm { bound: "1".parse().unwrap(), form }, "1", dims);
            let (mut v, w) = (vec![M / 2; dims], vec![M / 2; dims]);
            v[0] += M / 4;
            let certain = audit(&device, &v, &w, 900);
            assert!(certain > 1.0, "{form:?}, d = {dims}: {certain}");
        }
    }
}

#[test]
fn the_bounds_of_the_audit_are_clopper_and_pearson_s() {
    // Closed forms at the ends.
    let n = 1000;
    assert!((clopper_pearson(0, n, true, ALPHA) - (1.0 - ALPHA.powf(1.0 / n as f64))).abs() < 1e-9);
    assert!((clopper_pearson(n, n, false, ALPHA) - ALPHA.powf(1.0 / n as f64)).abs() < 1e-9);
    assert!(clopper_pearson(500, n, false, ALPHA) < 0.43 && clopper_pearson(500, n, true, ALPHA) > 0.57);
}
