//! JSON with a version number, which is read first because another version may have any shape.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Why a text could not be read.
pub(crate) enum VersionedFault {
    /// It has this version, which is not one of those that are read.
    Version(u64),
    /// It is no such text.
    Damaged(String),
}

/// Reads a text of one of the given versions.
pub(crate) fn read_versioned<T: DeserializeOwned>(text: &str, versions: &[u32]) -> Result<T, VersionedFault> {
    let damaged = |error: serde_json::Error| VersionedFault::Damaged(error.to_string());
    let value: Value = serde_json::from_str(text).map_err(damaged)?;
    match value.get("version").map(Value::as_u64) {
        Some(Some(found)) if versions.iter().all(|&known| u64::from(known) != found) => {
            Err(VersionedFault::Version(found))
        }
        Some(Some(_)) => serde_json::from_value(value).map_err(damaged),
        _ => Err(VersionedFault::Damaged("it has no version number".into())),
    }
}
