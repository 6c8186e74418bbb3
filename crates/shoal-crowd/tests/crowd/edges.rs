//! Few reports, the same reports, far reports, loud noise and almost none: numbers come out, and they are numbers.

use shoal_crowd::server::noise_aware::{Criterion, NoiseAware, Prior, Width, choose_k};
use shoal_crowd::server::tk_means::TkMeans;
use shoal_crowd::server::{Clusters, ReportPoints, kmeans_on_reports};
use shoal_device::NoiseLaw;
use shoal_kernel::Restarts;
use shoal_noise::SeededNoise;
use shoal_noise::uniform::unit_f64;

use crate::crowd_support::server::normal;

const RADIAL: NoiseLaw = NoiseLaw::Radial { rate: 4.0, radius: 4.0 };
const ENDLESS: NoiseLaw = NoiseLaw::Radial { rate: 4.0, radius: 1e6 };
const EACH: NoiseLaw = NoiseLaw::PerAttribute { scale: 0.25 };

fn check(found: &Clusters, k: usize, what: &str) {
    assert_eq!((found.centres.len(), found.shares.len()), (k, k), "{what}");
    let total: f64 = found.shares.iter().sum();
    assert!((total - 1.0).abs() < 1e-6, "{what}: shares {:?}", found.shares);
    assert!(found.shares.iter().all(|share| *share >= 0.0), "{what}: shares {:?}", found.shares);
    let widths = found.centre_errors.iter().chain(&found.widths).flatten().map(|x| x.0);
    let places = found.centres.iter().flatten().map(|x| x.0);
    let mut values = found.share_errors.iter().chain(&found.objectives).copied().chain(widths).chain(places);
    assert!(values.all(f64::is_finite), "{what}: {found:?}");
    assert!(found.ln_likelihood.is_none_or(f64::is_finite), "{what}: {:?}", found.ln_likelihood);
    let errors = found.centre_errors.iter().flatten().map(|error| error.0).chain(found.share_errors.iter().copied());
    assert!(errors.into_iter().all(|error| error >= 0.0), "{what}");
}

fn aware(points: &ReportPoints, k: usize, law: NoiseLaw, width: Width, prior: Prior, what: &str) -> Clusters {
    let how = NoiseAware { width, prior, starts: 4, passes: 60, ..NoiseAware::new(k) };
    let found = how.cluster(points, law, &mut SeededNoise::new(1));
    check(&found, k, what);
    assert!(found.centres.iter().flatten().all(|x| (0.0..=1.0).contains(&x.0)), "{what}: centres are records' places");
    assert_eq!((found.centre_errors.len(), found.share_errors.len(), found.widths.len()), (k, k, k), "{what}");
    found
}

/// Every method on these reports.
fn all(points: &ReportPoints, k: usize, what: &str) {
    for law in [RADIAL, ENDLESS, EACH] {
        for (width, prior) in [
            (Width::None, Prior::NONE),
            (Width::Shared, Prior::WEAK),
            (Width::PerAttribute, Prior::WEAK),
            (Width::PerAttribute, Prior::NONE),
            (Width::PerCluster, Prior::NONE),
        ] {
            aware(points, k, law, width, prior, &format!("{what}, {law:?}, {width:?}"));
        }
    }
    check(&TkMeans::new(k).cluster(points, &mut SeededNoise::new(1)), k, &format!("{what}, tk-means"));
    let how = Restarts { clusters: k, restarts: 3, iterations: 30 };
    check(&kmeans_on_reports(points, &how, &mut SeededNoise::new(1)), k, &format!("{what}, k-means"));
}

fn uniform(rows: usize, dims: usize, seed: u64) -> Vec<f64> {
    let mut noise = SeededNoise::new(seed);
    (0..rows * dims).map(|_| 3.0 * unit_f64(&mut noise) - 1.0).collect()
}

#[test]
fn fewer_reports_than_clusters() {
    for (rows, k) in [(1, 1), (1, 3), (3, 7)] {
        all(&ReportPoints::from_rows(2, &uniform(rows, 2, 1)), k, &format!("{rows} reports, {k} clusters"));
    }
}

#[test]
fn one_report_is_the_centre() {
    let found = aware(&ReportPoints::from_rows(2, &[0.3, 0.8]), 1, ENDLESS, Width::None, Prior::NONE, "one report");
    assert!((found.centres[0][0].0 - 0.3).abs() < 2e-3 && (found.centres[0][1].0 - 0.8).abs() < 2e-3, "{found:?}");
    assert_eq!(found.shares, [1.0]);
}

#[test]
fn the_same_report_again_and_again() {
    for place in [[0.4, 0.6], [0.0, 1.0], [-2.0, 5.0]] {
        let rows: Vec<f64> = (0..40).flat_map(|_| place).collect();
        for k in [1, 3] {
            all(&ReportPoints::from_rows(2, &rows), k, &format!("{place:?} forty times, {k} clusters"));
        }
    }
}

#[test]
fn one_attribute() {
    for k in [1, 4] {
        all(&ReportPoints::from_rows(1, &uniform(50, 1, 2)), k, &format!("one attribute, {k} clusters"));
    }
}

#[test]
fn a_thousand_attributes() {
    let points = ReportPoints::from_rows(1000, &uniform(50, 1000, 3));
    for law in [NoiseLaw::Radial { rate: 100.0, radius: 1e4 }, NoiseLaw::PerAttribute { scale: 0.3 }] {
        aware(&points, 2, law, Width::Shared, Prior::WEAK, &format!("a thousand attributes, {law:?}"));
    }
    check(&TkMeans::new(2).cluster(&points, &mut SeededNoise::new(1)), 2, "a thousand attributes, tk-means");
}

#[test]
fn reports_a_million_widths_away() {
    let mut rows = uniform(60, 2, 4);
    rows.extend([1e6, -1e6, -1e6, 3.0]);
    let points = ReportPoints::from_rows(2, &rows);
    for law in [RADIAL, ENDLESS, EACH] {
        aware(&points, 2, law, Width::None, Prior::WEAK, &format!("far reports, {law:?}"));
    }
    check(&TkMeans::new(2).cluster(&points, &mut SeededNoise::new(1)), 2, "far reports, tk-means");
    let how = Restarts { clusters: 2, restarts: 3, iterations: 30 };
    check(&kmeans_on_reports(&points, &how, &mut SeededNoise::new(1)), 2, "far reports, k-means");
}

/// A hundred reports at each of two places, and one that is far away.
fn with_one_far(far: f64) -> ReportPoints {
    let mut noise = SeededNoise::new(6);
    let mut rows: Vec<f64> =
        (0..200).flat_map(|i| [0.2 + 0.6 * f64::from(i % 2), 0.5].map(|m| m + 0.1 * normal(&mut noise))).collect();
    rows.extend([far, 0.5]);
    ReportPoints::from_rows(2, &rows)
}

fn apart(points: &ReportPoints, width: Width) -> f64 {
    let how = NoiseAware { width, ..NoiseAware::new(2) };
    let found = how.cluster(points, NoiseLaw::Radial { rate: 16.0, radius: 1e7 }, &mut SeededNoise::new(1));
    (found.centres[0][0].0 - found.centres[1][0].0).abs()
}

/// Tables are wide enough for the farthest report, so it must not cost the others their detail.
#[test]
fn one_far_report_does_not_hide_the_clusters() {
    for far in [2.0, 20.0, 1e3] {
        let apart = apart(&with_one_far(far), Width::None);
        assert!((apart - 0.6).abs() < 0.08, "a report at {far}: centres are {apart} apart");
    }
}

#[test]
fn one_very_far_report_does_not_hide_the_clusters() {
    for far in [1e5, 1e6] {
        let apart = apart(&with_one_far(far), Width::None);
        assert!((apart - 0.6).abs() < 0.08, "a report at {far}: centres are {apart} apart");
    }
}

/// Laplace noise may reach every step of the lattice, so these are reports like others.
#[test]
fn reports_at_the_ends_of_the_lattice() {
    let columns = vec![vec![0, 30_000, 65_534, i64::MAX, i64::MIN], vec![65_534, 500, 7, i64::MIN, 9]];
    let points = ReportPoints::from_steps(&columns);
    for law in [RADIAL, ENDLESS, EACH] {
        for k in [1, 2] {
            aware(&points, k, law, Width::None, Prior::WEAK, &format!("ends of the lattice, {law:?}"));
        }
    }
    check(&TkMeans::new(2).cluster(&points, &mut SeededNoise::new(1)), 2, "ends of the lattice, tk-means");
}

#[test]
fn hardly_any_noise_and_hardly_any_report() {
    let points = ReportPoints::from_rows(3, &uniform(80, 3, 5));
    for rate in [100.0, 1e-3] {
        for law in [
            NoiseLaw::Radial { rate, radius: 0.5 },
            NoiseLaw::Radial { rate, radius: 1e5 },
            NoiseLaw::PerAttribute { scale: 1.0 / rate },
        ] {
            for width in [Width::None, Width::Shared, Width::PerCluster] {
                aware(&points, 3, law, width, Prior::WEAK, &format!("{law:?}, {width:?}"));
                aware(&points, 3, law, width, Prior::NONE, &format!("{law:?}, {width:?}, no prior"));
            }
        }
    }
}

#[test]
fn loud_reports_say_nothing_and_the_prior_says_the_middle() {
    let mut noise = SeededNoise::new(2);
    let rows: Vec<f64> = (0..400).map(|_| 0.5 + 2000.0 * normal(&mut noise)).collect();
    let law = NoiseLaw::Radial { rate: 1e-3, radius: 1e5 };
    let found = aware(&ReportPoints::from_rows(2, &rows), 2, law, Width::None, Prior::WEAK, "loud");
    assert!(found.drowned(), "{found:?}");
    // Pooled draws of the prior, so about the middle.
    assert!(found.centres.iter().flatten().all(|x| (x.0 - 0.5).abs() < 0.1), "{:?}", found.centres);
}

#[test]
fn choosing_among_few() {
    for rows in [1, 2, 5] {
        let points = ReportPoints::from_rows(2, &uniform(rows, 2, 6));
        for most in [0, 1, 4] {
            let how = NoiseAware { starts: 2, ..NoiseAware::new(1) };
            let found = choose_k(&how, most, Criterion::Evidence, &points, ENDLESS, &mut SeededNoise::new(1));
            check(&found.clusters, found.clusters.centres.len(), &format!("{rows} reports, at most {most}"));
            assert!((1..=most.max(1)).contains(&found.clusters.centres.len()));
            assert!(found.tried.iter().all(|x| x.ln_evidence.is_finite() && x.bic.is_finite()));
        }
    }
}
