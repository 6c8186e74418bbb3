//! Labels of reports: the likeliest cluster under the known noise, with an honest probability.

use shoal_crowd::server::{Clusters, ReportLabel, ReportPoints, labels, nearest_labels, write_labels};
use shoal_files::{DataError, Form, ReadOptions, Silent, Source, Table};
use shoal_lattice::{UnitPosition, Widths};
use shoal_noise::SeededNoise;
use shoal_noise::uniform::unit_f64;

use crate::crowd_support::server::{Groups, noisy_client, reports_on};

fn unequal() -> Groups {
    let places: [&[f64]; 3] = [&[0.25, 0.4, 0.5], &[0.6, 0.5, 0.45], &[0.7, 0.8, 0.3]];
    Groups { shares: vec![0.75, 0.17, 0.08], ..Groups::alike(&places, 0.05) }
}

fn clusters(groups: &Groups) -> Clusters {
    Clusters {
        centres: groups.places.iter().map(|place| UnitPosition::list(place)).collect(),
        shares: groups.shares.clone(),
        widths: groups.widths.iter().map(|width| vec![Widths(*width); groups.dims()]).collect(),
        ..Clusters::default()
    }
}

/// Reports with the cluster that each is of.
fn labelled(which: usize, epsilon: u32, rows: usize) -> (Vec<usize>, ReportPoints, Vec<ReportLabel>, Vec<ReportLabel>) {
    let groups = unequal();
    let (client, law) = noisy_client(which, epsilon, 3);
    let mut noise = SeededNoise::new(40 + which as u64);
    let (mut truth, mut records) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let x = unit_f64(&mut noise);
        let of = if x < 0.75 {
            0
        } else if x < 0.92 {
            1
        } else {
            2
        };
        let one = Groups { places: vec![groups.places[of].clone()], shares: vec![1.0], widths: vec![0.05] };
        records.extend(one.records(1, &mut noise));
        truth.push(of);
    }
    let points = reports_on(&records, &client, &mut noise);
    let (found, nearest) =
        (labels(&points, law, &clusters(&groups)), nearest_labels(&points, &clusters(&groups).centres));
    (truth, points, found, nearest)
}

fn right(truth: &[usize], found: &[ReportLabel]) -> f64 {
    truth.iter().zip(found).filter(|(of, label)| **of == label.label).count() as f64 / truth.len() as f64
}

/// Of reports that are labelled with a probability of 80 %, 80 % are labelled right. The mutant takes the nearest centre.
#[test]
fn probabilities_are_how_often_labels_are_right() {
    for which in 0..5 {
        let (truth, _, found, nearest) = labelled(which, 8, 6000);
        let share = right(&truth, &found);
        let stated = found.iter().map(|label| label.probability.unwrap()).sum::<f64>() / found.len() as f64;
        assert!((share - stated).abs() < 0.02, "{which}: right {share}, stated {stated}");
        assert!(share > right(&truth, &nearest) + 0.02, "{which}: the nearest centre is worse");
        for (low, high) in [(0.4, 0.7), (0.7, 0.9), (0.9, 1.01)] {
            let some: Vec<usize> =
                (0..found.len()).filter(|&i| (low..high).contains(&found[i].probability.unwrap())).collect();
            if some.len() > 300 {
                let stated = some.iter().map(|&i| found[i].probability.unwrap()).sum::<f64>() / some.len() as f64;
                let share = some.iter().filter(|&&i| truth[i] == found[i].label).count() as f64 / some.len() as f64;
                assert!((share - stated).abs() < 0.06, "{which}, {low} to {high}: right {share}, stated {stated}");
            }
        }
    }
}

#[test]
fn both_forms_hold_the_same_labels() {
    let (_, _, found, nearest) = labelled(0, 8, 50);
    for form in [Form::Csv, Form::Parquet] {
        for (labels, columns) in [(&found, vec!["report", "label", "probability"]), (&nearest, vec!["report", "label"])]
        {
            let mut bytes = Vec::new();
            write_labels(&mut bytes, form, labels, |j| j + 1, r#"{"guarantee":"that of the reports"}"#).unwrap();
            if form == Form::Csv {
                let text = String::from_utf8(bytes).unwrap();
                let (first, rest) = text.split_once('\n').unwrap();
                assert!(first.starts_with("# shoal.labels {") && first.contains("that of the reports"), "{first}");
                bytes = rest.into();
            } else {
                assert!(bytes.windows(19).any(|part| part == b"that of the reports"), "the guarantee is in the file");
            }
            let table = Table::open(Source::Memory(bytes), &ReadOptions::default()).unwrap();
            assert_eq!(table.columns(), columns);
            table
                .for_each_batch(100, &Silent, |batch| {
                    for (row, label) in labels.iter().enumerate() {
                        assert_eq!(batch.column(0)[row], (row + 1) as f64);
                        assert_eq!(batch.column(1)[row], (label.label + 1) as f64);
                        if let Some(probability) = label.probability {
                            assert!((batch.column(2)[row] - probability).abs() < 1e-6);
                        }
                    }
                    Ok::<(), DataError>(())
                })
                .unwrap();
        }
    }
}
