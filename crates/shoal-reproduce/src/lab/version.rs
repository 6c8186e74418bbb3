//! Versions of what is measured: a changed method is measured again.
//!
//! Runs are kept under their parameters and a fingerprint of the method among them, which is what the method gives on small
//! made-up tables with a fixed seed. A change to a method's code that alters its results alters the fingerprint, and nobody
//! has to remember a number. What an experiment does beside the method has a version here.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};

use sha2::{Digest, Sha256};
use shoal_curator::{Knobs, find_method};
use shoal_noise::SeededNoise;

use super::Key;
use crate::data::gaussians;
use crate::measure::curator::CuratorTable;

/// Rows, attributes, clusters and ε of the runs that make a fingerprint.
const TRIED: [(usize, usize, usize, &str); 3] = [(400, 2, 3, "1"), (2000, 5, 4, "0.5"), (900, 3, 2, "4")];

/// Experiments that measure something else than they once did.
const EXPERIMENTS: &[(&str, u32)] = &[
    // Equal blocks, noise for the whole range.
    ("scl16-blocks", 2),
    // Layered consistence; eq. 20 as printed.
    ("szy19-distance-error", 2),
    ("szy19-vertical", 2),
];

/// The version of what a cell measures.
#[must_use]
pub fn of(key: &Key) -> String {
    let experiment = key.get("experiment").and_then(|name| EXPERIMENTS.iter().find(|(own, _)| *own == name));
    let version = experiment.map_or(1, |(_, version)| *version);
    // A name may have a remark after it, such as `allocation-nk ward`.
    let method = key.get("method").and_then(|name| name.split(' ').next());
    match method.filter(|name| find_method(name).is_some()) {
        Some(method) => format!("{version} {}", fingerprint(method)),
        None => version.to_string(),
    }
}

/// What a method of the curator gives, in a few letters. Each is run once.
#[must_use]
pub fn fingerprint(method: &str) -> String {
    static KNOWN: OnceLock<Mutex<HashMap<String, String>>> = OnceLock::new();
    let known = KNOWN.get_or_init(Mutex::default);
    if let Some(found) = known.lock().ok().and_then(|known| known.get(method).cloned()) {
        return found;
    }
    let mut hash = Sha256::new();
    for (rows, dims, k, epsilon) in TRIED {
        let table = CuratorTable::new(gaussians(rows, dims, k, &mut SeededNoise::new(rows as u64)));
        let score = table.run(method, k, epsilon, Knobs::default(), &mut SeededNoise::new(7));
        // A method that refuses a table has that for a fingerprint.
        hash.update(score.map_or(0, |score| score.squared.to_bits()).to_le_bytes());
    }
    let found: String = hash.finalize()[..6].iter().map(|byte| format!("{byte:02x}")).collect();
    if let Ok(mut known) = known.lock() {
        known.insert(method.to_string(), found.clone());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_differ_and_stay_the_same() {
        let all = ["dplloyd", "dplloyd-impr", "gkm", "gkm-3k", "eugkm", "kccm", "average-k"].map(fingerprint);
        let mut distinct = all.to_vec();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), all.len(), "{all:?}");
        let key = |method: &str| Key::new("scl16-blocks").with("method", method);
        assert_eq!(of(&key("gkm")), of(&key("gkm")));
        assert_ne!(of(&key("gkm")), of(&key("eugkm")));
        assert_eq!(of(&key("aggregate")), "2", "no method of the curator");
    }
}
