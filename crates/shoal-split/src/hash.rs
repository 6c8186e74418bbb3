//! The hashes of the protocol: SHA-256 over parts whose kind, number and lengths are hashed with them, and HMAC-SHA-256.

use std::fmt;

use sha2::{Digest, Sha256};

/// A SHA-256 digest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Hash(pub [u8; 32]);

impl Hash {
    /// Hashes parts. Two different lists of parts, or the same parts under two kinds, have different digests but for a
    /// negligible probability: each length is hashed before its part.
    pub fn of(kind: &str, parts: &[&[u8]]) -> Self {
        let mut hasher = Sha256::new();
        for part in [&b"shoal split 1"[..], kind.as_bytes()].iter().chain(parts) {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self(hasher.finalize().into())
    }

    /// The digest that 64 hexadecimal digits spell.
    pub fn from_hex(text: &str) -> Option<Self> {
        from_hex(text).map(Self)
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({self})")
    }
}

/// Bytes from as many pairs of hexadecimal digits.
pub fn from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let text = text.as_bytes();
    let mut bytes = [0; N];
    if text.len() != 2 * N {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        let digit = |c: u8| (c as char).to_digit(16).filter(|_| !c.is_ascii_uppercase());
        *byte = (digit(pair[0])? * 16 + digit(pair[1])?) as u8;
    }
    Some(bytes)
}

/// Bytes as hexadecimal digits.
pub fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// HMAC-SHA-256 (RFC 2104): a pseudorandom function of the message for whoever lacks the key.
pub fn hmac(key: &[u8; 32], message: &[u8]) -> [u8; 32] {
    let pad = |byte: u8| {
        let mut block = [byte; 64];
        block.iter_mut().zip(key).for_each(|(block, key)| *block ^= key);
        block
    };
    let inner = Sha256::new().chain_update(pad(0x36)).chain_update(message).finalize();
    Sha256::new().chain_update(pad(0x5c)).chain_update(inner).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_run_into_each_other() {
        let hashes = [
            Hash::of("a", &[b"bc", b"d"]),
            Hash::of("a", &[b"b", b"cd"]),
            Hash::of("a", &[b"bcd"]),
            Hash::of("ab", &[b"c", b"d"]),
            Hash::of("a", &[b"bc", b"d", b""]),
        ];
        for (i, one) in hashes.iter().enumerate() {
            assert!(hashes[..i].iter().all(|other| other != one));
        }
    }

    #[test]
    fn hmac_is_that_of_the_standard() {
        // Computed with Python's hmac module.
        let mut key = [0; 32];
        key.iter_mut().enumerate().for_each(|(i, byte)| *byte = i as u8);
        assert_eq!(to_hex(&hmac(&key, b"what do ya want for nothing?")), EXPECTED);
    }

    const EXPECTED: &str = "099805f4ac310786968565c098db515cc50862b420ae31e20238312344bed36a";

    #[test]
    fn digits_are_lower_case_and_complete() {
        assert_eq!(from_hex::<2>("0aff"), Some([10, 255]));
        assert_eq!(from_hex::<2>("0AFF"), None);
        assert_eq!(from_hex::<2>("0af"), None);
        assert_eq!(from_hex::<2>("+a0f"), None);
        assert_eq!(to_hex(&[10, 255]), "0aff");
    }
}
