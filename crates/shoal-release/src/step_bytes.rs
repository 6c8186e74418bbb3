//! A step as bytes: the envelope of questions, with the numbers to take, the noise and the question in it.
//!
//! ```text
//! 4 bytes  length of what follows   numbers to take and noise   the question, in an envelope of its own
//! ```

use shoal_scan::wire::{self, Kind};
use shoal_scan::{Question, WireError};

use crate::{NoiseSpec, Step, StepError, Take};

const STEP: Kind = Kind::new(*b"shS\n", "a step");

impl Step {
    /// The step as bytes: versioned, with its length and a checksum. Equal steps have equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Unwrap safety: the format can write every sequence whose length is known, and all of these are.
        let head = postcard::to_allocvec(&(self.take, &self.noise)).unwrap();
        wire::seal(STEP, &[&(head.len() as u32).to_le_bytes(), &head, &self.question.to_bytes()])
    }

    /// A step from bytes, if it releases at most [`Step::MOST_NUMBERS`] numbers.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StepError> {
        Self::from_bytes_within(bytes, Self::MOST_NUMBERS)
    }

    /// A step from bytes, if it releases at most `most` numbers. Reading takes memory in proportion to the bytes given,
    /// whatever they claim, and refuses bytes that are not what [`Step::to_bytes`] writes.
    pub fn from_bytes_within(bytes: &[u8], most: usize) -> Result<Self, StepError> {
        let damaged = || StepError::Wire(WireError::Question { why: "it is no step".into() });
        let body = wire::open(STEP, bytes)?;
        let (length, rest) = body.split_first_chunk::<4>().ok_or_else(damaged)?;
        let (head, question) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(damaged)?;
        let ((take, noise), left): ((Take, NoiseSpec), &[u8]) =
            postcard::take_from_bytes(head).map_err(|_| damaged())?;
        if !left.is_empty() {
            return Err(damaged());
        }
        // The widest answers have 16 bytes for each number, and moments have one number more than leave.
        let step =
            Self::new(Question::from_bytes_within(question, (most as u64 + 2).saturating_mul(16))?, take, noise)?;
        if step.numbers() > most {
            return Err(StepError::TooManyNumbers { numbers: step.numbers(), most });
        }
        if step.to_bytes() != bytes {
            return Err(StepError::NotCanonical);
        }
        Ok(step)
    }
}
