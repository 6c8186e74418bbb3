//! Files of codes: any bytes are refused or read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shoal_consortium::codes_file::CodesFile;
use shoal_files::Source;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(file) = CodesFile::read(vec![Source::Memory(bytes.to_vec())], 1 << 30) {
        assert!(file.codes.rows() > 0 && file.parts[0].rows == file.codes.rows());
    }
});
