//! Scores against vectors from an independent generator, `vectors/scores.py`, and wrong scores that must fail them.

use serde::Deserialize;
use serde_json::Value;
use shoal_kernel::score::*;

#[derive(Deserialize)]
struct Vectors {
    format: u32,
    points: Vec<PointCase>,
    labels: Vec<LabelCase>,
    relative_error: Vec<RelativeErrorCase>,
    malformed: Vec<Malformed>,
}

#[derive(Deserialize)]
struct PointCase {
    name: String,
    dims: usize,
    points: Vec<f64>,
    centres: Vec<f64>,
    labels: Vec<usize>,
    nicv: f64,
    nicv_unsquared: f64,
    sse_nearest: f64,
    sse: f64,
}

#[derive(Deserialize)]
struct LabelCase {
    name: String,
    left: Vec<i64>,
    right: Vec<i64>,
    ari: f64,
    nmi: Nmi,
}

#[derive(Deserialize)]
struct Nmi {
    arithmetic: f64,
    geometric: f64,
    min: f64,
    max: f64,
}

#[derive(Deserialize)]
struct RelativeErrorCase {
    name: String,
    dims: usize,
    records: Vec<f64>,
    reports: Vec<f64>,
    true_labels: Vec<usize>,
    report_labels: Vec<usize>,
    matching: Vec<usize>,
    same_members: f64,
    matched: f64,
    centre_distance: f64,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Malformed {
    measure: String,
    dims: usize,
    points: Vec<Value>,
    centres: Vec<Value>,
    labels: Vec<usize>,
    left: Vec<i64>,
    right: Vec<i64>,
    matching: Vec<usize>,
    error: String,
}

fn vectors() -> Vectors {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/scores.json");
    let vectors: Vectors = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(vectors.format, 1);
    vectors
}

/// Equal to 1e-12 of the value.
fn close(name: &str, found: f64, wanted: f64) -> Result<(), String> {
    let fits = (found - wanted).abs() <= 1e-12 * wanted.abs();
    fits.then_some(()).ok_or_else(|| format!("{name}: {found} where {wanted} is right"))
}

fn nicv(case: &PointCase) -> NicvAccumulator {
    let mut nicv = NicvAccumulator::new(&case.centres, case.dims).unwrap();
    nicv.add_rows(&case.points).unwrap();
    nicv
}

fn table(case: &LabelCase) -> Contingency<i64, i64> {
    let mut table = Contingency::default();
    table.add_all(&case.left, &case.right).unwrap();
    table
}

fn check_points(
    vectors: &Vectors,
    score: impl Fn(&PointCase) -> f64,
    wanted: impl Fn(&PointCase) -> f64,
) -> Result<(), String> {
    vectors.points.iter().try_for_each(|case| close(&case.name, score(case), wanted(case)))
}

fn check_labels(
    vectors: &Vectors,
    score: impl Fn(&LabelCase) -> f64,
    wanted: impl Fn(&LabelCase) -> f64,
) -> Result<(), String> {
    vectors.labels.iter().try_for_each(|case| close(&case.name, score(case), wanted(case)))
}

fn sse(case: &PointCase) -> f64 {
    let mut sse = SseAccumulator::new(&case.centres, case.dims).unwrap();
    for (row, label) in case.points.chunks(case.dims).zip(&case.labels) {
        sse.add_row(row, *label).unwrap();
    }
    sse.value().unwrap()
}

#[test]
fn distances_to_centres() {
    let vectors = vectors();
    check_points(&vectors, |case| nicv(case).squared().unwrap(), |case| case.nicv).unwrap();
    check_points(&vectors, |case| nicv(case).unsquared().unwrap(), |case| case.nicv_unsquared).unwrap();
    check_points(&vectors, |case| nicv(case).total_squared().unwrap(), |case| case.sse_nearest).unwrap();
    check_points(&vectors, sse, |case| case.sse).unwrap();
}

#[test]
fn agreement_of_labels() {
    let vectors = vectors();
    check_labels(&vectors, |case| adjusted_rand_index(&table(case)).unwrap(), |case| case.ari).unwrap();
    let nmi = |normalizer| move |case: &LabelCase| normalized_mutual_information(&table(case), normalizer).unwrap();
    check_labels(&vectors, nmi(Normalizer::default()), |case| case.nmi.arithmetic).unwrap();
    check_labels(&vectors, nmi(Normalizer::Geometric), |case| case.nmi.geometric).unwrap();
    check_labels(&vectors, nmi(Normalizer::Min), |case| case.nmi.min).unwrap();
    check_labels(&vectors, nmi(Normalizer::Max), |case| case.nmi.max).unwrap();
}

#[test]
fn relative_errors() {
    for case in vectors().relative_error {
        let clusters = case.matching.len();
        let mut same = SameMembers::new(clusters, case.dims).unwrap();
        let mut records = ClusterSums::new(clusters, case.dims).unwrap();
        let mut reports = ClusterSums::new(clusters, case.dims).unwrap();
        for (i, (record, report)) in case.records.chunks(case.dims).zip(case.reports.chunks(case.dims)).enumerate() {
            same.add_row(record, report, case.true_labels[i]).unwrap();
            records.add_row(record, case.true_labels[i]).unwrap();
            reports.add_row(report, case.report_labels[i]).unwrap();
        }
        close(&case.name, same.value().unwrap(), case.same_members).unwrap();
        close(&case.name, relative_error_matched(&records, &reports, &case.matching).unwrap(), case.matched).unwrap();
        let distance = centre_distance_matched(&records, &reports, &case.matching).unwrap();
        close(&case.name, distance, case.centre_distance).unwrap();
    }
}

#[test]
fn parts_merged_score_as_the_whole() {
    for case in vectors().points {
        let middle = case.points.len() / case.dims / 2 * case.dims;
        let (first, second) = case.points.split_at(middle);
        let mut merged = NicvAccumulator::new(&case.centres, case.dims).unwrap();
        for part in [first, second] {
            let mut nicv = NicvAccumulator::new(&case.centres, case.dims).unwrap();
            nicv.add_rows(part).unwrap();
            merged.merge(&nicv);
        }
        assert_eq!(merged.rows(), (case.points.len() / case.dims) as u64);
        close(&case.name, merged.squared().unwrap(), case.nicv).unwrap();
        close(&case.name, merged.unsquared().unwrap(), case.nicv_unsquared).unwrap();
    }
    for case in vectors().labels {
        let middle = case.left.len() / 2;
        let (mut merged, mut rest) = (Contingency::default(), Contingency::default());
        rest.add_all(&case.left[middle..], &case.right[middle..]).unwrap();
        merged.add_all(&case.left[..middle], &case.right[..middle]).unwrap();
        merged.merge(&rest);
        assert_eq!(adjusted_rand_index(&merged), adjusted_rand_index(&table(&case)));
        let nmi = |table| normalized_mutual_information(table, Normalizer::default());
        assert_eq!(nmi(&merged), nmi(&table(&case)));
    }
}

#[test]
fn malformed_input_is_refused_by_name() {
    let number = |value: &Value| match value {
        Value::String(text) => text.parse::<f64>().unwrap(),
        other => other.as_f64().unwrap(),
    };
    for case in vectors().malformed {
        let points: Vec<f64> = case.points.iter().map(number).collect();
        let centres: Vec<f64> = case.centres.iter().map(number).collect();
        let score = || -> Result<f64, ScoreError> {
            match case.measure.as_str() {
                "nicv" => {
                    let mut nicv = NicvAccumulator::new(&centres, case.dims)?;
                    nicv.add_rows(&points)?;
                    nicv.squared()
                }
                "sse" => {
                    let mut sse = SseAccumulator::new(&centres, case.dims)?;
                    for (row, label) in points.chunks(case.dims).zip(&case.labels) {
                        sse.add_row(row, *label)?;
                    }
                    sse.value()
                }
                "labels" => {
                    let mut table = Contingency::default();
                    table.add_all(&case.left, &case.right)?;
                    let nmi = normalized_mutual_information(&table, Normalizer::default());
                    assert_eq!(nmi.is_err(), adjusted_rand_index(&table).is_err());
                    nmi
                }
                "matched" => {
                    let mut sums = ClusterSums::new(2, 1)?;
                    sums.add_row(&[0.0], 0)?;
                    sums.add_row(&[1.0], 1)?;
                    relative_error_matched(&sums, &sums, &case.matching)
                }
                other => panic!("no measure is called {other}"),
            }
        };
        let message = score().expect_err(&case.error).to_string();
        assert!(message.contains(&case.error), "{message} does not mention {}", case.error);
    }
}

/// The share of pairs on which two labellings agree, not adjusted for chance.
fn unadjusted_rand_index(case: &LabelCase) -> f64 {
    let rows = case.left.len();
    let pairs = (0..rows).flat_map(|i| (0..i).map(move |j| (i, j)));
    let agree = pairs.filter(|&(i, j)| (case.left[i] == case.left[j]) == (case.right[i] == case.right[j])).count();
    if rows < 2 { 1.0 } else { agree as f64 / (rows * (rows - 1) / 2) as f64 }
}

#[test]
fn wrong_scores_fail_the_vectors() {
    let vectors = vectors();
    assert!(check_labels(&vectors, unadjusted_rand_index, |case| case.ari).is_err());
    assert!(check_points(&vectors, |case| nicv(case).unsquared().unwrap(), |case| case.nicv).is_err());
    assert!(check_points(&vectors, |case| nicv(case).squared().unwrap(), |case| case.nicv_unsquared).is_err());
    assert!(check_points(&vectors, |case| nicv(case).total_squared().unwrap(), |case| case.sse).is_err());
    assert!(check_points(&vectors, |case| nicv(case).squared().unwrap() * (1.0 + 1e-11), |case| case.nicv).is_err());
    let geometric = |case: &LabelCase| normalized_mutual_information(&table(case), Normalizer::Geometric).unwrap();
    assert!(check_labels(&vectors, geometric, |case| case.nmi.arithmetic).is_err());
    let nmi = |case: &LabelCase| normalized_mutual_information(&table(case), Normalizer::default()).unwrap();
    assert!(check_labels(&vectors, nmi, |case| case.ari).is_err());
}
