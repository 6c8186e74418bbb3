//! Cells of text tables under every rule: refused or read, and a row never changes what another one means.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shoal_files::*;

fn rows(text: &[u8], options: &ReadOptions) -> Result<Vec<u64>, DataError> {
    let table = Table::open(Source::Memory(text.to_vec()), options)?;
    let mut rows = Vec::new();
    table.for_each_batch(7, &Silent, |batch| {
        rows.extend(batch.column(0).iter().map(|x| x.to_bits()));
        Ok::<(), DataError>(())
    })?;
    Ok(rows)
}

fuzz_target!(|input: (u8, Vec<u8>, Vec<u8>)| {
    let (rules, first, second) = input;
    let plain = |cell: &Vec<u8>| cell.iter().all(|byte| !b"\n\r\";\0".contains(byte)) && !cell.is_empty();
    if !plain(&first) || !plain(&second) {
        return;
    }
    let decimal = [None, Some(DecimalMark::Point), Some(DecimalMark::Comma)][usize::from(rules % 3)];
    let dates = [None, Some(DateOrder::DayFirst), Some(DateOrder::MonthFirst)][usize::from(rules / 3 % 3)];
    let format = TableFormat { delimiter: Some(b';'), decimal, dates, ..TableFormat::default() };
    let columns = Some(vec!["x".into()]);
    let options = ReadOptions { columns, format, missing: Missing::Drop, allow_empty: true, ..ReadOptions::default() };
    let table = |cells: &[&[u8]]| {
        let mut text = b"x;y\n".to_vec();
        cells.iter().for_each(|cell| text.extend_from_slice(&[cell, &b";0\n"[..]].concat()));
        rows(&text, &options)
    };
    let (one, two, both) = (table(&[&first]), table(&[&second]), table(&[&first, &second]));
    match (one, two) {
        (Ok(one), Ok(two)) => assert_eq!(both.expect("both rows can be read"), [one, two].concat()),
        _ => assert!(both.is_err()),
    }
});
