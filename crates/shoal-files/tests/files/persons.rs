//! Rows grouped by person: the same persons from every format, in memory or not, and what is refused.

use shoal_files::{
    BoundsSpec, Column as Numbers, DataError, LoadOptions, Matrix, Missing, PerPerson, PersonKey, PersonRows,
    PointStore, ReadOptions, Rows, Silent, Source, Table, Texts, Values, load_persons,
};
use shoal_lattice::LatticeMap;

use crate::data_support::*;

fn options(person: &[&str], way: &PerPerson) -> ReadOptions {
    ReadOptions {
        columns: Some(vec!["x".into(), "y".into()]),
        person: person.iter().map(|name| name.to_string()).collect(),
        order: way.order().map(Into::into),
        allow_empty: true,
        ..ReadOptions::default()
    }
}

fn key() -> PersonKey {
    PersonKey::new([11, 12, 13, 14])
}

fn points(rows: &dyn Rows, way: &PerPerson, memory: usize) -> Result<Vec<Vec<i16>>, DataError> {
    let columns = ["x".to_string(), "y".to_string()];
    let bounds = BoundsSpec::parse("-5,5").unwrap().resolve(&columns, &columns).unwrap();
    let options = LoadOptions { memory, chunk_rows: None, two_readers: true };
    let store = load_persons(rows, &LatticeMap::new(&bounds), way, key(), &options, &Silent)?;
    assert!(memory > 0 || store.rows() == 0 || matches!(store, PointStore::Persons(_)));
    let mut all = Vec::new();
    store.for_each_chunk(|points| {
        all.extend((0..points.rows()).map(|r| (0..2).map(|d| points.get(r, d)).collect()));
        Ok::<(), DataError>(())
    })?;
    assert_eq!(all.len(), store.rows());
    Ok(all)
}

fn csv(text: &str, way: &PerPerson) -> Result<Vec<Vec<i16>>, DataError> {
    let table = Table::open(Source::Memory(text.as_bytes().to_vec()), &options(&["who"], way))?;
    let all = points(&table, way, 1 << 24)?;
    assert_eq!(points(&table, way, 0)?, all, "on disk");
    Ok(all)
}

fn ways() -> [PerPerson; 5] {
    ["mean", "first:when", "last:when", "up-to:1", "up-to:4"].map(|way| way.parse().unwrap())
}

/// `persons` persons with up to eight rows, in no order: who, when, x, y.
fn people(persons: usize) -> Vec<(String, String, f64, f64)> {
    let row = |i: usize| {
        let (mixed, day) = (i * 7919 % 100_003, i * 31 % 28 + 1);
        let who = format!("p{}", mixed % persons);
        (who, format!("2024-02-{day:02}"), (mixed % 1000) as f64 / 100.0 - 5.0, (i % 77) as f64 / 10.0 - 4.0)
    };
    (0..persons * 4).map(row).collect()
}

#[test]
fn every_format_gives_the_same_persons() {
    let people = people(1500);
    let (x, y): (Vec<f64>, Vec<f64>) = people.iter().map(|(_, _, x, y)| (*x, *y)).unzip();
    let names: Vec<String> = people.iter().map(|(who, ..)| who.clone()).collect();
    let days: Vec<String> = people.iter().map(|(_, when, ..)| when.clone()).collect();
    let line = |(who, when, x, y): &(String, String, f64, f64)| format!("{x},{who},{y},{when}\n");
    let text = format!("x,who,y,when\n{}", people.iter().map(line).collect::<String>());
    let optional = |values: &[f64]| Column::Double(values.iter().map(|&x| Some(x)).collect());
    let parquet = parquet_file(
        &[
            ("when", Column::Text(days.iter().map(|day| &*day.clone().leak()).collect())),
            ("x", optional(&x)),
            ("who", Column::Text(names.iter().map(|name| &*name.clone().leak()).collect())),
            ("y", optional(&y)),
        ],
        &Shape { group_rows: 700, ..Shape::default() },
    );
    for way in ways() {
        let expected = csv(&text, &way).unwrap();
        let known: std::collections::HashSet<&String> = names.iter().collect();
        assert!(expected.len() == known.len() || way.most_rows() > 1, "each person has one row");
        let table = Table::open(Source::Memory(parquet.clone()), &options(&["who"], &way)).unwrap();
        for memory in [1 << 24, 0] {
            assert_eq!(points(&table, &way, memory).unwrap(), expected, "{way}");
        }
        let matrix = Matrix::from_columns([("x", Numbers::new(Values::F64(&x))), ("y", Numbers::new(Values::F64(&y)))])
            .and_then(|matrix| matrix.with_texts("who", Texts::String(&names)))
            .and_then(|matrix| matrix.with_texts("when", Texts::String(&days)))
            .and_then(|matrix| matrix.select(&options(&["who"], &way)))
            .unwrap();
        assert_eq!(points(&matrix, &way, 1 << 24).unwrap(), expected, "{way}");
    }
}

#[test]
fn persons_named_by_numbers_beyond_those_of_floats() {
    let ids = [9_007_199_254_740_993_i64, 9_007_199_254_740_992, 9_007_199_254_740_993, -1];
    let (x, y) = ([1.0, 2.0, 3.0, 4.0], [0.0; 4]);
    let matrix = Matrix::from_columns([
        ("who", Numbers::new(Values::I64(&ids))),
        ("x", Numbers::new(Values::F64(&x))),
        ("y", Numbers::new(Values::F64(&y))),
    ]);
    let matrix = matrix.and_then(|matrix| matrix.select(&options(&["who"], &PerPerson::Mean))).unwrap();
    let expected = points(&matrix, &PerPerson::Mean, 1 << 24).unwrap();
    assert_eq!(expected.len(), 3);
    let text = "who,x,y\n9007199254740993,1,0\n9007199254740992,2,0\n 9007199254740993 ,3,0\n-1,4,0\n";
    assert_eq!(csv(text, &PerPerson::Mean).unwrap(), expected);
    let long = Column::Int64(ids.to_vec());
    let optional = |values: &[f64]| Column::Double(values.iter().map(|&x| Some(x)).collect());
    let file = parquet_file(&[("who", long), ("x", optional(&x)), ("y", optional(&y))], &Shape::default());
    let table = Table::open(Source::Memory(file.clone()), &options(&["who"], &PerPerson::Mean)).unwrap();
    assert_eq!(points(&table, &PerPerson::Mean, 1 << 24).unwrap(), expected);
}

#[test]
fn several_columns_name_a_person_together() {
    let text = "x,y,a,b\n1,0,1,11\n2,0,11,1\n3,0,1,11\n";
    let table = Table::open(Source::Memory(text.into()), &options(&["a", "b"], &PerPerson::Mean)).unwrap();
    assert_eq!(points(&table, &PerPerson::Mean, 1 << 24).unwrap().len(), 2);
    // Without columns named, those that name persons are no columns to cluster by, nor is the one that orders rows.
    let way = PerPerson::Last("y".into());
    let all = ReadOptions { columns: None, ..options(&["a", "b"], &way) };
    assert_eq!(Table::open(Source::Memory(text.into()), &all).unwrap().columns(), ["x"]);
}

#[test]
fn the_mean_is_that_of_values_within_the_bounds() {
    // 1e9 counts as 5, so the mean is that of 5 and −5.
    let rows = csv("who,x,y\na,1e9,0\na,-1e300,0\n", &PerPerson::Mean).unwrap();
    assert_eq!(rows, [[0, 0]]);
}

#[test]
fn the_first_and_the_last_are_those_of_the_dates_and_equal_dates_do_not_depend_on_the_order_of_rows() {
    let rows = ["a,2024-01-09,1,0", "a,2024-01-10,2,0", "a,2023-12-31,3,0", "a,2024-01-10,-2,0"];
    let text = |order: [usize; 4]| format!("who,when,x,y\n{}\n", order.map(|i| rows[i]).join("\n"));
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]] {
        let first = csv(&text(order), &PerPerson::First("when".into())).unwrap();
        let last = csv(&text(order), &PerPerson::Last("when".into())).unwrap();
        assert_eq!((first[0][0] > 19_000, last[0][0]), (true, -13_107), "3 is the first, −2 the last of {order:?}");
    }
}

#[test]
fn rows_without_a_person_are_refused_or_left_out() {
    for gap in ["", "NA", "null", "  "] {
        let text = format!("who,x,y\nANN-SECRET,1,0\n{gap},2,0\n");
        let error = csv(&text, &PerPerson::Mean).unwrap_err();
        assert_eq!(error.code(), "missing-person");
        let words = error.to_string();
        assert!(words.contains("row 2 (line 3)") && words.contains("`missing` drop"), "{words}");
        let dropping = ReadOptions { missing: Missing::Drop, ..options(&["who"], &PerPerson::Mean) };
        let table = Table::open(Source::Memory(text.into_bytes()), &dropping).unwrap();
        assert_eq!(points(&table, &PerPerson::Mean, 1 << 24).unwrap().len(), 1);
    }
    let way = PerPerson::First("when".into());
    let error = csv("who,when,x,y\na,2024-01-01,1,0\na,,1,0\n", &way).unwrap_err();
    assert_eq!(error.code(), "missing-order");
}

#[test]
fn what_makes_no_sense_is_refused_without_a_word_of_the_record() {
    let way = PerPerson::First("when".into());
    for (text, code) in [
        ("who,when,x,y\nSECRET,yesterday,1,0\n", "no-order"),
        ("who,when,x,y\nSECRET,2024-01-01,1,0\nSECRET,17,1,0\n", "no-order"),
        ("who,when,x,y\nSECRET,31.12.2024,1,0\n", "no-order"),
    ] {
        let error = csv(text, &way).unwrap_err();
        let words = error.to_string();
        assert_eq!(error.code(), code, "{words}");
        assert!(!words.contains("SECRET") && !words.contains("yesterday") && !words.contains("31.12"), "{words}");
    }
    let open =
        |person: &[&str]| Table::open(Source::Memory("who,x,y\na,1,0\n".into()), &options(person, &PerPerson::Mean));
    assert_eq!(open(&["x"]).err().unwrap().code(), "person-selected");
    assert_eq!(open(&["nobody"]).err().unwrap().code(), "unknown-column");
}

#[test]
fn rows_before_there_are_bounds() {
    let people = people(1200);
    let line = |(who, when, x, y): &(String, String, f64, f64)| format!("{x},{who},{y},{when}\n");
    let text = format!("x,who,y,when\n{}", people.iter().map(line).collect::<String>());
    for way in ways() {
        let table = Table::open(Source::Memory(text.clone().into_bytes()), &options(&["who"], &way)).unwrap();
        let rows = |memory: usize| {
            let persons = PersonRows::group(&table, &way, key(), memory, &Silent).unwrap();
            let mut all = Vec::new();
            (&persons as &dyn Rows)
                .for_each_batch(100, &Silent, |batch| {
                    let mut row = [0.0; 2];
                    for r in 0..batch.rows() {
                        batch.copy_row(r, &mut row);
                        all.push(row.map(f64::to_bits));
                    }
                    Ok::<(), DataError>(())
                })
                .unwrap();
            assert_eq!(all.len() as u64, persons.rows());
            all
        };
        assert_eq!(rows(1 << 24), rows(0), "{way}");
    }
    // Sums beyond all numbers stay numbers.
    let huge = "who,x,y\na,1e308,0\na,1e308,0\na,-1e308,0\na,-1e308,0\na,-1e308,0\n";
    let table = Table::open(Source::Memory(huge.into()), &options(&["who"], &PerPerson::Mean)).unwrap();
    let persons = PersonRows::group(&table, &PerPerson::Mean, key(), 0, &Silent).unwrap();
    (&persons as &dyn Rows)
        .for_each_batch(10, &Silent, |batch| {
            assert!(batch.column(0)[0].is_finite());
            Ok::<(), DataError>(())
        })
        .unwrap();
}

#[test]
fn a_copy_has_the_same_hash_whatever_it_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let hash = |name: &str, content: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        Table::open(Source::Path(path), &ReadOptions::default()).unwrap().content_hash().unwrap()
    };
    let one = hash("one.csv", "x,y\n1,2\n");
    assert_eq!(hash("two.csv", "x,y\n1,2\n"), one);
    assert_ne!(hash("three.csv", "x,y\n1,3\n"), one);
    let matrix = |rows: &[f64], name: &str| Matrix::from_rows(&["x", name], rows).unwrap().content_hash();
    assert_eq!(matrix(&[1.0, 2.0], "y"), matrix(&[1.0, 2.0], "y"));
    assert_ne!(matrix(&[1.0, 2.0], "y"), matrix(&[1.0, 3.0], "y"));
    assert_ne!(matrix(&[1.0, 2.0], "y"), matrix(&[1.0, 2.0], "z"));
}
