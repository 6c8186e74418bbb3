//! The file of a released synopsis: what is in it, that it comes back exactly, and that nothing else is taken for one.

use parquet::basic::{Repetition, Type as PhysicalType};
use parquet::data_type::{DoubleType, Int64Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use serde_json::{Value, json};
use shoal::model::Model;
use shoal_curator::synopsis_file::{CHECKSUM_KEY, KEY, SynopsisFile};
use shoal_curator::{Decision, Synopsis, SynopsisKMeans};
use shoal_files::{SealedError, Source};
use shoal_lattice::{Bounds, Interval, LatticeMap};
use shoal_noise::SeededNoise;
use shoal_privacy::{Assumption, Claim, Guarantee, Loss, Neighbours, NoGuarantee, Numerics, Published};
use shoal_scan::Grid;
use std::sync::Arc;

fn claim(epsilon: &str) -> Claim {
    Claim {
        neighbours: Neighbours::AddRemoveOne,
        loss: Loss::Pure(epsilon.parse().unwrap()),
        numerics: Numerics::Exact,
        assumes: [Assumption::BoundsPublic].into(),
    }
}

/// A synopsis over the given bounds, with counts of every size and sign.
fn synopsis(columns: &[(&str, f64, f64)], cells: &[u32], seeded: bool) -> SynopsisFile {
    let grid = Grid::new(cells.to_vec(), 1 << 22).unwrap();
    let mut counts: Vec<i64> = (0..grid.cells() as i64).map(|cell| (cell * 7919) % 101 - 30).collect();
    counts[0] = i64::MIN;
    *counts.last_mut().unwrap() = i64::MAX;
    let (names, intervals) =
        columns.iter().map(|&(name, lo, hi)| (name.to_string(), Interval::new(lo, hi).unwrap())).unzip();
    SynopsisFile {
        synopsis: Synopsis::new(grid, counts, 0.1 + 0.2, claim("0.35"), seeded)
            .decided(&[Decision::Grid { cells_per_axis: vec![5, 4], asked: None }]),
        bounds: Bounds::new(names, intervals).unwrap(),
        method: "eugkm".into(),
        published: Published::new("ε-DP", "SCL16"),
        shoal: "0.1.0".into(),
    }
}

fn grid_of(file: &SynopsisFile) -> Grid {
    file.synopsis.as_grid().unwrap().clone()
}

fn small() -> SynopsisFile {
    synopsis(&[("age", 17.0, 90.0), ("hours", 1.0, 99.0)], &[5, 4], false)
}

fn written(file: &SynopsisFile) -> Vec<u8> {
    let mut bytes = Vec::new();
    file.write(&mut bytes).unwrap();
    bytes
}

fn read(bytes: Vec<u8>) -> Result<SynopsisFile, SealedError> {
    SynopsisFile::read(Source::Memory(bytes))
}

fn open(bytes: &[u8]) -> SerializedFileReader<bytes::Bytes> {
    SerializedFileReader::new(bytes::Bytes::copy_from_slice(bytes)).unwrap()
}

fn described(bytes: &[u8], key: &str) -> String {
    let file = open(bytes);
    let pairs = file.metadata().file_metadata().key_value_metadata().unwrap();
    pairs.iter().find(|pair| pair.key == key).unwrap().value.clone().unwrap()
}

fn column(bytes: &[u8], index: usize) -> Vec<f64> {
    let (file, mut values) = (open(bytes), Vec::new());
    for group in 0..file.num_row_groups() {
        let group = file.get_row_group(group).unwrap();
        let mut reader =
            parquet::column::reader::get_typed_column_reader::<DoubleType>(group.get_column_reader(index).unwrap());
        reader.read_records(usize::MAX, None, None, &mut values).unwrap();
    }
    values
}

#[test]
fn what_is_read_is_what_was_written() {
    let one_axis = synopsis(&[("x", -1e300, 1e300)], &[65_535], false);
    let many_groups = synopsis(&[("a", 0.0, 1.0), ("b", 0.1, 0.3), ("c", 5.0, 6.0)], &[110, 120, 90], false);
    let one_cell = synopsis(&[("x", 0.0, 5e-324)], &[1], false);
    for file in [small(), one_axis, many_groups, one_cell, synopsis(&[("x", 0.0, 1.0)], &[3], true)] {
        assert_eq!(read(written(&file)).unwrap(), file);
    }
}

#[test]
fn a_budget_without_a_decimal_form_does_not_come_back_smaller() {
    let mut file = small();
    let third = claim("1/3");
    file.synopsis = Synopsis::new(grid_of(&file), file.synopsis.counts, 1.0, third.clone(), false);
    let back = read(written(&file)).unwrap();
    let claim = back.synopsis.guarantee.claim().unwrap();
    assert!(third.at_least_as_strong_as(claim) && !claim.at_least_as_strong_as(&third));
    assert_eq!(claim.loss, back.synopsis.charged);
    assert_eq!(read(written(&back)).unwrap(), back, "once is enough");
}

#[test]
fn a_seeded_synopsis_stays_void() {
    let file = read(written(&synopsis(&[("x", 0.0, 1.0)], &[3], true))).unwrap();
    assert_eq!(file.synopsis.guarantee, Guarantee::Void { none: NoGuarantee::Seeded });
    let model = Model::of_synopsis(&file, &file.synopsis.cluster(&SynopsisKMeans::new(2), &mut SeededNoise::new(1)));
    assert!(model.seeded && model.spent.is_none() && model.paid_before.is_none());
    assert_eq!(model.guarantee, file.synopsis.guarantee);
}

#[test]
fn the_shape_of_the_file_is_fixed() {
    let bytes = written(&small());
    let file = open(&bytes);
    let schema = file.metadata().file_metadata().schema_descr();
    let columns: Vec<_> = schema.columns().iter().map(|c| (c.name().to_string(), c.physical_type())).collect();
    let double = |name: &str| (name.to_string(), PhysicalType::DOUBLE);
    let expected = [double("age_low"), double("age_high"), double("hours_low"), double("hours_high")];
    assert_eq!(columns[..4], expected);
    assert_eq!(columns[4..], [("count".to_string(), PhysicalType::INT64)]);

    let about: Value = serde_json::from_str(&described(&bytes, KEY)).unwrap();
    let expected = json!({
        "version": 1, "method": "eugkm", "columns": ["age", "hours"], "bounds": [[17.0, 90.0], [1.0, 99.0]],
        "cells_per_axis": [5, 4], "count_sd": 0.1 + 0.2,
        "guarantee": about["guarantee"], "published": {"text": "ε-DP", "paper": "SCL16"},
        "spent": about["spent"], "charged": about["charged"], "seeded": false,
        "decisions": [{"kind": "grid", "cells_per_axis": [5, 4], "text": "Grid: 5×4 = 20 cells."}], "shoal": "0.1.0"
    });
    assert_eq!(about, expected);
    assert_eq!(described(&bytes, CHECKSUM_KEY).len(), 8);
}

#[test]
fn names_do_not_collide() {
    let columns = [("a", 0.0, 1.0), ("a_low", 0.0, 1.0), ("a_low_high", 0.0, 1.0), ("count", 0.0, 1.0)];
    let bytes = written(&synopsis(&columns, &[2; 4], false));
    let file = open(&bytes);
    let schema = file.metadata().file_metadata().schema_descr();
    let names: std::collections::BTreeSet<_> = schema.columns().iter().map(|c| c.name().to_string()).collect();
    assert_eq!(names.len(), 2 * columns.len() + 1);
    assert!(names.contains("count"));
    assert!(read(bytes).is_ok());
}

#[test]
fn boxes_cover_the_bounds_without_gaps_and_are_those_of_the_grid() {
    let file = synopsis(&[("age", 17.0, 90.0), ("x", -0.3, 0.1), ("hours", 1.0, 99.0)], &[5, 7, 4], false);
    let (grid, map, bytes) = (grid_of(&file), LatticeMap::new(&file.bounds), written(&file));
    let sides: Vec<Vec<f64>> = (0..6).map(|i| column(&bytes, i)).collect();
    for (axis, interval) in file.bounds.intervals().iter().enumerate() {
        let mut boxes: Vec<(f64, f64)> =
            sides[2 * axis].iter().copied().zip(sides[2 * axis + 1].iter().copied()).collect();
        boxes.sort_by(|a, b| a.partial_cmp(b).unwrap());
        boxes.dedup();
        assert_eq!(boxes.len(), grid.cells_per_axis()[axis] as usize);
        assert_eq!((boxes[0].0, boxes.last().unwrap().1), (interval.lo(), interval.hi()));
        assert!(boxes.windows(2).all(|pair| pair[0].1 == pair[1].0));
    }
    // A value just inside a box is counted in the cell of that box.
    let at = |axis: usize, cell: usize, inward: f64| {
        let (low, high) = (sides[2 * axis][cell], sides[2 * axis + 1][cell]);
        map.to_lattice(axis, low + inward * (high - low)).unwrap().0
    };
    for cell in 0..grid.cells() {
        for inward in [1e-9, 0.5, 1.0 - 1e-9] {
            assert_eq!(grid.cell(&[0, 1, 2].map(|axis| at(axis, cell, inward))), cell);
        }
    }
}

#[test]
fn clusters_of_a_file_promise_what_the_file_promises_and_spend_nothing() {
    let mut file = small();
    let counts = (0..20).map(|cell| if cell < 8 { 500 } else { 3 }).collect();
    file.synopsis.counts = counts;
    for k in [1, 2, 7, 50] {
        let found = file.synopsis.cluster(&SynopsisKMeans::new(k), &mut SeededNoise::new(3));
        let model = Model::of_synopsis(&file, &found);
        assert_eq!((model.k(), &model.guarantee, model.seeded), (k, &file.synopsis.guarantee, false));
        assert!(model.spent.clone().unwrap().epsilon.amount().is_zero());
        assert_eq!(model.paid_before.clone().unwrap().epsilon, "0.35".parse().unwrap());
        assert_eq!((model.method.as_str(), model.synopsis_of()), ("eugkm/synopsis", Some("eugkm")));
        assert_eq!(model.decisions.iter().any(|it| it.to_string().contains("fewer cells (20)")), k == 50);
        assert_eq!(Model::from_json(&model.to_json()).unwrap(), model);
    }
}

#[test]
fn any_counts_can_be_clustered() {
    for count in [0, -1, i64::MIN, i64::MAX] {
        let mut file = small();
        file.synopsis.counts.fill(count);
        let found = file.synopsis.cluster(&SynopsisKMeans::new(3), &mut SeededNoise::new(3));
        let model = Model::of_synopsis(&file, &found);
        assert!(Model::from_json(&model.to_json()).is_ok(), "{count}");
    }
}

#[test]
fn other_files_are_not_taken_for_a_synopsis() {
    let field = Type::primitive_type_builder("count", PhysicalType::INT64).build().unwrap();
    let schema = Type::group_type_builder("rows").with_fields(vec![Arc::new(field)]).build().unwrap();
    let mut ordinary = Vec::new();
    SerializedFileWriter::new(&mut ordinary, Arc::new(schema), Arc::default()).unwrap().close().unwrap();
    for (bytes, what) in [(ordinary, "Parquet file of something else"), (b"a,b\n1,2\n".to_vec(), "no Parquet file")] {
        let message = read(bytes).unwrap_err().to_string();
        assert!(message.contains(what) && message.contains("`synopsis`"), "{message}");
    }
}

/// A file with this description, `rows` counts and a checksum that fits.
fn crafted(about: &Value, rows: usize, physical: PhysicalType) -> Vec<u8> {
    let text = about.to_string();
    let mut crc = flate2::Crc::new();
    crc.update(text.as_bytes());
    crc.update(&vec![0; 8 * rows]);
    let pairs = vec![KeyValue::new(KEY.into(), text), KeyValue::new(CHECKSUM_KEY.into(), format!("{:08x}", crc.sum()))];
    let field = Type::primitive_type_builder("count", physical).with_repetition(Repetition::REQUIRED).build().unwrap();
    let schema = Type::group_type_builder("cells").with_fields(vec![Arc::new(field)]).build().unwrap();
    let properties = WriterProperties::builder().set_key_value_metadata(Some(pairs)).build();
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    match physical {
        PhysicalType::DOUBLE => column.typed::<DoubleType>().write_batch(&vec![0.0; rows], None, None).unwrap(),
        _ => column.typed::<Int64Type>().write_batch(&vec![0; rows], None, None).unwrap(),
    };
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    bytes
}

#[test]
fn a_description_that_does_not_make_sense_is_refused() {
    let good: Value = serde_json::from_str(&described(&written(&small()), KEY)).unwrap();
    let int = PhysicalType::INT64;
    assert!(read(crafted(&good, 20, int)).is_ok());
    let refusal = |key: &str, value: Value| {
        let mut about = good.clone();
        about[key] = value;
        read(crafted(&about, 20, int)).unwrap_err().to_string()
    };
    let cases = [
        ("version", json!(3), "version 3"),
        ("version", json!(2), "a tree has"),
        ("leaves", json!(20), "number of cells"),
        ("version", json!("1"), "no version number"),
        ("version", Value::Null, "no version number"),
        ("columns", json!(["age"]), "number of cells"),
        ("columns", json!([]), "no columns"),
        ("columns", json!(["age", "age"]), "same name"),
        ("bounds", json!([[17.0, 90.0]]), "contradicts itself"),
        ("bounds", json!([[90.0, 17.0], [1.0, 99.0]]), "bounds"),
        ("cells_per_axis", json!([5, 5]), "20 rows and speaks of 25 cells"),
        ("cells_per_axis", json!([0, 4]), "axis 0"),
        ("cells_per_axis", json!([60_000, 60_000]), "268435456 cells"),
        ("cells_per_axis", json!([u32::MAX, u32::MAX]), "axis 0"),
        ("count_sd", json!(-1.0), "noise of the counts"),
        ("count_sd", Value::Null, "damaged"),
        ("seeded", json!(true), "seed"),
        ("guarantee", json!({"none": "seeded"}), "seed"),
        ("guarantee", json!({}), "damaged"),
        ("spent", json!({"epsilon": 0.1}), "charged"),
        ("method", json!("eugkm\u{1b}[2J"), "control characters"),
        ("decisions", json!(["Grid: \u{1b}[2J"]), "control characters"),
        ("decisions", json!([{"kind": "text", "text": "Grid: \u{1b}[2J"}]), "control characters"),
        ("decisions", json!([{"kind": "grid"}]), "damaged"),
    ];
    for (key, value, words) in cases {
        let message = refusal(key, value.clone());
        assert!(message.contains(words), "{key} = {value}: {message}");
        assert!(message.contains("copy it again") || message.contains("use a program"), "no way out: {message}");
    }
    // Programs before decisions were data wrote sentences.
    let mut before = good.clone();
    before["decisions"] = json!(["Grid: 5×4 = 20 cells."]);
    let sentences = read(crafted(&before, 20, int)).unwrap().synopsis.decisions;
    assert_eq!(sentences, [Decision::Text("Grid: 5×4 = 20 cells.".into())]);
    let ordinary = crafted(&json!({}), 3, int);
    assert!(matches!(read(ordinary), Err(SealedError::Damaged { .. })));
    let text = good.to_string().replace("0.30000000000000004", "1e999");
    assert!(serde_json::from_str::<Value>(&text).is_err(), "a number that is not finite cannot even be written");
    assert!(read(crafted(&good, 19, int)).unwrap_err().to_string().contains("19 rows"));
    assert!(
        read(crafted(&good, 20, PhysicalType::DOUBLE)).unwrap_err().to_string().contains("no column of noisy counts")
    );
}

#[test]
fn a_damaged_file_is_refused_or_says_the_same() {
    let file = small();
    let bytes = written(&file);
    let same = |bytes| read(bytes).map(|found| found == file).map_err(|error| error.to_string());
    let refused = crate::damage::refused_or_the_same(&bytes, same);
    for length in 0..bytes.len() {
        assert!(read(bytes[..length].to_vec()).is_err(), "cut after {length} bytes");
    }
    assert!(refused > 1000, "{refused}");
}
