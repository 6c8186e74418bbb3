//! Where random words come from.
//!
//! [`OsNoise`] is keyed by the operating system: the source for real releases. [`SeededNoise`] and
//! [`TapeNoise`](crate::TapeNoise) can be repeated and are for tests and papers. Whoever knows the seed can remove the
//! noise, so a guarantee is void when [`NoiseSource::is_seeded`] returns true. That is the default: a new source
//! counts as seeded until its author overrides the method.
//!
//! *Assumes*: ChaCha20 with a secret key is indistinguishable from uniform bits, and the operating system's key is
//! secret. Every "exact" in this crate is exact given uniform words.
//!
//! *Limits*: a source is not re-keyed during its life, so whoever reads the memory of the process can run it forward
//! and backward, and a process duplicated with `fork(2)` has two equal sources. Open the source after forking. One key
//! yields 2^70 bytes, so it does not run out.

use std::any::Any;
use std::fmt;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::NoiseError;

/// A stream of independent uniform words.
///
/// The trait can be used as `&mut impl NoiseSource` (samplers are compiled for the source, which
/// is what the bulk paths want) or as `&mut dyn NoiseSource`.
pub trait NoiseSource {
    /// The next 64 uniform bits.
    fn next_u64(&mut self) -> u64;

    /// Fills `bytes` with uniform bits.
    fn fill_bytes(&mut self, bytes: &mut [u8]);

    /// Whether the stream can be repeated by someone who knows a seed. Such noise protects nobody.
    fn is_seeded(&self) -> bool {
        true
    }

    /// Whoever records the releases that are made with this source, for audits. None but a source that is made for an
    /// audit has one, and that source is seeded.
    fn witness(&mut self) -> Option<&mut dyn Any> {
        None
    }

    /// An independent stream, keyed by the next 32 bytes of this one and numbered `label`.
    ///
    /// Two forks never share a stream, even under one label, because each takes fresh bytes. The
    /// forks of a seeded source depend on the seed, the draws made before and the label, and on
    /// nothing else: fork in the coordinating thread, in a fixed order, then hand the streams
    /// out, and the result does not depend on the number of threads.
    fn fork(&mut self, label: u64) -> Self
    where
        Self: Sized;
}

/// ChaCha20 keyed by the operating system: the source for real releases.
///
/// Not `Clone`: two copies would add the same noise twice.
pub struct OsNoise {
    stream: ChaCha20Rng,
}

impl OsNoise {
    /// Asks the operating system for a key.
    ///
    /// # Errors
    /// [`NoiseError::NoSystemRandomness`] when the system refuses.
    pub fn new() -> Result<Self, NoiseError> {
        let mut key = [0_u8; 32];
        getrandom::fill(&mut key).map_err(|error| NoiseError::NoSystemRandomness { reason: error.to_string() })?;
        Ok(Self { stream: ChaCha20Rng::from_seed(key) })
    }
}

/// ChaCha20 from a 64-bit seed: repeatable, and therefore without any privacy.
///
/// Not `Clone`: two copies would add the same noise twice.
pub struct SeededNoise {
    stream: ChaCha20Rng,
}

impl SeededNoise {
    /// A stream that is the same on every machine. The seed fills the first eight bytes of the
    /// key, low byte first, and zeros fill the rest.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut key = [0_u8; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Self { stream: ChaCha20Rng::from_seed(key) }
    }

    /// A stream from a whole 32-byte key, for work that must be done again in the same way, such as a second pass over
    /// a table. As secret as its key, and repeatable by whoever has it.
    #[must_use]
    pub fn from_key(key: [u8; 32]) -> Self {
        Self::from_key_at(key, 0)
    }

    /// The stream of [`SeededNoise::from_key`] from its 64-bit word number `word` on. Any place of a stream can be reached
    /// in the same time, so a key and a number stand for a random word: a keyed hash of the number.
    #[must_use]
    pub fn from_key_at(key: [u8; 32], word: u128) -> Self {
        let mut stream = ChaCha20Rng::from_seed(key);
        stream.set_word_pos(2 * word);
        Self { stream }
    }
}

/// A fork of `parent`.
fn fork_of(parent: &mut ChaCha20Rng, label: u64) -> ChaCha20Rng {
    let mut key = [0_u8; 32];
    parent.fill_bytes(&mut key);
    child(key, label)
}

/// The stream of a fork with this key.
pub(crate) fn child(key: [u8; 32], label: u64) -> ChaCha20Rng {
    let mut stream = ChaCha20Rng::from_seed(key);
    stream.set_stream(label);
    stream
}

impl NoiseSource for OsNoise {
    #[inline]
    fn next_u64(&mut self) -> u64 {
        self.stream.next_u64()
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        self.stream.fill_bytes(bytes);
    }

    fn is_seeded(&self) -> bool {
        false
    }

    fn fork(&mut self, label: u64) -> Self {
        Self { stream: fork_of(&mut self.stream, label) }
    }
}

impl NoiseSource for SeededNoise {
    #[inline]
    fn next_u64(&mut self) -> u64 {
        self.stream.next_u64()
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        self.stream.fill_bytes(bytes);
    }

    fn fork(&mut self, label: u64) -> Self {
        Self { stream: fork_of(&mut self.stream, label) }
    }
}

impl fmt::Debug for OsNoise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OsNoise(key hidden)")
    }
}

impl fmt::Debug for SeededNoise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SeededNoise(key hidden)")
    }
}
