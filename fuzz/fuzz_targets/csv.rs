//! Text tables: any bytes are refused or read, and a stream gives the rows that memory does.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shoal_lattice::*;
use shoal_files::*;

fn load(bytes: &[u8], memory: usize, options: &ReadOptions) -> Result<PointStore, DataError> {
    let table = Table::open(Source::Memory(bytes.to_vec()), options)?;
    let bounds = BoundsSpec::parse("-10,10")?.resolve(table.columns(), table.all_columns())?;
    load_points(table, LatticeMap::new(&bounds), &LoadOptions { memory, chunk_rows: Some(16), ..LoadOptions::default() }, &Silent)
}

fuzz_target!(|input: (bool, bool, Vec<u8>)| {
    let (no_header, drop, bytes) = input;
    let missing = if drop { Missing::Drop } else { Missing::Refuse };
    let options = ReadOptions { no_header, missing, ..ReadOptions::default() };
    let (held, streamed) = (load(&bytes, 1 << 24, &options), load(&bytes, 0, &options));
    assert_eq!(held.is_ok(), streamed.is_ok());
    if let (Ok(held), Ok(streamed)) = (held, streamed) {
        let rows = held.rows();
        assert_eq!(rows, streamed.rows());
        let mut seen = 0;
        streamed
            .for_each_chunk(|chunk| {
                seen += chunk.rows();
                Ok::<(), DataError>(())
            })
            .expect("the first pass found nothing wrong");
        assert_eq!(rows, seen);
    }
});
