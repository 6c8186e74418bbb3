//! Tables and bounds that must be refused: with a message that names the fix, without a panic, and without
//! repeating what a record holds.

use crate::data_support::Column;
use crate::data_support::*;
use shoal_files::*;
use shoal_lattice::*;

const BIG: usize = 1 << 30;

/// Loads a CSV with default options and returns the refusal.
fn refused(csv: &[u8]) -> String {
    refusal(load(csv, "0,100", BIG, |_| ()))
}

fn assert_says(message: &str, words: &[&str]) {
    for word in words {
        assert!(message.contains(word), "`{word}` is not in: {message}");
    }
}

fn first_row(csv: &[u8], change: impl FnOnce(&mut ReadOptions)) -> Vec<f64> {
    let table = open(csv, change).unwrap();
    let mut row = vec![0.0; table.dims()];
    table
        .for_each_batch(1, &Silent, |batch| {
            if batch.row_number(0) == 1 {
                batch.copy_row(0, &mut row);
            }
            Ok::<(), DataError>(())
        })
        .unwrap();
    row
}

#[test]
fn empty_and_header_only_tables() {
    assert_says(&refused(b""), &["empty", "header"]);
    assert_says(&refused(b"\n\n"), &["empty"]);
    assert_says(&refused(b"\xef\xbb\xbf"), &["empty"]);
    assert_says(&refused(b"a,b\n"), &["no data rows"]);
    assert_says(&refused(b"a,b"), &["no data rows"]);
    let none = parquet_file(&[("a", Column::Int32(vec![]))], &Shape::default());
    for memory in [BIG, 0] {
        assert_says(&refusal(load(&none, "0,1", memory, |_| ())), &["no data rows"]);
    }
}

#[test]
fn one_row_is_enough_to_read() {
    assert_eq!(load(b"a,b\n1,2", "0,9", BIG, |_| ()).unwrap().rows(), 1);
}

#[test]
fn missing_values_name_row_column_and_the_way_out() {
    for cell in ["", " ", "NA", "n/a", "NaN", "null", "inf", "-inf", "1e999", "?"] {
        let csv = format!("age,hours\n1,2\n3,{cell}\n5,6\n");
        assert_says(&refused(csv.as_bytes()), &["row 2 (line 3)", "`hours`", "`missing` drop", "`columns`"]);
        let store = load(csv.as_bytes(), "0,100", BIG, |options| options.missing = Missing::Drop).unwrap();
        assert_eq!(store.rows(), 2);
    }
    let message = refusal(load(b"a\nNA\nNA\n", "0,1", BIG, |options| options.missing = Missing::Drop));
    assert_says(&message, &["every row", "`columns`"]);
    let nulls = parquet_file(&[("a", Column::Double(vec![None, None]))], &Shape::default());
    for memory in [BIG, 0] {
        let message = refusal(load(&nulls, "0,1", memory, |options| options.missing = Missing::Drop));
        assert_says(&message, &["every row"]);
    }
}

#[test]
fn infinities_in_parquet_are_missing_too() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let file = parquet_file(&[("a", Column::Double(vec![Some(1.0), Some(value)]))], &Shape::default());
        for memory in [BIG, 0] {
            assert_says(&refusal(load(&file, "0,1", memory, |_| ())), &["row 2", "`a`", "`missing` drop"]);
        }
    }
}

#[test]
fn extreme_numbers_are_clamped_and_not_refused() {
    let store = load(b"a\n1e308\n-1e308\n-0.0\n5e-324\n1.7976931348623157e308\n", "-1,1", BIG, |_| ()).unwrap();
    assert_eq!(rows_of(&store), [[32_767], [-32_767], [0], [0], [32_767]]);
}

#[test]
fn text_in_a_column_of_numbers_is_not_repeated() {
    let message = refused(b"name,age,hours\nZaphod,42,7\nTrillian,30,8\n");
    assert_says(&message, &["row 1 (line 2)", "`name`", "`columns` age,hours"]);
    assert!(!message.contains("Zaphod"), "{message}");
    let late = refused(b"age\n42\n43\nsecretvalue\n");
    assert_says(&late, &["row 3 (line 4)", "`age`"]);
    assert!(!late.contains("secretvalue"), "{late}");
}

#[test]
fn decimal_commas_and_other_separators_get_a_hint() {
    let headless = |csv: &[u8]| refusal(load(csv, "0,100", BIG, |options| options.no_header = true));
    assert_says(&headless(b"1;2\n"), &["semicolons", "commas", "`delimiter`"]);
    assert_says(&headless(b"1\t2\n"), &["tabs"]);
    let message = refused(b"a,b\n\"1,5\",2\n");
    assert_says(&message, &["row 1 (line 2)", "`a`", "comma", "`decimal` ,"]);
    assert!(!message.contains("1,5"), "{message}");
}

#[test]
fn a_first_row_of_numbers_is_no_header() {
    let message = refused(b"17,4.5\n18,3\n");
    assert_says(&message, &["header", "`no-header`"]);
    assert!(!message.contains("17"), "{message}");
    let table = open(b"17,4.5\n18,3\n", |options| options.no_header = true).unwrap();
    assert_eq!(table.columns(), ["c1", "c2"]);
    assert_eq!(first_row(b"17,4.5\n18,3\n", |options| options.no_header = true), [17.0, 4.5]);
    assert_says(&refused(b"17,,3\n18,3,4\n"), &["header"]);
}

#[test]
fn a_record_in_place_of_the_header_is_not_listed() {
    let message = refusal(open(b"Zaphod,42\nTrillian,30\n", |options| options.columns = Some(vec!["age".into()])));
    assert!(!message.contains("Zaphod") && !message.contains("42"), "{message}");
}

#[test]
fn ragged_rows_name_their_line() {
    assert_says(&refused(b"a,b\n1,2\n3\n"), &["line 3", "1 fields", "has 2"]);
    assert_says(&refused(b"a,b\r\n1,2\r\n3,4,5\r\n"), &["line 3", "3 fields"]);
    assert_says(&refused(b"a,b\r\n1,2,3"), &["line 2", "3 fields"]);
    let multiline = |options: &mut ReadOptions| options.multiline = true;
    assert_says(&refusal(load(b"\"a\nb\",c\n1,2,3\n", "0,100", BIG, multiline)), &["line 3", "3 fields"]);
}

#[test]
fn columns_that_do_not_exist_or_exist_twice() {
    let choose = |names: &[&str]| {
        let names = names.iter().map(|name| name.to_string()).collect();
        move |options: &mut ReadOptions| options.columns = Some(names)
    };
    let csv = b"age,hours,hours\n1,2,3\n";
    assert_says(&refusal(open(csv, choose(&["agee"]))), &["no column `agee`", "Did you mean `age`?", "hours"]);
    assert_says(&refusal(open(csv, choose(&["age", "age"]))), &["`age`", "twice"]);
    assert_says(&refusal(open(csv, choose(&["hours"]))), &["two columns", "`hours`"]);
    assert_says(&refusal(open(csv, |_| ())), &["two columns", "`hours`", "`columns`"]);
    assert_says(&refusal(open(csv, choose(&[]))), &["no column is selected"]);
    assert!(open(csv, choose(&["age"])).is_ok());
    assert_says(&refusal(open(csv, |options| options.label = Some("group".into()))), &["no column `group`"]);
}

#[test]
fn bytes_that_are_not_utf8() {
    let message = refused(b"a,b\n1,2\n3,caf\xe9\n");
    assert_says(&message, &["line 3", "column `b`", "text"]);
    assert!(!message.contains("caf"), "{message}");
    assert_eq!(open(b"caf\xe9,b\n1,2\n", |_| ()).unwrap().columns(), ["café", "b"]);
    assert_says(&refused(b"a\x01,b\n1,2\n"), &["line 1", "control characters"]);
    let other_column = open(b"a,b\n1,caf\xe9\n", |options| options.columns = Some(vec!["a".into()])).unwrap();
    other_column.for_each_batch(9, &Silent, |_| Ok::<(), DataError>(())).unwrap();
}

#[test]
fn spellings_of_csv_that_are_fine() {
    for csv in [
        "a,b\n1.5,2\n",
        "\u{feff}a,b\r\n1.5,2\r\n",
        "a, b\n 1.5 ,\t2\n",
        "\"a\",\"b\"\n\"1.5\",\"2\"\n",
        "a,b\n1.5, \"2\"\n",
        "a,b\n\n1.5,2\n\n",
        "a,b\n+1.5,2e0",
        "a,b,\"with, comma\nand line\"\n1.5,2,0\n",
    ] {
        let row = first_row(csv.as_bytes(), |options| {
            options.columns = Some(vec!["a".into(), "b".into()]);
            options.multiline = csv.contains("line");
        });
        assert_eq!(row, [1.5, 2.0], "{csv:?}");
    }
}

#[test]
fn cut_and_spoilt_files() {
    let rows: Vec<Vec<f64>> = (0..20_000).map(|i| vec![f64::from(i), f64::from(i % 7)]).collect();
    let packed = gzip(&csv_file(&rows));
    assert_says(&refused(&packed[..packed.len() / 2]), &["gzip", "cut short"]);
    let mut spoilt = packed.clone();
    spoilt[packed.len() / 2..].iter_mut().for_each(|byte| *byte ^= 0x5a);
    assert_says(&refused(&spoilt), &["gzip", "again"]);
    let parquet = parquet_rows(&rows, &Shape::default());
    for end in [4, 5, 11, 12, parquet.len() / 2, parquet.len() - 1] {
        assert_says(&refused(&parquet[..end]), &["Parquet", "again"]);
    }
    let mut spoilt = parquet.clone();
    let footer = parquet.len() - 60;
    spoilt[footer..footer + 40].fill(0xff);
    assert_says(&refused(&spoilt), &["Parquet", "again"]);
    let mut spoilt = parquet.clone();
    spoilt[4..600].fill(0xaa);
    for memory in [BIG, 0] {
        assert_says(&refusal(load(&spoilt, "0,1", memory, |_| ())), &["Parquet", "again"]);
    }
    assert_says(&refused(&gzip(&parquet)), &["Parquet", "inside gzip", "unpack"]);
}

#[test]
fn parquet_columns_that_are_not_numbers() {
    let file = parquet_file(
        &[
            ("when", Column::Date(vec![1, 2])),
            ("who", Column::Text(vec!["Zaphod", "b"])),
            ("age", Column::Int32(vec![1, 2])),
        ],
        &Shape::default(),
    );
    let message = refusal(open(&file, |options| options.columns = Some(vec!["who".into()])));
    assert_says(&message, &["`who`", "text", "`columns` when,age"]);
    assert!(!message.contains("Zaphod"), "{message}");
    // A date is a number of years.
    assert_eq!(first_row(&file, |options| options.columns = Some(vec!["when".into()])), [1970.0 + 1.0 / 365.0]);
}

#[test]
fn paths_that_lead_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let options = ReadOptions::default();
    assert_says(
        &refusal(Table::open(Source::Path(folder.path().join("none.csv")), &options)),
        &["cannot read", "path"],
    );
    assert_says(&refusal(Table::open(Source::Path(folder.path().into()), &options)), &["folder"]);
}

#[test]
fn the_format_is_told_by_content_and_not_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let rows = vec![vec![1.0, 2.0]];
    for (name, bytes) in [
        ("packed.csv", gzip(&csv_file(&rows))),
        ("plain.gz", csv_file(&rows)),
        ("parquet.csv", parquet_rows(&rows, &Shape::default())),
        ("csv.parquet", csv_file(&rows)),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let table = Table::open(Source::Path(path), &ReadOptions::default()).unwrap();
        assert_eq!(table.columns(), ["x0", "x1"], "{name}");
    }
}

#[test]
fn a_file_that_changes_between_passes_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let rows: Vec<Vec<f64>> = (0..1000).map(|i| vec![f64::from(i)]).collect();
    std::fs::write(&path, csv_file(&rows)).unwrap();
    let table = Table::open(Source::Path(path.clone()), &ReadOptions::default()).unwrap();
    let bounds = BoundsSpec::parse("0,999").unwrap().resolve(table.columns(), table.all_columns()).unwrap();
    let options = LoadOptions { memory: 100, chunk_rows: Some(64), ..LoadOptions::default() };
    let store = load_points(table, LatticeMap::new(&bounds), &options, &Silent).unwrap();
    assert_eq!(rows_of(&store).len(), 1000);
    std::fs::write(&path, csv_file(&rows[..999])).unwrap();
    assert_says(&refusal(store.for_each_chunk(|_| Ok::<(), DataError>(()))), &["changed", "copy"]);
}

#[test]
fn an_error_of_the_caller_ends_the_scan() {
    let rows: Vec<Vec<f64>> = (0..1000).map(|i| vec![f64::from(i)]).collect();
    let store = load(&csv_file(&rows), "0,999", 64, |_| ()).unwrap();
    let mut chunks = 0;
    let stopped = store.for_each_chunk(|_| {
        chunks += 1;
        Err(DataError::NoColumns)
    });
    assert!(stopped.is_err() && chunks == 1);
}

#[test]
fn bounds_that_are_refused_say_why() {
    for (text, words) in [
        ("", &["nothing is given", "LO,HI"][..]),
        ("5", &["there is one"]),
        ("1,2,3", &["there are 3"]),
        ("3,2", &["reversed", "lower number first"]),
        ("2,2", &["constant", "drop", "widen"]),
        ("nan,2", &["not finite"]),
        ("0,inf", &["not finite"]),
        ("-1e308,1e308", &["wider"]),
        ("age=17:90,age=1:2", &["two bounds", "`age`"]),
        ("age=17", &["has no `:`"]),
        ("age=a:b", &["two numbers"]),
        ("age=1:2,hours", &["has no `=`"]),
        ("=1:2", &["names no column"]),
        ("age=9:1", &["`age`", "reversed"]),
        ("no-such-file.json", &["cannot be read", "LO,HI"]),
        ("rubbish", &["neither"]),
    ] {
        assert_says(&BoundsSpec::parse(text).unwrap_err().to_string(), words);
    }
}

#[test]
fn bounds_are_matched_with_columns() {
    let names = |list: &[&str]| list.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    let all = names(&["age", "hours", "income"]);
    let spec = BoundsSpec::parse(" hours = 1:99 , age=17:90").unwrap();
    let bounds = spec.resolve(&names(&["age", "hours"]), &all).unwrap();
    assert_eq!(bounds.intervals()[0], Interval::new(17.0, 90.0).unwrap());
    assert_eq!(spec.resolve(&names(&["hours"]), &all).unwrap().dims(), 1);
    let missing = spec.resolve(&all, &all).unwrap_err().to_string();
    assert_says(&missing, &["no bounds", "income=LO:HI", "`columns`"]);
    let unknown = BoundsSpec::parse("hour=1:2").unwrap().resolve(&all, &all).unwrap_err().to_string();
    assert_says(&unknown, &["`hour`", "Did you mean `hours`?", "age, hours, income"]);
    assert_eq!(BoundsSpec::parse("0,1").unwrap().resolve(&all, &all).unwrap().dims(), 3);
}

#[test]
fn bounds_files() {
    let folder = tempfile::tempdir().unwrap();
    let parse = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        BoundsSpec::parse(path.to_str().unwrap()).map_err(|error| error.to_string())
    };
    let expected = BoundsSpec::parse("age=17:90,hours=1:99").unwrap();
    assert_eq!(parse("b.json", "{\"age\":[17,90],\"hours\":[1,99]}"), Ok(expected.clone()));
    assert_eq!(parse("b.toml", "age = [17, 90]\nhours = [1, 99.0]\n"), Ok(expected.clone()));
    assert_eq!(parse("json-without-ending", "\u{feff} {\"age\":[17,90],\"hours\":[1,99]}"), Ok(expected.clone()));
    assert_eq!(parse("toml-without-ending", "age = [17, 90]\nhours = [1, 99]"), Ok(expected));
    assert_says(&parse("twice.json", "{\"age\":[1,2],\"age\":[3,4]}").unwrap_err(), &["two bounds"]);
    assert_says(&parse("twice.toml", "age=[1,2]\nage=[3,4]").unwrap_err(), &["TOML", "line 2"]);
    assert_says(&parse("three.json", "{\"age\":[1,2,3]}").unwrap_err(), &["JSON", "two numbers"]);
    assert_says(&parse("cut.json", "{\"age\":[1,").unwrap_err(), &["JSON", "ends early"]);
    assert_says(&parse("huge.json", "{\"age\":[1,1e999]}").unwrap_err(), &["JSON"]);
    assert_says(&parse("nan.toml", "age = [nan, 3]").unwrap_err(), &["`age`", "not finite"]);
    let data = parse("data.json", "name,age\nZaphod,42\n").unwrap_err();
    assert!(!data.contains("Zaphod"), "{data}");
}
