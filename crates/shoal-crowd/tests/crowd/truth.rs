//! A server that knows its noise finds the clusters of the records, not those of the noise.

use rayon::prelude::*;
use shoal_crowd::server::noise_aware::{NoiseAware, Prior, Width};
use shoal_crowd::server::{Clusters, ReportPoints, kmeans_on_reports};
use shoal_kernel::Restarts;
use shoal_lattice::{UnitPosition, Widths};
use shoal_noise::SeededNoise;

use crate::crowd_support::server::{Groups, NAMES, matched, nicv, noisy_client, places, reported, rows_of, squared};

fn three() -> Groups {
    Groups::alike(&[&[0.15, 0.2], &[0.85, 0.3], &[0.4, 0.9]], 0.02)
}

fn kmeans(points: &ReportPoints, k: usize, seed: u64) -> Clusters {
    kmeans_on_reports(points, &Restarts { clusters: k, restarts: 10, iterations: 100 }, &mut SeededNoise::new(seed))
}

/// The largest distance of a centre's coordinate from the truth.
fn farthest(groups: &Groups, found: &[Vec<f64>]) -> f64 {
    let order = matched(&groups.places, found);
    let each = groups
        .places
        .iter()
        .zip(order)
        .flat_map(|(place, of)| place.iter().zip(&found[of]).map(|(x, m)| (x - m).abs()).collect::<Vec<_>>());
    each.fold(0.0, f64::max)
}

#[test]
fn centres_are_within_a_few_standard_errors() {
    let groups = three();
    (0..5_usize).into_par_iter().for_each(|which| {
        let (client, law) = noisy_client(which, 8, 2);
        let (_, points) = reported(&groups, 5000, &client, 40 + which as u64);
        let found = NoiseAware::new(3).cluster(&points, law, &mut SeededNoise::new(1));
        for (place, of) in groups.places.iter().zip(matched(&groups.places, &places(&found.centres))) {
            for ((x, UnitPosition(m)), Widths(error)) in
                place.iter().zip(&found.centres[of]).zip(&found.centre_errors[of])
            {
                assert!((x - m).abs() < 4.5 * error, "{}: {m} ± {error}, not {x}", NAMES[which]);
                // Else errors as large as the box would pass.
                assert!(*error < 0.02, "{}: ± {error}", NAMES[which]);
            }
            assert!((found.shares[of] - 1.0 / 3.0).abs() < 0.05, "{}: {:?}", NAMES[which], found.shares);
        }
        // Centres of the reports are farther off, where the noise is round by a factor of two.
        let wrong = farthest(&groups, &places(&kmeans(&points, 3, 1).centres));
        let right = farthest(&groups, &places(&found.centres));
        assert!(wrong > 1.3 * right, "{}: k-means is off by {wrong}, knowing the noise by {right}", NAMES[which]);
    });
}

/// The mean cost over a few crowds: knowing the noise, and k-means on the same reports.
fn costs(which: usize, epsilon: u32) -> (f64, f64) {
    let truth: [&[f64]; 4] =
        [&[0.2, 0.2, 0.3, 0.8], &[0.8, 0.3, 0.7, 0.7], &[0.3, 0.8, 0.8, 0.2], &[0.7, 0.7, 0.2, 0.2]];
    let groups = Groups::alike(&truth, 0.04);
    let (client, law) = noisy_client(which, epsilon, 4);
    let seeds = 3;
    let each: Vec<(f64, f64)> = (0..seeds)
        .into_par_iter()
        .map(|seed| {
            let (records, points) = reported(&groups, 4000, &client, 100 + seed);
            let aware = NoiseAware::new(4).cluster(&points, law, &mut SeededNoise::new(seed));
            let plain = kmeans(&points, 4, seed);
            (nicv(&records, &places(&aware.centres)), nicv(&records, &places(&plain.centres)))
        })
        .collect();
    let mean = |of: fn(&(f64, f64)) -> f64| each.iter().map(of).sum::<f64>() / seeds as f64;
    (mean(|pair| pair.0), mean(|pair| pair.1))
}

/// `least`: how many times lower the cost is, at least.
#[test]
fn costs_less_than_kmeans_on_the_same_reports() {
    for (which, epsilon, least) in [(0, 2, 1.3), (0, 4, 3.0), (0, 8, 1.15), (2, 2, 4.0), (2, 8, 1.15), (4, 4, 3.0)] {
        let (aware, plain) = costs(which, epsilon);
        assert!(plain > least * aware, "{}, ε = {epsilon}: {aware}, and k-means {plain}", NAMES[which]);
    }
}

/// The point with the smallest sum of distances, by Weiszfeld's iteration.
fn geometric_median(rows: &[f64], dims: usize) -> Vec<f64> {
    let mut at = vec![0.5; dims];
    for _ in 0..2000 {
        let mut sum = vec![0.0; dims];
        let mut weights = 0.0;
        for x in rows.chunks_exact(dims) {
            let weight = 1.0 / squared(x, &at).sqrt().max(1e-12);
            weights += weight;
            for (sum, x) in sum.iter_mut().zip(x) {
                *sum += weight * x;
            }
        }
        at = sum.iter().map(|s| s / weights).collect();
    }
    at
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[test]
fn one_cluster_is_the_median() {
    for dims in [1, 2, 3, 6] {
        for which in [2, 3, 4] {
            let (client, law) = noisy_client(which, 10, dims);
            let truth = [0.3, 0.55, 0.4, 0.7, 0.35, 0.6];
            let (_, points) = reported(&Groups::alike(&[&truth[..dims]], 0.0), 2001, &client, 8 + dims as u64);
            let how = NoiseAware { width: Width::None, prior: Prior::NONE, ..NoiseAware::new(1) };
            let found = how.cluster(&points, law, &mut SeededNoise::new(1));
            let rows = rows_of(&points);
            let naive = if which == 2 {
                geometric_median(&rows, dims)
            } else {
                (0..dims).map(|i| median(rows.chunks(dims).map(|x| x[i]).collect())).collect()
            };
            let mean: Vec<f64> =
                (0..dims).map(|i| rows.chunks(dims).map(|x| x[i]).sum::<f64>() / points.rows() as f64).collect();
            let widest = rows.iter().map(|x| x.abs().max((1.0 - x).abs())).fold(0.0, f64::max);
            let spacing = widest * (dims as f64).sqrt() / 2048.0;
            for (UnitPosition(found), naive) in found.centres[0].iter().zip(&naive) {
                let off = (found - naive).abs();
                assert!(off < spacing.max(1e-3), "{}, {dims}: off by {off}, spacing {spacing}", NAMES[which]);
            }
            let apart = squared(&mean, &naive).sqrt();
            let off = squared(&places(&found.centres)[0], &naive).sqrt();
            assert!(apart > 2.0 * off, "{}, {dims}: the mean is another point: {apart}, {off}", NAMES[which]);
        }
    }
}
