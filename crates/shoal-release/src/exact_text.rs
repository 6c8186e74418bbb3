//! An amount as text that reads back as exactly itself: `1/3`.

use serde::{Deserialize, Deserializer, Serializer};
use shoal_privacy::Amount;

pub(crate) fn serialize<S: Serializer>(amount: &Amount, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(amount.as_rational())
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Amount, D::Error> {
    let text = <std::borrow::Cow<'_, str>>::deserialize(deserializer)?;
    text.parse().map_err(serde::de::Error::custom)
}
