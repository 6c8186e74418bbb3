//! A step as readable text, JSON for example.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use shoal_scan::Question;

use crate::{NoiseSpec, Step, Take};

/// Changes whenever text of an earlier version would be misunderstood.
const VERSION: u16 = 1;

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut step = serializer.serialize_struct("Step", 4)?;
        step.serialize_field("format_version", &VERSION)?;
        step.serialize_field("question", &self.question)?;
        step.serialize_field("take", &self.take)?;
        step.serialize_field("noise", &self.noise)?;
        step.end()
    }
}

/// A step as it is written, before anyone has checked it.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    format_version: u16,
    question: Question,
    take: Take,
    noise: NoiseSpec,
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = Unchecked::deserialize(deserializer)?;
        if read.format_version != VERSION {
            let found = read.format_version;
            return Err(D::Error::custom(format_args!("a step in version {found} of its format, not {VERSION}")));
        }
        Self::new(read.question, read.take, read.noise).map_err(D::Error::custom)
    }
}
