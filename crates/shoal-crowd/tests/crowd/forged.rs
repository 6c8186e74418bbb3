//! One forged report matters no more than the farthest honest one, and honest reports are left where they are.

use shoal_crowd::server::{Plausible, ReportPoints, TkMeans, kmeans_on_reports};
use shoal_kernel::Restarts;
use shoal_noise::SeededNoise;

use crate::crowd_support::server::{Groups, nicv, noisy_client, places, reported, rows_of};

fn groups() -> Groups {
    Groups::alike(&[&[0.2, 0.3], &[0.8, 0.4], &[0.4, 0.9]], 0.03)
}

/// The reports, of which the first is as far out as numbers go.
fn with_a_far_one(points: &ReportPoints) -> ReportPoints {
    let mut rows = rows_of(points);
    rows[..points.dims()].fill((1_u64 << 46) as f64);
    ReportPoints::from_rows(points.dims(), &rows)
}

#[test]
fn honest_reports_are_not_moved() {
    for which in 0..5 {
        for epsilon in [1, 8] {
            let (client, _) = noisy_client(which, epsilon, 2);
            let (_, points) = reported(&groups(), 20_000, &client, 5);
            let plausible = Plausible::of(&client, points.rows()).unwrap();
            let (held, moved) = plausible.hold(points.clone());
            assert_eq!(moved, 0, "mechanism {which}");
            assert_eq!(rows_of(&held), rows_of(&points));
            // A tenth of that is not beyond all of them, unless the box ends there: the bound can fail.
            let narrow = Plausible { beyond: 0.1 * plausible.beyond };
            assert!(narrow.hold(points).1 > 0, "mechanism {which}");
        }
    }
}

#[test]
fn a_single_far_report_destroys_no_server() {
    for which in 0..5 {
        let (client, _) = noisy_client(which, 16, 2);
        let (records, points) = reported(&groups(), 10_000, &client, 9);
        let plausible = Plausible::of(&client, points.rows()).unwrap();
        let how = Restarts { clusters: 3, restarts: 5, iterations: 50 };
        let kmeans = |points: &ReportPoints| {
            nicv(&records, &places(&kmeans_on_reports(points, &how, &mut SeededNoise::new(1)).centres))
        };
        let tk_means = |points: &ReportPoints| {
            nicv(&records, &places(&TkMeans::new(3).cluster(points, &mut SeededNoise::new(1)).centres))
        };
        let far = with_a_far_one(&points);
        let (held, moved) = plausible.hold(far.clone());
        assert_eq!(moved, 1);
        let (honest, forged) = (kmeans(&points), kmeans(&held));
        assert!(forged < 1.05 * honest + 1e-4, "k-means, mechanism {which}: {honest} and {forged}");
        let (honest, forged) = (tk_means(&points), tk_means(&held));
        assert!(forged < 1.05 * honest + 1e-4, "TK-means, mechanism {which}: {honest} and {forged}");
        // Without it, one report takes a centre for itself.
        assert!(kmeans(&far) > 5.0 * honest, "mechanism {which}: {}", kmeans(&far));
    }
}
