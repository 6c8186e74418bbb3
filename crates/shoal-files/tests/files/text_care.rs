//! Text tables that could hide rows or give cells away: open quotes, blank lines, a record in place of the header; and tables
//! without rows, where they are allowed.

use crate::data_support::Column;
use crate::data_support::*;
use proptest::prelude::*;
use shoal_files::*;

const BIG: usize = 1 << 30;

/// The refusals of a table as a file, packed, and read piece by piece: the same for all.
fn refused(csv: &[u8], change: impl Fn(&mut ReadOptions)) -> String {
    let packed = gzip(csv);
    let ways = [(csv, BIG), (csv, 0), (&packed[..], BIG), (&packed[..], 0)];
    let [first, rest @ ..] = ways.map(|(bytes, memory)| refusal(load(bytes, "0,100", memory, &change)));
    assert!(rest.iter().all(|other| *other == first), "{first}, {rest:?}");
    first
}

fn rows(csv: &[u8], change: impl Fn(&mut ReadOptions)) -> usize {
    let packed = gzip(csv);
    let ways = [(csv, BIG), (csv, 0), (&packed[..], BIG), (&packed[..], 0)];
    let [first, rest @ ..] = ways.map(|(bytes, memory)| load(bytes, "0,100", memory, &change).unwrap().rows());
    assert!(rest.iter().all(|other| *other == first));
    first
}

fn columns(names: &'static [&'static str]) -> impl Fn(&mut ReadOptions) {
    |options| options.columns = Some(names.iter().map(|name| name.to_string()).collect())
}

/// Two thousand rows; after the tenth comes `line`.
fn people(line: &str) -> Vec<u8> {
    let mut text = String::from("x,y,name\n");
    for row in 0..2000 {
        text.push_str(&format!("{}.5,{},\"Ann \"\"{row}\"\"\"\n", row % 90, row % 7));
        if row == 9 {
            text.push_str(line);
        }
    }
    text.into_bytes()
}

#[test]
fn one_open_quote_does_not_swallow_the_rows_after_it() {
    let used = columns(&["x", "y"]);
    assert_eq!(rows(&people(""), &used), 2000);
    assert_eq!(rows(&people("0.9,0.9,5\" pipe\n"), &used), 2001, "a quote inside a cell opens nothing");
    let message = refused(&people("0.9,0.9,\"Bob\n"), &used);
    for words in ["line 12", "not closed", "two inside a quoted cell", "`multiline`"] {
        assert!(message.contains(words), "{message}");
    }
    assert!(!message.contains("Bob"), "{message}");
    // The next quote closes it, and the lines in between would be gone.
    let multiline = |options: &mut ReadOptions| {
        used(options);
        options.multiline = true;
    };
    let legal = people("0.9,0.9,\"Bob\nor Robert\"\n");
    assert!(refused(&legal, &used).contains("line 12"));
    assert_eq!(rows(&legal, multiline), 2001);
    // At the end there is no next quote.
    let open = [&people("")[..], b"1,2,\"Bob\n3,4,Eve\n"].concat();
    assert!(refused(&open, &used).contains("line 2002"));
    let message = refused(&open, multiline);
    assert!(message.contains("line 2002") && message.contains("never closed"), "{message}");
    assert!(refused(&[&people("")[..], b"1,2,\"Bob"].concat(), &used).contains("never closed"));
    // Also in the header, and before the columns are known.
    assert!(refused(b"x,\"y\n1,2\n", |_| ()).contains("line 1"));
}

#[test]
fn a_blank_line_of_a_single_column_is_a_gap() {
    let drop = |options: &mut ReadOptions| options.missing = Missing::Drop;
    for text in
        ["x\n0.5\n\n0.7\n", "x\r\n0.5\r\n\r\n0.7\r\n", "x\r0.5\r\r0.7\r", "\n\nx\n0.5\n\n0.7", "x\n0.5\n0.7\n\n"]
    {
        let message = refused(text.as_bytes(), |_| ());
        assert!(message.contains("missing") && message.contains("column `x`"), "{text:?}: {message}");
        assert_eq!(rows(text.as_bytes(), drop), 2, "{text:?}");
    }
    assert!(refused(b"x\n0.5\n\n0.7\n", |_| ()).contains("row 2 (line 3)"));
    assert_eq!(rows(b"x\n0.5\n0.7\n", |_| ()), 2);
    let headless = |options: &mut ReadOptions| (options.no_header, options.missing) = (true, Missing::Drop);
    assert_eq!(rows(b"\n0.5\n\n0.7\n", headless), 2);
    assert!(refused(b"\n0.5\n", |options| options.no_header = true).contains("row 1"));
    // Between rows of several columns it is no row.
    assert_eq!(rows(b"x,y\n1,2\n\n3,4\n", |_| ()), 2);
}

#[test]
fn a_record_of_text_in_place_of_a_header_is_not_quoted() {
    let secret =
        |message: &str| ["Zaphod", "Betelgeuse", "Trillian", "Earth"].iter().any(|cell| message.contains(cell));
    let people = b"Zaphod,Betelgeuse\nTrillian,Earth\n";
    let message = refused(people, |_| ());
    assert!(message.contains("row 1 (line 2), column 1: there is text") && !secret(&message), "{message}");
    let message = refusal(open(people, columns(&["age"])));
    assert!(message.contains("no column `age`") && message.contains("`no-header`") && !secret(&message), "{message}");
    let message = refusal(open(b"Earth,Earth\nTrillian,Zaphod\n", |_| ()));
    assert!(message.contains("column 2") && !secret(&message), "{message}");
    let message = refusal(open(b"Zaphod,\n,\n", |options| options.label = Some("group".into())));
    assert!(!secret(&message), "{message}");
    // A name that the caller typed is no secret, and neither are names above numbers.
    let named = refusal(load(b"who,town\nZaphod,Earth\n", "0,1", BIG, columns(&["town"])));
    assert!(named.contains("column `town`") && !secret(&named), "{named}");
    let header = refused(b"who,age\nZaphod,42\n", |_| ());
    assert!(header.contains("column `who`") && header.contains("`columns` age"), "{header}");
    // Bounds are matched with names; those of an unclear header are not listed.
    let bounds = refusal(load(people, "age=0:1", BIG, columns(&["Zaphod"])));
    assert!(!bounds.contains("Betelgeuse"), "{bounds}");
    // A first record without any value is no header either.
    assert!(refused(b"NA,\n1,2\n", |_| ()).contains("header"));
}

#[test]
fn tables_without_rows_are_read_like_any_other_where_that_is_allowed() {
    let empty = |options: &mut ReadOptions| options.allow_empty = true;
    let dropped = |options: &mut ReadOptions| (options.allow_empty, options.missing) = (true, Missing::Drop);
    for text in ["x,y\n", "x,y", "x,y\r\n\r\n"] {
        assert_eq!(rows(text.as_bytes(), empty), 0, "{text:?}");
    }
    assert_eq!(rows(b"x\n", empty), 0);
    assert_eq!(rows(b"x,y\nNA,1\n2,\n", dropped), 0);
    let none = parquet_file(&[("a", Column::Int32(vec![]))], &Shape::default());
    let nulls = parquet_file(&[("a", Column::Double(vec![None, None]))], &Shape::default());
    for memory in [BIG, 0] {
        assert_eq!(load(&none, "0,1", memory, empty).unwrap().rows(), 0);
        let store = load(&nulls, "0,1", memory, dropped).unwrap();
        assert_eq!(store.rows(), 0);
        let check = |chunk: &shoal_lattice::LatticePoints| {
            assert_eq!(chunk.rows(), 0);
            Ok::<(), DataError>(())
        };
        store.for_each_chunk(check).unwrap();
    }
    // Without a header the columns have to be named, since no row shows how many there are.
    let headless = |names| {
        move |options: &mut ReadOptions| {
            columns(names)(options);
            (options.no_header, options.allow_empty) = (true, true);
        }
    };
    assert_eq!(rows(b"", headless(&["c1", "c3"])), 0);
    assert_eq!(rows(b"5,6,7\n", headless(&["c1", "c3"])), 1);
    for (text, names) in [("", &["x"][..]), ("", &["c0"]), ("", &["c99999999"])] {
        let names: &'static [&'static str] = Vec::leak(names.to_vec());
        assert!(refused(text.as_bytes(), headless(names)).contains("empty"), "{names:?}");
    }
    assert!(refused(b"", empty).contains("name the columns"));
}

/// A pipe with a path, which can be read once.
#[cfg(unix)]
fn through_a_pipe(bytes: &[u8], limit: u64) -> Vec<Vec<i16>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    std::thread::scope(|scope| {
        scope.spawn(|| std::fs::write(&path, bytes).unwrap());
        let options = ReadOptions { stream_limit: limit, ..ReadOptions::default() };
        let table = Table::open(Source::Path(path.clone()), &options).unwrap();
        let bounds = BoundsSpec::parse("0,100").unwrap().resolve(table.columns(), table.all_columns()).unwrap();
        let load = LoadOptions { memory: 100, ..LoadOptions::default() };
        rows_of(&load_points(table, shoal_lattice::LatticeMap::new(&bounds), &load, &Silent).unwrap())
    })
}

#[test]
#[cfg(unix)]
fn a_stream_longer_than_memory_is_read_like_any_other() {
    let cells: Vec<Vec<f64>> = (0..40_000).map(|i| vec![f64::from(i % 101), f64::from(i % 7)]).collect();
    for bytes in [csv_file(&cells), gzip(&csv_file(&cells)), parquet_rows(&cells, &Shape::default())] {
        let expected = rows_of(&load(&bytes, "0,100", BIG, |_| ()).unwrap());
        let length = bytes.len() as u64;
        for limit in [u64::MAX, length + 1, length, length - 1, 1, 0] {
            assert!(through_a_pipe(&bytes, limit) == expected, "{length} bytes, {limit} in memory");
        }
    }
}

#[test]
fn lines_that_end_in_a_lone_carriage_return_are_counted() {
    let numbered = |text: &str, multiline: bool| refused(text.as_bytes(), |options| options.multiline = multiline);
    assert!(numbered("x,y\r1,2\r\r3,word\r", false).contains("row 2 (line 4)"));
    assert!(numbered("x,y\r1,2\r\"3\",word\r", false).contains("row 2 (line 3)"));
    assert!(numbered("x,y\r1,2\r3\r", false).contains("line 3 has 1 fields"));
    // The parser that follows cells over lines does not count these ends, so no line is named.
    let message = numbered("x,y\r1,2\r3,word\r", true);
    assert!(message.contains("row 2, column") && !message.contains("line"), "{message}");
    assert!(numbered("x,y\r1,2\r3\r", true).contains("line 3 has 1 fields"));
    // Where other ends are there, too, those are counted.
    assert!(numbered("x,y\n1,2\r3,4\n5,word\n", false).contains("row 3 (line 3)"));
}

proptest! {
    /// Texts beside the numbers are the same by pieces of lines and record by record.
    #[test]
    fn labels_and_kept_cells_do_not_depend_on_how_lines_are_read(
        lines in prop::collection::vec(("[0-9]{1,3}", "[a-c ü]{0,4}", "[a-c,\" ]{0,5}", "[0-9]?"), 1..40),
        end in prop::sample::select(vec!["\n", "\r\n", "\r"]),
        at_once in 1..9_usize,
    ) {
        let mut text = format!("x,label,kept,y{end}");
        for (x, label, kept, y) in lines {
            text += &format!("{x},{label},\"{}\",{y}{end}", kept.replace('"', "\"\""));
        }
        let read = |multiline: bool| {
            let options = ReadOptions {
                columns: Some(vec!["y".into(), "x".into()]),
                label: Some("label".into()),
                kept: vec!["kept".into(), "x".into(), "label".into()],
                missing: Missing::Drop,
                multiline,
                allow_empty: true,
                ..ReadOptions::default()
            };
            let table = Table::open(Source::Memory(text.clone().into_bytes()), &options).unwrap();
            let mut rows = Vec::new();
            table.for_each_batch(at_once, &Silent, |batch| {
                for row in 0..batch.rows() {
                    let kept = [0, 1, 2].map(|column| batch.kept(column, row).map(String::from));
                    let label = batch.labels().unwrap()[row].clone();
                    rows.push((batch.row_number(row), batch.column(0)[row], batch.column(1)[row], label, kept));
                }
                Ok::<(), DataError>(())
            }).unwrap();
            rows
        };
        prop_assert_eq!(read(false), read(true));
    }
}
