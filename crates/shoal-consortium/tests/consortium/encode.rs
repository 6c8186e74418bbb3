//! A custodian's table as codes: the very bits of the definition, whatever the threads and pieces.

use shoal_consortium::codes_file::{About, CodesFile, CodesWriter, Kind};
use shoal_consortium::custodian::{Dpbv, EncodeError, PairsOf, encode_pairs, encode_table, intermediate_rows};
use shoal_consortium::{Agreement, AnchorSecret, Attribute, Flips, Partition, Promise, Scale, Terms};
use shoal_files::{ReadOptions, Silent, Source, Table};
use shoal_lattice::Interval;
use shoal_lattice::{STEPS, Steps};
use shoal_noise::SeededNoise;
use shoal_privacy::ThisIsNotPrivate;

fn agreement(dims: usize, bits: u32, epsilon: Option<&str>) -> Agreement {
    let attribute = |i: usize| {
        let range = Interval::new(0.0, STEPS as f64 * (i + 1) as f64).unwrap();
        Attribute::new(format!("a{i}"), range, range.width() / 2.0).unwrap()
    };
    let flips = epsilon.map_or(Flips::None, |epsilon| Flips::PerBit(epsilon.parse().unwrap()));
    let terms = Terms::new((0..dims).map(attribute).collect(), bits, flips, Scale::Range).unwrap();
    Agreement::new(terms, AnchorSecret::from_seed(9))
}

/// Record `row` in lattice steps.
fn record(row: usize, dims: usize) -> Vec<i32> {
    (0..dims).map(|i| ((row * 7919 + i * 104_729) % (STEPS as usize + 1)) as i32).collect()
}

fn csv(rows: usize, dims: usize) -> String {
    let names: Vec<_> = (0..dims).map(|i| format!("a{i}")).collect();
    let mut text = format!("who,{}\n", names.join(","));
    for row in 0..rows {
        let values: Vec<_> =
            record(row, dims).iter().enumerate().map(|(i, x)| (i64::from(*x) * (i as i64 + 1)).to_string()).collect();
        text.push_str(&format!("p{row},{}\n", values.join(",")));
    }
    text
}

fn open(text: &str, dims: usize, named: bool) -> Table {
    let columns = Some((0..dims).map(|i| format!("a{i}")).collect());
    let options = ReadOptions { columns, label: named.then(|| "who".into()), ..ReadOptions::default() };
    Table::open(Source::Memory(text.as_bytes().to_vec()), &options).unwrap()
}

fn about(agreement: &Agreement, kind: Kind, records: Option<u64>) -> About {
    let partition = records.map_or(Partition::Records, |records| Partition::Pairs { records });
    About {
        kind,
        terms: agreement.terms().clone(),
        fingerprint: agreement.fingerprint(),
        promise: Promise::of_agreement(agreement, partition, None).unwrap().with_seeded_noise(),
        seeded: true,
        bridge: 0,
        id: None,
        paired_records: records,
    }
}

/// A seeded run on so many threads.
fn encoded(table: &Table, agreement: &Agreement, about: &About, bridge: &[Steps], threads: usize) -> (CodesFile, u64) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let mut bytes = Vec::new();
    let clamped = pool.install(|| {
        let mut out = CodesWriter::new(&mut bytes, about).unwrap();
        let encoder = Dpbv::new(agreement).unwrap();
        let mut noise = SeededNoise::new(4);
        let done = encode_table(table, agreement.terms(), &encoder, bridge, &mut noise, &mut out, &Silent).unwrap();
        assert_eq!(out.finish().unwrap(), done.rows);
        done.clamped.without_privacy().reveal(ThisIsNotPrivate)
    });
    (CodesFile::read(vec![Source::Memory(bytes)], 1 << 30).unwrap(), clamped)
}

#[test]
fn clean_codes_are_those_of_the_definition() {
    for (dims, bits, rows) in [(1, 1000, 50), (3, 70, 400), (2, 5, 1000)] {
        let agreement = agreement(dims, bits, None);
        let text = csv(rows, dims);
        let (file, clamped) =
            encoded(&open(&text, dims, false), &agreement, &about(&agreement, Kind::Records, None), &[], 2);
        assert_eq!((file.codes.rows(), clamped), (rows, 0));
        for (a, anchors) in agreement.anchors().iter().enumerate() {
            for row in (0..rows).step_by(7) {
                let (code, x) = (file.codes.code(row, a), record(row, dims)[a]);
                let wrong = (0..bits as usize).filter(|&i| (code[i / 64] >> (i % 64) & 1 == 1) != anchors.bit(i, x));
                assert_eq!(wrong.count(), 0, "row {row}, attribute {a}");
            }
        }
    }
}

#[test]
fn threads_and_pieces_change_nothing() {
    // Several batches for each thread: 12,000 records of 600 bits.
    let (dims, agreement) = (3, agreement(3, 200, Some("1")));
    let text = csv(12_000, dims);
    let about = About { id: Some("who".into()), ..about(&agreement, Kind::Records, None) };
    let (first, _) = encoded(&open(&text, dims, true), &agreement, &about, &[], 1);
    assert_eq!((first.codes.rows(), first.id(11_999)), (12_000, Some("p11999")));
    for threads in [2, 5] {
        let (same, _) = encoded(&open(&text, dims, true), &agreement, &about, &[], threads);
        assert!(same.codes == first.codes && same.parts[0].ids == first.parts[0].ids, "{threads} threads");
    }
    // Rows that are left out, and the pieces they leave, move no flips.
    let mut gaps = String::new();
    for (i, line) in text.lines().enumerate() {
        gaps.push_str(&format!("{line}\n"));
        if i > 0 && i % 3 == 0 {
            gaps.push_str("nobody,,1,1\n");
        }
    }
    let columns = Some((0..dims).map(|i| format!("a{i}")).collect());
    let missing = shoal_files::Missing::Drop;
    let options = ReadOptions { columns, label: Some("who".into()), missing, ..ReadOptions::default() };
    let table = Table::open(Source::Memory(gaps.into_bytes()), &options).unwrap();
    assert!(encoded(&table, &agreement, &about, &[], 2).0.codes == first.codes);
}

/// Whether words of 64 coins each, of which all are there, come up with probability p, and none of the words comes twice.
fn coins_are_fresh(masks: &[u64], p: f64) -> bool {
    let coins = 64.0 * masks.len() as f64;
    let share = masks.iter().map(|m| f64::from(m.count_ones())).sum::<f64>() / coins;
    let distinct: std::collections::HashSet<_> = masks.iter().collect();
    (share - p).abs() < 6.0 * (p * (1.0 - p) / coins).sqrt() && distinct.len() > masks.len() * 99 / 100
}

/// What flips did: the words in which noisy and clean codes differ.
fn masks(noisy: &CodesFile, clean: &CodesFile) -> Vec<u64> {
    noisy.codes.as_words().iter().zip(clean.codes.as_words()).map(|(a, b)| a ^ b).collect()
}

/// At ε = 1.
fn flipped() -> f64 {
    1.0 / (1.0 + 1f64.exp())
}

#[test]
fn flips_come_at_their_rate_and_not_twice_alike() {
    // Batches of 2^20 bits: two full ones and a part of one.
    let (dims, rows, bits) = (2, 20_000, 64);
    let noisy = agreement(dims, bits, Some("1"));
    // The same secret and other terms: the same anchors.
    let clean = agreement(dims, bits, None);
    assert_eq!(noisy.anchors(), clean.anchors());
    let text = csv(rows, dims);
    let table = open(&text, dims, false);
    let one = encoded(&table, &noisy, &about(&noisy, Kind::Records, None), &[], 2).0;
    let other = encoded(&table, &clean, &about(&clean, Kind::Records, None), &[], 2).0;
    let masks = masks(&one, &other);
    let p = flipped();
    assert!(coins_are_fresh(&masks, p));
    assert!(!coins_are_fresh(&masks, 1.1 * p) && !coins_are_fresh(&masks, 0.0));
    let batch = (1 << 20) / 64;
    let shared: Vec<u64> = (0..masks.len()).map(|i| masks[i % batch]).collect();
    assert!(!coins_are_fresh(&shared, p), "batches that share their coins pass");
}

#[test]
fn coins_of_pairs_are_shared_by_no_code_and_no_pair() {
    let (rows, bits) = (40, 2048);
    let pairs_of = |epsilon| {
        let agreement = agreement(1, bits, epsilon);
        let pairs = PairsOf::read(&open(&csv(rows, 1), 1, false), agreement.terms(), &Silent).unwrap();
        let mut bytes = Vec::new();
        let mut out = CodesWriter::new(&mut bytes, &about(&agreement, Kind::Pairs, Some(rows as u64))).unwrap();
        encode_pairs(&pairs, &agreement, &mut SeededNoise::new(6), &mut out).unwrap();
        out.finish().unwrap();
        CodesFile::read(vec![Source::Memory(bytes)], 1 << 30).unwrap()
    };
    let masks = masks(&pairs_of(Some("1")), &pairs_of(None));
    let words = bits as usize / 64;
    assert_eq!(masks.len(), rows * (rows - 1) / 2 * 2 * words, "780 pairs, two codes each, in four batches");
    assert!(coins_are_fresh(&masks, flipped()));
    let columns: Vec<u64> = (0..masks.len()).map(|i| masks[i / (2 * words) * 2 * words + i % words]).collect();
    assert!(!coins_are_fresh(&columns, flipped()), "two codes of a pair with the same coins pass");
}

#[test]
fn values_outside_are_moved_and_counted() {
    let agreement = agreement(1, 100, None);
    let text = "who,a0\na,-5\nb,0\nc,65534\nd,1e300\n";
    let (file, clamped) = encoded(&open(text, 1, false), &agreement, &about(&agreement, Kind::Records, None), &[], 1);
    assert_eq!(clamped, 2);
    assert_eq!((file.codes.record(0), file.codes.record(2)), (file.codes.record(1), file.codes.record(3)));
}

#[test]
fn made_up_records_come_last_and_are_marked() {
    let agreement = agreement(1, 100, None);
    let bridge = intermediate_rows(3);
    let about = About { bridge: 3, id: Some("who".into()), ..about(&agreement, Kind::Records, None) };
    let text = csv(5, 1) + "last,32767\n";
    let (file, _) = encoded(&open(&text, 1, true), &agreement, &about, &bridge, 2);
    assert_eq!((file.codes.rows(), file.id(5), file.id(6)), (9, Some("last"), Some("")));
    assert!(!file.is_bridge(5) && file.is_bridge(6) && file.is_bridge(8));
    assert_eq!(file.codes.record(5), file.codes.record(7), "the middle of the range");
}

#[test]
fn pairs_tell_squared_distances() {
    let (dims, rows) = (2, 6);
    let agreement = agreement(dims, 4000, None);
    let table = open(&csv(rows, dims), dims, false);
    let pairs = PairsOf::read(&table, agreement.terms(), &Silent).unwrap();
    assert_eq!((pairs.records(), pairs.bytes(agreement.terms()).unwrap()), (6, 15 * 2 * 1000));
    let mut bytes = Vec::new();
    let mut out = CodesWriter::new(&mut bytes, &about(&agreement, Kind::Pairs, Some(6))).unwrap();
    let done = encode_pairs(&pairs, &agreement, &mut SeededNoise::new(1), &mut out).unwrap();
    assert_eq!((done.rows, out.finish().unwrap()), (15, 15));
    let file = CodesFile::read(vec![Source::Memory(bytes)], 1 << 30).unwrap();
    assert_eq!((file.kind, file.paired_records(), file.codes.rows()), (Kind::Pairs, Some(6), 15));
    let pair_terms = agreement.terms().decomposed().unwrap();
    let pair = &pair_terms.attributes()[0];
    let mut at = 0;
    for i in 0..rows {
        for j in i + 1..rows {
            let differing: u32 =
                file.codes.code(at, 0).iter().zip(file.codes.code(at, 1)).map(|(a, b)| (a ^ b).count_ones()).sum();
            let decoded = f64::from(differing) * pair.mu() / (2.0 * f64::from(pair_terms.bits()));
            let (p, q) = (record(i, dims), record(j, dims));
            let true_distance: f64 = p.iter().zip(&q).map(|(p, q)| (f64::from(p - q) / STEPS as f64).powi(2)).sum();
            assert!((decoded - true_distance).abs() < 0.12, "pair ({i}, {j}): {decoded} for {true_distance}");
            at += 1;
        }
    }
    let one = open(&csv(1, dims), dims, false);
    assert!(matches!(PairsOf::read(&one, agreement.terms(), &Silent), Err(EncodeError::Pairs { .. })));
}
