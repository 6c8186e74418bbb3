//! What a file of codes says of itself.

use serde::{Deserialize, Serialize};
use shoal_privacy::{Guarantee, Published};

use super::{About, Kind, VERSION};
use crate::consortium::terms::Terms;

/// The JSON under [`KEY`](super::KEY).
#[derive(Serialize, Deserialize)]
pub(super) struct Description {
    pub(super) version: u32,
    pub(super) kind: Kind,
    pub(super) terms: Terms,
    pub(super) fingerprint: String,
    pub(super) guarantee: Guarantee,
    pub(super) published: Option<Published>,
    pub(super) seeded: bool,
    /// Rows at the end that stand for nobody.
    pub(super) bridge: u64,
    /// The column of names.
    pub(super) id: Option<String>,
    /// Records behind a file of pairs.
    pub(super) records: Option<u64>,
    /// Version of the program.
    pub(super) shoal: String,
}

/// Why a text is no description.
pub(super) enum Fault {
    Version(u64),
    Damaged(String),
}

impl Description {
    pub(super) fn new(about: &About) -> Self {
        Self {
            version: VERSION,
            kind: about.kind,
            terms: about.terms.clone(),
            fingerprint: about.fingerprint.clone(),
            guarantee: about.promise.guarantee.clone(),
            published: about.promise.published.clone(),
            seeded: about.seeded,
            bridge: about.bridge,
            id: about.id.clone(),
            records: about.paired_records,
            shoal: env!("CARGO_PKG_VERSION").into(),
        }
    }

    /// Reads a description; the version first, because another one may have any shape.
    pub(super) fn parse(text: &str) -> Result<Self, Fault> {
        let damaged = |error: serde_json::Error| Fault::Damaged(error.to_string());
        let value: serde_json::Value = serde_json::from_str(text).map_err(damaged)?;
        match value.get("version").map(serde_json::Value::as_u64) {
            Some(Some(found)) if found != u64::from(VERSION) => Err(Fault::Version(found)),
            Some(Some(_)) => serde_json::from_value(value).map_err(damaged),
            _ => Err(Fault::Damaged("it has no version number".into())),
        }
    }
}
