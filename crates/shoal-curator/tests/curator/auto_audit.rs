//! The interval that `auto` gives for the NICV covers it as often as stated. Audits of whole runs are in `shoal-audit`.

use rayon::prelude::*;
use shoal_curator::{Auto, AutoParams, DesignSize, Route, SynopsisKMeans, System};
use shoal_kernel::LatticeCentres;
use shoal_lattice::BoxPosition;
use shoal_noise::SeededNoise;
use shoal_privacy::{Allowance, Amount};

use crate::audit_support::clopper_pearson;
use crate::curator_support::{groups, table};

/// How many of `runs` intervals miss the mean squared distance, each counted up to the cap; `width` scales the interval.
fn misses(size: &DesignSize, score_share: Amount, route: Route, runs: u64, width: f64) -> usize {
    let rows = groups(&[[0.6, 0.6], [-0.5, 0.1], [0.0, -0.7]], 300);
    let kmeans = SynopsisKMeans { inits: 2, rounds: 10, reruns: 0, ..SynopsisKMeans::new(3) };
    let params = AutoParams::new(3, "8".parse().unwrap(), size.clone());
    let fit = Auto::new(AutoParams { route: Some(route), kmeans, score_share, ..params }, 2).unwrap();
    let missed = |seed: u64| {
        let scan = table(2, &rows);
        let outcome = fit.run(&scan, Allowance::without_ledger(fit.claim()), &mut SeededNoise::new(seed)).unwrap();
        let stated = outcome.nicv.expect("bought");
        let centres = LatticeCentres::from_unit(2, &BoxPosition::numbers(&outcome.centres.concat()));
        let distance = |row: &Vec<i16>| {
            let to = |centre: &[i16]| {
                row.iter().zip(centre).map(|(&x, &c)| (f64::from(x) - f64::from(c)).powi(2)).sum::<f64>()
            };
            let nearest = (0..centres.count()).map(|j| to(centres.centre(j))).fold(f64::INFINITY, f64::min);
            (nearest / 32_767f64.powi(2)).min(stated.capped_at)
        };
        let truth = rows.iter().map(distance).sum::<f64>() / rows.len() as f64;
        let (low, high) =
            (stated.nicv - width * (stated.nicv - stated.low), stated.nicv + width * (stated.high - stated.nicv));
        !(low..=high).contains(&truth)
    };
    (0..runs).into_par_iter().filter(|&seed| missed(seed)).count()
}

#[test]
fn the_interval_of_the_nicv_covers_it_as_often_as_it_says() {
    let bought = |part, of| DesignSize::Bought { share: Amount::ratio(part, of) };
    for (size, share, route) in [
        (DesignSize::Disclosed(900), Amount::ratio(1, 50), Route::Grid),
        (DesignSize::Public(900), Amount::ratio(1, 50), Route::Grid),
        // The number of rows is the less certain of the two.
        (bought(1, 400), Amount::ratio(9, 10), Route::Grid),
        (DesignSize::Public(2_000), Amount::ratio(1, 5), Route::FixedTree),
        (DesignSize::Public(2_000), Amount::ratio(1, 5), Route::RefinedTree),
    ] {
        let runs = 300;
        let missed = misses(&size, share.clone(), route, runs, 1.0);
        let at_least = clopper_pearson(missed, runs as usize, false, 1e-4);
        assert!(at_least <= 0.05, "{size:?}: {missed} of {runs} missed");
    }
    // Half the width is not enough.
    let missed = misses(&DesignSize::Disclosed(900), Amount::ratio(1, 50), Route::Grid, 300, 0.5);
    assert!(clopper_pearson(missed, 300, false, 1e-4) > 0.05, "{missed}");
}
