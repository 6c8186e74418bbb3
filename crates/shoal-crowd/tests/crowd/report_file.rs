//! Files of reports: what is in them, that they come back exactly, and that nothing else is taken for them.

mod copied;
mod joined;
mod refused;

use parquet::basic::{Repetition, Type as PhysicalType};
use parquet::data_type::{DoubleType, Int64Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use serde_json::{Value, json};
use shoal_crowd::report_file::{END, Form, KEY, ReportFileError, ReportWriter, Reports, SEAL_KEY};
use shoal_device::{BpgmForm, Client, Design, DesignError, Ending, Mechanism, Promises, Sampler, Space};
use shoal_files::{FileKind, SealedError, Source};
use shoal_lattice::{Bounds, Interval};
use shoal_privacy::{Assumption, Guarantee, NoGuarantee};
use std::sync::Arc;

fn design(mechanism: Mechanism, epsilon: &str, columns: &[(&str, f64, f64)]) -> Design {
    try_design(mechanism, epsilon, columns).unwrap()
}

fn try_design(mechanism: Mechanism, epsilon: &str, columns: &[(&str, f64, f64)]) -> Result<Design, DesignError> {
    let (names, intervals) =
        columns.iter().map(|&(name, lo, hi)| (name.to_string(), Interval::new(lo, hi).unwrap())).unzip();
    Design::new(mechanism, epsilon.parse().unwrap(), Bounds::new(names, intervals).unwrap())
}

const PEOPLE: [(&str, f64, f64); 2] = [("age", 17.0, 90.0), ("hours", 1.0, 99.0)];

fn people() -> Design {
    design(Mechanism::Laplace, "4", &PEOPLE)
}

/// Values of every size and sign.
fn values(dims: usize, rows: usize) -> Vec<Vec<i64>> {
    let value = |i: usize, row: usize| (row as i64 * 7919 + i as i64 * 104_729) % 200_003 - 70_000;
    let mut columns: Vec<Vec<i64>> = (0..dims).map(|i| (0..rows).map(|row| value(i, row)).collect()).collect();
    columns[0][0] = -(1 << 62);
    columns[dims - 1][rows - 1] = 1 << 62;
    columns
}

fn promises(design: &Design, seeded: bool) -> Promises {
    let promises = Client::accepting_unsound(design).unwrap().promises();
    if seeded { promises.with_seeded_noise() } else { promises }
}

/// What a reader of the file may rely on.
fn as_read(promises: Promises) -> Promises {
    promises.assuming([Assumption::ReportsAsDescribed])
}

fn written(design: &Design, seeded: bool, columns: &[Vec<i64>], form: Form) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = ReportWriter::new(&mut bytes, design, &promises(design, seeded), seeded, form).unwrap();
    // In pieces of different sizes.
    let rows = columns[0].len();
    for part in [0..rows / 3, rows / 3..rows / 3, rows / 3..rows] {
        writer.append(&columns.iter().map(|column| column[part.clone()].to_vec()).collect::<Vec<_>>()).unwrap();
    }
    assert_eq!(writer.finish().unwrap(), rows as u64);
    bytes
}

fn read(bytes: Vec<u8>) -> Result<Reports, ReportFileError> {
    Reports::read(vec![Source::Memory(bytes)])
}

const FORMS: [Form; 2] = [Form::Csv, Form::Parquet];

#[test]
fn what_is_read_is_what_was_written() {
    let odd = [("a,b", -1e300, 1e300), ("say \"hi\"", 0.1, 0.3), ("# shoal.reports x", 0.0, 5e-324), ("π", 0.0, 1.0)];
    let many: Vec<String> = (0..40).map(|i| format!("c{i}")).collect();
    let many: Vec<_> = many.iter().map(|name| (name.as_str(), 0.0, 1.0)).collect();
    let designs = [
        (people(), false, 10),
        (design(Mechanism::LaplaceMetric, "0.1", &odd), false, 1),
        (design(Mechanism::Laplace, "1e-6", &[("x", 0.0, 1.0)]), true, 5000),
        (design(Mechanism::LaplaceMetric, "2.5", &many), true, 60_000),
    ];
    for (design, seeded, rows) in designs {
        let columns = values(design.bounds().dims(), rows);
        for form in FORMS {
            let reports = read(written(&design, seeded, &columns, form)).unwrap();
            let (design, promises) = (design.clone(), as_read(promises(&design, seeded)));
            assert_eq!((reports.rows(), reports.dims()), (rows, columns.len()));
            assert!(reports == Reports { design, promises, seeded, columns: columns.clone(), files: 1 });
        }
    }
}

#[test]
fn every_mechanism_comes_back() {
    let nd_laplace = |ending| Mechanism::NdLaplace { radius_steps: 100 * 65_534, ending };
    let bpgm = |form| Mechanism::Bpgm { bound: "0.7".parse().unwrap(), form };
    let mechanisms = [
        Mechanism::Bpm { radius_steps: 4 * 65_534 + 1 },
        nd_laplace(Ending::Raw),
        nd_laplace(Ending::Clamped),
        nd_laplace(Ending::Grid { cells: 9 }),
        bpgm(BpgmForm::Adam),
        bpgm(BpgmForm::ClosedForm),
        bpgm(BpgmForm::AsPrinted),
    ];
    for mechanism in mechanisms {
        for (sampler, seeded) in [(Sampler::Exact, false), (Sampler::Doubles, false), (Sampler::Exact, true)] {
            let sampler = if mechanism.name() == "bpgm" { Sampler::Doubles } else { sampler };
            let design = design(mechanism.clone(), "4", &PEOPLE).with_sampler(sampler);
            let client = Client::accepting_unsound(&design).unwrap();
            let Space { low, high } = client.space();
            // A grid has no reports at the very edge.
            let some = |x: i64| (0..65_534).flat_map(|off| [x + off, x - off]).find(|&x| client.may_report(x)).unwrap();
            let (first, last) = (some(low), some(high));
            let edge = vec![vec![first, last, some(0)], vec![last, first, some(65_534)]];
            for form in FORMS {
                let reports = read(written(&design, seeded, &edge, form)).unwrap();
                let promises = as_read(promises(&design, seeded));
                assert!(
                    reports == Reports { design: design.clone(), promises, seeded, columns: edge.clone(), files: 1 }
                );
                for beyond in [low - 1, high + 1] {
                    let mut beyond_edge = edge.clone();
                    beyond_edge[1][1] = beyond;
                    let message = read(written(&design, seeded, &beyond_edge, form)).unwrap_err().to_string();
                    assert!(message.contains("1 of 3 reports") && message.contains(mechanism.name()), "{message}");
                }
            }
        }
    }
}

#[test]
fn a_budget_without_a_decimal_form_does_not_come_back_stronger() {
    for mechanism in [Mechanism::Laplace, Mechanism::LaplaceMetric] {
        let third = design(mechanism, "1/3", &PEOPLE);
        for form in FORMS {
            let back = read(written(&third, false, &values(2, 3), form)).unwrap();
            let (before, after) = (promises(&third, false), back.promises.clone());
            let pairs =
                before.also.iter().zip(&after.also).chain(before.guarantee.claim().zip(after.guarantee.claim()));
            for (before, after) in pairs {
                assert!(before.at_least_as_strong_as(after) && !after.at_least_as_strong_as(before));
            }
            let again = read(written(&back.design, false, &back.columns, form)).unwrap();
            assert!(again == back, "once is enough");
        }
    }
}

#[test]
fn a_seed_takes_the_promise_away_for_good() {
    for form in FORMS {
        let back = read(written(&people(), true, &values(2, 3), form)).unwrap();
        assert_eq!(back.promises.guarantee, Guarantee::Void { none: NoGuarantee::Seeded });
        assert!(back.seeded && back.promises.also.is_empty());
    }
}

fn open(bytes: &[u8]) -> SerializedFileReader<bytes::Bytes> {
    SerializedFileReader::new(bytes::Bytes::copy_from_slice(bytes)).unwrap()
}

fn described(bytes: &[u8], key: &str) -> String {
    let file = open(bytes);
    let pairs = file.metadata().file_metadata().key_value_metadata().unwrap();
    pairs.iter().find(|pair| pair.key == key).unwrap().value.clone().unwrap()
}

#[test]
fn the_shape_of_the_files_is_fixed() {
    let columns = vec![vec![0, -5, 65_534], vec![7, 8, 9]];
    let (text, parquet) =
        (written(&people(), false, &columns, Form::Csv), written(&people(), false, &columns, Form::Parquet));
    let text = String::from_utf8(text).unwrap();
    let lines: Vec<_> = text.lines().collect();
    let about = lines[0].strip_prefix("# shoal.reports ").unwrap();
    assert_eq!(lines[1..5], ["age,hours", "0,7", "-5,8", "65534,9"]);
    let seal = lines[5].strip_prefix("# shoal.reports.end ").unwrap();
    assert_eq!((about, seal), (described(&parquet, KEY).as_str(), described(&parquet, SEAL_KEY).as_str()));
    assert_eq!((KEY, SEAL_KEY, END), ("shoal.reports", "shoal.reports.crc32", "shoal.reports.end"));

    let about: Value = serde_json::from_str(about).unwrap();
    let expected = json!({
        "version": 1, "mechanism": {"name": "laplace"}, "epsilon": 4.0, "sampler": "exact", "columns": ["age", "hours"],
        "bounds": [[17.0, 90.0], [1.0, 99.0]], "steps": 65_534, "guarantee": about["guarantee"], "also": about["also"],
        "published": {"text": "ε-local differential privacy", "paper": "YTL22, baseline"}, "seeded": false,
        "shoal": env!("CARGO_PKG_VERSION")
    });
    assert_eq!(about, expected);
    let seal: Value = serde_json::from_str(seal).unwrap();
    assert_eq!((&seal["rows"], seal["crc32"].as_str().unwrap().len()), (&json!(3), 8));

    let file = open(&parquet);
    let schema = file.metadata().file_metadata().schema_descr();
    let found: Vec<_> = schema.columns().iter().map(|c| (c.name().to_string(), c.physical_type())).collect();
    assert_eq!(found, [("age".to_string(), PhysicalType::INT64), ("hours".to_string(), PhysicalType::INT64)]);
}

#[test]
fn what_could_not_be_read_again_is_not_written() {
    let start = |design: &Design, promises: &Promises, seeded: bool| {
        ReportWriter::new(Vec::new(), design, promises, seeded, Form::Csv).map(|_| ())
    };
    let people = people();
    start(&people, &promises(&people, false), false).unwrap();
    start(&people, &promises(&people, false), true).unwrap_err();
    start(&people, &promises(&people, true), false).unwrap_err();
    start(&people, &promises(&design(Mechanism::Laplace, "3.9", &PEOPLE), false), false).unwrap_err();
    // Of such columns there is not even a design.
    for columns in [&[("a\nb", 0.0, 1.0)][..], &[("a", 0.0, 1.0), ("a", 0.0, 1.0)], &[]] {
        try_design(Mechanism::Laplace, "1", columns).unwrap_err();
    }
    for form in FORMS {
        let none = ReportWriter::new(Vec::new(), &people, &promises(&people, false), false, form).unwrap();
        assert_eq!(none.finish().unwrap_err().kind(), std::io::ErrorKind::InvalidInput);
    }
}
