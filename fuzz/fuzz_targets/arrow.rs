//! Arrow files: any bytes are refused or read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shoal_files::*;

fuzz_target!(|bytes: &[u8]| {
    if bytes.starts_with(b"ARROW1") {
        let options = ReadOptions { missing: Missing::Drop, ..ReadOptions::default() };
        if let Ok(table) = Table::open(Source::Memory(bytes.to_vec()), &options) {
            let _ = table.for_each_batch(7, &Silent, |_| Ok::<(), DataError>(()));
        }
        let _ = TableHead::read(Source::Memory(bytes.to_vec()), &options);
    }
});
