//! Random words from a recorded tape, so that two implementations can be compared byte for byte.

use std::fmt;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::source::{NoiseSource, child};

/// A source that reads its words from given bytes. Whoever has the tape can remove the noise, so it counts as seeded
/// and voids every guarantee.
///
/// A 64-bit word is the next eight bytes, the lowest first; a word is never put together from the tape and what
/// follows it. Drawing cannot fail, so when fewer bytes are left than a draw needs, the rest of the tape is dropped and
/// a ChaCha20 stream with a key of zeros follows. [`Self::ran_out`] reports that.
///
/// ```
/// use shoal_noise::{NoiseSource, TapeNoise};
///
/// let mut tape = TapeNoise::new([1, 0, 0, 0, 0, 0, 0, 0, 7, 8]);
/// assert_eq!(tape.next_u64(), 1);
/// assert_eq!((tape.used(), tape.ran_out()), (8, false));
/// tape.next_u64();
/// assert!(tape.ran_out() && tape.is_seeded());
/// ```
pub struct TapeNoise {
    bytes: Vec<u8>,
    used: usize,
    ran_out: bool,
    after: ChaCha20Rng,
}

impl TapeNoise {
    /// A source that reads these bytes.
    #[must_use]
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), used: 0, ran_out: false, after: ChaCha20Rng::from_seed([0; 32]) }
    }

    /// How many bytes of the tape were read.
    #[must_use]
    pub fn used(&self) -> usize {
        self.used
    }

    /// Whether something was drawn after the end of the tape.
    #[must_use]
    pub fn ran_out(&self) -> bool {
        self.ran_out
    }

    /// The next bytes of the tape, if it still has that many.
    fn take(&mut self, count: usize) -> Option<&[u8]> {
        if self.ran_out || self.bytes.len() - self.used < count {
            self.ran_out = true;
            return None;
        }
        self.used += count;
        Some(&self.bytes[self.used - count..self.used])
    }
}

impl NoiseSource for TapeNoise {
    fn next_u64(&mut self) -> u64 {
        let mut word = [0; 8];
        self.fill_bytes(&mut word);
        u64::from_le_bytes(word)
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        match self.take(bytes.len()) {
            Some(tape) => bytes.copy_from_slice(tape),
            None => self.after.fill_bytes(bytes),
        }
    }

    /// A ChaCha20 stream keyed by the next 32 bytes, as the forks of all other sources; it has no tape.
    fn fork(&mut self, label: u64) -> Self {
        let mut key = [0; 32];
        self.fill_bytes(&mut key);
        Self { bytes: Vec::new(), used: 0, ran_out: false, after: child(key, label) }
    }
}

impl fmt::Debug for TapeNoise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TapeNoise({} of {} bytes read)", self.used, self.bytes.len())
    }
}
