//! k-means on reports is k-means, wherever the reports lie.

use shoal_crowd::server::{Clusters, ReportPoints, kmeans_on_reports};
use shoal_kernel::Restarts;
use shoal_noise::SeededNoise;

use crate::crowd_support::server::{Groups, matched, noisy_client, places, reported, rows_of, squared};

fn run(points: &ReportPoints, k: usize) -> Clusters {
    kmeans_on_reports(points, &Restarts { clusters: k, restarts: 5, iterations: 200 }, &mut SeededNoise::new(3))
}

fn reports(epsilon: u32) -> ReportPoints {
    let (client, _) = noisy_client(2, epsilon, 3);
    let groups = Groups::alike(&[&[0.2, 0.3, 0.1], &[0.8, 0.5, 0.9], &[0.3, 0.9, 0.5]], 0.05);
    reported(&groups, 700, &client, 12).1
}

/// The distance between the farthest two coordinates: the lattice of k-means has 65,534 steps across it.
fn range(rows: &[f64]) -> f64 {
    let high = rows.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    high - rows.iter().copied().fold(f64::INFINITY, f64::min)
}

/// How far each centre is, at most, from the mean of the reports nearest to it.
fn off_the_means(rows: &[f64], centres: &[Vec<f64>]) -> f64 {
    let dims = centres[0].len();
    let mut sums = vec![(vec![0.0; dims], 0.0); centres.len()];
    for x in rows.chunks_exact(dims) {
        let nearest = |a: &usize, b: &usize| squared(x, &centres[*a]).total_cmp(&squared(x, &centres[*b]));
        let (sum, count) = &mut sums[(0..centres.len()).min_by(nearest).unwrap()];
        *count += 1.0;
        for (sum, x) in sum.iter_mut().zip(x) {
            *sum += x;
        }
    }
    let mean = |(sum, count): &(Vec<f64>, f64)| sum.iter().map(|s| s / count).collect::<Vec<f64>>();
    sums.iter().zip(centres).map(|(sum, centre)| squared(&mean(sum), centre).sqrt()).fold(0.0, f64::max)
}

#[test]
fn centres_are_the_means_of_their_reports() {
    for epsilon in [4, 20] {
        let points = reports(epsilon);
        let rows = rows_of(&points);
        let found = run(&points, 3);
        let step = range(&rows) / 65_534.0;
        let off = off_the_means(&rows, &places(&found.centres));
        assert!(off < 3.0 * step, "off by {off}, in steps of {step}");
        // A hundredth of the range to the side is no mean.
        let mut beside = places(&found.centres);
        beside[0][0] += 0.01 * range(&rows);
        assert!(off_the_means(&rows, &beside) > 30.0 * step);
        let total: f64 = found.shares.iter().sum();
        assert!((total - 1.0).abs() < 1e-12);
        assert!(found.centre_errors.len() == 3 && found.ln_likelihood.is_none() && !found.drowned());
    }
}

#[test]
fn shifting_and_scaling_move_the_centres_along() {
    let points = reports(12);
    let rows = rows_of(&points);
    let found = run(&points, 3);
    let far = range(&rows);
    for (scale, shift) in [(1.0, 8.0), (0.25, -3.0), (16.0, 100.0), (1000.0, -4e5), (1e-3, 0.5)] {
        let moved: Vec<f64> = rows.iter().map(|x| scale * x + shift).collect();
        let points = ReportPoints::from_rows(3, &moved);
        let other = run(&points, 3);
        // Steps of the lattice and of single precision at that distance from zero, and two reports that change sides.
        let fine = 4.0 * (far / 65_534.0 + (far + shift.abs() / scale) * 1.2e-7) + 2.0 * far / 700.0;
        let back: Vec<Vec<f64>> =
            other.centres.iter().map(|m| m.iter().map(|x| (x.0 - shift) / scale).collect()).collect();
        let centres = places(&found.centres);
        for (j, of) in matched(&centres, &back).into_iter().enumerate() {
            let off = squared(&centres[j], &back[of]).sqrt();
            assert!(off < fine, "{scale}, {shift}: {:?} and {:?}, apart by {off}", centres[j], back[of]);
            let (a, b) = (found.shares[j], other.shares[of]);
            assert!((a - b).abs() <= 2.0 / 700.0, "{scale}, {shift}: {a} and {b}");
        }
    }
    // Stretching one attribute alone is another problem, with another answer.
    let stretched: Vec<f64> = rows.iter().enumerate().map(|(i, x)| if i % 3 == 0 { 10.0 * x } else { *x }).collect();
    let other = run(&ReportPoints::from_rows(3, &stretched), 3);
    let back = |m: &Vec<f64>| vec![m[0] / 10.0, m[1], m[2]];
    let (here, there) = (places(&found.centres), places(&other.centres));
    let off = here.iter().map(|a| there.iter().map(|b| squared(a, &back(b))).fold(9.0, f64::min));
    assert!(off.fold(0.0, f64::max).sqrt() > 0.02);
}

#[test]
fn centres_may_lie_outside_the_box() {
    let rows: Vec<f64> = (0..200).flat_map(|i| [if i % 2 == 0 { -3.0 } else { 7.0 }, f64::from(i) * 1e-3]).collect();
    let mut found = run(&ReportPoints::from_rows(2, &rows), 2);
    found.centres.sort_by(|a, b| a[0].0.total_cmp(&b[0].0));
    assert!((found.centres[0][0].0 + 3.0).abs() < 1e-3 && (found.centres[1][0].0 - 7.0).abs() < 1e-3);
    assert_eq!(found.shares, [0.5, 0.5]);
}
