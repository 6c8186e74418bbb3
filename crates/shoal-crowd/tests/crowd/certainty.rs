//! Intervals contain what they are about as often as stated, and stability distinguishes clusters from halves of one.

use rayon::prelude::*;
use shoal_crowd::server::noise_aware::{NoiseAware, Width};
use shoal_crowd::server::{Certainty, Clusters, ErrorModel, ReportPoints, kmeans_on_reports};
use shoal_kernel::Restarts;
use shoal_noise::{NoiseSource, SeededNoise};

use crate::crowd_support::server::{Groups, matched, noisy_client, places, reported};

const CROWDS: u64 = 24;

fn four() -> Groups {
    let places: [&[f64]; 4] = [&[0.2, 0.25, 0.7], &[0.8, 0.3, 0.4], &[0.45, 0.8, 0.2], &[0.7, 0.75, 0.8]];
    Groups { shares: vec![0.4, 0.3, 0.2, 0.1], ..Groups::alike(&places, 0.05) }
}

/// Clusters of reports and how certain they are, with the k-means centres of the records in the same order.
struct Trial {
    found: Clusters,
    certainty: Certainty,
    truth: Vec<Vec<f64>>,
}

fn trial(groups: &Groups, epsilon: u32, count: usize, seed: u64) -> Trial {
    let k = groups.places.len();
    let (client, law) = noisy_client(0, epsilon, groups.dims());
    let (records, points) = reported(groups, count, &client, 4000 + seed);
    let how = NoiseAware { starts: 8, ..NoiseAware::new(k) };
    let found = how.cluster(&points, law, &mut SeededNoise::new(seed));
    let again = |p: &ReportPoints, r: &mut dyn NoiseSource| how.again(&found, p, law, r);
    let certainty = Certainty::of(&found, &client, count, ErrorModel::Known, &mut SeededNoise::new(seed), again);
    let plain = ReportPoints::from_rows(groups.dims(), &records);
    let restarts = Restarts { clusters: k, restarts: 10, iterations: 50 };
    let best = places(&kmeans_on_reports(&plain, &restarts, &mut SeededNoise::new(1)).centres);
    let order = matched(&places(&found.centres), &best);
    Trial { certainty, truth: order.into_iter().map(|of| best[of].clone()).collect(), found }
}

/// The share of coordinates that lie within `factor` times their interval.
fn covered(trials: &[Trial], factor: f64) -> f64 {
    let (mut inside, mut all) = (0, 0);
    for trial in trials {
        for (j, truth) in trial.truth.iter().enumerate() {
            for (i, x) in truth.iter().enumerate() {
                let [low, high] = trial.certainty.centres[j][i];
                let (middle, half) = (0.5 * (low.0 + high.0), 0.5 * (high.0 - low.0));
                inside += usize::from((x - middle).abs() <= factor * half);
                all += 1;
            }
        }
    }
    inside as f64 / all as f64
}

/// 288 coordinates: 92 to 99 %, and with halved standard errors clearly less.
#[test]
fn intervals_cover_the_centres_of_the_records() {
    let trials: Vec<Trial> = (0..CROWDS).into_par_iter().map(|seed| trial(&four(), 6, 3000, seed)).collect();
    let share = covered(&trials, 1.0);
    assert!((0.92..=0.995).contains(&share), "{share}");
    // Mutant: halved standard errors.
    let halved = covered(&trials, 0.5);
    assert!(halved < 0.85, "{halved}");
    for trial in &trials {
        let Certainty { centres, rerun, shares, stability, spread, explained, at_least, .. } = &trial.certainty;
        assert!(stability.iter().all(|&share| share >= 0.9), "clusters far apart come back: {stability:?}");
        assert!(!at_least && spread.len() == 4);
        let explained = explained.unwrap();
        assert!(explained.low <= explained.share && explained.share <= explained.high && explained.share > 0.6);
        for (j, [low, high]) in shares.iter().enumerate() {
            assert!(*low <= trial.found.shares[j] && trial.found.shares[j] <= *high);
            assert!(rerun[j].iter().zip(&centres[j]).all(|(rerun, [low, high])| rerun.0 > 0.5 * (high.0 - low.0)));
        }
    }
    // Sizes: four per crowd, within their intervals.
    let inside = |trial: &Trial| {
        let order = matched(&places(&trial.found.centres), &four().places);
        (0..4)
            .filter(|&j| {
                (trial.certainty.shares[j][0]..=trial.certainty.shares[j][1]).contains(&four().shares[order[j]])
            })
            .count()
    };
    let share = trials.iter().map(inside).sum::<usize>() as f64 / (4.0 * CROWDS as f64);
    assert!((0.85..=1.0).contains(&share), "{share}");
}

/// One cluster that is cut in three comes out elsewhere the next time.
#[test]
fn parts_of_one_cluster_are_not_stable() {
    let one = Groups::alike(&[&[0.5, 0.45]], 0.1);
    let (client, law) = noisy_client(0, 6, 2);
    let (_, points) = reported(&one, 3000, &client, 9);
    let how = NoiseAware { starts: 8, ..NoiseAware::new(3) };
    let found = how.cluster(&points, law, &mut SeededNoise::new(2));
    let again = |p: &ReportPoints, r: &mut dyn NoiseSource| how.again(&found, p, law, r);
    let certainty = Certainty::of(&found, &client, 3000, ErrorModel::Known, &mut SeededNoise::new(1), again);
    assert!(certainty.stability.iter().any(|&share| share < 0.9), "{:?}", certainty.stability);
    // And the evidence is for one.
    let tried = how.cluster_compared(&points, law, &mut SeededNoise::new(2)).tried;
    assert_eq!(tried.iter().map(|tried| tried.k).collect::<Vec<_>>(), [1, 3]);
    assert!(tried[1].ln_evidence < tried[0].ln_evidence + 3.0, "{tried:?}");
}

/// k-means does not know the noise: its intervals are lower bounds and say so.
#[test]
fn intervals_of_kmeans_are_at_least() {
    let groups = four();
    let (client, _) = noisy_client(0, 8, 3);
    let (_, points) = reported(&groups, 1500, &client, 3);
    let how = Restarts { clusters: 4, restarts: 5, iterations: 50 };
    let method = |p: &ReportPoints, r: &mut dyn NoiseSource| kmeans_on_reports(p, &how, r);
    let found = method(&points, &mut SeededNoise::new(1));
    let run = || Certainty::of(&found, &client, 1500, ErrorModel::AtLeast, &mut SeededNoise::new(7), method);
    let certainty = run();
    assert!(certainty.at_least && certainty.explained.is_none() && certainty.spread.is_empty());
    assert!(certainty.stability.iter().all(|share| (0.0..=1.0).contains(share)));
    assert_eq!(certainty, run(), "the same seed, the same numbers");
}

/// What is computed about clusters does not change them.
#[test]
fn certainty_leaves_the_clusters_alone() {
    let (client, law) = noisy_client(0, 6, 3);
    let (_, points) = reported(&four(), 1000, &client, 5);
    for width in [Width::Shared, Width::PerAttribute, Width::PerCluster] {
        let how = NoiseAware { starts: 4, width, ..NoiseAware::new(4) };
        let found = how.cluster(&points, law, &mut SeededNoise::new(1));
        let before = found.clone();
        let again = |p: &ReportPoints, r: &mut dyn NoiseSource| how.again(&found, p, law, r);
        let certainty = Certainty::of(&found, &client, 1000, ErrorModel::Known, &mut SeededNoise::new(1), again);
        assert_eq!(found, before);
        assert_eq!((certainty.centres.len(), certainty.stability.len()), (4, 4));
    }
}
