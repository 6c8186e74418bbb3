//! Pooled centres are better than the most likely ones where reports carry little information, and no worse than one centre.

use shoal_crowd::server::noise_aware::{Criterion, Estimate, NoiseAware, choose_k};
use shoal_noise::{SeededNoise, uniform};

use crate::crowd_support::server::{Groups, nicv, noisy_client, places, reported, reports_on, shuffled};

fn four() -> Groups {
    let places: [&[f64]; 4] = [&[0.2, 0.25, 0.7], &[0.8, 0.3, 0.4], &[0.45, 0.8, 0.2], &[0.7, 0.75, 0.8]];
    Groups::alike(&places, 0.05)
}

/// The mean cost of the records over several crowds, for the most likely centres, the pooled ones, and one centre.
fn costs(count: usize, epsilon: u32, crowds: u64) -> [f64; 3] {
    let (client, law) = noisy_client(0, epsilon, 3);
    let mut sums = [0.0; 3];
    for seed in 0..crowds {
        let (records, points) = reported(&four(), count, &client, 700 + seed);
        let ways = [(4, Estimate::Mode), (4, Estimate::Pooled), (1, Estimate::Auto)];
        for (sum, (k, estimate)) in sums.iter_mut().zip(ways) {
            let how = NoiseAware { starts: 6, estimate, ..NoiseAware::new(k) };
            let found = how.cluster(&points, law, &mut SeededNoise::new(seed));
            *sum += nicv(&records, &places(&found.centres)) / crowds as f64;
        }
    }
    sums
}

/// The mutant that the second comparison rejects is the mode itself.
#[test]
fn pooled_centres_cost_less_where_reports_carry_little() {
    let [mode, pooled, one] = costs(400, 1, 8);
    assert!(pooled < 0.95 * mode, "pooled {pooled}, mode {mode}");
    assert!(pooled < one, "pooled {pooled}, one {one}");
    let [mode, pooled, one] = costs(60, 1, 8);
    assert!(pooled < 1.02 * one, "sixty people: pooled {pooled}, one {one}, mode {mode}");
}

#[test]
fn with_many_reports_nothing_is_pooled_and_nothing_changes() {
    let (client, law) = noisy_client(0, 16, 3);
    let (_, points) = reported(&four(), 4000, &client, 3);
    let fit = |estimate| {
        let how = NoiseAware { starts: 4, estimate, ..NoiseAware::new(4) };
        how.cluster(&points, law, &mut SeededNoise::new(1))
    };
    let (mode, auto, pooled) = (fit(Estimate::Mode), fit(Estimate::Auto), fit(Estimate::Pooled));
    assert_eq!(mode, auto);
    assert!(pooled.pooled_from.is_some() && mode.pooled_from.is_none());
    for (a, b) in places(&mode.centres).concat().iter().zip(places(&pooled.centres).concat()) {
        assert!((a - b).abs() < 0.01, "{a} {b}");
    }
}

/// The same reports give the same centres, whatever the threads; other reports other ones.
#[test]
fn the_reports_determine_the_pooled_centres() {
    let (client, law) = noisy_client(0, 2, 3);
    let fit = |seed: u64, threads: usize| {
        let (_, points) = reported(&four(), 500, &client, seed);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let how = NoiseAware { starts: 4, ..NoiseAware::new(4) };
        pool.install(|| how.cluster(&points, law, &mut SeededNoise::new(1)))
    };
    let found = fit(5, 1);
    assert!(found.pooled_from.is_some());
    assert_eq!(found, fit(5, 2));
    assert_ne!(found.centres, fit(6, 1).centres);
}

#[test]
fn all_mechanisms_can_be_pooled() {
    for which in 0..5 {
        let (client, law) = noisy_client(which, 4, 3);
        let (_, points) = reported(&four(), 300, &client, 8);
        let how = NoiseAware { starts: 3, estimate: Estimate::Pooled, ..NoiseAware::new(3) };
        let found = how.cluster(&points, law, &mut SeededNoise::new(1));
        assert!(found.pooled_from.is_some(), "{which}");
        assert!(found.centres.concat().iter().all(|x| (0.0..=1.0).contains(&x.0)), "{which}");
        assert!(found.centre_errors.concat().iter().all(|e| e.0 > 0.0 && e.0.is_finite()), "{which}");
        assert!((found.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{which}");
        let turned = how.cluster(&shuffled(&points, 2), law, &mut SeededNoise::new(1));
        assert_eq!(turned.pooled_from, found.pooled_from);
    }
}

/// Records that fill a box evenly are one cluster, though several Gaussians fit them better than one; four clusters stay four.
#[test]
fn an_even_spread_is_one_cluster() {
    let (client, law) = noisy_client(0, 12, 2);
    let mut noise = SeededNoise::new(11);
    let records: Vec<f64> = (0..8000).map(|_| uniform::unit_f64(&mut noise)).collect();
    let points = reports_on(&records, &client, &mut noise);
    let how = NoiseAware { starts: 6, ..NoiseAware::new(1) };
    let chosen = choose_k(&how, 5, Criterion::Evidence, &points, law, &mut SeededNoise::new(1));
    assert_eq!(chosen.clusters.centres.len(), 1, "{:?}", chosen.tried);
    // Mutant: by BIC, which compares Gaussians only, it is more.
    let by_bic = choose_k(&how, 5, Criterion::Bic, &points, law, &mut SeededNoise::new(1));
    assert!(by_bic.clusters.centres.len() > 1, "{:?}", by_bic.tried);
    let (client, law) = noisy_client(0, 12, 3);
    let (_, points) = reported(&four(), 3000, &client, 3);
    let chosen = choose_k(&how, 6, Criterion::Evidence, &points, law, &mut SeededNoise::new(1));
    assert_eq!(chosen.clusters.centres.len(), 4, "{:?}", chosen.tried);
}
