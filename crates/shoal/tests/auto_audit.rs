//! Audits of whole runs of `auto`'s routes on neighbouring tables, and of the interval it tells for the NICV.

use rayon::prelude::*;
use shoal::curator::{AnySynopsis, Auto, AutoParams, DesignSize, Outcome, Route, SynopsisKMeans, System};
use shoal::plain::LatticeCentres;
use shoal_noise::SeededNoise;
use shoal_privacy::{Allowance, Amount};

mod audit_support;
mod curator_support;
use audit_support::clopper_pearson;
use curator_support::{groups, table};

/// Chance of error of each of the two one-sided bounds.
const ALPHA: f64 = 0.5e-6;

/// The loss that is certain between two sets of runs, each summed up as one number. The event is "at least t", with t
/// chosen on the first halves and tested on the second.
fn certain_loss(first: &[f64], second: &[f64]) -> f64 {
    let half = first.len() / 2;
    let tried = |t: f64, from: &[f64], against: &[f64]| {
        let hits = |of: &[f64]| of.iter().filter(|&&score| score >= t).count();
        let low = clopper_pearson(hits(from), from.len(), false, ALPHA);
        (low / clopper_pearson(hits(against), against.len(), true, ALPHA)).ln()
    };
    let mut thresholds = first[..half].to_vec();
    thresholds.sort_by(f64::total_cmp);
    thresholds.dedup();
    let step = (thresholds.len() / 50).max(1);
    let of = |&t: &f64| (t, tried(t, &first[..half], &second[..half]));
    let best = thresholds.iter().step_by(step).map(of).max_by(|a, b| a.1.total_cmp(&b.1)).unwrap().0;
    tried(best, &first[half..], &second[half..])
}

/// Two tables of one attribute or more, of which one has the row more.
struct Pair {
    without: Vec<Vec<i16>>,
    row: Vec<i16>,
}

fn pairs() -> [Pair; 3] {
    let (corner, opposite) = (vec![-32_767], vec![32_767]);
    [
        // No row and one.
        Pair { without: vec![], row: opposite.clone() },
        // All in a corner, and one in the opposite one.
        Pair { without: vec![corner.clone(); 12], row: opposite },
        // A cluster in a corner, and one near the middle that is empty before.
        Pair { without: vec![corner; 12], row: vec![9_000] },
    ]
}

fn system(route: Route, epsilon: &str) -> Auto {
    let kmeans = SynopsisKMeans { k: 2, inits: 1, rounds: 2 };
    let params = AutoParams::new(2, epsilon.parse().unwrap(), DesignSize::Public(12));
    Auto::new(AutoParams { route: Some(route), kmeans, ..params }, 1).unwrap()
}

/// What an outcome says for the row, as numbers that are larger the more it does.
fn scores(outcome: &Outcome, row: &[i16]) -> Vec<f64> {
    let at: Vec<f64> = row.iter().map(|&x| f64::from(x) / 32_767.0).collect();
    let farthest = outcome.centres.iter().map(|centre| centre[0] * at[0].signum()).fold(f64::NEG_INFINITY, f64::max);
    let mean = outcome.centres.iter().map(|centre| centre[0] * at[0].signum()).sum::<f64>();
    let nearest = outcome.centres.iter().map(|centre| -(centre[0] - at[0]).abs()).fold(f64::NEG_INFINITY, f64::max);
    let (count, cells) = match &outcome.synopsis {
        Some(AnySynopsis::Grid(grid)) => (grid.counts[grid.grid.cell(row)] as f64, 0.0),
        Some(AnySynopsis::Tree(tree)) => (tree.counts[tree.tree.leaf(row)] as f64, tree.counts.len() as f64),
        None => (outcome.sizes.iter().sum(), 0.0),
    };
    vec![farthest, mean, nearest, count, cells, mean + 0.2 * count, count + cells + mean]
}

/// The certain loss of a route that is told to spend `epsilon`, under the best of all scores, both ways round.
fn audit(route: Route, epsilon: &str, pair: &Pair, runs: usize, seed: u64) -> f64 {
    let fit = system(route, epsilon);
    let run = |rows: &[Vec<i16>], seed: u64| -> Vec<Vec<f64>> {
        let of = |i: u64| {
            // Scans are small here, and their threads are better used for runs.
            let scan = table(1, rows);
            let noise = &mut SeededNoise::new(seed * 1_000_000 + i);
            scores(&fit.run(&scan, Allowance::without_ledger(fit.claim()), noise).unwrap(), &pair.row)
        };
        (0..runs as u64).into_par_iter().map(of).collect()
    };
    let mut more = pair.without.clone();
    more.push(pair.row.clone());
    let (with, without) = (run(&more, seed), run(&pair.without, seed + 1));
    let worst = |score: usize| {
        let column = |of: &[Vec<f64>], sign: f64| of.iter().map(|scores| sign * scores[score]).collect::<Vec<f64>>();
        let more = certain_loss(&column(&with, 1.0), &column(&without, 1.0));
        more.max(certain_loss(&column(&without, -1.0), &column(&with, -1.0)))
    };
    (0..with[0].len()).map(worst).fold(f64::NEG_INFINITY, f64::max)
}

fn every_pair(route: Route, epsilon: &str, runs: usize) -> f64 {
    let losses = pairs()
        .iter()
        .enumerate()
        .map(|(i, pair)| audit(route, epsilon, pair, runs, 10 * i as u64))
        .collect::<Vec<_>>();
    losses.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

/// Runs that claim ε = 1; the mutant spends more and claims the same.
fn no_alarm_but_for_the_mutant(route: Route, mutant: &str, runs: usize) {
    let honest = every_pair(route, "1", runs);
    assert!(honest <= 1.0, "{route:?} loses {honest}");
    let caught = every_pair(route, mutant, runs);
    assert!(caught > 1.0, "{route:?} with ε = {mutant} shows no more than {caught}");
}

#[test]
fn one_mean_keeps_its_promise() {
    no_alarm_but_for_the_mutant(Route::Mean, "2", 1200);
}

#[test]
fn directions_keep_their_promise() {
    no_alarm_but_for_the_mutant(Route::Directions, "6", 1200);
}

#[test]
fn a_grid_keeps_its_promise() {
    no_alarm_but_for_the_mutant(Route::Grid, "2", 1200);
}

#[test]
fn a_refined_tree_keeps_its_promise() {
    // Its steps share ε, and no one number shows them all: only a gross mutant is caught here. The laws of the steps have
    // their own, sharper tests.
    no_alarm_but_for_the_mutant(Route::RefinedTree, "12", 400);
}

/// How many of `runs` intervals miss the mean squared distance, each counted up to the cap; `width` scales the interval.
fn misses(size: &DesignSize, score_share: Amount, route: Route, runs: u64, width: f64) -> usize {
    let rows = groups(&[[0.6, 0.6], [-0.5, 0.1], [0.0, -0.7]], 300);
    let kmeans = SynopsisKMeans { k: 3, inits: 2, rounds: 10 };
    let params = AutoParams::new(3, "8".parse().unwrap(), size.clone());
    let fit = Auto::new(AutoParams { route: Some(route), kmeans, score_share, ..params }, 2).unwrap();
    let missed = |seed: u64| {
        let scan = table(2, &rows);
        let outcome = fit.run(&scan, Allowance::without_ledger(fit.claim()), &mut SeededNoise::new(seed)).unwrap();
        let told = outcome.nicv.expect("bought");
        let centres = LatticeCentres::from_unit(2, &outcome.centres.concat());
        let distance = |row: &Vec<i16>| {
            let to = |centre: &[i16]| {
                row.iter().zip(centre).map(|(&x, &c)| (f64::from(x) - f64::from(c)).powi(2)).sum::<f64>()
            };
            let nearest = (0..centres.count()).map(|j| to(centres.centre(j))).fold(f64::INFINITY, f64::min);
            (nearest / 32_767f64.powi(2)).min(told.capped_at)
        };
        let truth = rows.iter().map(distance).sum::<f64>() / rows.len() as f64;
        let (low, high) = (told.nicv - width * (told.nicv - told.low), told.nicv + width * (told.high - told.nicv));
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
