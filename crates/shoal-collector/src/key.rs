//! Keys, of which the server knows the hash only.

use sha2::{Digest, Sha256};

use crate::error::CollectorError;

/// The SHA-256 of a key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    /// The hash of a key.
    pub fn of(key: &str) -> Self {
        Self(Sha256::digest(key).into())
    }

    /// A hash in 64 hexadecimal digits.
    ///
    /// # Errors
    /// Another text.
    pub fn from_hex(text: &str) -> Result<Self, CollectorError> {
        let wrong = || CollectorError::Setting {
            what: "the hash of the relay's key",
            given: format!("{} characters", text.chars().count()),
            advice: "give the SHA-256 of the key in 64 lower-case hexadecimal digits".into(),
        };
        let digit = |byte: &u8| match byte {
            b'0'..=b'9' => Ok(byte - b'0'),
            b'a'..=b'f' => Ok(byte - b'a' + 10),
            _ => Err(wrong()),
        };
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if pairs.len() != 32 || !rest.is_empty() {
            return Err(wrong());
        }
        let mut hash = [0; 32];
        for (byte, [high, low]) in hash.iter_mut().zip(pairs) {
            *byte = digit(high)? << 4 | digit(low)?;
        }
        Ok(Self(hash))
    }

    /// The hash in hexadecimal digits.
    pub fn to_hex(self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Whether this is the key. Takes as long for a wrong one.
    pub fn is_of(&self, key: &str) -> bool {
        let given = Self::of(key);
        given.0.iter().zip(&self.0).fold(0, |different, (a, b)| different | (a ^ b)) == 0
    }
}

/// The key in a header `authorization: Bearer …`.
pub(crate) fn bearer(headers: &axum::http::HeaderMap) -> Option<&str> {
    let given = headers.get(axum::http::header::AUTHORIZATION)?.to_str().ok()?;
    given.strip_prefix("Bearer ").map(str::trim)
}
