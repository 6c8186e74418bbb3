//! Files of reports: what is in them, that they come back exactly, and that nothing else is taken for them.

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
                    let said = read(written(&design, seeded, &beyond_edge, form)).unwrap_err().to_string();
                    assert!(said.contains("1 of 3 reports") && said.contains(mechanism.name()), "{said}");
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

#[test]
fn files_of_one_design_are_put_together_in_their_order() {
    let (a, b) = (values(2, 10), values(2, 5));
    let bytes = |columns, form| written(&people(), false, columns, form);
    let joined: Vec<Vec<i64>> = a.iter().zip(&b).map(|(a, b)| [a.clone(), b.clone()].concat()).collect();
    for (one, other) in [(Form::Csv, Form::Parquet), (Form::Parquet, Form::Parquet), (Form::Parquet, Form::Csv)] {
        let sources = vec![Source::Memory(bytes(&a, one)), Source::Memory(bytes(&b, other))];
        let reports = Reports::read(sources).unwrap();
        assert_eq!((&reports.columns, reports.files), (&joined, 2));
    }
    let (first, second) = (bytes(&a, Form::Csv), bytes(&b, Form::Csv));
    let without = |lines: usize| {
        let text = String::from_utf8(second.clone()).unwrap();
        text.lines().skip(lines).map(|line| format!("{line}\n")).collect::<String>().into_bytes()
    };
    for second in [second.clone(), without(1), without(2), [b"\n", &second[..]].concat()] {
        let reports = read([first.clone(), second].concat()).unwrap();
        assert_eq!((&reports.columns, reports.files), (&joined, 2));
    }
    let windows = String::from_utf8(first.clone()).unwrap().replace('\n', "\r\n").into_bytes();
    assert_eq!(read(windows).unwrap().columns, a);
    assert_eq!(read(first.trim_ascii_end().to_vec()).unwrap().columns, a);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, &first).unwrap();
    assert_eq!(read(packed.finish().unwrap()).unwrap().columns, a);
    assert!(matches!(Reports::read(Vec::new()), Err(ReportFileError::Sealed(SealedError::NoFiles { .. }))));
}

#[test]
fn files_that_were_not_made_alike_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let other_bounds = [("age", 17.0, 91.0), ("hours", 1.0, 99.0)];
    let other_name = [("age", 17.0, 90.0), ("weeks", 1.0, 99.0)];
    let cases = [
        (
            design(Mechanism::LaplaceMetric, "4", &PEOPLE),
            false,
            "by laplace with ε = 4",
            "by laplace-metric with ε = 4",
        ),
        (design(Mechanism::Laplace, "2", &PEOPLE), false, "by laplace with ε = 4", "by laplace with ε = 2"),
        (design(Mechanism::Laplace, "4", &other_name), false, "of the columns age, hours", "of the columns age, weeks"),
        (design(Mechanism::Laplace, "4", &PEOPLE[..1]), false, "of the columns age, hours", "of the columns age"),
        (design(Mechanism::Laplace, "4", &other_bounds), false, "with age from 17 to 90", "with age from 17 to 91"),
        (people(), true, "with true noise", "with noise from a seed"),
    ];
    for (other, seeded, one, two) in cases {
        let columns = values(other.bounds().dims(), 4);
        for form in FORMS {
            let paths = ["a", "b"].map(|name| folder.path().join(name));
            std::fs::write(&paths[0], written(&people(), false, &values(2, 3), form)).unwrap();
            std::fs::write(&paths[1], written(&other, seeded, &columns, form)).unwrap();
            let said = Reports::read(paths.clone().map(Source::Path).into()).unwrap_err().to_string();
            let [a, b] = paths.map(|path| path.display().to_string());
            assert_eq!(said, format!("{a} holds reports {one} and {b} {two}; cluster them apart"));
        }
        let joined =
            [written(&people(), false, &values(2, 3), Form::Csv), written(&other, seeded, &columns, Form::Csv)];
        assert!(matches!(read(joined.concat()), Err(ReportFileError::Sealed(SealedError::Mixed { .. }))));
    }
}

#[test]
fn other_files_are_not_taken_for_reports() {
    let field = Type::primitive_type_builder("age", PhysicalType::INT64).build().unwrap();
    let schema = Type::group_type_builder("rows").with_fields(vec![Arc::new(field)]).build().unwrap();
    let mut ordinary = Vec::new();
    SerializedFileWriter::new(&mut ordinary, Arc::new(schema), Arc::default()).unwrap().close().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    for bytes in [ordinary, b"a,b\n1,2\n".to_vec(), b"# shoal.reports.end {}\n".to_vec(), vec![0xff; 99], vec![b'\n']] {
        std::fs::write(&path, &bytes).unwrap();
        assert!(FileKind::of_path(&path) != FileKind::Reports);
        let said = read(bytes).unwrap_err().to_string();
        assert!(said.contains("holds no Shoal reports") && said.contains("`shoal perturb` wrote (`out`)"), "{said}");
    }
    assert!(read(Vec::new()).unwrap_err().to_string().contains("empty"));
    assert!(
        FileKind::of_path(folder.path()) != FileKind::Reports
            && FileKind::of_path(&folder.path().join("none")) != FileKind::Reports
    );
    for form in FORMS {
        std::fs::write(&path, written(&people(), false, &values(2, 3), form)).unwrap();
        assert!(FileKind::of_path(&path) == FileKind::Reports);
    }
    assert_eq!(Form::of("a/b.CSV".as_ref()), Form::Csv);
    assert_eq!(Form::of("a.csv/b".as_ref()), Form::Parquet);
}

/// A seal that fits.
fn seal(about: &str, columns: &[Vec<i64>]) -> String {
    let (mut crc, rows) = (flate2::Crc::new(), columns.first().map_or(0, Vec::len));
    crc.update(about.as_bytes());
    for row in 0..rows {
        columns.iter().for_each(|column| crc.update(&column[row].to_le_bytes()));
    }
    crc.update(&(rows as u64).to_le_bytes());
    json!({"rows": rows, "crc32": format!("{:08x}", crc.sum())}).to_string()
}

/// A file with this description and a seal that fits.
fn crafted(about: &Value, names: &[&str], columns: &[Vec<i64>], form: Form) -> Vec<u8> {
    let about = about.to_string();
    let seal = seal(&about, columns);
    let rows = columns[0].len();
    if form == Form::Csv {
        let mut text = format!("# {KEY} {about}\n{}\n", names.join(","));
        for row in 0..rows {
            let cells: Vec<_> = columns.iter().map(|column| column[row].to_string()).collect();
            text.push_str(&(cells.join(",") + "\n"));
        }
        return (text + &format!("# {END} {seal}\n")).into_bytes();
    }
    let field = |name: &&str| {
        Arc::new(
            Type::primitive_type_builder(name, PhysicalType::INT64)
                .with_repetition(Repetition::REQUIRED)
                .build()
                .unwrap(),
        )
    };
    let schema = Type::group_type_builder("r").with_fields(names.iter().map(field).collect()).build().unwrap();
    let pairs = vec![KeyValue::new(KEY.into(), about), KeyValue::new(SEAL_KEY.into(), seal)];
    let properties = WriterProperties::builder().set_key_value_metadata(Some(pairs)).build();
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for values in columns {
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int64Type>().write_batch(values, None, None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    bytes
}

fn about(design: &Design) -> Value {
    serde_json::from_str(&described(&written(design, false, &values(2, 3), Form::Parquet), KEY)).unwrap()
}

#[test]
fn a_description_that_does_not_make_sense_is_refused() {
    let good = about(&people());
    let names = ["age", "hours"];
    let mut stronger = good["guarantee"].clone();
    stronger["loss"] = json!({"pure": 3.9999});
    let mut unconditional = good["guarantee"].clone();
    unconditional["assumes"] = json!([]);
    let cases = [
        ("version", json!(2), "version 2"),
        ("version", json!("1"), "no version number"),
        ("version", Value::Null, "no version number"),
        ("columns", json!(["age"]), "bounds"),
        ("columns", json!([]), "no columns"),
        ("columns", json!(["age", "age"]), "same name"),
        ("columns", json!(["age", "\u{1b}[2J"]), "control characters"),
        ("bounds", json!([[17.0, 90.0]]), "bounds"),
        ("bounds", json!([[90.0, 17.0], [1.0, 99.0]]), "damaged"),
        ("steps", json!(65_535), "65535 steps"),
        ("epsilon", json!(0.0), "contradict"),
        ("epsilon", json!(3.0), "promise is not the one"),
        ("epsilon", json!(-1.0), "damaged"),
        ("mechanism", json!({"name": "laplace-metric"}), "promise is not the one"),
        ("mechanism", json!({"name": "magic"}), "damaged"),
        ("sampler", json!("magic"), "damaged"),
        ("sampler", json!("doubles"), "does not draw its noise in that way"),
        ("seeded", json!(true), "promise is not the one"),
        ("guarantee", json!({"none": "seeded"}), "promise is not the one"),
        ("guarantee", stronger, "promise is not the one"),
        ("guarantee", unconditional, "promise is not the one"),
        ("guarantee", json!({}), "damaged"),
        ("also", json!([]), "promise is not the one"),
        ("shoal", json!("0.1\r"), "control characters"),
    ];
    for form in FORMS {
        assert!(read(crafted(&good, &names, &values(2, 4), form)).is_ok());
        for (key, value, words) in &cases {
            let mut about = good.clone();
            about[*key] = value.clone();
            let said = read(crafted(&about, &names, &values(2, 4), form)).unwrap_err().to_string();
            assert!(said.contains(words), "{key} = {value}: {said}");
            assert!(said.contains("again from where") || said.contains("use a program"), "no way out: {said}");
        }
        let said = read(crafted(&good, &names, &[vec![], vec![]], form)).unwrap_err().to_string();
        assert!(said.contains("holds no reports"), "{said}");
        let said = read(crafted(&good, &["age", "weeks"], &values(2, 4), form)).unwrap_err().to_string();
        assert!(said.contains("column"), "{said}");
        let said = read(crafted(&json!({}), &names, &values(2, 4), form)).unwrap_err().to_string();
        assert!(said.contains("no version number"), "{said}");
    }
}

#[test]
fn text_that_is_not_quite_reports_is_refused() {
    let good = String::from_utf8(written(&people(), false, &[vec![1, 2, 3], vec![4, 5, 6]], Form::Csv)).unwrap();
    let lines: Vec<&str> = good.lines().collect();
    let with = |at: usize, line: &str| {
        let mut lines = lines.clone();
        lines[at] = line;
        read((lines.join("\n") + "\n").into_bytes()).unwrap_err().to_string()
    };
    for row in ["1,x", "1", "1,2,3", "1.0,4", "1e3,4", "99999999999999999999,4", "", " 1,4", "NaN,4", "# note"] {
        assert!(with(2, row).contains("line 3 is no report"), "{row}");
    }
    assert!(with(2, "1,5").contains("checksum"));
    assert!(with(1, "hours,age").contains("names"));
    assert!(with(1, "1,4").contains("names"));
    assert!(with(5, "# shoal.reports.end {}").contains("no seal"));
    assert!(with(5, "# shoal.reports.end {\"rows\":18446744073709551615,\"crc32\":\"00000000\"}").contains("checksum"));
    assert!(with(5, "# the end").contains("no report"));
    let cut = lines[..5].join("\n");
    assert!(read(cut.clone().into_bytes()).unwrap_err().to_string().contains("cut off"));
    // Two files, the first of which was cut off.
    assert!(read((cut + "\n" + &good).into_bytes()).unwrap_err().to_string().contains("line 6 is no report"));
    assert!(read([good.as_bytes(), b"5,5\n"].concat()).unwrap_err().to_string().contains("cut off"));
}

#[test]
fn reports_that_the_mechanism_cannot_have_made_are_counted() {
    let unsound = |bound: &str| Mechanism::Bpgm { bound: bound.parse().unwrap(), form: BpgmForm::Adam };
    let good = about(&people());
    let mut bpgm = good.clone();
    bpgm["mechanism"] = json!({"name": "bpgm", "bound": 0.5, "form": "adam"});
    bpgm["sampler"] = json!("doubles");
    bpgm["guarantee"] = json!({"none": "unsound"});
    bpgm["also"] = json!([]);
    let Space { low, high } = Client::accepting_unsound(&design(unsound("0.5"), "4", &PEOPLE)).unwrap().space();
    for form in FORMS {
        let edge = vec![vec![low, high], vec![high, low]];
        let reports = read(crafted(&bpgm, &["age", "hours"], &edge, form)).unwrap();
        assert_eq!((reports.columns, reports.design.mechanism()), (edge, &unsound("0.5")));
        assert_eq!(reports.promises.guarantee, Guarantee::Void { none: NoGuarantee::Unsound });
        let mut beyond = vec![vec![0; 1000], vec![0; 1000]];
        (0..16).for_each(|row| beyond[row % 2][row] = low - 1);
        (beyond[0][16], beyond[1][16]) = (high + 1, i64::MIN);
        let said = read(crafted(&bpgm, &["age", "hours"], &beyond, form)).unwrap_err().to_string();
        assert!(said.contains("17 of 1,000 reports") && said.contains(&format!("{low} to {high} steps")), "{said}");
        // A mechanism that keeps no promise cannot have one in its file.
        let mut claimed = bpgm.clone();
        claimed["guarantee"] = good["guarantee"].clone();
        let said = read(crafted(&claimed, &["age", "hours"], &[vec![0], vec![0]], form)).unwrap_err().to_string();
        assert!(said.contains("promise is not the one"), "{said}");
    }
}

#[test]
fn a_parquet_file_of_other_columns_is_refused() {
    let text = about(&people()).to_string();
    let column = |name: &str, physical| {
        Arc::new(Type::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED).build().unwrap())
    };
    let fields = vec![column("age", PhysicalType::DOUBLE), column("hours", PhysicalType::DOUBLE)];
    let schema = Type::group_type_builder("r").with_fields(fields).build().unwrap();
    let pairs =
        vec![KeyValue::new(KEY.into(), text.clone()), KeyValue::new(SEAL_KEY.into(), seal(&text, &values(2, 4)))];
    let properties = WriterProperties::builder().set_key_value_metadata(Some(pairs)).build();
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    while let Some(mut column) = group.next_column().unwrap() {
        column.typed::<DoubleType>().write_batch(&[0.5; 4], None, None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    let said = read(bytes).unwrap_err().to_string();
    assert!(said.contains("a column of whole numbers is missing"), "{said}");
}

#[test]
fn a_damaged_file_is_refused_or_says_the_same() {
    let inside = vec![(0..12).map(|i| i * 7919 - 30_000).collect(), (0..12).map(|i| 65_534 - i * i).collect()];
    let bpm = design(Mechanism::Bpm { radius_steps: 65_534 }, "2", &PEOPLE);
    let cases = [
        (people(), false, values(2, 12)),
        (design(Mechanism::LaplaceMetric, "0.5", &PEOPLE), true, values(2, 12)),
        (bpm, false, inside),
    ];
    for (design, seeded, columns) in cases {
        for form in FORMS {
            let bytes = written(&design, seeded, &columns, form);
            let good = read(bytes.clone()).unwrap();
            let same = |bytes| read(bytes).map(|found| found == good).map_err(|error| error.to_string());
            let refused = crate::damage::refused_or_the_same(&bytes, same);
            assert!(refused > 2000, "{refused}");
            for length in 0..bytes.len() {
                match read(bytes[..length].to_vec()) {
                    // All but the end of the last line.
                    Ok(same) => assert!(same == good && form == Form::Csv && length == bytes.len() - 1),
                    Err(error) => drop(error.to_string()),
                }
            }
        }
    }
}
