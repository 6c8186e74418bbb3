//! JSON that says its version: read first, because another version may have any shape.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Why a text could not be read.
pub enum VersionedFault {
    /// It is of this version, which is another one.
    Version(u64),
    /// It is no such text.
    Damaged(String),
}

/// Reads a text of the given version.
pub fn read_versioned<T: DeserializeOwned>(text: &str, version: u32) -> Result<T, VersionedFault> {
    let damaged = |error: serde_json::Error| VersionedFault::Damaged(error.to_string());
    let value: Value = serde_json::from_str(text).map_err(damaged)?;
    match value.get("version").map(Value::as_u64) {
        Some(Some(found)) if found != u64::from(version) => Err(VersionedFault::Version(found)),
        Some(Some(_)) => serde_json::from_value(value).map_err(damaged),
        _ => Err(VersionedFault::Damaged("it has no version number".into())),
    }
}
