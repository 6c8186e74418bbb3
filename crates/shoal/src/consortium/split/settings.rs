//! What a run is for, as custodians see it in the order and as everyone recomputes the model from.

use serde::{Deserialize, Serialize};
use shoal_curator::{Auto, AutoParams, DesignSize, MOST_CHOSEN};
use shoal_privacy::Epsilon;
use shoal_split::Charter;

use super::SplitError;
use crate::{Error, K};

/// What a run is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SplitSettings {
    /// The number of clusters, or `auto`.
    pub k: String,
    /// About how many rows all custodians have together, where that is public; bought with a part of ε otherwise.
    pub rows: Option<u64>,
    /// Whether all parties ran in one process: then nothing is promised.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rehearsal: bool,
    /// The version of the program: another one may ask other questions.
    pub shoal: String,
}

impl SplitSettings {
    /// Settings for so many clusters.
    pub(super) fn new(k: K, rows: Option<u64>, rehearsal: bool) -> Self {
        Self { k: k.to_string(), rows, rehearsal, shoal: env!("CARGO_PKG_VERSION").into() }
    }

    /// The settings as text, which the order carries.
    pub fn to_text(&self) -> String {
        // Unwrap safety: strings and a number.
        serde_json::to_string(self).unwrap()
    }

    /// Settings from an order.
    pub fn from_text(text: &str) -> Result<Self, SplitError> {
        let settings: Self =
            serde_json::from_str(text).map_err(|_| SplitError::Settings { why: "they cannot be read".into() })?;
        match settings.rows {
            Some(0) => Err(SplitError::Settings { why: "they are for no rows".into() }),
            _ => Ok(settings),
        }
    }

    /// The settings in a sentence.
    pub fn words(&self) -> String {
        match self.rows {
            Some(rows) => format!("{} clusters, about {rows} rows in all", self.k),
            None => format!("{} clusters, the number of rows bought with a part of ε", self.k),
        }
    }

    /// How many clusters.
    pub(super) fn k(&self) -> Result<K, Error> {
        K::parse(&self.k)
    }

    /// The method with these settings.
    pub(super) fn method(&self, charter: &Charter, epsilon: &Epsilon) -> Result<Auto, Error> {
        let k = self.k()?;
        let size = self.rows.map_or_else(DesignSize::bought, DesignSize::Public);
        let params = AutoParams::new(k.most(MOST_CHOSEN), epsilon.clone(), size);
        let params = AutoParams { choose_up_to: k.is_auto().then(|| k.most(MOST_CHOSEN)), ..params };
        Ok(Auto::new(params, charter.bounds().dims())?)
    }
}
