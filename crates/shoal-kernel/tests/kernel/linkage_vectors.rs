//! Hierarchical clustering against scipy's, `vectors/linkage.py`.

use serde::Deserialize;
use shoal_kernel::{Condensed, Dendrogram, Linkage};

#[derive(Deserialize)]
struct Vectors {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    method: String,
    records: usize,
    distances: Vec<f64>,
    merges: Vec<(usize, usize, f64, usize)>,
    cuts: Vec<(usize, Vec<u32>)>,
}

fn vectors() -> Vec<Case> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/linkage.json");
    serde_json::from_str::<Vectors>(&std::fs::read_to_string(path).unwrap()).unwrap().cases
}

/// Whether merges, cuts by number and cuts by height are scipy's.
fn agrees(case: &Case, linkage: Linkage) -> bool {
    let distances = Condensed::from_vec(case.records, case.distances.clone()).unwrap();
    let found = Dendrogram::of(distances, linkage).unwrap();
    let merges = found.merges().iter().zip(&case.merges).all(|(ours, &(first, second, height, size))| {
        (ours.first, ours.second, ours.size) == (first, second, size) && (ours.height - height).abs() < 1e-12
    });
    let cuts = case.cuts.iter().all(|(k, labels)| {
        let merges = case.records - k;
        let height = if merges == 0 { 0.0 } else { found.merges()[merges - 1].height };
        found.cut_into(*k).unwrap() == *labels && found.cut_at(height) == *labels
    });
    merges && cuts && found.merges().len() == case.merges.len()
}

#[test]
fn dendrograms_are_scipys() {
    let cases = vectors();
    assert_eq!(cases.len(), 12);
    for case in &cases {
        let linkage = match case.method.as_str() {
            "single" => Linkage::Single,
            "complete" => Linkage::Complete,
            "average" => Linkage::Average,
            other => panic!("unknown method {other}"),
        };
        assert!(agrees(case, linkage), "{} of {} records", case.method, case.records);
        if case.records >= 10 {
            let others = [Linkage::Single, Linkage::Complete, Linkage::Average].into_iter().filter(|l| *l != linkage);
            assert!(others.into_iter().all(|other| !agrees(case, other)), "another linkage is seen");
        }
    }
}
