//! Versions of what is measured: a changed method is measured again.
//!
//! Runs are kept under their parameters and a fingerprint of the method among them, which is what the method gives on small
//! made-up tables with a fixed seed: a curator's method, a device's mechanism with a server, or a consortium's codes with
//! what an aggregator makes of them. A change to code that alters its results alters the fingerprint, and nobody has to
//! remember a number. What an experiment does beside the method has a version here.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};

use sha2::{Digest, Sha256};
use shoal_curator::{Knobs, find_method};
use shoal_noise::SeededNoise;

use super::Key;
use crate::Failure;
use crate::data::gaussians;
use crate::measure::curator::CuratorTable;
use crate::measure::{consortium, crowd};

/// Rows, attributes, clusters and ε of the runs that make a fingerprint. Methods take other ways on larger tables, with more
/// clusters and in more attributes.
const TRIED: [(usize, usize, usize, &str); 5] =
    [(400, 2, 3, "1"), (2000, 5, 4, "0.5"), (900, 3, 2, "4"), (20_000, 2, 15, "0.1"), (3000, 12, 5, "0.25")];

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
    let experiment = key.get("experiment").unwrap_or_default();
    let version = EXPERIMENTS.iter().find(|(own, _)| *own == experiment).map_or(1, |(_, version)| *version);
    // A name may have a remark after it, such as `allocation-nk ward`.
    let method = key.get("method").and_then(|name| name.split(' ').next());
    let found = match (method, key.get("mechanism"), key.get("server")) {
        (Some(method), ..) if find_method(method).is_some() => Some(fingerprint(method)),
        (_, Some(mechanism), Some(server)) => {
            Some(once(&format!("{mechanism}, {server}"), || crowd::fingerprint(mechanism, server)))
        }
        _ if experiment.starts_with("szy19") => Some(once("codes", consortium::fingerprint)),
        _ => None,
    };
    found.map_or_else(|| version.to_string(), |found| format!("{version} {found}"))
}

/// What a method of the curator gives, in a few letters. Each is run once.
#[must_use]
pub fn fingerprint(method: &str) -> String {
    once(method, || {
        let mut all = Vec::new();
        for (rows, dims, k, epsilon) in TRIED {
            let table = CuratorTable::new(gaussians(rows, dims, k, &mut SeededNoise::new(rows as u64)));
            let score = table.run(method, k, epsilon, Knobs::default(), &mut SeededNoise::new(7));
            // A method that refuses a table has that for a fingerprint.
            all.push(score.map_or(0.0, |score| score.squared));
        }
        Ok(all)
    })
}

/// The numbers of a method that is tried, in a few letters. Each name is tried once; what cannot be tried is `untried`.
fn once(name: &str, tried: impl FnOnce() -> Result<Vec<f64>, Failure>) -> String {
    static KNOWN: OnceLock<Mutex<HashMap<String, String>>> = OnceLock::new();
    let known = KNOWN.get_or_init(Mutex::default);
    if let Some(found) = known.lock().ok().and_then(|known| known.get(name).cloned()) {
        return found;
    }
    let found = tried().map_or_else(
        |_| "untried".to_string(),
        |values| {
            let mut hash = Sha256::new();
            values.iter().for_each(|value| hash.update(value.to_bits().to_le_bytes()));
            hash.finalize()[..6].iter().map(|byte| format!("{byte:02x}")).collect()
        },
    );
    if let Ok(mut known) = known.lock() {
        known.insert(name.to_string(), found.clone());
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
    /// Every way of the crowd's figures and the consortium's codes can be tried, and each way differs from the others.
    #[test]
    fn crowds_and_codes_have_fingerprints_too() {
        let lab = crate::Lab { data: crate::data::DataRoom::new(None), effort: crate::Effort::Quick };
        let mut found = std::collections::BTreeMap::new();
        for figure in ["yang22-fig1", "chen25-fig3", "shoal-crowd"] {
            for cell in crate::papers::find(figure).unwrap().cells(&lab).unwrap() {
                let (Some(mechanism), Some(server)) = (cell.key.get("mechanism"), cell.key.get("server")) else {
                    continue;
                };
                let (way, version) = (format!("{mechanism}, {server}"), of(&cell.key));
                assert!(!version.contains("untried"), "{way}");
                found.insert(version, way.clone());
            }
        }
        assert!(found.len() >= 15, "{found:?}");
        let codes = of(&Key::new("szy19-vertical"));
        assert!(codes.starts_with("2 ") && !codes.contains("untried"), "{codes}");
    }
}
