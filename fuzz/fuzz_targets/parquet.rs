//! Parquet files: any bytes are refused or read, with all columns side by side and one after the other.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shoal_lattice::*;
use shoal_files::*;

fn load(bytes: &[u8], memory: usize) -> Result<PointStore, DataError> {
    let table = Table::open(Source::Memory(bytes.to_vec()), &ReadOptions::default())?;
    let bounds = BoundsSpec::parse("-10,10")?.resolve(table.columns(), table.all_columns())?;
    load_points(table, LatticeMap::new(&bounds), &LoadOptions { memory, ..LoadOptions::default() }, &Silent)
}

fuzz_target!(|bytes: &[u8]| {
    if bytes.starts_with(b"PAR1") {
        let _ = load(bytes, 1 << 22);
        let _ = load(bytes, 0);
    }
});
