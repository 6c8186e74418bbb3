//! Table III of SZY19 in small: the digits, encoded with the paper's parameters and clustered.

use shoal_consortium::aggregator::Horizontal;
use shoal_consortium::custodian::Dpbv;
use shoal_consortium::{Agreement, AnchorSecret, Attribute, Codes, Flips, Scale, Terms};
use shoal_kernel::score::{Contingency, Normalizer, normalized_mutual_information};
use shoal_kernel::{KCluster, OwnRecord, WithOwn};
use shoal_lattice::Interval;
use shoal_lattice::STEPS;
use shoal_noise::SeededNoise;
use shoal_reproduce::comparators::{Rows, additive_perturbation, distances, kmeans_labels, random_subspace_projection};

const PIXELS: usize = 64;

/// All digits, and which they are.
fn digits() -> (Rows, Vec<u32>) {
    let text = include_str!("../../data/digits.csv");
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for line in text.lines().skip(1) {
        let mut cells = line.split(',').map(|cell| cell.parse::<f64>().unwrap());
        values.extend(cells.by_ref().take(PIXELS));
        labels.push(cells.next().unwrap() as u32);
    }
    (Rows::new(PIXELS, values), labels)
}

/// Normalised mutual information in per cent.
fn nmi(found: &[u32], labels: &[u32]) -> f64 {
    let mut table = Contingency::default();
    table.add_all(found, labels).unwrap();
    100.0 * normalized_mutual_information(&table, Normalizer::Arithmetic).unwrap()
}

fn encoded(rows: &Rows, epsilon: &str, seed: u64) -> (Terms, Codes) {
    let range = Interval::new(0.0, 16.0).unwrap();
    let attributes = (0..PIXELS).map(|i| Attribute::new(format!("p{i}"), range, 8.0).unwrap()).collect();
    let terms = Terms::new(attributes, 1000, Flips::PerBit(epsilon.parse().unwrap()), Scale::Own).unwrap();
    let agreement = Agreement::new(terms.clone(), AnchorSecret::from_seed(seed));
    let (encoder, mut noise) = (Dpbv::new(&agreement).unwrap(), SeededNoise::new(seed));
    let mut codes = Codes::new(&terms);
    let mut words = vec![0; codes.record_words()];
    for i in 0..rows.len() {
        let record: Vec<i32> = rows.row(i).iter().map(|x| (x / 16.0 * STEPS as f64).round() as i32).collect();
        encoder.encode(&record, &mut noise, &mut words);
        codes.extend(&words);
    }
    (terms, codes)
}

/// Printed: 74.32 for k-means, 72.72 for ADP, 63.65 for RSP, 74.65 for kCluster. Over twenty runs the best of twenty starts
/// has standard deviations of 0.30, 0.82, 3.13 and 0.25 (papers/SZY19.md); these are five of them, and 0.33 more for
/// kCluster, whose mean is that much lower.
#[test]
fn the_comparators_come_out_as_printed() {
    let (rows, labels) = digits();
    assert_eq!((rows.len(), rows.dims()), (1797, PIXELS));
    let mut random = SeededNoise::new(1);
    let kmeans = |rows: &Rows, random: &mut SeededNoise| nmi(&kmeans_labels(rows, 10, 10, random), &labels);
    let plain = kmeans(&rows, &mut random);
    assert!((plain - 74.32).abs() < 1.5, "k-means {plain}");
    let adp = kmeans(&additive_perturbation(&rows, 2.0, &mut random), &mut random);
    assert!((adp - 72.72).abs() < 4.1, "ADP {adp}");
    let rsp = kmeans(&random_subspace_projection(&rows, PIXELS / 2, &mut random), &mut random);
    assert!((rsp - 63.65).abs() < 15.7 && rsp < plain - 2.0, "RSP {rsp}");
    let kcluster = KCluster { k: 10, own: OwnRecord::LeftOut, iterations: 100, starts: 10 };
    let found = nmi(&kcluster.run(&distances(&rows), &mut random).unwrap().labels, &labels);
    assert!((found - 74.65).abs() < 1.6, "kCluster {found}");
}

/// At ε = 2 the digits are found as well as without noise. At ε = 0.5 they are found when a record is left out of the
/// average of its own cluster, and much worse as printed.
#[test]
fn a_record_in_its_own_average_spoils_noisy_codes() {
    let (rows, labels) = digits();
    let run = |epsilon: &str, own: OwnRecord| {
        let (terms, codes) = encoded(&rows, epsilon, 3);
        let seen = Horizontal::new(&terms, &codes).unwrap();
        let distances = seen.condensed();
        let records = WithOwn { distances: &distances, own: seen.own_distance() };
        let how = KCluster { k: 10, own, iterations: 50, starts: 3 };
        nmi(&how.run(&records, &mut SeededNoise::new(4)).unwrap().labels, &labels)
    };
    let clear = run("2", OwnRecord::LeftOut);
    assert!(clear > 68.0, "ε = 2: {clear}");
    let (left_out, printed) = (run("0.5", OwnRecord::LeftOut), run("0.5", OwnRecord::AsPrinted));
    assert!(left_out > 62.0 && left_out > printed + 8.0, "ε = 0.5: {left_out} left out, {printed} as printed");
}
