//! Where an audit takes its randomness from, for any number of threads.

use shoal_noise::{NoiseError, NoiseSource, OsNoise, SeededNoise};

/// The operating system, or a seed that makes an audit repeatable. Audits run on made-up data, so a seed gives nobody away.
#[derive(Clone, Copy, Debug)]
pub enum Randomness {
    /// What a real release would use.
    System,
    /// The same numbers each time.
    Seeded(u64),
}

impl Randomness {
    /// A stream of its own for each label. The same seed and label give the same stream, whatever thread asks.
    pub fn stream(self, label: u64) -> Result<Box<dyn NoiseSource + Send>, NoiseError> {
        Ok(match self {
            Self::System => Box::new(OsNoise::new()?),
            Self::Seeded(seed) => Box::new(SeededNoise::new(seed).fork(label)),
        })
    }

    /// Other streams for another part of the work, such as the audit of another mechanism.
    #[must_use]
    pub fn for_part(self, name: &str) -> Self {
        match self {
            Self::System => Self::System,
            Self::Seeded(seed) => Self::Seeded(fnv_1a(seed.rotate_left(17), name)),
        }
    }
}

/// FNV-1a of a text, from a start: the same on every machine, and another number for another text.
pub(crate) fn fnv_1a(start: u64, text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325 ^ start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
