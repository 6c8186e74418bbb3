//! TK-means against its equations, with the published κ and the corrected one.

use shoal_crowd::server::tk_means::Kappa;
use shoal_crowd::server::tk_means::TkMeans;
use shoal_crowd::server::{Clusters, ReportPoints, kmeans_on_reports};
use shoal_kernel::Restarts;
use shoal_noise::SeededNoise;
use shoal_noise::uniform::{below, unit_f64};

use crate::crowd_support::server::{places, squared, worst_fall};
use crate::crowd_support::student::{Student, t_rows};

/// Clusters of which one has most of the reports, and the others other tails.
fn unbalanced(seed: u64) -> (ReportPoints, usize) {
    let mut noise = SeededNoise::new(seed);
    let (dims, k) = (1 + below(&mut noise, 4) as usize, 2 + below(&mut noise, 2) as usize);
    let places: Vec<Vec<f64>> = (0..k).map(|_| (0..dims).map(|_| unit_f64(&mut noise)).collect()).collect();
    let groups: Vec<(&[f64], usize, u32)> = places
        .iter()
        .enumerate()
        .map(|(j, place)| {
            let many = if j == 0 { 300 } else { 15 };
            let freedom = if j == 0 { 0 } else { 1 + below(&mut noise, 3) as u32 };
            (place.as_slice(), many + below(&mut noise, 20) as usize, freedom)
        })
        .collect();
    let rows = t_rows(&groups, 0.04 + 0.05 * unit_f64(&mut noise), &mut noise);
    (ReportPoints::from_rows(dims, &rows), k)
}

fn run(seed: u64, kappa: Kappa) -> Clusters {
    let (points, k) = unbalanced(seed);
    TkMeans { kappa, starts: 2, ..TkMeans::new(k) }.cluster(&points, &mut SeededNoise::new(seed))
}

#[test]
fn the_likelihood_never_falls_with_the_corrected_kappa() {
    for seed in 0..60 {
        let found = run(seed, Kappa::Corrected);
        let fall = worst_fall(&found.objectives);
        // Doubles, added up a few hundred at a time.
        assert!(fall <= 1e-9 * found.objectives[0].abs().max(1.0), "seed {seed}: fell by {fall}");
        assert!(found.objectives.len() > 2, "seed {seed}: it iterated");
    }
}

/// Eq. 21 is no step of EM when clusters are of different sizes: the likelihood falls, in most of these sets.
#[test]
fn the_likelihood_falls_with_the_published_kappa() {
    let fall = |seed| worst_fall(&run(seed, Kappa::AsPublished).objectives);
    for seed in [1, 11, 20, 24, 43] {
        assert!(fall(seed) > 1.0, "seed {seed}: fell by {}", fall(seed));
    }
    let clear = (0..60).filter(|&seed| fall(seed) > 0.01).count();
    assert!(clear >= 30, "{clear} of 60");
}

/// δ is not part of the result. But with β and δ chosen best for the centres found, by plain search, the likelihood is the
/// one that is stated; so the method's own are as good as these.
#[test]
fn degrees_of_freedom_are_found() {
    let mut noise = SeededNoise::new(4);
    for freedom in [2, 4] {
        let (points, found) = two_alike(freedom, &mut noise);
        let best = Student::best_shape(&points, &places(&found.centres));
        let (stated, height) = (found.ln_likelihood.unwrap(), best.ln_likelihood(&points));
        assert!((stated - height).abs() < 0.05, "{stated}, and {height} at δ = {}", best.freedom);
        let ratio = best.freedom / f64::from(freedom);
        assert!((1.0 / 1.5..1.5).contains(&ratio), "{}, not {freedom}", best.freedom);
        // Half of δ and twice, each with the best β for it, would be seen.
        for factor in [0.5, 2.0] {
            let other = Student::best_scale(&points, &best, factor * best.freedom).ln_likelihood(&points);
            assert!(stated - other > 5.0, "{stated}, and {other} at {factor} of δ = {}", best.freedom);
        }
    }
}

/// A Gaussian has no end of degrees of freedom. Rounds approach it slowly, so it is not reached; but the likelihood is
/// above the one that few degrees of freedom allow.
#[test]
fn a_gaussian_has_many_degrees_of_freedom() {
    let (points, found) = two_alike(0, &mut SeededNoise::new(4));
    let best = Student::best_shape(&points, &places(&found.centres));
    assert!(best.freedom > 100.0, "{}", best.freedom);
    let at_30 = Student::best_scale(&points, &best, 30.0).ln_likelihood(&points);
    assert!(found.ln_likelihood.unwrap() > at_30, "{:?}, and {at_30} at δ = 30", found.ln_likelihood);
}

/// Two clusters of 900 reports, with these tails, and what is found of them.
fn two_alike(freedom: u32, noise: &mut SeededNoise) -> (ReportPoints, Clusters) {
    let rows = t_rows(&[(&[0.1, 0.2], 900, freedom), (&[0.9, 0.7], 900, freedom)], 0.05, noise);
    let points = ReportPoints::from_rows(2, &rows);
    let found = TkMeans { starts: 2, ..TkMeans::new(2) }.cluster(&points, &mut SeededNoise::new(1));
    (points, found)
}

#[test]
fn a_round_is_that_of_the_equations() {
    for seed in [0, 3, 11, 12, 17] {
        let (points, k) = unbalanced(seed);
        let start = Restarts { clusters: k, restarts: 1, iterations: 20 };
        let centres = places(&kmeans_on_reports(&points, &start, &mut SeededNoise::new(seed)).centres);
        let nearest = |row: usize| {
            let x = points.row(row);
            centres.iter().map(|m| squared(&x, m)).fold(f64::INFINITY, f64::min)
        };
        let scale = (0..points.rows()).map(nearest).sum::<f64>() / (points.rows() * points.dims()) as f64;
        for kappa in [Kappa::Corrected, Kappa::AsPublished] {
            let mut naive = Student { centres: centres.clone(), scale, freedom: 10.0 };
            for rounds in 1..4 {
                let before = naive.ln_likelihood(&points);
                naive = naive.round(&points, kappa);
                let how = TkMeans { k, kappa, starts: 1, rounds };
                let found = how.cluster(&points, &mut SeededNoise::new(seed));
                let objectives = &found.objectives;
                if objectives.len() < rounds || rounds > 1 && objectives[rounds - 1] <= objectives[rounds - 2] {
                    assert_eq!(kappa, Kappa::AsPublished, "only this one falls, and ends");
                    break;
                }
                assert!((objectives[rounds - 1] - before).abs() < 1e-7 * before.abs(), "seed {seed}, {rounds}");
                let (height, stated) = (naive.ln_likelihood(&points), found.ln_likelihood.unwrap());
                assert!((stated - height).abs() < 1e-7 * height.abs(), "seed {seed}, {rounds}: {stated}, {height}");
                for (found, naive) in places(&found.centres).iter().zip(&naive.centres) {
                    assert!(squared(found, naive).sqrt() < 1e-7, "seed {seed}, round {rounds}");
                }
            }
        }
        // What it must distinguish: the two κ, after one round.
        let [published, corrected] = [Kappa::AsPublished, Kappa::Corrected]
            .map(|kappa| Student { centres: centres.clone(), scale, freedom: 10.0 }.round(&points, kappa));
        let (a, b) = (published.ln_likelihood(&points), corrected.ln_likelihood(&points));
        assert!((a - b).abs() > 1e-5 * a.abs(), "seed {seed}: {a} and {b}");
    }
}

#[test]
fn an_outlier_moves_it_less_than_kmeans() {
    let mut noise = SeededNoise::new(9);
    for k in [1, 2] {
        let truth: [(&[f64], usize, u32); 2] = [(&[0.2, 0.3], 60, 0), (&[0.8, 0.7], 60, 0)];
        let rows = t_rows(&truth[..k], 0.05, &mut noise);
        let mut with_outlier = rows.clone();
        with_outlier.extend([1.4, -0.6]);
        let centres = |rows: &[f64], student: bool| {
            let points = ReportPoints::from_rows(2, rows);
            let found = if student {
                TkMeans::new(k).cluster(&points, &mut SeededNoise::new(1)).centres
            } else {
                let how = Restarts { clusters: k, restarts: 10, iterations: 100 };
                kmeans_on_reports(&points, &how, &mut SeededNoise::new(1)).centres
            };
            let mut centres = places(&found);
            centres.sort_by(|a, b| a[0].total_cmp(&b[0]));
            centres.concat()
        };
        let moved = |student: bool| squared(&centres(&rows, student), &centres(&with_outlier, student)).sqrt();
        let (student, plain) = (moved(true), moved(false));
        assert!(student < 0.25 * plain, "{k}: moved by {student}, k-means by {plain}");
    }
}
