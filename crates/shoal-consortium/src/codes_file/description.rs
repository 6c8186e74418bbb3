//! The description of a file of codes.

use serde::{Deserialize, Serialize};
use shoal_privacy::{Guarantee, Published};

use crate::Terms;
use crate::codes_file::mixed::difference;
use crate::codes_file::{About, Kind, VERSION, check};
use shoal_files::sealed::{CODES, Content, Difference, SealedKind};

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
}

impl Content for Description {
    const KIND: &'static SealedKind = &CODES;
    /// The terms of the file's columns.
    type Layout = Terms;

    fn layout(&self) -> Result<Terms, String> {
        check::shape(self)
    }

    fn difference(&self, other: &Self) -> Option<Difference> {
        difference(self, other)
    }
}
