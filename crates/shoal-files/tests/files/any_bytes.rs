//! No bytes, whether random or a real file with a few bytes changed, make a parser panic.

use crate::data_support::*;
use parquet::basic::Compression;
use proptest::prelude::*;
use shoal_files::*;

/// Opens and reads in every way there is; only the absence of a panic counts.
fn read_all_ways(bytes: &[u8]) {
    for missing in [Missing::Refuse, Missing::Drop] {
        for memory in [1 << 24, 0] {
            let _ = load(bytes, "0,100", memory, |options| options.missing = missing);
        }
    }
    let label = |options: &mut ReadOptions| (options.label, options.no_header) = (Some("x1".into()), true);
    if let Ok(table) = open(bytes, label).or_else(|_| open(bytes, |options| options.no_header = true)) {
        let _ = table.for_each_batch(3, &Silent, |_| Ok::<(), DataError>(()));
    }
}

fn small_parquet(dictionary: bool, compression: Compression) -> Vec<u8> {
    let rows: Vec<Vec<f64>> = (0..50).map(|i| vec![f64::from(i), f64::from(i % 3)]).collect();
    parquet_rows(&rows, &Shape { group_rows: 20, page_rows: 7, dictionary, compression })
}

fn changed(mut bytes: Vec<u8>, changes: &[(prop::sample::Index, u8)]) -> Vec<u8> {
    for (at, byte) in changes {
        let at = at.index(bytes.len());
        bytes[at] = *byte;
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read_all_ways(&bytes);
    }

    #[test]
    fn almost_csv(text in "[a-c0-9,;\\n\\r\"\\.\\- e]{0,80}") {
        read_all_ways(text.as_bytes());
    }

    #[test]
    fn almost_gzip(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4)) {
        read_all_ways(&changed(gzip(b"a,b\n1,2\n3,4\n5,6\n"), &changes));
    }

    #[test]
    fn almost_parquet(
        dictionary in any::<bool>(),
        snappy in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let compression = if snappy { Compression::SNAPPY } else { Compression::UNCOMPRESSED };
        read_all_ways(&changed(small_parquet(dictionary, compression), &changes));
    }

    #[test]
    fn almost_bounds(text in "[a-c0-9,:=\\.\\-e\\[\\]{}\"\\n ]{0,60}", junk in any::<String>()) {
        for text in [&text, &junk] {
            let _ = BoundsSpec::parse(text);
            let _ = BoundsSpec::from_json(text);
            if let Ok(spec) = BoundsSpec::from_toml(text) {
                let _ = spec.resolve(&["a".into()], &["a".into(), "b".into()]);
            }
        }
    }
}
