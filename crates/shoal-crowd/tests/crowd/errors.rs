//! Standard errors are as large as errors are, and a result that is too noisy says so.

use rayon::prelude::*;
use shoal_crowd::server::noise_aware::{Estimate, NoiseAware, Width};
use shoal_crowd::server::{Clusters, kmeans_on_reports, with_simulated_error};
use shoal_device::BpmLaw;
use shoal_device::NoiseLaw;
use shoal_kernel::Restarts;
use shoal_lattice::Widths;
use shoal_noise::SeededNoise;

use crate::crowd_support::server::{Groups, NAMES, matched, noisy_client, normal, places, reported, reports_on, rms};

const CROWDS: u64 = 80;

/// Errors of centres and of shares in units of the stated ones, over many crowds, and the mean stated one of centres.
struct Scatter {
    centres: Vec<f64>,
    shares: Vec<f64>,
    stated: f64,
    /// Errors of centres, in widths.
    errors: Vec<f64>,
}

fn scatter(groups: &Groups, which: usize, epsilon: u32, count: usize, width: Width) -> Scatter {
    let (client, law) = noisy_client(which, epsilon, groups.dims());
    let found: Vec<Clusters> = (0..CROWDS)
        .into_par_iter()
        .map(|seed| {
            let (_, points) = reported(groups, count, &client, 1000 + seed);
            let how = NoiseAware { width, starts: 6, ..NoiseAware::new(groups.places.len()) };
            how.cluster(&points, law, &mut SeededNoise::new(seed))
        })
        .collect();
    let mut all = Scatter { centres: Vec::new(), shares: Vec::new(), stated: 0.0, errors: Vec::new() };
    for found in &found {
        for (j, of) in matched(&groups.places, &places(&found.centres)).into_iter().enumerate() {
            for (i, truth) in groups.places[j].iter().enumerate() {
                let error = found.centres[of][i].0 - truth;
                all.errors.push(error);
                all.centres.push(error / found.centre_errors[of][i].0);
                all.stated += found.centre_errors[of][i].0;
            }
            all.shares.push((found.shares[of] - groups.shares[j]) / found.share_errors[of]);
        }
    }
    all.stated /= all.centres.len() as f64;
    all
}

/// Whether errors in units of stated ones are about as large as those.
fn honest(errors: &[f64]) -> bool {
    (0.7..1.4).contains(&rms(errors))
}

fn check(name: &str, found: &Scatter) {
    assert!(honest(&found.centres), "{name}: centres {}", rms(&found.centres));
    // Mutants: half and twice the error.
    for factor in [0.5, 2.0] {
        assert!(!honest(&found.centres.iter().map(|z| z / factor).collect::<Vec<_>>()), "{name}: {factor}");
    }
}

/// k-means on reports is off by far more than a mean of reports is: what a simulation adds makes up for it.
#[test]
fn errors_of_kmeans_have_the_noise_in_them() {
    let groups = Groups::alike(&[&[0.2, 0.25], &[0.8, 0.3], &[0.45, 0.8]], 0.03);
    let (client, _) = noisy_client(0, 5, 2);
    let how = Restarts { clusters: 3, restarts: 5, iterations: 50 };
    let (mut plain, mut simulated) = (Vec::new(), Vec::new());
    for seed in 0..20 {
        let (_, points) = reported(&groups, 3000, &client, 300 + seed);
        let mut noise = SeededNoise::new(seed);
        let found = kmeans_on_reports(&points, &how, &mut noise);
        let with = with_simulated_error(found.clone(), &client, points.rows(), &mut noise, |p, r| {
            kmeans_on_reports(p, &how, r)
        });
        assert_eq!(with.centres, found.centres, "only errors change");
        for (j, of) in matched(&groups.places, &places(&found.centres)).into_iter().enumerate() {
            for (i, truth) in groups.places[j].iter().enumerate() {
                let error = found.centres[of][i].0 - truth;
                plain.push(error / found.centre_errors[of][i].0);
                simulated.push(error / with.centre_errors[of][i].0);
            }
        }
    }
    assert!(rms(&plain) > 5.0, "what the simulation is there for: {}", rms(&plain));
    assert!((0.3..2.0).contains(&rms(&simulated)), "{}", rms(&simulated));
}

/// Clusters are seldom round. Errors that take them for round were a fifteenth and three times what they are here.
#[test]
fn centres_of_long_clusters_scatter_as_stated() {
    let truth = [[0.25, 0.4], [0.75, 0.6]];
    for epsilon in [12, 40] {
        let (client, law) = noisy_client(0, epsilon, 2);
        let found: Vec<[f64; 2]> = (0..CROWDS)
            .into_par_iter()
            .map(|seed| {
                let mut noise = SeededNoise::new(7000 + seed);
                let records: Vec<f64> = (0..2000)
                    .flat_map(|row| {
                        let place = truth[row % 2];
                        [place[0] + 0.02 * normal(&mut noise), place[1] + 0.12 * normal(&mut noise)]
                    })
                    .map(|x| x.clamp(0.0, 1.0))
                    .collect();
                let points = reports_on(&records, &client, &mut noise);
                let found = NoiseAware::new(2).cluster(&points, law, &mut noise);
                let [a, b] = *matched(&truth.map(|p| p.to_vec()), &places(&found.centres)) else { unreachable!() };
                let along = |i: usize| {
                    [a, b]
                        .iter()
                        .zip(truth)
                        .map(|(&j, p)| (found.centres[j][i].0 - p[i]) / found.centre_errors[j][i].0)
                        .sum::<f64>()
                        / 2f64.sqrt()
                };
                [along(0), along(1)]
            })
            .collect();
        for i in 0..2 {
            let errors: Vec<f64> = found.iter().map(|found| found[i]).collect();
            assert!(honest(&errors), "ε = {epsilon}, attribute {i}: {}", rms(&errors));
            for factor in [0.5, 2.0] {
                assert!(!honest(&errors.iter().map(|z| z / factor).collect::<Vec<_>>()), "{i}: {factor}");
            }
        }
    }
}

fn three() -> Groups {
    let groups = Groups::alike(&[&[0.2, 0.25], &[0.8, 0.3], &[0.45, 0.8]], 0.0);
    Groups { shares: vec![0.4, 0.35, 0.25], ..groups }
}

#[test]
fn centres_scatter_as_stated() {
    for which in [0, 2, 4] {
        check(NAMES[which], &scatter(&three(), which, 6, 2000, Width::None));
    }
}

/// With one attribute the density has no curvature but at its tip, where no report is.
#[test]
fn centres_scatter_as_stated_in_one_attribute() {
    let groups = Groups { shares: vec![0.6, 0.4], ..Groups::alike(&[&[0.2], &[0.8]], 0.0) };
    for which in [0, 3] {
        check(NAMES[which], &scatter(&groups, which, 6, 2000, Width::None));
    }
}

/// Three clusters far apart: the share of one is a proportion of n, whose error is √(w(1 − w)/n).
#[test]
fn shares_scatter_as_stated() {
    for (which, epsilon) in [(2, 20), (0, 6)] {
        let found = scatter(&three(), which, epsilon, 2000, Width::None);
        assert!(honest(&found.shares), "{}: {}", NAMES[which], rms(&found.shares));
    }
}

#[test]
fn centres_of_wide_clusters_scatter_as_stated() {
    let groups = Groups { widths: vec![0.06; 3], ..three() };
    check("wide clusters", &scatter(&groups, 2, 10, 2000, Width::Shared));
}

/// What errors would be were it known which report belongs to which cluster: too small, so that part of them is missed.
#[test]
fn errors_that_forget_the_overlap_are_too_small() {
    let groups = Groups::alike(&[&[0.37, 0.42], &[0.63, 0.58]], 0.0);
    let found = scatter(&groups, 2, 6, 2000, Width::None);
    check("overlap", &found);
    let (_, law) = noisy_client(2, 6, 2);
    let NoiseLaw::Radial { rate, radius } = law else { unreachable!() };
    let information = BpmLaw { dims: 2, rate, radius }.information();
    let forgetful = 1.0 / (1000.0 * information).sqrt();
    let as_stated: Vec<f64> = found.errors.iter().map(|error| error / forgetful).collect();
    assert!(!honest(&as_stated) && rms(&as_stated) > 1.4, "{}", rms(&as_stated));
}

#[test]
fn errors_shrink_with_the_root_of_the_crowd() {
    let groups = three();
    for which in [0, 4] {
        let (client, law) = noisy_client(which, 8, 2);
        let stated: Vec<f64> = [1500, 6000, 24_000]
            .into_iter()
            .map(|count| {
                let (_, points) = reported(&groups, count, &client, 9);
                let estimate = Estimate::Mode;
                let how = NoiseAware { width: Width::None, starts: 6, estimate, ..NoiseAware::new(3) };
                let found = how.cluster(&points, law, &mut SeededNoise::new(2));
                rms(&Widths::numbers(&found.centre_errors.concat()))
            })
            .collect();
        for pair in stated.windows(2) {
            let ratio = pair[0] / pair[1];
            assert!((1.7..2.35).contains(&ratio), "{}: four times the reports, {ratio} times less", NAMES[which]);
        }
    }
}

#[test]
fn a_result_that_drowns_says_so() {
    let places: [&[f64]; 3] = [&[0.2, 0.2, 0.3, 0.8], &[0.8, 0.3, 0.7, 0.7], &[0.3, 0.8, 0.8, 0.2]];
    let groups = Groups::alike(&places, 0.03);
    // Not BPM with a radius of 0.5, which says less: in four attributes most of its reports are uniform on the box.
    for which in [0, 2, 3, 4] {
        let drowned = |count: usize, epsilon: &str, seed: u64| {
            let rate: f64 = epsilon.parse().unwrap();
            let mechanism = crate::crowd_support::server::mechanisms(4, rate)[which].clone();
            let client = crate::crowd_support::client(mechanism, epsilon, 4);
            let (_, points) = reported(&groups, count, &client, seed);
            let law = client.noise_law().unwrap();
            NoiseAware::new(3).cluster(&points, law, &mut SeededNoise::new(seed)).drowned()
        };
        for seed in 0..3 {
            assert!(drowned(60, "0.5", seed), "{}: sixty people at ε = 0.5, seed {seed}", NAMES[which]);
        }
        assert!(!drowned(3000, "16", 1), "{}: three thousand at ε = 16", NAMES[which]);
    }
}

#[test]
fn one_cluster_has_nothing_to_drown() {
    let (client, law) = noisy_client(0, 1, 2);
    let (_, points) = reported(&three(), 30, &client, 1);
    let found = NoiseAware::new(1).cluster(&points, law, &mut SeededNoise::new(1));
    assert!(!found.drowned());
    assert!(found.centre_errors[0].iter().all(|error| error.0.is_finite() && error.0 > 0.0));
}
