//! Seeds that follow from the release: the same release gives the same evidence on every machine.

/// A seed for the work named by `path`, from a key.
pub fn seed(key: u64, path: &[u64]) -> u64 {
    path.iter().fold(key, |state, &part| mix(state ^ mix(part)))
}

/// A key from released counts.
pub fn key_of(counts: &[i64]) -> u64 {
    counts.iter().fold(counts.len() as u64, |state, &count| mix(state ^ count as u64))
}

/// The finaliser of SplitMix64.
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
