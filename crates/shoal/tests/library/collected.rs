//! Reports that a collector received one by one: clustered as a file of them is, under the same guarantee.

use shoal::{Cluster, Perturb, PlanCrowd};
use shoal_crowd::report_file::{Form, ReportWriter, Reports};
use shoal_device::{Client, Design, Device};
use shoal_files::Source;
use shoal_noise::SeededNoise;

fn design() -> Design {
    Perturb::new("6").unwrap().bounds("age=17:90,hours=1:99").unwrap().design().unwrap()
}

/// Half of the people are young and work much.
fn reports(design: &Design, count: usize) -> Vec<Vec<i64>> {
    let mut device = Device::with_noise(design, SeededNoise::new(5)).unwrap();
    let mut columns = vec![Vec::new(); 2];
    for person in 0..count {
        let report = device.report(if person % 2 == 0 { &[25.0, 80.0] } else { &[70.0, 10.0] }).unwrap();
        columns.iter_mut().zip(report.steps).for_each(|(column, x)| column.push(x.0));
    }
    columns
}

#[test]
fn collected_reports_are_clustered_as_a_file_of_them() {
    let design = design();
    let columns = reports(&design, 3000);
    let job = Cluster::new(2).unwrap().seed(3);
    let collected = job.run_collected(&design, columns.clone()).unwrap();
    let mut file = Vec::new();
    let promises = Client::new(&design).unwrap().promises();
    let mut out = ReportWriter::new(&mut file, &design, &promises, false, Form::Parquet).unwrap();
    out.append(&columns).unwrap();
    out.finish().unwrap();
    let read = job.run([Source::Memory(file)]).unwrap();
    assert_eq!(collected.guarantee, read.guarantee);
    assert_eq!((collected.also, collected.centres), (read.also, read.centres));
    assert_eq!(collected.from_reports.unwrap().reports, 3000);
}

#[test]
fn what_is_no_collection_of_reports_is_refused() {
    let design = design();
    let code = |columns: Vec<Vec<i64>>| Reports::collected(design.clone(), columns).unwrap_err().code();
    let good = reports(&design, 10);
    assert_eq!(code(vec![good[0].clone()]), "reports-shape");
    assert_eq!(code(vec![good[0].clone(), good[1][1..].to_vec()]), "reports-shape");
    let mut far = good.clone();
    far[1][3] = i64::MAX;
    assert_eq!(code(far), "reports-outside");
    // The default design is exact BPM with the names that the bounds give.
    assert_eq!((design.mechanism().name(), design.bounds().columns()[1].as_str()), ("bpm", "hours"));
    assert_eq!(Perturb::new("6").unwrap().bounds("0,1").unwrap().design().unwrap_err().code(), "bounds-without-names");
}

#[test]
fn a_plan_for_a_crowd_falls_with_reports_and_with_epsilon() {
    let plan = |epsilon: &str| PlanCrowd::new(2, 3, epsilon).unwrap().up_to(10_000).run().unwrap();
    let (private, loose) = (plan("4"), plan("12"));
    for plan in [&private, &loose] {
        let errors: Vec<f64> = plan.cells.iter().map(|cell| cell.plus_minus).collect();
        assert!(errors.last() < errors.first(), "{errors:?}");
        for cell in &plan.cells {
            // Nobody does better than the information in the reports allows; three crowds have some luck.
            assert!(cell.plus_minus > 0.5 * cell.bound.unwrap(), "{cell:?}");
        }
    }
    assert!(loose.cells[1].plus_minus < private.cells[1].plus_minus);
    let needed = |plan: &shoal::CrowdPlan| plan.needed.iter().find(|it| it.plus_minus == 0.05).unwrap().reports;
    assert!(needed(&loose) < needed(&private) || needed(&private).is_none());
    assert_eq!(plan("12").cells, loose.cells, "the same plan each time");
    assert!(loose.to_string().contains("about"), "{loose}");
    for (dims, k) in [(0, "3"), (2, "0"), (2, "auto"), (2, "1000")] {
        assert!(PlanCrowd::new(dims, k, "1").is_err());
    }
}
