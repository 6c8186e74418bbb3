//! The same points whatever the format, the memory allowed and the cut into chunks, pages and row groups.

use crate::data_support::Column;
use crate::data_support::*;
use parquet::basic::{Compression, ZstdLevel};
use proptest::prelude::*;
use shoal_files::*;
use std::sync::atomic::{AtomicU64, Ordering};

const BIG: usize = 1 << 30;

fn table_of(rows: usize, dims: usize) -> Vec<Vec<f64>> {
    let cell = |r: usize, a: usize| ((r * 7919 + a * 104_729) % 2003) as f64 / 200.0 - 5.0;
    (0..rows).map(|r| (0..dims).map(|a| cell(r, a)).collect()).collect()
}

#[test]
fn formats_and_memory_limits_agree() {
    let rows = table_of(10_007, 5);
    let csv = csv_file(&rows);
    let expected = rows_of(&load(&csv, "-5,5", BIG, |_| ()).unwrap());
    assert_eq!(expected.len(), rows.len());
    let mut files = vec![csv.clone(), gzip(&csv)];
    for (group_rows, page_rows, dictionary, compression) in [
        (usize::MAX, 1000, true, Compression::SNAPPY),
        (999, 100, true, Compression::ZSTD(ZstdLevel::default())),
        (17, 5, false, Compression::UNCOMPRESSED),
        (5000, 20_000, false, Compression::LZ4_RAW),
    ] {
        files.push(parquet_rows(&rows, &Shape { group_rows, page_rows, dictionary, compression }));
    }
    for file in files {
        for memory in [BIG, 100_000, 5_000, 1] {
            let store = load(&file, "-5,5", memory, |_| ()).unwrap();
            assert_eq!(matches!(store, PointStore::InMemory(_)), memory == BIG);
            assert_eq!(rows_of(&store), expected);
        }
    }
}

#[test]
fn pages_larger_than_a_piece_give_the_same_points() {
    // Pages of 50,000 rows: columns that may be null and are not on most pages, one that never may, one of integers.
    let n = 120_001;
    let values = |a: usize| (0..n).map(move |r| ((r * 7919 + a * 104_729) % 20_011) as f64 / 2001.0 - 5.0);
    let gap = n - 3;
    let nullable: Vec<Option<f64>> = values(0).enumerate().map(|(r, x)| (r != gap).then_some(x)).collect();
    let shape = Shape { page_rows: 50_000, dictionary: false, ..Shape::default() };
    let columns = |nullable: Vec<Option<f64>>| {
        let whole = (0..n as i32).map(|r| r % 11 - 5).collect();
        [
            ("x0", Column::Double(nullable)),
            ("x1", Column::Double(values(1).map(Some).collect())),
            ("x2", Column::Float(values(2).map(|x| x as f32).collect())),
            ("x3", Column::Int32(whole)),
        ]
    };
    let file = parquet_file(&columns(nullable), &shape);
    let rows: Vec<Vec<f64>> = (0..n)
        .filter(|&r| r != gap)
        .zip(values(0).zip(values(1)).zip(values(2)).enumerate().filter(|(r, _)| *r != gap).map(|(_, x)| x))
        .map(|(r, ((a, b), c))| vec![a, b, f64::from(c as f32), (r % 11) as f64 - 5.0])
        .collect();
    let expected = rows_of(&load(&csv_file(&rows), "-5,5", BIG, |_| ()).unwrap());
    for memory in [BIG, 100_000] {
        let store = load(&file, "-5,5", memory, |options| options.missing = Missing::Drop).unwrap();
        assert!(rows_of(&store) == expected);
    }
    assert!(refusal(load(&file, "-5,5", BIG, |_| ())).contains(&format!("row {}", gap + 1)));
}

#[test]
fn dropped_rows_leave_the_same_points_in_every_format() {
    let mut rows = table_of(3000, 3);
    for (r, row) in rows.iter_mut().enumerate() {
        if r % 7 == 0 {
            row[r % 3] = f64::NAN;
        }
    }
    let complete: Vec<Vec<f64>> = rows.iter().filter(|row| row.iter().all(|x| x.is_finite())).cloned().collect();
    let expected = rows_of(&load(&csv_file(&complete), "-5,5", BIG, |_| ()).unwrap());
    let nullable = |a: usize| Column::Double(rows.iter().map(|row| Some(row[a]).filter(|x| x.is_finite())).collect());
    let shape = Shape { group_rows: 700, ..Shape::default() };
    let nulls = parquet_file(&[("x0", nullable(0)), ("x1", nullable(1)), ("x2", nullable(2))], &shape);
    for file in [csv_file(&rows), parquet_rows(&rows, &shape), nulls] {
        for memory in [BIG, 2000] {
            let store = load(&file, "-5,5", memory, |options| options.missing = Missing::Drop).unwrap();
            assert_eq!(rows_of(&store), expected);
        }
        let message = refusal(load(&file, "-5,5", BIG, |_| ()));
        assert!(message.contains("row 1") && message.contains("x0") && message.contains("`missing` drop"), "{message}");
    }
}

#[test]
fn every_stored_kind_of_number_is_read() {
    let file = parquet_file(
        &[
            ("double", Column::Double(vec![Some(1.5), Some(-2.5)])),
            ("float", Column::Float(vec![1.5, -2.5])),
            ("int", Column::Int32(vec![3, -4])),
            ("unsigned", Column::Unsigned32(vec![3, -1])),
            ("long", Column::Int64(vec![5, -6])),
            ("money", Column::Decimal64(vec![1234, -50])),
            ("flag", Column::Bool(vec![true, false])),
            ("who", Column::Text(vec!["a", "b"])),
        ],
        &Shape::default(),
    );
    let table = open(&file, |options| options.label = Some("who".into())).unwrap();
    assert_eq!(table.dims(), 7);
    let mut seen = 0;
    let read = table.for_each_batch(1, &Silent, |batch| {
        let mut row = [0.0; 7];
        batch.copy_row(0, &mut row);
        let expected =
            [([1.5, 1.5, 3.0, 3.0, 5.0, 12.34, 1.0], "a"), ([-2.5, -2.5, -4.0, 4_294_967_295.0, -6.0, -0.5, 0.0], "b")];
        assert_eq!(row, expected[seen].0);
        assert_eq!(batch.labels().unwrap(), [expected[seen].1]);
        seen += 1;
        assert_eq!(batch.row_number(0), seen as u64);
        Ok::<(), DataError>(())
    });
    read.unwrap();
    assert_eq!(seen, 2);
}

#[test]
fn columns_come_in_the_order_asked_for() {
    let rows = table_of(100, 4);
    for file in [csv_file(&rows), parquet_rows(&rows, &Shape::default())] {
        let table = open(&file, |options| options.columns = Some(vec!["x3".into(), "x1".into()])).unwrap();
        assert_eq!(table.columns(), ["x3", "x1"]);
        assert_eq!(table.all_columns().len(), 4);
        let mut row_number = 0;
        let read = table.for_each_batch(7, &Silent, |batch| {
            for i in 0..batch.rows() {
                assert_eq!(batch.column(0)[i], rows[row_number][3]);
                assert_eq!(batch.column(1)[i], rows[row_number][1]);
                row_number += 1;
            }
            Ok::<(), DataError>(())
        });
        read.unwrap();
        assert_eq!(row_number, 100);
    }
}

#[test]
fn labels_are_text_whatever_their_type() {
    let csv = b"x,kind\n1, red \n2,\n";
    let numbers = parquet_file(
        &[("x", Column::Double(vec![Some(1.0), Some(2.0)])), ("kind", Column::Int32(vec![7, 8]))],
        &Shape::default(),
    );
    for (file, expected) in [(csv.to_vec(), ["red", ""]), (numbers, ["7", "8"])] {
        let table = open(&file, |options| options.label = Some("kind".into())).unwrap();
        assert_eq!(table.columns(), ["x"]);
        let read = table.for_each_batch(10, &Silent, |batch| {
            assert_eq!(batch.labels().unwrap(), expected);
            Ok::<(), DataError>(())
        });
        read.unwrap();
    }
}

#[test]
fn progress_ends_at_the_size_of_the_file() {
    let rows = table_of(5000, 2);
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [("t.csv", csv_file(&rows)), ("t.gz", gzip(&csv_file(&rows)))] {
        let path = folder.path().join(name);
        std::fs::write(&path, &bytes).unwrap();
        let table = Table::open(Source::Path(path), &ReadOptions::default()).unwrap();
        let last = AtomicU64::new(0);
        let hear = |done: u64, total: u64| {
            assert_eq!(total, bytes.len() as u64);
            assert!(done >= last.swap(done, Ordering::Relaxed));
        };
        table.for_each_batch(100, &hear, |_| Ok::<(), DataError>(())).unwrap();
        assert_eq!(last.load(Ordering::Relaxed), bytes.len() as u64);
    }
}

#[test]
fn a_million_identical_rows_are_nothing_special() {
    let mut csv = b"a,b\n".to_vec();
    csv.extend(b"1.5,-2\n".repeat(1_000_000));
    let store = load(&csv, "-3,3", BIG, |_| ()).unwrap();
    assert_eq!((store.rows(), store.dims()), (1_000_000, 2));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_cut_gives_the_same_points(
        dims in 1usize..5,
        cells in prop::collection::vec(-1e3..1e3f64, 5..900),
        group_rows in 1usize..200,
        page_rows in 1usize..100,
        memory in 1usize..4000,
        dictionary in any::<bool>(),
    ) {
        let rows: Vec<Vec<f64>> = cells.chunks_exact(dims).map(<[f64]>::to_vec).collect();
        let expected = rows_of(&load(&csv_file(&rows), "-900,900", BIG, |_| ()).unwrap());
        let parquet = parquet_rows(&rows, &Shape { group_rows, page_rows, dictionary, ..Shape::default() });
        prop_assert_eq!(&rows_of(&load(&parquet, "-900,900", BIG, |_| ()).unwrap()), &expected);
        prop_assert_eq!(&rows_of(&load(&parquet, "-900,900", memory, |_| ()).unwrap()), &expected);
        prop_assert_eq!(&rows_of(&load(&csv_file(&rows), "-900,900", memory, |_| ()).unwrap()), &expected);
    }
}
