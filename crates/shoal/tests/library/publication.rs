//! Models for the public: they do not depend on the order of reports, and carry a guarantee of their own.

use shoal::{Batches, Cluster, Model, PUBLIC_DELTA, ServerMethod};
use shoal_crowd::report_file::Reports;
use shoal_device::{Client, Design, Mechanism};
use shoal_lattice::{Bounds, Interval, STEPS};
use shoal_noise::SeededNoise;
use shoal_privacy::{Assumption, Claim, Loss, Neighbours};

/// Reports of two groups.
fn reports(count: i64) -> Reports {
    let bounds = Bounds::new(vec!["x".into(), "y".into()], vec![Interval::new(0.0, 1.0).unwrap(); 2]).unwrap();
    let design = Design::new(Mechanism::Laplace, "4".parse().unwrap(), bounds).unwrap();
    let (client, mut noise) = (Client::new(&design).unwrap(), SeededNoise::new(4));
    let mut columns = vec![Vec::new(), Vec::new()];
    for i in 0..count {
        let place = (i % 2) * STEPS as i64 / 2 + STEPS as i64 / 4;
        let mut report = [0; 2];
        client.report(&[place, place], &mut noise, &mut report);
        columns.iter_mut().zip(report).for_each(|(column, x)| column.push(x));
    }
    Reports { promises: design.promises().unwrap(), design, seeded: false, columns, files: 1 }
}

fn reversed(mut reports: Reports) -> Reports {
    reports.columns.iter_mut().for_each(|column| column.reverse());
    reports
}

fn public(model: &Model) -> Option<&Claim> {
    model.towards_the_public()
}

#[test]
fn the_order_of_reports_does_not_change_a_published_model() {
    let reports = reports(3_000);
    for method in [ServerMethod::NoiseAware, ServerMethod::KMeans, ServerMethod::TkMeans] {
        let job = Cluster::new(2).unwrap().method(method).seed(1).restarts(2);
        let published = job.clone().published("1e-6", None).unwrap();
        let model = published.run_reports(reports.clone()).unwrap();
        assert_eq!(published.run_reports(reversed(reports.clone())).unwrap(), model, "{method:?}");
        // Without it the order decides which reports an initialisation takes.
        let plain = job.run_reports(reports.clone()).unwrap();
        assert_ne!(job.run_reports(reversed(reports.clone())).unwrap(), plain, "{method:?}");
        assert!(public(&plain).is_none());
        let claim = public(&model).unwrap();
        assert_eq!(claim.neighbours, Neighbours::ReplaceOne);
        assert!(claim.assumes.contains(&Assumption::OnlyResultsPublished));
        assert_eq!(*claim, reports.promises.towards_the_public(3_000, &"1e-6".parse().unwrap()).unwrap());
    }
}

#[test]
fn what_the_public_learns_follows_the_smallest_batch() {
    let reports = reports(2_000);
    let job = Cluster::new(2).unwrap().method(ServerMethod::KMeans).seed(1).restarts(1);
    let epsilon = |batch: Option<u64>| {
        let model = job.clone().published("1e-6", batch).unwrap().run_reports(reports.clone()).unwrap();
        match public(&model).unwrap().loss.clone() {
            Loss::Approximate { epsilon, .. } | Loss::Pure(epsilon) => epsilon,
            other => panic!("{other:?}"),
        }
    };
    assert!(epsilon(None) < epsilon(Some(500)));
    assert_eq!(epsilon(Some(1)), "4".parse().unwrap(), "alone, a report hides among nobody");
    assert_eq!(epsilon(Some(10_000)), epsilon(None), "no more reports than there are");
    let seeded = Reports { seeded: true, ..reports.clone() };
    let model = job.clone().published("1e-6", None).unwrap().run_reports(seeded).unwrap();
    assert!(public(&model).is_none());
    assert!(job.clone().published("1.5", None).is_err());
}

#[test]
fn batches_are_as_strong_as_the_smallest_of_them() {
    let promises = reports(1).promises;
    let claim = |reports: u64| promises.towards_the_public(reports, &PUBLIC_DELTA.parse().unwrap());
    assert_eq!(Batches::default().claim(&promises), None, "nothing was published");
    let all = Batches::of([9_000, 0]).and([5_000]).and([]).and([20_000]);
    assert_eq!((all.smallest(), all.claim(&promises)), (Some(5_000), claim(5_000)));
    assert_ne!(claim(5_000), claim(20_000));
    assert_eq!(Batches::of([5_000]).and([3]).claim(&promises).unwrap().loss, Loss::Pure("4".parse().unwrap()));
}
