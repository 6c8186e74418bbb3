//! Files of codes: what is in them, that they come back exactly, and that nothing else is taken for them.

use parquet::basic::{Repetition, Type as PhysicalType};
use parquet::data_type::{ByteArray, FixedLenByteArray, FixedLenByteArrayType};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use serde_json::{Value, json};
use shoal_consortium::codes_file::{About, CodesFile, CodesFileError, CodesWriter, KEY, Kind, SEAL_KEY};
use shoal_consortium::{Agreement, AgreementFile, AnchorSecret, Attribute, Flips, Partition, Promise, Scale, Terms};
use shoal_files::{FileKind, SealedError, Source};
use shoal_lattice::Interval;
use shoal_noise::{NoiseSource, SeededNoise};
use shoal_privacy::{Assumption, Guarantee, NoGuarantee};
use std::sync::Arc;

const MEMORY: u64 = 1 << 30;

fn terms(names: &[&str], bits: u32, epsilon: Option<&str>) -> Terms {
    let attribute = |name: &&str| Attribute::new(*name, Interval::new(0.0, 50.0).unwrap(), 25.0).unwrap();
    let flips = epsilon.map_or(Flips::None, |epsilon| Flips::PerBit(epsilon.parse().unwrap()));
    Terms::new(names.iter().map(attribute).collect(), bits, flips, Scale::Range).unwrap()
}

fn agreement(terms: Terms) -> Agreement {
    Agreement::new(terms, AnchorSecret::from_seed(1))
}

fn about(agreement: &Agreement) -> About {
    About {
        kind: Kind::Records,
        terms: agreement.terms().clone(),
        fingerprint: agreement.fingerprint(),
        promise: Promise::of_agreement(agreement, Partition::Records, None).unwrap(),
        seeded: false,
        bridge: 0,
        id: None,
        paired_records: None,
    }
}

fn seeded(about: About) -> About {
    About { promise: about.promise.clone().with_seeded_noise(), seeded: true, ..about }
}

/// Random codes with clean ends.
fn rows(terms: &Terms, count: usize) -> Vec<u64> {
    let mut noise = SeededNoise::new(count as u64);
    let tail = terms.bits() % 64;
    let mut rows: Vec<u64> = (0..count * terms.dims() * terms.words()).map(|_| noise.next_u64()).collect();
    if tail > 0 {
        rows.chunks_exact_mut(terms.words()).for_each(|code| *code.last_mut().unwrap() &= (1 << tail) - 1);
    }
    rows
}

fn written(about: &About, rows: &[u64], ids: Option<&[String]>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = CodesWriter::new(&mut bytes, about).unwrap();
    // In pieces of different sizes.
    let (words, count) = (writer.record_words(), rows.len() / writer.record_words());
    for part in [0..count / 3, count / 3..count / 3, count / 3..count] {
        writer.append(&rows[part.start * words..part.end * words], ids.map(|ids| &ids[part])).unwrap();
    }
    assert_eq!(writer.finish().unwrap(), count as u64);
    bytes
}

fn read(bytes: Vec<u8>) -> Result<CodesFile, CodesFileError> {
    CodesFile::read(vec![Source::Memory(bytes)], MEMORY)
}

#[track_caller]
fn refused(bytes: Vec<u8>, words: &str) -> String {
    let said = read(bytes).unwrap_err().to_string();
    assert!(said.contains(words), "“{words}” is not in: {said}");
    let way_out = ["again", "use a program", "give a file", "Give a file", "allow less", "`memory`"];
    assert!(way_out.iter().any(|words| said.contains(words)), "no way out: {said}");
    said
}

#[test]
fn what_is_read_is_what_was_written() {
    for (bits, names, count) in [
        (1, &["x"][..], 5),
        (7, &["a,b", "say \"hi\"", "π"], 10),
        (8, &["x"], 3000),
        (9, &["x", "y"], 70),
        (64, &["x"], 1),
        (65, &["x"], 9),
        (1000, &["x", "y", "z"], 30_000),
    ] {
        for epsilon in [Some("0.5"), None] {
            let agreement = agreement(terms(names, bits, epsilon));
            let about = about(&agreement);
            let rows = rows(&about.terms, count);
            let back = read(written(&about, &rows, None)).unwrap();
            assert_eq!((back.kind, &back.terms, &back.fingerprint), (Kind::Records, &about.terms, &about.fingerprint));
            assert!(back.codes.as_words() == rows && back.codes.rows() == count && !back.seeded);
            assert_eq!((back.parts.len(), back.parts[0].rows, back.parts[0].bridge), (1, count, 0));
            assert_eq!(back.parts[0].said, about.promise.guarantee);
            assert_eq!(back.id(0), None);
        }
    }
}

#[test]
fn names_and_made_up_rows_come_back() {
    let agreement = agreement(terms(&["x"], 20, Some("1")));
    let about = About { bridge: 3, id: Some("person".into()), ..about(&agreement) };
    let rows = rows(&about.terms, 5);
    let ids: Vec<String> = ["anna", "béa \"b\"", "", "", ""].map(String::from).into();
    let back = read(written(&about, &rows, Some(&ids))).unwrap();
    assert_eq!(back.parts[0].ids.as_ref(), Some(&ids));
    assert_eq!((back.id(1), back.parts[0].bridge), (Some("béa \"b\""), 3));
    assert_eq!((0..5).map(|row| back.is_bridge(row)).collect::<Vec<_>>(), [false, false, true, true, true]);
}

/// A total without a short decimal form is rounded up in the file, and is still that of its terms.
#[test]
fn totals_that_were_rounded_up_are_not_taken_for_edited_ones() {
    for epsilon in ["1/3", "0.33333333333333337", "1/7", "0.1", "0.7"] {
        for bits in [1, 7, 40, 41, 333] {
            let agreement = agreement(terms(&["x", "y", "z"], bits, Some(epsilon)));
            let file = AgreementFile { agreement, seeded: false }.to_json();
            let agreement = AgreementFile::from_json(file.as_bytes(), "a").unwrap().agreement;
            let about = about(&agreement);
            assert!(read(written(&about, &rows(&about.terms, 3), None)).is_ok(), "{epsilon}, {bits} bits");
            // A total that is really larger is none of these terms.
            let more = Attribute::new("more", Interval::new(0.0, 50.0).unwrap(), 25.0).unwrap();
            let attributes = about.terms.attributes().iter().cloned().chain([more]).collect();
            let larger = Terms::new(attributes, bits, about.terms.flips().clone(), Scale::Range).unwrap();
            let promise = Promise::of_terms(&larger, Partition::Records, None).unwrap();
            let forged = About { promise, ..about };
            assert!(CodesWriter::new(&mut Vec::new(), &forged).is_err(), "{epsilon}, {bits} bits");
        }
    }
}

#[test]
fn the_promise_is_that_of_the_terms_and_what_was_said_stays_apart() {
    let agreement = agreement(terms(&["x", "y"], 40, Some("0.25")));
    let said = about(&agreement);
    let back = read(written(&said, &rows(&said.terms, 4), None)).unwrap();
    let worst = Promise::of_terms(&said.terms, Partition::Records, None).unwrap();
    let claim = back.promise.guarantee.claim().unwrap();
    assert_eq!(claim.loss, worst.guarantee.claim().unwrap().loss);
    assert!(claim.assumes.contains(&Assumption::ReportsAsDescribed));
    assert_eq!(back.parts[0].said, said.promise.guarantee);
    let void = seeded(about(&agreement));
    let back = read(written(&void, &rows(&void.terms, 4), None)).unwrap();
    assert_eq!(back.promise.guarantee, Guarantee::Void { none: NoGuarantee::Seeded });
    assert!(back.seeded);
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
    let agreement = agreement(terms(&["x", "y"], 12, Some("1")));
    let about = about(&agreement);
    let bytes = written(&about, &[0b1000_0000_0101, 1, 2, 3], None);
    assert_eq!((KEY, SEAL_KEY), ("shoal.codes", "shoal.codes.crc32"));
    let said: Value = serde_json::from_str(&described(&bytes, KEY)).unwrap();
    let attribute = |name: &str| json!({"name": name, "range": [0.0, 50.0], "t_steps": 32_767});
    let expected = json!({
        "version": 1, "kind": "records", "fingerprint": agreement.fingerprint(), "guarantee": said["guarantee"],
        "terms": {"attributes": [attribute("x"), attribute("y")], "bits": 12, "flips": {"per-bit": 1.0}, "scale": "range"},
        "published": said["published"], "seeded": false, "bridge": 0, "id": null, "records": null,
        "shoal": env!("CARGO_PKG_VERSION")
    });
    assert_eq!(said, expected);
    assert!(!described(&bytes, KEY).contains(&String::from(agreement.secret().clone())));
    let columns = vec![("x", vec![vec![0b101, 0b1000], vec![2, 0]]), ("y", vec![vec![1, 0], vec![3, 0]])];
    assert_eq!(described(&bytes, SEAL_KEY), seal(&described(&bytes, KEY), &columns));
    let file = open(&bytes);
    let schema = file.metadata().file_metadata().schema_descr();
    let found: Vec<_> = schema.columns().iter().map(|c| (c.name(), c.physical_type(), c.type_length())).collect();
    let fixed = PhysicalType::FIXED_LEN_BYTE_ARRAY;
    assert_eq!(found, [("x", fixed, 2), ("y", fixed, 2)]);
}

#[test]
fn files_of_one_agreement_are_put_together_in_their_order() {
    let agreement = agreement(terms(&["x", "y"], 70, Some("1")));
    let (one, other) = (about(&agreement), About { id: Some("who".into()), ..about(&agreement) });
    let (a, b) = (rows(&one.terms, 4), rows(&one.terms, 3));
    let ids: Vec<String> = (0..3).map(|i| format!("p{i}")).collect();
    let sources = [written(&one, &a, None), written(&other, &b, Some(&ids))].map(Source::Memory);
    let both = CodesFile::read(sources.into(), MEMORY).unwrap();
    assert_eq!(both.codes.as_words(), [a, b].concat());
    assert_eq!((both.place(3), both.place(4), both.place(6)), ((0, 3), (1, 0), (1, 2)));
    assert_eq!((both.id(3), both.id(5)), (None, Some("p1")));
    assert!(matches!(CodesFile::read(Vec::new(), MEMORY), Err(CodesFileError::Sealed(SealedError::NoFiles { .. }))));
}

#[test]
fn files_that_do_not_go_together_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let base = agreement(terms(&["x", "y"], 20, Some("1")));
    let narrow = Attribute::new("y", Interval::new(0.0, 50.0).unwrap(), 5.0).unwrap();
    let narrow =
        Terms::new(vec![base.terms().attributes()[0].clone(), narrow], 20, base.terms().flips().clone(), Scale::Range);
    let own = Terms::new(base.terms().attributes().to_vec(), 20, base.terms().flips().clone(), Scale::Own);
    let cases = [
        (about(&agreement(terms(&["x", "z"], 20, Some("1")))), "of the attributes x, y", "of the attributes x, z"),
        (about(&agreement(narrow.unwrap())), "with y from 0 to 50 and t = 25", "with y from 0 to 50 and t = 4.99"),
        (about(&agreement(terms(&["x", "y"], 21, Some("1")))), "of 20 bits", "of 21 bits"),
        (about(&agreement(terms(&["x", "y"], 20, Some("2")))), "with ε = 1 per bit", "with ε = 2 per bit"),
        (about(&agreement(terms(&["x", "y"], 20, None))), "with ε = 1 per bit", "without flips"),
        (about(&agreement(own.unwrap())), "that count in ranges", "that count in their own units"),
        (
            about(&Agreement::new(base.terms().clone(), AnchorSecret::from_seed(2))),
            "of the agreement",
            "of the agreement",
        ),
        (seeded(about(&base)), "with true randomness", "with flips from a seed"),
    ];
    for (other, one, two) in cases {
        let paths = ["a.parquet", "b.parquet"].map(|name| folder.path().join(name));
        std::fs::write(&paths[0], written(&about(&base), &rows(base.terms(), 3), None)).unwrap();
        std::fs::write(&paths[1], written(&other, &rows(&other.terms, 3), None)).unwrap();
        let said = CodesFile::read(paths.clone().map(Source::Path).into(), MEMORY).unwrap_err().to_string();
        let [a, b] = paths.map(|path| path.display().to_string());
        assert!(said.contains(&format!("{a} holds codes {one}")) && said.contains(&format!("{b} {two}")), "{said}");
    }
}

#[test]
fn other_files_are_not_taken_for_codes() {
    let field = Type::primitive_type_builder("age", PhysicalType::INT64).build().unwrap();
    let schema = Arc::new(Type::group_type_builder("rows").with_fields(vec![Arc::new(field)]).build().unwrap());
    let with_key = |key: Option<&str>| {
        let pairs = key.map(|key| vec![KeyValue::new(key.into(), "{}".to_string())]);
        let properties = WriterProperties::builder().set_key_value_metadata(pairs).build();
        let mut bytes = Vec::new();
        SerializedFileWriter::new(&mut bytes, schema.clone(), Arc::new(properties)).unwrap().close().unwrap();
        bytes
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    for (bytes, words) in [
        (with_key(None), "something else"),
        (with_key(Some("shoal.reports")), "reports of a crowd"),
        (with_key(Some("shoal.synopsis")), "noisy cells"),
        (b"a,b\n1,2\n".to_vec(), "text or of some other format"),
        (b"{\"kind\": \"shoal-consortium-agreement\"}".to_vec(), "text or of some other format"),
        (vec![0xff; 99], "text or of some other format"),
    ] {
        std::fs::write(&path, &bytes).unwrap();
        assert!(FileKind::of_path(&path) != FileKind::Codes);
        let said = refused(bytes, words);
        assert!(said.contains("holds no Shoal codes") && said.contains("shoal consortium encode"), "{said}");
    }
    assert!(read(Vec::new()).unwrap_err().to_string().contains("empty"));
    assert!(
        FileKind::of_path(folder.path()) != FileKind::Codes
            && FileKind::of_path(&folder.path().join("none")) != FileKind::Codes
    );
    let agreement = agreement(terms(&["x"], 9, None));
    std::fs::write(&path, written(&about(&agreement), &[1, 2], None)).unwrap();
    assert!(FileKind::of_path(&path) == FileKind::Codes);
}

/// The seal, written down from the documentation and not from the program.
fn seal(text: &str, columns: &[(&str, Vec<Vec<u8>>)]) -> String {
    let mut crc = flate2::Crc::new();
    crc.update(text.as_bytes());
    let rows = columns[0].1.len();
    for row in 0..rows {
        columns.iter().for_each(|(_, values)| crc.update(&values[row]));
    }
    crc.update(&(rows as u64).to_le_bytes());
    format!("{{\"rows\":{rows},\"crc32\":\"{:08x}\"}}", crc.sum())
}

/// A well-sealed file with any description.
fn crafted(about: &Value, columns: &[(&str, Vec<Vec<u8>>)]) -> Vec<u8> {
    let text = about.to_string();
    let field = |(name, values): &(&str, Vec<Vec<u8>>)| {
        let field = Type::primitive_type_builder(name, PhysicalType::FIXED_LEN_BYTE_ARRAY);
        let length = values.first().map_or(1, Vec::len) as i32;
        Arc::new(field.with_length(length).with_repetition(Repetition::REQUIRED).build().unwrap())
    };
    let schema = Type::group_type_builder("codes").with_fields(columns.iter().map(field).collect()).build().unwrap();
    let pairs = vec![KeyValue::new(KEY.into(), text.clone()), KeyValue::new(SEAL_KEY.into(), seal(&text, columns))];
    let properties = WriterProperties::builder().set_key_value_metadata(Some(pairs)).build();
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for (_, values) in columns {
        let values: Vec<_> = values.iter().map(|v| FixedLenByteArray::from(ByteArray::from(v.clone()))).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<FixedLenByteArrayType>().write_batch(&values, None, None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    bytes
}

#[test]
fn well_sealed_lies_are_refused() {
    let agreement = agreement(terms(&["x"], 12, Some("1")));
    let good: Value = serde_json::from_str(&described(&written(&about(&agreement), &[1, 2, 3], None), KEY)).unwrap();
    let codes = |last: u8| vec![("x", vec![vec![5, 1], vec![0, 0], vec![255, last]])];
    read(crafted(&good, &codes(15))).unwrap();
    refused(crafted(&good, &codes(16)), "beyond its last one");
    refused(crafted(&good, &[("y", vec![vec![5, 1]])]), "column of codes is missing");
    refused(crafted(&good, &[("x", vec![vec![5, 1, 0]])]), "column of codes is missing");
    refused(crafted(&good, &[("x", vec![])]), "holds no codes");
    let mut stronger = good["guarantee"].clone();
    stronger["neighbours"] = json!("add-remove-one");
    let mut weaker = good["guarantee"].clone();
    weaker["loss"] = json!({"pure": 12.5});
    let cases = [
        ("version", json!(2), "version 2"),
        ("version", json!("1"), "no version number"),
        ("kind", json!("magic"), "damaged"),
        ("kind", json!("pairs"), "how many records"),
        ("records", json!(3), "only pairs"),
        ("fingerprint", json!("abc"), "fingerprint"),
        ("fingerprint", json!("\u{1b}".repeat(32)), "fingerprint"),
        ("guarantee", json!({"none": "seeded"}), "promise"),
        ("guarantee", stronger, "promise"),
        ("guarantee", weaker, "promise"),
        ("guarantee", json!({}), "damaged"),
        ("seeded", json!(true), "promise"),
        ("bridge", json!(4), "fewer rows"),
        ("id", json!("x"), "both a name and a code"),
        ("id", json!("who"), "column of names is missing"),
        ("shoal", json!("0.1\r"), "control characters"),
        ("terms", json!({}), "damaged"),
    ];
    for (key, value, words) in cases {
        let mut about = good.clone();
        about[key] = value;
        refused(crafted(&about, &codes(15)), words);
    }
    let mut bits = good.clone();
    bits["terms"]["bits"] = json!(0);
    refused(crafted(&bits, &codes(15)), "number of bits");
    let said = CodesFile::read(vec![Source::Memory(crafted(&good, &codes(15)))], 10).unwrap_err().to_string();
    assert!(said.contains("24 bytes") && said.contains("`memory`"), "{said}");
}

#[test]
fn what_could_not_be_read_again_is_not_written() {
    let agreement = agreement(terms(&["x"], 12, Some("1")));
    let start = |about: &About| CodesWriter::new(Vec::new(), about).map(|_| ());
    start(&about(&agreement)).unwrap();
    start(&About { seeded: true, ..about(&agreement) }).unwrap_err();
    start(&About { id: Some("x".into()), ..about(&agreement) }).unwrap_err();
    start(&About { id: Some("a\nb".into()), ..about(&agreement) }).unwrap_err();
    start(&About { fingerprint: "f".into(), ..about(&agreement) }).unwrap_err();
    start(&About { kind: Kind::Pairs, ..about(&agreement) }).unwrap_err();
    let none = CodesWriter::new(Vec::new(), &about(&agreement)).unwrap();
    assert_eq!(none.finish().unwrap_err().kind(), std::io::ErrorKind::InvalidInput);
}

#[test]
fn a_damaged_file_is_refused_or_says_the_same() {
    let one = agreement(terms(&["x", "y"], 13, Some("1")));
    let ids: Vec<String> = (0..12).map(|i| format!("p{i}")).collect();
    let flat = agreement(terms(&["x"], 100, None));
    let cases = [
        (About { id: Some("who".into()), ..about(&one) }, Some(&ids[..])),
        (About { bridge: 2, ..about(&flat) }, None),
    ];
    for (about, ids) in cases {
        let bytes = written(&about, &rows(&about.terms, 12), ids);
        let good = format!("{:?}", read(bytes.clone()).unwrap());
        let same = |bytes| read(bytes).map(|found| format!("{found:?}") == good).map_err(|error| error.to_string());
        let refused = crate::damage::refused_or_the_same(&bytes, same);
        assert!(refused > 2000, "{refused}");
        for length in 0..bytes.len() {
            assert!(read(bytes[..length].to_vec()).is_err(), "{length} bytes of {} pass", bytes.len());
        }
    }
}
