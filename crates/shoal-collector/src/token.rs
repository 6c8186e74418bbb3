//! One-time tokens, as far as a collector knows them: whether an issuer signed one, and what is kept of one that was spent.
//!
//! The signatures are those of RFC 9474, RSABSSA-SHA384-PSS-Deterministic. They are made blindly: whoever signs does not see the
//! token. To a verifier they are RSA-PSS signatures like any others. Nothing here has a private key.

use ring::signature::{RSA_PSS_2048_8192_SHA384, UnparsedPublicKey};
use sha2::{Digest, Sha256};

use crate::error::CollectorError;
use crate::store::TokenMark;

/// Random bytes of a token.
const NONCE: usize = 32;

/// What comes before the random bytes in the message that is signed, so that no other signature passes for a token.
const PREFIX: &[u8] = b"shoal token 1:";

/// What comes before the random bytes in the mark of a spent token.
const MARK: &[u8] = b"shoal spent token 1:";

/// The longest text that is read as a token or a key.
const LONGEST: usize = 2000;

/// The identifier of RSA keys in a SubjectPublicKeyInfo.
const RSA: [u8; 15] = [0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00];

/// The public key of an issuer of tokens: RSA, 2048 to 4096 bits, exponent 65537.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenKey(Vec<u8>);

impl TokenKey {
    /// The key from its text: the DER form that `openssl pkey -pubout -outform DER` writes, in base64url.
    ///
    /// # Errors
    /// Another text or another kind of key.
    pub fn from_text(text: &str) -> Result<Self, CollectorError> {
        let der = from_base64url(text);
        let key = der.as_deref().and_then(rsa_key).map(|key| Self(key.to_vec()));
        key.ok_or_else(|| CollectorError::Setting {
            what: "the key of the issuer of tokens",
            given: format!("{} characters", text.chars().count()),
            advice: "give the DER form of an RSA public key of 2048 to 4096 bits with the exponent 65537, in base64url"
                .into(),
        })
    }
}

/// A token that came with a report.
pub struct Token {
    nonce: [u8; NONCE],
    signature: Vec<u8>,
}

impl Token {
    /// A token from its text: random bytes and signature, in base64url.
    pub fn from_text(text: &str) -> Option<Self> {
        let bytes = from_base64url(text)?;
        let (nonce, signature) = bytes.split_first_chunk::<NONCE>()?;
        Some(Self { nonce: *nonce, signature: signature.to_vec() })
    }

    /// Whether the issuer signed it.
    pub fn is_signed_by(&self, key: &TokenKey) -> bool {
        let message = [PREFIX, &self.nonce].concat();
        UnparsedPublicKey::new(&RSA_PSS_2048_8192_SHA384, &key.0).verify(&message, &self.signature).is_ok()
    }

    /// What is kept of it when it is spent. The token cannot be found from it.
    pub fn mark(&self) -> TokenMark {
        Sha256::digest([MARK, &self.nonce].concat()).into()
    }
}

/// What a text in base64url without padding stands for.
fn from_base64url(text: &str) -> Option<Vec<u8>> {
    let text = text.trim();
    if text.len() > LONGEST || text.len() % 4 == 1 {
        return None;
    }
    let (mut bytes, mut bits, mut count) = (Vec::with_capacity(text.len()), 0_u32, 0);
    for letter in text.bytes() {
        let six = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'-' => 62,
            b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    // What is left over is zero, so that a token has one text.
    (bits == 0).then_some(bytes)
}

/// The contents of a DER element with a tag, and what follows it.
fn element(tag: u8, bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&[found, first], mut rest) = bytes.split_first_chunk::<2>()?;
    let length = match first {
        0..=0x7f => usize::from(first),
        0x81 | 0x82 => {
            let (number, after) = rest.split_at_checked(usize::from(first - 0x80))?;
            rest = after;
            number.iter().fold(0, |length, &byte| length << 8 | usize::from(byte))
        }
        _ => return None,
    };
    if found == tag { rest.split_at_checked(length) } else { None }
}

/// The RSA key (PKCS #1) in a SubjectPublicKeyInfo.
fn rsa_key(der: &[u8]) -> Option<&[u8]> {
    let (info, []) = element(0x30, der)? else { return None };
    let (bits, []) = element(0x03, info.strip_prefix(&RSA)?)? else { return None };
    let key = bits.strip_prefix(&[0])?;
    let (numbers, []) = element(0x30, key)? else { return None };
    let (modulus, rest) = element(0x02, numbers)?;
    let (exponent, []) = element(0x02, rest)? else { return None };
    let modulus = modulus.strip_prefix(&[0])?;
    let fits = (256..=512).contains(&modulus.len()) && modulus[0] & 0x80 != 0 && exponent == [1, 0, 1];
    fits.then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64url_is_read_as_it_is_written_and_in_one_way_only() {
        for (text, bytes) in
            [("", &b""[..]), ("AA", b"\0"), ("_-8", b"\xff\xef"), ("c2hvYWw", b"shoal"), ("AAAA", b"\0\0\0")]
        {
            assert_eq!(from_base64url(text).as_deref(), Some(bytes), "{text}");
        }
        for text in ["A", "AB", "c2hvYWx", "AA==", "A+", "é", "AAAAA"] {
            assert_eq!(from_base64url(text), None, "{text}");
        }
    }
}
