//! How wide clusters are, and how many: the second is found only by knowing of the first.

use rayon::prelude::*;
use shoal_crowd::server::noise_aware::{ChosenK, NoiseAware, Width, choose_k};
use shoal_lattice::Widths;
use shoal_noise::SeededNoise;

use crate::crowd_support::server::{Groups, NAMES, matched, noisy_client, places, reported};

const PLACES: [&[f64]; 4] = [&[0.25, 0.25], &[0.75, 0.3], &[0.3, 0.75], &[0.75, 0.75]];

#[test]
fn a_shared_width_is_found() {
    (0..5_usize).into_par_iter().for_each(|which| {
        for width in [0.05, 0.1] {
            let (client, law) = noisy_client(which, 12, 2);
            let (_, points) = reported(&Groups::alike(&PLACES[1..3], width), 6000, &client, 60 + which as u64);
            let found = NoiseAware { starts: 8, ..NoiseAware::new(2) }.cluster(&points, law, &mut SeededNoise::new(1));
            // Widths are tried a factor of 1.25 apart.
            let ratio = found.widths[0].0 / width;
            assert!((0.75..1.34).contains(&ratio), "{}: {} for {width}", NAMES[which], found.widths[0].0);
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
    let (Widths(narrow), Widths(wide)) = (found.widths[order[0]], found.widths[order[1]]);
    assert!(narrow < 0.045 && (0.1..0.19).contains(&wide), "{narrow} and {wide}");
}

#[test]
fn clusters_that_are_points_have_none() {
    let (client, law) = noisy_client(0, 12, 2);
    let (_, points) = reported(&Groups::alike(&PLACES[..2], 0.0), 6000, &client, 4);
    let found = NoiseAware { starts: 8, ..NoiseAware::new(2) }.cluster(&points, law, &mut SeededNoise::new(1));
    assert!(found.widths[0] < Widths(0.03), "{:?}", found.widths[0]);
    let none = NoiseAware { width: Width::None, starts: 8, ..NoiseAware::new(2) };
    assert_eq!(none.cluster(&points, law, &mut SeededNoise::new(1)).widths, [Widths(0.0); 2]);
}

fn chosen(k: usize, sd: f64, width: Width, which: usize, seed: u64) -> ChosenK {
    let (client, law) = noisy_client(which, 16, 2);
    let (_, points) = reported(&Groups::alike(&PLACES[..k], sd), 3000, &client, seed);
    let how = NoiseAware { width, starts: 6, ..NoiseAware::new(1) };
    choose_k(&how, 7, &points, law, &mut SeededNoise::new(seed))
}

fn number(chosen: &ChosenK) -> usize {
    chosen.clusters.centres.len()
}

#[test]
fn the_right_number_is_found() {
    (1..=4_usize).into_par_iter().for_each(|k| {
        for which in [0, 2, 4] {
            let found = chosen(k, 0.07, Width::Shared, which, k as u64);
            assert_eq!(number(&found), k, "{}: {:?}", NAMES[which], found.criteria);
            let lowest = found.criteria.iter().copied().fold(f64::INFINITY, f64::min);
            assert_eq!(found.criteria[k - 1], lowest, "the criterion chose it");
        }
    });
}

/// Why clusters have a width by default: without, a wide one is taken for several points.
#[test]
fn without_a_width_wide_clusters_are_split() {
    (1..=3_usize).into_par_iter().for_each(|k| {
        let (without, with) = (chosen(k, 0.1, Width::None, 2, 20), chosen(k, 0.1, Width::Shared, 2, 20));
        assert!(number(&without) > k, "{k}: {:?}", without.criteria);
        assert_eq!(number(&with), k, "{:?}", with.criteria);
    });
}

/// Of clusters that are points there is nothing to split.
#[test]
fn without_a_width_points_are_not_split() {
    for k in [1, 3] {
        let found = chosen(k, 0.0, Width::None, 2, 30);
        assert_eq!(number(&found), k, "{:?}", found.criteria);
    }
}
