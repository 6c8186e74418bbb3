//! Workbooks: any archive is refused or read. The bytes are the content of a sheet, or the whole file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shoal_files::*;
use std::io::{Cursor, Write};

fn read(bytes: Vec<u8>, no_header: bool) {
    let format = TableFormat { unpacked_limit: 1 << 24, ..TableFormat::default() };
    let options = ReadOptions { no_header, missing: Missing::Drop, format, ..ReadOptions::default() };
    if let Ok(table) = Table::open(Source::Memory(bytes), &options) {
        let _ = table.for_each_batch(7, &Silent, |_| Ok::<(), DataError>(()));
    }
}

/// A workbook whose only sheet has this content.
fn sheet(data: &[u8]) -> Option<Vec<u8>> {
    let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let parts: [(&str, String); 5] = [
        ("[Content_Types].xml", "<Types/>".into()),
        ("_rels/.rels", format!(r#"<Relationships><Relationship Id="a" Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>"#)),
        ("xl/workbook.xml", format!(r#"<workbook xmlns:r="{office}"><sheets><sheet name="S" sheetId="1" r:id="b"/></sheets></workbook>"#)),
        ("xl/_rels/workbook.xml.rels", format!(r#"<Relationships><Relationship Id="b" Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#)),
        ("xl/styles.xml", r#"<styleSheet><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>"#.into()),
    ];
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, text) in &parts {
        archive.start_file(*name, options).ok()?;
        archive.write_all(text.as_bytes()).ok()?;
    }
    archive.start_file("xl/worksheets/sheet1.xml", options).ok()?;
    archive.write_all(&[b"<worksheet><sheetData>", data, b"</sheetData></worksheet>"].concat()).ok()?;
    Some(archive.finish().ok()?.into_inner())
}

fuzz_target!(|input: (bool, bool, Vec<u8>)| {
    let (whole, no_header, bytes) = input;
    if whole {
        read([b"PK\x03\x04", &bytes[..]].concat(), no_header);
    } else if let Some(book) = sheet(&bytes) {
        read(book, no_header);
    }
});
