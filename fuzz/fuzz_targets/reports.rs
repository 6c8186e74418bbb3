//! Files of reports, as CSV or Parquet: any bytes are refused or read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shoal_crowd::report_file::Reports;
use shoal_files::Source;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(reports) = Reports::read(vec![Source::Memory(bytes.to_vec())]) {
        assert!(reports.rows() > 0 && reports.columns.iter().all(|column| column.len() == reports.rows()));
    }
});
