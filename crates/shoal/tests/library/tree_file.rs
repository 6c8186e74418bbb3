//! The file of a released tree: it comes back exactly, and boxes that do not fill the space are refused.

use std::sync::Arc;

use parquet::basic::{Repetition, Type as PhysicalType};
use parquet::data_type::{DoubleType, Int64Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use proptest::prelude::*;
use serde_json::Value;
use shoal::model::Model;
use shoal_curator::synopsis_file::{CHECKSUM_KEY, KEY, SynopsisFile};
use shoal_curator::{Decision, Synopsis, SynopsisKMeans};
use shoal_files::{SealedError, Source};
use shoal_lattice::{Bounds, Interval};
use shoal_noise::SeededNoise;
use shoal_privacy::{Assumption, Claim, Loss, Neighbours, Numerics, Published};
use shoal_scan::{BoxTree, Node};

fn claim(epsilon: &str) -> Claim {
    Claim {
        neighbours: Neighbours::AddRemoveOne,
        loss: Loss::Pure(epsilon.parse().unwrap()),
        numerics: Numerics::Exact,
        assumes: [Assumption::BoundsPublic].into(),
    }
}

fn file(tree: BoxTree, seeded: bool) -> SynopsisFile {
    let dims = tree.dims();
    let counts = (0..tree.leaves() as i64).map(|leaf| (leaf * 7919) % 101 - 30).collect();
    let names = (0..dims).map(|axis| format!("x{axis}")).collect();
    let intervals = (0..dims).map(|axis| Interval::new(-1.0, 3.0 + axis as f64).unwrap()).collect();
    SynopsisFile {
        synopsis: Synopsis::new(tree, counts, 0.1 + 0.2, claim("0.35"), seeded)
            .decided(&[Decision::Text("Tree: 4 boxes.".into())]),
        bounds: Bounds::new(names, intervals).unwrap(),
        method: "tree".into(),
        published: Published::new("nothing", "Shoal"),
        shoal: "0.1.0".into(),
    }
}

/// Cut at 0 across the first axis; above it at 100 across the second, and below that at −50.
fn small() -> SynopsisFile {
    let split = |axis, at, below, above| Node::Split { axis, at, below, above };
    let nodes = vec![
        split(0, 0, 1, 2),
        Node::Leaf,
        split(1, 100, 3, 6),
        split(1, -50, 4, 5),
        Node::Leaf,
        Node::Leaf,
        Node::Leaf,
    ];
    file(BoxTree::new(2, nodes), false)
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

/// A tree from a stream of choices: boxes are cut anywhere.
fn random_tree(dims: usize, choices: &[(u8, u16)]) -> BoxTree {
    type Open = (Vec<i16>, Vec<i16>, Option<usize>);
    let mut nodes: Vec<Node> = Vec::new();
    let mut waiting: Vec<Open> = vec![(vec![-32_767; dims], vec![32_767; dims], None)];
    let mut choices = choices.iter();
    while let Some((low, high, parent)) = waiting.pop() {
        let number = nodes.len() as u32;
        if let Some(Node::Split { above, .. }) = parent.map(|parent| &mut nodes[parent]) {
            *above = number;
        }
        let cut = choices.next().and_then(|&(axis, place)| {
            let axis = usize::from(axis) % (dims + 1);
            let steps = (axis < dims).then(|| i32::from(high[axis]) - i32::from(low[axis])).filter(|&s| s > 0)?;
            Some((axis, (i32::from(low[axis]) + 1 + i32::from(place) % steps) as i16))
        });
        let Some((axis, at)) = cut else {
            nodes.push(Node::Leaf);
            continue;
        };
        nodes.push(Node::Split { axis: axis as u32, at, below: number + 1, above: 0 });
        let (mut ends, mut begins) = (high.clone(), low.clone());
        (ends[axis], begins[axis]) = (at - 1, at);
        waiting.push((begins, high, Some(number as usize)));
        waiting.push((low, ends, None));
    }
    BoxTree::new(dims, nodes)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_read_is_what_was_written(
        dims in 1usize..5,
        choices in prop::collection::vec(any::<(u8, u16)>(), 0..120),
        seeded in any::<bool>(),
    ) {
        let file = file(random_tree(dims, &choices), seeded);
        prop_assert_eq!(read(written(&file)).unwrap(), file);
    }
}

#[test]
fn the_boxes_are_told_in_the_user_s_units() {
    let bytes = written(&small());
    let parquet = open(&bytes);
    let names: Vec<_> =
        parquet.metadata().file_metadata().schema_descr().columns().iter().map(|c| c.name().to_string()).collect();
    assert_eq!(names, ["x0_low", "x0_high", "x1_low", "x1_high", "count", "depth", "cut_column", "cut_at"]);
    let group = parquet.get_row_group(0).unwrap();
    let column = |index: usize| {
        let mut values = Vec::new();
        let reader = group.get_column_reader(index).unwrap();
        let mut reader = parquet::column::reader::get_typed_column_reader::<DoubleType>(reader);
        reader.read_records(usize::MAX, None, None, &mut values).unwrap();
        values
    };
    let middle = 1.0 - 1.0 / 32_767.0;
    let near = |a: &[f64], b: &[f64]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
    assert!(near(&column(0), &[-1.0, middle, middle, middle]), "{:?}", column(0));
    assert!(near(&column(1), &[middle, 3.0, 3.0, 3.0]));
    assert_eq!((column(2)[0], column(2)[1], column(3)[0], column(3)[3]), (-1.0, -1.0, 4.0, 4.0));
    assert_eq!(column(3)[1], column(2)[2]);
}

#[test]
fn a_tree_is_clustered_for_any_number_of_clusters() {
    let file = read(written(&small())).unwrap();
    for k in [1, 2, 4, 9] {
        let found = file.synopsis.cluster(&SynopsisKMeans::new(k), &mut SeededNoise::new(3));
        let model = Model::of_synopsis(&file, &found);
        assert_eq!((model.k(), model.synopsis_of(), model.seeded), (k, Some("tree"), false));
        assert_eq!(model.decisions.iter().any(|it| it.to_string().contains("fewer cells")), k > 4);
        assert_eq!(model.guarantee, file.synopsis.guarantee);
        assert!(Model::from_json(&model.to_json()).is_ok());
    }
}

/// A file with these columns, a description that fits them and a checksum that fits both.
fn crafted(columns: [&[i64]; 4], change: impl Fn(&mut Value)) -> Vec<u8> {
    let whole = written(&small());
    let parquet = open(&whole);
    let pairs = parquet.metadata().file_metadata().key_value_metadata().unwrap();
    let text = pairs.iter().find(|pair| pair.key == KEY).unwrap().value.clone().unwrap();
    let mut about: Value = serde_json::from_str(&text).unwrap();
    about["leaves"] = columns[0].len().into();
    change(&mut about);
    let text = about.to_string();
    let mut crc = flate2::Crc::new();
    crc.update(text.as_bytes());
    columns.iter().for_each(|column| column.iter().for_each(|value| crc.update(&value.to_le_bytes())));
    let pairs = vec![KeyValue::new(KEY.into(), text), KeyValue::new(CHECKSUM_KEY.into(), format!("{:08x}", crc.sum()))];
    let field = |name: &&str| {
        let field = Type::primitive_type_builder(name, PhysicalType::INT64).with_repetition(Repetition::REQUIRED);
        Arc::new(field.build().unwrap())
    };
    let fields = ["count", "depth", "cut_column", "cut_at"].iter().map(field).collect();
    let schema = Type::group_type_builder("cells").with_fields(fields).build().unwrap();
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

#[test]
fn boxes_that_do_not_fill_the_space_are_refused() {
    let (depth, axis, at) = ([1, 3, 3, 2], [0, 1, 1, -1], [0, -50, 100, 0]);
    let same = |_: &mut Value| ();
    let good = read(crafted([&[5, 6, 7, 8], &depth, &axis, &at], same)).unwrap();
    assert_eq!(good.synopsis.as_boxes().unwrap().tree(), small().synopsis.as_boxes().unwrap().tree());
    let refusal = |depth: &[i64], axis: &[i64], at: &[i64]| {
        read(crafted([&vec![5; depth.len()], depth, axis, at], same)).unwrap_err().to_string()
    };
    for depth in [[1, 3, 3, 1], [2, 3, 3, 2], [0, 1, 1, 0], [1, 2, 3, 4], [-1, -1, -1, -1], [1, i64::MAX, i64::MIN, 2]]
    {
        assert!(refusal(&depth, &axis, &at).contains("fill the space"), "{depth:?}");
    }
    for axis in [[2, 1, 1, -1], [0, -1, 1, -1], [0, i64::MAX, 1, -1]] {
        assert!(refusal(&depth, &axis, &at).contains("across no column"), "{axis:?}");
    }
    for at in [[-32_767, -50, 100, 0], [0, 101, 100, 0], [0, 100, 100, 0], [0, -50, 32_768, 0], [i64::MIN, 0, 1, 0]] {
        assert!(refusal(&depth, &axis, &at).contains("go through its box"), "{at:?}");
    }
    assert!(refusal(&depth, &[0, 1, 1, 0], &at).contains("above its last box"));
    let described = |key: &str, value: Value| {
        let change = |about: &mut Value| about[key] = value.clone();
        read(crafted([&[5, 6, 7, 8], &depth, &axis, &at], change)).unwrap_err().to_string()
    };
    assert!(described("leaves", 5.into()).contains("4 rows and speaks of 5"));
    assert!(described("leaves", 0.into()).contains("a tree has between"));
    assert!(described("leaves", Value::Null).contains("a tree has between"));
    assert!(described("version", 1.into()).contains("number of cells"));
    assert!(described("version", 3.into()).contains("version 3"));
    assert!(described("cells_per_axis", vec![2, 2].into()).contains("a tree has between"));
}

#[test]
fn a_damaged_file_is_refused_or_says_the_same() {
    let file = small();
    let bytes = written(&file);
    let same = |bytes: Vec<u8>| read(bytes).map(|found| found == file).map_err(|e| e.to_string());
    let refused = crate::damage::refused_or_the_same(&bytes, same);
    for length in 0..bytes.len() {
        assert!(read(bytes[..length].to_vec()).is_err(), "cut after {length} bytes");
    }
    assert!(refused > 1000, "{refused}");
}
