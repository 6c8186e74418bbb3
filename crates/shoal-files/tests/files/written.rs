//! Tables as people have them: separators, encodings, money, dates, packed files, workbooks, Arrow.

use crate::data_support::Column;
use crate::data_support::*;
use shoal_files::*;
use std::io::Write;

const BIG: usize = 1 << 30;

/// All rows in the user's units, the same from memory and in small batches.
fn rows(bytes: &[u8], change: impl Fn(&mut ReadOptions)) -> Vec<Vec<f64>> {
    let read = |step: usize| {
        let table = open(bytes, &change).unwrap();
        let mut rows = Vec::new();
        let each = |batch: &Batch| {
            for i in 0..batch.rows() {
                let mut row = vec![0.0; batch.dims()];
                batch.copy_row(i, &mut row);
                rows.push(row);
            }
            Ok::<(), DataError>(())
        };
        table.for_each_batch(step, &Silent, each).unwrap();
        rows
    };
    let all = read(1000);
    assert_eq!(all, read(1));
    all
}

fn refused(bytes: &[u8], change: impl Fn(&mut ReadOptions)) -> String {
    let [first, second] = [BIG, 0].map(|memory| refusal(load(bytes, "0,100", memory, &change)));
    assert_eq!(first, second);
    first
}

fn decimal(mark: DecimalMark) -> impl Fn(&mut ReadOptions) {
    move |options| options.format.decimal = Some(mark)
}

const DAY: f64 = 1985.0 + 94.0 / 365.0;

#[test]
fn a_german_export_is_read_as_it_is() {
    let text = "Alter;Einkommen;geboren;raucht;Anteil\n41,5;1.234,50 €;05.04.1985;True;12 %\n7;39.474,00 €;2000-01-01;no;0,5 %\n";
    let expected = vec![vec![41.5, 1234.5, DAY, 1.0, 12.0], vec![7.0, 39_474.0, 2000.0, 0.0, 0.5]];
    assert_eq!(rows(text.as_bytes(), |_| ()), expected);
    let latin: Vec<u8> = text.chars().map(|c| if c == '€' { 0x80 } else { c as u8 }).collect();
    assert_eq!(rows(&latin, |_| ()), expected);
    let utf16 = |bytes: fn(u16) -> [u8; 2], mark: bool| -> Vec<u8> {
        let text = if mark { format!("\u{feff}{text}") } else { text.to_string() };
        text.encode_utf16().flat_map(bytes).collect()
    };
    for mark in [true, false] {
        assert_eq!(rows(&utf16(u16::to_le_bytes, mark), |_| ()), expected);
        assert_eq!(rows(&utf16(u16::to_be_bytes, mark), |_| ()), expected);
    }
    for packed in [gzip(text.as_bytes()), zstd::encode_all(text.as_bytes(), 3).unwrap()] {
        assert_eq!(rows(&packed, |_| ()), expected);
    }
}

#[test]
fn the_header_line_alone_shows_the_separator() {
    for (mark, name) in [(';', "semicolon"), ('\t', "tab"), ('|', "bar"), (',', "comma")] {
        let text = "a;b\n1;2\n3;4\n".replace(';', &mark.to_string());
        assert_eq!(rows(text.as_bytes(), |_| ()), [[1.0, 2.0], [3.0, 4.0]], "{name}");
        let quoted = format!("a{mark}\"b, c; d\"\n1{mark}\"2\"\n");
        assert_eq!(rows(quoted.as_bytes(), |_| ()), [[1.0, 2.0]], "{name}");
        // An open quote is found behind every separator.
        let open = format!("a{mark}b\n1{mark}\"2\n3{mark}4\n");
        assert!(refused(open.as_bytes(), |_| ()).contains("line 2"), "{name}");
    }
    // Records cannot change it: the second table has more semicolons than commas.
    assert!(refused(b"a,b\n1;2,3\n", |_| ()).contains("column `a`"));
    assert_eq!(rows(b"a,b\n1,2\n", |options| options.format.delimiter = Some(b',')), [[1.0, 2.0]]);
    // Without a header the first line is a record, which decides nothing.
    let headless = |options: &mut ReadOptions| options.no_header = true;
    assert!(refused(b"1;2\n3;4\n", headless).contains("`delimiter`"));
    let declared = |options: &mut ReadOptions| (options.no_header, options.format.delimiter) = (true, Some(b';'));
    assert_eq!(rows(b"1;2\n3;4\n", declared), [[1.0, 2.0], [3.0, 4.0]]);
}

#[test]
fn what_a_cell_means_does_not_depend_on_other_rows() {
    // Every cell alone and among others gives the same number, so a row changes nothing but its own numbers.
    let cells = ["1", "2.5", "1,5", "0,125", "$3", "4 %", "true", "1999-12-31", "08:30", "1.234.567", "-7"];
    let alone: Vec<Vec<f64>> =
        cells.iter().map(|cell| rows(format!("x;y\n{cell};0\n").as_bytes(), |_| ())[0].clone()).collect();
    let together: String = cells.iter().map(|cell| format!("{cell};0\n")).collect();
    assert_eq!(rows(format!("x;y\n{together}").as_bytes(), |_| ()), alone);
    let reversed: String = cells.iter().rev().map(|cell| format!("{cell};0\n")).collect();
    assert_eq!(rows(format!("x;y\n{reversed}").as_bytes(), |_| ()), alone.into_iter().rev().collect::<Vec<_>>());
}

#[test]
fn cells_that_mean_two_things_name_their_column_and_the_flag() {
    for (text, words) in [
        ("a;b\n1;1.234\n", &["column `b`", "thousands", "`decimal`"][..]),
        ("a,b\n1,\"1,5\"\n", &["column `b`", "`decimal` ,"]),
        ("a,b\n1,4/5/1985\n", &["column `b`", "`dates`"]),
        ("a,b\n1,4/5/85\n", &["column `b`", "two digits"]),
        ("a,b\n1,1985-13-05\n", &["column `b`", "calendar"]),
        ("a,b\n1,Zaphod\n", &["column `b`", "text"]),
    ] {
        let message = refused(text.as_bytes(), |_| ());
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
        let cell = text.trim().rsplit([',', ';', '\n']).next().unwrap().trim_matches('"');
        assert!(!message.contains(cell) || cell == "5", "{message}");
    }
    assert_eq!(rows(b"a;b\n1;1.234\n", decimal(DecimalMark::Point)), [[1.0, 1.234]]);
    assert_eq!(rows(b"a;b\n1;1.234\n", decimal(DecimalMark::Comma)), [[1.0, 1234.0]]);
    let dates = |order| move |options: &mut ReadOptions| options.format.dates = Some(order);
    assert_eq!(rows(b"a,b\n1,4/5/1985\n", dates(DateOrder::MonthFirst)), [[1.0, DAY]]);
    assert_eq!(rows(b"a,b\n1,5/4/1985\n", dates(DateOrder::DayFirst)), [[1.0, DAY]]);
}

#[test]
fn files_that_are_no_tables_are_named() {
    let xls = [b"\xd0\xcf\x11\xe0".as_slice(), &[0; 64]].concat();
    for (bytes, words) in [
        (&xls[..], ".xls"),
        (b"%PDF-1.7 \n", "PDF"),
        (b"SQLite format 3\0", "SQLite"),
        (b"PK\x03\x04 no archive at all", "damaged"),
        (b"ARROW1\0\0 no footer", "cut short"),
        (b"FEA1....", "Feather"),
        (b"a\x1b[2J,b\n1,2\n", "control characters"),
    ] {
        let message = refused(bytes, |_| ());
        assert!(message.contains(words) && !message.contains('\x1b'), "{message}");
        // Inside gzip, too.
        if !words.contains("control") {
            let message = refused(&gzip(bytes), |_| ());
            assert!(message.contains("inside gzip"), "{message}");
        }
    }
}

#[test]
fn a_packed_table_is_unpacked_within_its_limit() {
    let text = "a,b\n".to_string() + &"1,2\n".repeat(100_000);
    for packed in [gzip(text.as_bytes()), zstd::encode_all(text.as_bytes(), 3).unwrap()] {
        let limit = |limit: u64| move |options: &mut ReadOptions| options.format.unpacked_limit = limit;
        assert_eq!(rows(&packed, limit(text.len() as u64)).len(), 100_000);
        let message = refused(&packed, limit(text.len() as u64 - 1));
        assert!(message.contains("unpacks to more than") && message.contains("`unpacked-limit`"), "{message}");
        let cut = refused(&packed[..packed.len() - 9], |_| ());
        assert!(cut.contains("again"), "{cut}");
    }
    // A record without an end, a hundred megabytes of it in a hundred kilobytes.
    let mut bomb = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    bomb.write_all(b"a,b\n").unwrap();
    for _ in 0..100 {
        bomb.write_all(&[b'1'; 1 << 20]).unwrap();
    }
    assert!(refused(&bomb.finish().unwrap(), |_| ()).contains("line 2 is longer"));
}

#[test]
fn missing_values_become_the_middle_of_the_bounds() {
    let middle = |options: &mut ReadOptions| options.missing = Missing::Middle;
    let csv = b"a,b\n0,100\n,50\nNA,\n100,0\n";
    let parquet = parquet_file(
        &[
            ("a", Column::Double(vec![Some(0.0), None, None, Some(100.0)])),
            ("b", Column::Double(vec![Some(100.0), Some(50.0), None, Some(0.0)])),
        ],
        &Shape::default(),
    );
    let expected = [[-32_767, 32_767], [0, 0], [0, 0], [32_767, -32_767]];
    for bytes in [&csv[..], &parquet] {
        for memory in [BIG, 0] {
            assert_eq!(rows_of(&load(bytes, "0,100", memory, middle).unwrap()), expected);
        }
    }
    // A gap is exactly the middle, so a row with one is a row like any other.
    let filled = load(b"a,b\n0,100\n50,50\n50,50\n100,0\n", "0,100", BIG, |_| ()).unwrap();
    assert_eq!(rows_of(&filled), expected);
    let columns = [("a", shoal_files::Column::new(Values::F64(&[1.0, f64::NAN])))];
    let matrix = Matrix::from_columns(columns).unwrap();
    let mut matrix = matrix.select(&ReadOptions { missing: Missing::Middle, ..ReadOptions::default() }).unwrap();
    // Without bounds it is refused, whether or not a value is missing.
    let nothing = |_: &Batch| Ok::<(), DataError>(());
    assert!(matrix.for_each_batch(9, nothing).is_err());
    for text in ["a\n1\n", "a\nNA\n", "a\n"] {
        let table =
            open(text.as_bytes(), |options| (options.missing, options.allow_empty) = (Missing::Middle, true)).unwrap();
        let refused = table.for_each_batch(9, &Silent, nothing).unwrap_err();
        assert_eq!(refused.code(), "no-middle", "{text}");
    }
    matrix.set_bounds(&BoundsSpec::parse("0,10").unwrap().resolve(&["a".into()], &["a".into()]).unwrap());
    let mut seen = Vec::new();
    let each = |batch: &Batch| {
        seen.extend_from_slice(batch.column(0));
        Ok::<(), DataError>(())
    };
    matrix.for_each_batch(9, each).unwrap();
    assert_eq!(seen, [1.0, 5.0]);
}

#[test]
fn the_head_of_a_table_needs_no_record() {
    let head = |bytes: &[u8]| TableHead::read(Source::Memory(bytes.to_vec()), &ReadOptions::default()).unwrap();
    let names = |head: &TableHead| head.columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
    // Records that could not be read at all are not looked at.
    for text in ["id;age\n", "id;age\nx;\"open\n", "id;age\n1;2;3\n\u{0}"] {
        let found = head(text.as_bytes());
        assert_eq!((names(&found), found.delimiter), (vec!["id".into(), "age".into()], Some(';')), "{text:?}");
    }
    let file = parquet_file(
        &[("when", Column::Date(vec![1])), ("who", Column::Text(vec!["Ann"])), ("age", Column::Int32(vec![1]))],
        &Shape::default(),
    );
    let found = head(&file);
    assert_eq!(names(&found), ["when", "who", "age"]);
    assert_eq!(found.columns.iter().map(|column| column.numeric.unwrap()).collect::<Vec<_>>(), [true, false, true]);
    assert!(found.columns[0].declared.as_deref().unwrap().starts_with("date"));
}
