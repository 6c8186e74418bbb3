//! Envelopes for bytes that move between machines, and numbers in them.
//!
//! ```text
//! 4 bytes  what it is         2 bytes  version         8 bytes  length of the body         body         8 bytes  checksum
//! ```
//!
//! All numbers are little-endian. The checksum is the beginning of a SHA-256 digest of everything before it: it finds
//! damage, and does not stop anyone who changes bytes on purpose. Channels between machines must do that.

use sha2::{Digest, Sha256};

use crate::WireError;

/// Changes whenever bytes of an earlier version would be misunderstood.
pub const VERSION: u16 = 1;

const CHECKSUM: usize = 8;

const HEADER: usize = 4 + 2 + 8;

/// What an envelope holds.
#[derive(Clone, Copy)]
pub struct Kind {
    tag: [u8; 4],
    pub(crate) what: &'static str,
}

impl Kind {
    /// A kind that starts with `tag`, and is `what` in errors.
    pub const fn new(tag: [u8; 4], what: &'static str) -> Self {
        Self { tag, what }
    }
}

pub(crate) const QUESTION: Kind = Kind { tag: *b"shQ\n", what: "a question" };

pub(crate) const PARTIAL: Kind = Kind { tag: *b"shP\n", what: "a partial answer" };

/// The parts of a body, in an envelope.
pub fn seal(kind: Kind, parts: &[&[u8]]) -> Vec<u8> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let mut bytes = Vec::with_capacity(HEADER + length + CHECKSUM);
    bytes.extend(kind.tag);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((length as u64).to_le_bytes());
    parts.iter().for_each(|part| bytes.extend(*part));
    let checksum = digest(&bytes);
    bytes.extend(&checksum[..CHECKSUM]);
    bytes
}

/// The body of an envelope that arrived whole.
pub fn open(kind: Kind, bytes: &[u8]) -> Result<&[u8], WireError> {
    let what = kind.what;
    let body = bytes.strip_prefix(&kind.tag).ok_or(WireError::Foreign { what })?;
    let (version, body) = body.split_first_chunk().ok_or(WireError::Foreign { what })?;
    match u16::from_le_bytes(*version) {
        VERSION => {}
        found => return Err(WireError::Version { what, found, known: VERSION }),
    }
    let (length, body) = body.split_first_chunk().ok_or(WireError::Foreign { what })?;
    let expected = u64::from_le_bytes(*length).saturating_add((HEADER + CHECKSUM) as u64);
    let (body, checksum) = match body.split_last_chunk::<CHECKSUM>() {
        Some(parts) if bytes.len() as u64 == expected => parts,
        _ => return Err(WireError::Length { what, expected, found: bytes.len() as u64 }),
    };
    if digest(&bytes[..bytes.len() - CHECKSUM])[..CHECKSUM] != *checksum {
        return Err(WireError::Damaged { what });
    }
    Ok(body)
}

/// SHA-256.
pub fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Reads numbers one after the other, from bytes whose length was checked.
pub(crate) struct Numbers<'a>(pub(crate) &'a [u8]);

impl Numbers<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let (first, rest) = self.0.split_first_chunk().ok_or(WireError::Damaged { what: PARTIAL.what })?;
        self.0 = rest;
        Ok(*first)
    }

    pub(crate) fn i16s(&mut self, count: usize) -> Result<Vec<i16>, WireError> {
        (0..count).map(|_| self.take().map(i16::from_le_bytes)).collect()
    }

    pub(crate) fn i64s(&mut self, count: usize) -> Result<Vec<i64>, WireError> {
        (0..count).map(|_| self.take().map(i64::from_le_bytes)).collect()
    }

    pub(crate) fn u64s(&mut self, count: usize) -> Result<Vec<u64>, WireError> {
        (0..count).map(|_| self.take().map(u64::from_le_bytes)).collect()
    }

    pub(crate) fn u128s(&mut self, count: usize) -> Result<Vec<u128>, WireError> {
        (0..count).map(|_| self.take().map(u128::from_le_bytes)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_envelope_opens_only_whole() {
        let bytes = seal(QUESTION, &[b"two", b"parts"]);
        assert_eq!(open(QUESTION, &bytes), Ok(&b"twoparts"[..]));
        assert_eq!(open(PARTIAL, &bytes), Err(WireError::Foreign { what: "a partial answer" }));
        for at in 0..bytes.len() {
            assert!(open(QUESTION, &bytes[..at]).is_err() && open(QUESTION, &bytes[at + 1..]).is_err());
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                assert!(open(QUESTION, &damaged).is_err(), "bit {bit} of byte {at}");
            }
        }
        assert!(open(QUESTION, &[&bytes[..], b"!"].concat()).is_err());
        let mut later = bytes;
        later[4] = 2;
        assert!(matches!(open(QUESTION, &later), Err(WireError::Version { found: 2, known: 1, .. })));
    }
}
