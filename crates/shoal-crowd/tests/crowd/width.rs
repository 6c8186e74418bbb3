//! How records are spread within clusters, and how many clusters there are: the second needs the first.

use rayon::prelude::*;
use shoal_crowd::server::ReportPoints;
use shoal_crowd::server::noise_aware::{ChosenK, Criterion, NoiseAware, Width, choose_k};
use shoal_device::NoiseLaw;
use shoal_lattice::Widths;
use shoal_noise::SeededNoise;

use crate::crowd_support::server::{Groups, NAMES, matched, noisy_client, normal, places, reported, reports_on};

const PLACES: [&[f64]; 4] = [&[0.25, 0.25], &[0.75, 0.3], &[0.3, 0.75], &[0.75, 0.75]];

#[test]
fn a_shared_width_is_found() {
    (0..5_usize).into_par_iter().for_each(|which| {
        for width in [0.05, 0.1] {
            let (client, law) = noisy_client(which, 12, 2);
            let (_, points) = reported(&Groups::alike(&PLACES[1..3], width), 6000, &client, 60 + which as u64);
            let how = NoiseAware { starts: 8, width: Width::Shared, ..NoiseAware::new(2) };
            let found = how.cluster(&points, law, &mut SeededNoise::new(1));
            // Standard deviations are tried a factor of 1.25 apart.
            let deviation = found.widths[0][0].0;
            assert!((0.75..1.34).contains(&(deviation / width)), "{}: {deviation} for {width}", NAMES[which]);
            assert!(found.widths.iter().all(|w| *w == found.widths[0]), "all have the same");
        }
    });
}

#[test]
fn a_width_for_each_is_found() {
    let mut groups = Groups::alike(&PLACES[1..3], 0.02);
    groups.widths[1] = 0.14;
    let (client, law) = noisy_client(2, 16, 2);
    let (_, points) = reported(&groups, 8000, &client, 3);
    let how = NoiseAware { width: Width::PerCluster, starts: 8, ..NoiseAware::new(2) };
    let found = how.cluster(&points, law, &mut SeededNoise::new(1));
    let order = matched(&groups.places, &places(&found.centres));
    let (Widths(narrow), Widths(wide)) = (found.widths[order[0]][0], found.widths[order[1]][1]);
    assert!(narrow < 0.045 && (0.1..0.19).contains(&wide), "{narrow} and {wide}");
}

#[test]
fn clusters_that_are_points_have_none() {
    let (client, law) = noisy_client(0, 12, 2);
    let (_, points) = reported(&Groups::alike(&PLACES[..2], 0.0), 6000, &client, 4);
    let found = NoiseAware { starts: 8, ..NoiseAware::new(2) }.cluster(&points, law, &mut SeededNoise::new(1));
    assert!(found.widths[0].iter().all(|width| *width < Widths(0.035)), "{:?}", found.widths[0]);
    let none = NoiseAware { width: Width::None, starts: 8, ..NoiseAware::new(2) };
    assert_eq!(none.cluster(&points, law, &mut SeededNoise::new(1)).widths, vec![vec![Widths(0.0); 2]; 2]);
}

fn chosen(k: usize, sd: f64, width: Width, which: usize, seed: u64) -> ChosenK {
    let (client, law) = noisy_client(which, 16, 2);
    let (_, points) = reported(&Groups::alike(&PLACES[..k], sd), 3000, &client, seed);
    let how = NoiseAware { width, starts: 6, ..NoiseAware::new(1) };
    choose_k(&how, 7, Criterion::Evidence, &points, law, &mut SeededNoise::new(seed))
}

fn number(chosen: &ChosenK) -> usize {
    chosen.clusters.centres.len()
}

#[test]
fn the_right_number_is_found() {
    (1..=4_usize).into_par_iter().for_each(|k| {
        for which in [0, 2, 4] {
            for width in [Width::Shared, Width::PerAttribute] {
                let found = chosen(k, 0.07, width, which, k as u64);
                assert_eq!(number(&found), k, "{}, {width:?}: {:?}", NAMES[which], found.tried);
            }
        }
    });
}

/// Why records are spread by default: without, a wide cluster is taken for several points.
#[test]
fn without_a_spread_wide_clusters_are_split() {
    (1..=3_usize).into_par_iter().for_each(|k| {
        let (without, with) = (chosen(k, 0.1, Width::None, 2, 20), chosen(k, 0.1, Width::Shared, 2, 20));
        assert!(number(&without) > k, "{k}: {:?}", without.tried);
        assert_eq!(number(&with), k, "{:?}", with.tried);
    });
}

/// Of clusters that are points there is nothing to split.
#[test]
fn without_a_spread_points_are_not_split() {
    for k in [1, 3] {
        let found = chosen(k, 0.0, Width::None, 2, 30);
        assert_eq!(number(&found), k, "{:?}", found.tried);
    }
}

/// Three clusters in four attributes that are long in one of them.
fn elongated(rows: usize, epsilon: u32, seed: u64) -> (ReportPoints, NoiseLaw) {
    let centres = [[0.3, 0.25, 0.3, 0.7], [0.6, 0.75, 0.35, 0.3], [0.45, 0.4, 0.8, 0.5]];
    let (client, law) = noisy_client(0, epsilon, 4);
    let mut noise = SeededNoise::new(seed);
    let mut records = Vec::new();
    for row in 0..rows {
        let centre = centres[row % 3];
        records.extend((0..4).map(|i| {
            let deviation = if i == 0 { 0.15 } else { 0.02 };
            (centre[i] + deviation * normal(&mut noise)).clamp(0.0, 1.0)
        }));
    }
    (reports_on(&records, &client, &mut noise), law)
}

#[test]
fn a_deviation_for_each_attribute_is_found() {
    let (points, law) = elongated(6000, 12, 5);
    let found = NoiseAware { starts: 8, ..NoiseAware::new(3) }.cluster(&points, law, &mut SeededNoise::new(1));
    let [long, narrow @ ..] = &found.widths[0][..] else { unreachable!() };
    assert!((0.12..0.18).contains(&long.0), "{long:?}");
    assert!(narrow.iter().all(|width| width.0 < 0.05), "{narrow:?}");
    assert!(found.widths.iter().all(|widths| *widths == found.widths[0]), "the clusters share them");
    // Under per-attribute noise tables give the same, in steps of a quarter.
    let (client, law) = noisy_client(3, 40, 4);
    let mut noise = SeededNoise::new(6);
    let records: Vec<f64> = (0..8000)
        .flat_map(|row| {
            let centre = if row % 2 == 0 { 0.3 } else { 0.7 };
            [0.5 + 0.15 * normal(&mut noise), centre, centre, 1.0 - centre].map(|x| x.clamp(0.0, 1.0))
        })
        .collect();
    let points = reports_on(&records, &client, &mut noise);
    let found = NoiseAware { starts: 8, ..NoiseAware::new(2) }.cluster(&points, law, &mut SeededNoise::new(1));
    assert!((0.11..0.2).contains(&found.widths[0][0].0), "{:?}", found.widths);
    assert!(found.widths[0][1..].iter().all(|width| width.0 < 0.06), "{:?}", found.widths);
}

/// Long clusters are not split. Mutant: BIC with one standard deviation for all attributes, which splits them.
#[test]
fn long_clusters_are_not_split() {
    [(8, 1), (16, 2)].into_par_iter().for_each(|(epsilon, seed)| {
        let (points, law) = elongated(6000, epsilon, seed);
        let run = |width: Width, by: Criterion| {
            let how = NoiseAware { width, starts: 12, ..NoiseAware::new(1) };
            choose_k(&how, 8, by, &points, law, &mut SeededNoise::new(seed))
        };
        let found = run(Width::PerAttribute, Criterion::Evidence);
        assert_eq!(number(&found), 3, "ε = {epsilon}: {:?}", found.tried);
        let split = run(Width::Shared, Criterion::Bic);
        assert!(number(&split) > 3, "ε = {epsilon}: {:?}", split.tried);
    });
}

/// Four clusters that are plain in the records, under noise at which BIC sees fewer.
#[test]
fn evidence_finds_what_bic_misses() {
    let places: [&[f64]; 4] =
        [&[0.2, 0.2, 0.3, 0.8], &[0.8, 0.3, 0.7, 0.7], &[0.3, 0.8, 0.8, 0.2], &[0.7, 0.7, 0.2, 0.2]];
    let (client, law) = noisy_client(0, 3, 4);
    let found: Vec<(usize, usize)> = (0..3_u64)
        .into_par_iter()
        .map(|seed| {
            let (_, points) = reported(&Groups::alike(&places, 0.04), 3000, &client, 500 + seed);
            let run = |by: Criterion| {
                let how = NoiseAware { starts: 12, ..NoiseAware::new(1) };
                number(&choose_k(&how, 7, by, &points, law, &mut SeededNoise::new(seed)))
            };
            (run(Criterion::Evidence), run(Criterion::Bic))
        })
        .collect();
    let right = |of: fn(&(usize, usize)) -> usize| found.iter().filter(|pair| of(pair) == 4).count();
    assert!(right(|pair| pair.0) > right(|pair| pair.1), "{found:?}");
    assert!(found.iter().all(|pair| pair.0 <= 4), "never more than there are: {found:?}");
}

/// Where there is one cluster, one is found, and noise alone makes none.
#[test]
fn one_cluster_is_a_possible_answer() {
    for epsilon in [2, 8] {
        let (client, law) = noisy_client(0, epsilon, 3);
        let (_, points) = reported(&Groups::alike(&[&[0.5, 0.4, 0.6]], 0.1), 4000, &client, 77);
        let how = NoiseAware { starts: 8, ..NoiseAware::new(1) };
        let found = choose_k(&how, 5, Criterion::Evidence, &points, law, &mut SeededNoise::new(1));
        assert_eq!(number(&found), 1, "ε = {epsilon}: {:?}", found.tried);
    }
}
