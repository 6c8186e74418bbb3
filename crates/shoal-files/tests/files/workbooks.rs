//! Workbooks and Arrow files, made here part by part.

use crate::data_support::*;
use arrow_array::*;
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use proptest::prelude::*;
use shoal_files::{Batch, DataError, Missing, ReadOptions, Silent};
use std::io::{Cursor, Write};
use std::sync::Arc;

fn archive(parts: &[(&str, String)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        // As every program writes it, so that others recognise the file by its first bytes.
        let method =
            if *name == "mimetype" { zip::CompressionMethod::Stored } else { zip::CompressionMethod::Deflated };
        archive.start_file(*name, zip::write::SimpleFileOptions::default().compression_method(method)).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

/// A workbook of sheets, each a name and the content of its `sheetData`. Style 1 is a date.
fn xlsx(sheets: &[(&str, &str)]) -> Vec<u8> {
    let numbered = |part: &dyn Fn(usize, &str) -> String| -> String {
        sheets.iter().enumerate().map(|(i, (name, _))| part(i + 1, name)).collect()
    };
    let list = numbered(&|i, name| format!(r#"<sheet name="{name}" sheetId="{i}" r:id="rId{i}"/>"#));
    let links = numbered(&|i, _| {
        format!(r#"<Relationship Id="rId{i}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{i}.xml"/>"#)
    });
    let rels = "http://schemas.openxmlformats.org/package/2006/relationships";
    let mut parts = vec![
        (
            "[Content_Types].xml".to_string(),
            r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>"#.to_string(),
        ),
        (
            "_rels/.rels".into(),
            format!(
                r#"<Relationships xmlns="{rels}"><Relationship Id="rId1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>"#
            ),
        ),
        (
            "xl/workbook.xml".into(),
            format!(r#"<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{list}</sheets></workbook>"#),
        ),
        (
            "xl/_rels/workbook.xml.rels".into(),
            format!(
                r#"<Relationships xmlns="{rels}">{links}<Relationship Id="rId99" Type="{OFFICE}/styles" Target="styles.xml"/></Relationships>"#
            ),
        ),
        (
            "xl/styles.xml".into(),
            format!(
                r#"<styleSheet xmlns="{MAIN}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>"#
            ),
        ),
    ];
    for (i, (_, data)) in sheets.iter().enumerate() {
        let sheet = format!(r#"<worksheet xmlns="{MAIN}"><sheetData>{data}</sheetData></worksheet>"#);
        parts.push((format!("xl/worksheets/sheet{}.xml", i + 1), sheet));
    }
    let parts: Vec<(&str, String)> = parts.iter().map(|(name, text)| (name.as_str(), text.clone())).collect();
    archive(&parts)
}

fn text(place: &str, text: &str) -> String {
    format!(r#"<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>"#)
}

/// Name, age, birthday, smoker, income: a formula, a date, booleans, money as text, an error, merged cells without a value.
fn people() -> String {
    format!(
        r#"<row r="2">{}{}{}{}{}</row>
        <row r="3">{}<c r="C3"><f>20+21</f><v>41</v></c><c r="D3" s="1"><v>36526</v></c><c r="E3" t="b"><v>1</v></c>{}</row>
        <row r="4">{}<c r="C4"><v>7.5</v></c><c r="D4" s="1"><v>36526.5</v></c><c r="E4" t="b"><v>0</v></c><c r="F4" t="e"><v>#DIV/0!</v></c></row>
        <row r="6">{}<c r="C6"><v>8</v></c><c r="E6" t="b"><v>0</v></c><c r="F6"><v>12</v></c></row>"#,
        text("B2", "name"),
        text("C2", "age"),
        text("D2", "born"),
        text("E2", "smoker"),
        text("F2", "income"),
        text("B3", "Zaphod"),
        text("F3", "$39,474.00"),
        text("B4", "Trillian"),
        text("B6", "Ford"),
    )
}

fn ods(rows: &str) -> Vec<u8> {
    let content = format!(
        r#"<office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x"><office:body><office:spreadsheet><table:table table:name="People">{rows}</table:table></office:spreadsheet></office:body></office:document-content>"#
    );
    archive(&[
        ("mimetype", "application/vnd.oasis.opendocument.spreadsheet".into()),
        ("content.xml", content),
        (
            "META-INF/manifest.xml",
            r#"<manifest:manifest xmlns:manifest="m"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>"#.into(),
        ),
    ])
}

fn choose(names: &'static [&'static str]) -> impl Fn(&mut ReadOptions) {
    |options| options.columns = Some(names.iter().map(|name| name.to_string()).collect())
}

fn read(bytes: &[u8], change: impl Fn(&mut ReadOptions)) -> Result<Vec<Vec<f64>>, DataError> {
    let table = open(bytes, &change)?;
    let mut rows = Vec::new();
    table.for_each_batch(2, &Silent, |batch: &Batch| {
        for i in 0..batch.rows() {
            let mut row = vec![0.0; batch.dims()];
            batch.copy_row(i, &mut row);
            rows.push(row);
        }
        Ok::<(), DataError>(())
    })?;
    Ok(rows)
}

#[test]
fn a_sheet_is_read_like_a_text_table() {
    let book = xlsx(&[("People", &people())]);
    let found = read(&book, choose(&["age", "smoker"])).unwrap();
    assert_eq!(found, [[41.0, 1.0], [7.5, 0.0], [8.0, 0.0]]);
    let dated = |options: &mut ReadOptions| {
        choose(&["born"])(options);
        options.missing = Missing::Drop;
    };
    assert_eq!(read(&book, dated).unwrap(), [[2000.0], [2000.0 + 0.5 / 366.0]]);
    // An error and a cell that is not there are missing; the place is the one that the program shows.
    let message = refusal(read(&book, choose(&["income"])));
    assert!(message.contains("row 2 (line 4)") && message.contains("`income`"), "{message}");
    let message = refusal(read(&book, choose(&["age", "born"])));
    assert!(message.contains("row 3 (line 6)") && message.contains("`born`"), "{message}");
    let message = refusal(read(&book, choose(&["name"])));
    assert!(message.contains("row 1 (line 3)") && message.contains("text") && !message.contains("Zaphod"), "{message}");
    let message = refusal(read(&book, choose(&["agee"])));
    assert!(message.contains("Did you mean `age`?"), "{message}");
    let labelled = open(&book, |options| {
        choose(&["age"])(options);
        options.label = Some("name".into());
    });
    let each = |batch: &Batch| {
        assert_eq!(batch.labels().unwrap(), ["Zaphod", "Trillian", "Ford"]);
        Ok::<(), DataError>(())
    };
    labelled.unwrap().for_each_batch(9, &Silent, each).unwrap();
    // Streamed or not, it is the same table.
    let [held, streamed] = [1 << 20, 0].map(|memory| rows_of(&load(&book, "0,100", memory, choose(&["age"])).unwrap()));
    assert_eq!(held, streamed);
}

#[test]
fn sheets_have_to_be_named_where_there_are_several() {
    let other = format!(r#"<row r="1">{}</row><row r="2"><c r="A2"><v>5</v></c></row>"#, text("A1", "x"));
    let book = xlsx(&[("People", &people()), ("Other", &other)]);
    let message = refusal(read(&book, |_| ()));
    assert!(message.contains("People, Other") && message.contains("`sheet`"), "{message}");
    let sheet = |name: &'static str| move |options: &mut ReadOptions| options.format.sheet = Some(name.into());
    assert_eq!(read(&book, sheet("Other")).unwrap(), [[5.0]]);
    let message = refusal(read(&book, sheet("Othr")));
    assert!(message.contains("no sheet `Othr`") && message.contains("People, Other"), "{message}");
}

#[test]
fn awkward_sheets() {
    let message = refusal(read(&xlsx(&[("Empty", "")]), |_| ()));
    assert!(message.contains("empty"), "{message}");
    let numbers = r#"<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><v>2</v></c></row>"#;
    assert!(refusal(read(&xlsx(&[("N", numbers)]), |_| ())).contains("header"));
    assert_eq!(read(&xlsx(&[("N", numbers)]), |options| options.no_header = true).unwrap(), [[1.0], [2.0]]);
    // A cell in the last corner takes no memory for those between; a blank cell of the only column is a gap.
    let far = format!(
        r#"<row r="1">{}</row><row r="3"><c r="A3"><v>2</v></c><c r="XFD3"><v>9</v></c></row>"#,
        text("A1", "x")
    );
    let message = refusal(read(&xlsx(&[("Far", &far)]), |_| ()));
    assert!(message.contains("row 1 (line 2)") && message.contains("missing"), "{message}");
    let dropped = |options: &mut ReadOptions| options.missing = Missing::Drop;
    assert_eq!(read(&xlsx(&[("Far", &far)]), dropped).unwrap(), [[2.0]]);
    // An archive of other things, and one that unpacks to too much.
    assert!(refusal(read(&archive(&[("data.csv", "a\n1\n".into())]), |_| ())).contains("damaged"));
    let long = format!(r#"<row r="1">{}</row>{}"#, text("A1", "x"), " ".repeat(5 << 20));
    let limited = |options: &mut ReadOptions| options.format.unpacked_limit = 1 << 20;
    let message = refusal(read(&xlsx(&[("Long", &long)]), limited));
    assert!(message.contains("unpacks to more than 1048576"), "{message}");
}

#[test]
fn an_open_document_is_read_like_a_workbook() {
    let cell = |kind: &str, value: &str| {
        format!(r#"<table:table-cell office:value-type="{kind}" {value}><text:p>shown</text:p></table:table-cell>"#)
    };
    let name = |name: &str| {
        format!(r#"<table:table-cell office:value-type="string"><text:p>{name}</text:p></table:table-cell>"#)
    };
    let rows = format!(
        "<table:table-row>{}{}{}</table:table-row><table:table-row>{}{}{}</table:table-row>",
        name("age"),
        name("born"),
        name("smoker"),
        cell("float", r#"office:value="41.5""#),
        cell("date", r#"office:date-value="2000-01-01""#),
        cell("boolean", r#"office:boolean-value="true""#),
    );
    assert_eq!(read(&ods(&rows), |_| ()).unwrap(), [[41.5, 2000.0, 1.0]]);
}

/// An Arrow file of every kind of column that is read.
fn arrow(batches: usize, codec: Option<arrow_ipc::CompressionType>) -> Vec<u8> {
    let group: DictionaryArray<types::Int8Type> = vec![Some("a"), None, Some("b")].into_iter().collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("whole", Arc::new(Int32Array::from(vec![Some(1), None, Some(3)]))),
        ("float", Arc::new(Float64Array::from(vec![1.5, 2.5, f64::NAN]))),
        ("small", Arc::new(UInt8Array::from(vec![1, 2, 255]))),
        ("yes", Arc::new(BooleanArray::from(vec![true, false, true]))),
        ("money", Arc::new(Decimal128Array::from(vec![150, 250, -5]).with_precision_and_scale(10, 2).unwrap())),
        ("day", Arc::new(Date32Array::from(vec![0, 11_016, 19_723]))),
        ("time", Arc::new(TimestampMicrosecondArray::from(vec![0, 43_200_000_000, -1_000_000]).with_timezone("UTC"))),
        ("clock", Arc::new(Time64NanosecondArray::from(vec![0, 30_600_000_000_000, 1]))),
        ("name", Arc::new(StringArray::from(vec!["Zaphod", "b", "c"]))),
        ("group", Arc::new(group)),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let options = arrow_ipc::writer::IpcWriteOptions::default().try_with_compression(codec).unwrap();
    let mut file = Vec::new();
    let mut writer = arrow_ipc::writer::FileWriter::try_new_with_options(&mut file, &batch.schema(), options).unwrap();
    (0..batches).for_each(|_| writer.write(&batch).unwrap());
    writer.finish().unwrap();
    drop(writer);
    file
}

const CODECS: [Option<arrow_ipc::CompressionType>; 3] =
    [None, Some(arrow_ipc::CompressionType::LZ4_FRAME), Some(arrow_ipc::CompressionType::ZSTD)];

#[test]
fn arrow_files_are_read_with_all_their_types() {
    for codec in CODECS {
        let file = arrow(2, codec);
        let found = read(&file, choose(&["yes", "small", "money", "day", "clock"])).unwrap();
        let once = [
            [1.0, 1.0, 1.5, 1970.0, 0.0],
            [0.0, 2.0, 2.5, 2000.0 + 59.0 / 366.0, 8.5],
            [1.0, 255.0, -0.05, 2024.0, 1.0 / 3.6e12],
        ];
        assert_eq!(found, [once, once].concat());
        let times = read(&file, choose(&["time"])).unwrap();
        assert_eq!(times[..2], [[1970.0], [1970.0 + 0.5 / 365.0]]);
        assert!(times[2][0] < 1970.0 && times[2][0] > 1969.999);
        let dropped = |options: &mut ReadOptions| {
            choose(&["float", "whole"])(options);
            options.missing = Missing::Drop;
        };
        assert_eq!(read(&file, dropped).unwrap(), [[1.5, 1.0], [1.5, 1.0]]);
        let message = refusal(read(&file, choose(&["whole"])));
        assert!(message.contains("row 2") && message.contains("`whole`"), "{message}");
        let message = refusal(open(&file, choose(&["name"])));
        assert!(message.contains("`name`") && message.contains("text") && message.contains("whole,float"), "{message}");
        let labelled = |label: &'static str| {
            let table = open(&file, |options| {
                choose(&["yes"])(options);
                options.label = Some(label.into());
            });
            let mut labels = Vec::new();
            let each = |batch: &Batch| {
                labels.extend_from_slice(batch.labels().unwrap());
                Ok::<(), DataError>(())
            };
            table.unwrap().for_each_batch(2, &Silent, each).unwrap();
            labels[..3].to_vec()
        };
        assert_eq!(labelled("group"), ["a", "", "b"]);
        assert_eq!(labelled("name"), ["Zaphod", "b", "c"]);
        assert_eq!(labelled("yes"), ["1", "0", "1"]);
        let [held, streamed] =
            [1 << 20, 0].map(|memory| rows_of(&load(&file, "0,100", memory, choose(&["small"])).unwrap()));
        assert_eq!(held, streamed);
    }
    let empty = Schema::new(vec![Field::new("x", DataType::Timestamp(TimeUnit::Second, None), true)]);
    let mut file = Vec::new();
    arrow_ipc::writer::FileWriter::try_new(&mut file, &empty).unwrap().finish().unwrap();
    assert!(refusal(load(&file, "0,1", 1 << 20, |_| ())).contains("no data rows"));
}

/// Only the absence of a panic counts, and that an error repeats no text of the file.
fn survives(bytes: &[u8]) {
    for columns in [None, Some(vec!["age".to_string()]), Some(vec!["whole".into(), "money".into(), "time".into()])] {
        let change = |options: &mut ReadOptions| (options.columns, options.missing) = (columns.clone(), Missing::Drop);
        if let Err(error) = read(bytes, change) {
            assert!(!error.to_string().contains("Zaphod"), "{error}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn almost_a_workbook(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6), cut in any::<prop::sample::Index>()) {
        let mut book = xlsx(&[("People", &people())]);
        survives(&book[..cut.index(book.len())]);
        for (at, byte) in changes {
            let at = at.index(book.len());
            book[at] = byte;
        }
        survives(&book);
    }

    #[test]
    fn almost_a_sheet(data in "(<row r=\"[0-9]{1,8}\">|</row>|<c r=\"[A-Z]{1,4}[0-9]{1,8}\"( t=\"(b|e|str|s)\")?( s=\"[0-9]\")?>|</c>|<v>[0-9.e-]{0,9}</v>|<f>1</f>){0,14}") {
        survives(&xlsx(&[("People", &data)]));
    }

    #[test]
    fn almost_an_arrow_file(codec in 0usize..3, changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6), cut in any::<prop::sample::Index>()) {
        let mut file = arrow(2, CODECS[codec]);
        survives(&file[..cut.index(file.len())]);
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        survives(&file);
    }
}
