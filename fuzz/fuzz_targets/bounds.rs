//! Bounds in all their spellings: any text is either refused or gives intervals that keep their promise.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shoal_files::BoundsSpec;
use shoal_lattice::{Lattice, LatticeMap};

fuzz_target!(|text: &str| {
    // Text with a separator of paths is not parsed as an argument: the fuzzer should not open files.
    let inline = text.contains('=') || text.contains(',');
    let named = text.to_ascii_lowercase();
    let path = named.trim().ends_with(".json") || named.trim().ends_with(".toml");
    let specs = [
        (inline && !path && !text.contains('/')).then(|| BoundsSpec::parse(text).ok()).flatten(),
        BoundsSpec::from_json(text).ok(),
        BoundsSpec::from_toml(text).ok(),
    ];
    for spec in specs.into_iter().flatten() {
        let columns: Vec<String> = match &spec {
            BoundsSpec::All(_) => vec!["a".into()],
            BoundsSpec::Named(pairs) => pairs.iter().map(|(name, _)| name.clone()).collect(),
        };
        let bounds = spec.resolve(&columns, &columns).expect("names were taken from the bounds");
        let map = LatticeMap::new(&bounds);
        for (i, interval) in bounds.intervals().iter().enumerate() {
            assert_eq!(map.to_lattice(i, interval.lo()), Some(Lattice(-32_767)));
            assert_eq!(map.to_lattice(i, interval.hi()), Some(Lattice(32_767)));
        }
    }
});
