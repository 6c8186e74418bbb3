//! One-time tokens for reports.
//!
//! Three parties: the *issuer* knows people's accounts and signs one token for each answer that a person may give. The
//! *device* makes the token, blinds it, has it signed, and removes the blinding. The *collector* knows the issuer's public key
//! and takes a report only with a token that was not spent before. The signature is blind (RFC 9474,
//! RSABSSA-SHA384-PSS-Deterministic, as in Privacy Pass): what the issuer sees is independent of the token, so issuer and
//! collector together cannot link an account to a report by their records. They still can by time and network address, if
//! a device fetches its token and spends it at once.
//!
//! ```
//! use shoal_tokens::{Issuer, Request, Token};
//!
//! let issuer = Issuer::generate()?;
//! let key = issuer.key();                          // published with the collection
//! let request = Request::new(&key)?;               // on the device
//! let signature = issuer.sign(request.blinded())?; // by whoever knows the account, once for each answer
//! let token = request.finish(&signature)?;         // on the device again
//! let sent = token.to_text();                      // with the report
//! let token = Token::from_text(&sent)?;            // at the collector
//! assert!(token.is_signed_by(&key));
//! # Ok::<(), shoal_tokens::TokenError>(())
//! ```

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use blind_rsa_signatures::{
    BlindMessage, BlindSignature, BlindingResult, DefaultRng, KeyPairSha384PSSDeterministic,
    PublicKeySha384PSSDeterministic, SecretKeySha384PSSDeterministic, Signature,
};
use sha2::{Digest, Sha256};

/// Bits of an issuer's key.
const BITS: usize = 2048;

/// Random bytes of a token.
const NONCE: usize = 32;

/// What comes before the random bytes in the message that is signed, so that no other signature passes for a token.
const PREFIX: &[u8] = b"shoal token 1:";

/// What comes before the random bytes in the mark of a spent token.
const MARK: &[u8] = b"shoal spent token 1:";

/// The longest text that is read as a token, a key or a signature.
const LONGEST: usize = 2000;

/// Why a key, a signature or a token cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// A text that is no key.
    #[error("this is not a key of an issuer; give the RSA key, 2048 to 4096 bits, that `shoal token key` wrote")]
    Key,
    /// A text that is no blinded token or signature.
    #[error("this is not a token, a blinded token or a signature; give it as it was sent")]
    Unreadable,
    /// The operating system gave no randomness.
    #[error("the operating system gives no randomness; try again")]
    Randomness,
    /// A signature by another key, or of something else.
    #[error("the issuer's signature does not fit; check that the issuer uses the key of this collection")]
    Signature,
}

impl TokenError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(self) -> &'static str {
        match self {
            Self::Key => "token-key",
            Self::Unreadable => "token-unreadable",
            Self::Randomness => "token-randomness",
            Self::Signature => "token-signature",
        }
    }
}

fn read(text: &str, otherwise: TokenError) -> Result<Vec<u8>, TokenError> {
    let text = text.trim();
    if text.len() > LONGEST {
        return Err(otherwise);
    }
    URL_SAFE_NO_PAD.decode(text).map_err(|_| otherwise)
}

/// Whoever gives tokens out: it knows people's accounts and has the private key.
pub struct Issuer(SecretKeySha384PSSDeterministic);

impl Issuer {
    /// A fresh key.
    ///
    /// # Errors
    /// None that is known of: the key has a size that the signatures support.
    pub fn generate() -> Result<Self, TokenError> {
        KeyPairSha384PSSDeterministic::generate(&mut DefaultRng, BITS)
            .map(|pair| Self(pair.sk))
            .map_err(|_| TokenError::Key)
    }

    /// A private key from a PEM file.
    ///
    /// # Errors
    /// Another text.
    pub fn from_pem(pem: &str) -> Result<Self, TokenError> {
        let issuer = SecretKeySha384PSSDeterministic::from_pem(pem).map(Self).map_err(|_| TokenError::Key)?;
        issuer.0.public_key().map_err(|_| TokenError::Key)?;
        Ok(issuer)
    }

    /// The private key as PEM. Whoever has it can make any number of tokens.
    ///
    /// # Errors
    /// None that is known of: the key can be written.
    pub fn to_pem(&self) -> Result<String, TokenError> {
        self.0.to_pem().map_err(|_| TokenError::Key)
    }

    /// The public key, which collector and devices know.
    pub fn key(&self) -> TokenKey {
        // Unwrap safety: the key was generated here, or its public part was computed when it was read.
        TokenKey(self.0.public_key().unwrap())
    }

    /// Signs a blinded token, and learns nothing about it. Do this once for each answer that a person may give.
    ///
    /// # Errors
    /// Something that no device makes under this key.
    pub fn sign(&self, blinded: &str) -> Result<String, TokenError> {
        let blinded = BlindMessage(read(blinded, TokenError::Unreadable)?);
        let signature = self.0.blind_sign(&blinded).map_err(|_| TokenError::Unreadable)?;
        Ok(URL_SAFE_NO_PAD.encode(&signature.0))
    }
}

/// The public key of an issuer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenKey(PublicKeySha384PSSDeterministic);

impl TokenKey {
    /// The key from its text.
    ///
    /// # Errors
    /// Another text, or a key of fewer than 2048 or more than 4096 bits.
    pub fn from_text(text: &str) -> Result<Self, TokenError> {
        let der = read(text, TokenError::Key)?;
        PublicKeySha384PSSDeterministic::from_der(&der).map(Self).map_err(|_| TokenError::Key)
    }

    /// The key as a text: its DER form (SubjectPublicKeyInfo) in base64url.
    pub fn to_text(&self) -> String {
        // Unwrap safety: a key that was read or made can be written.
        URL_SAFE_NO_PAD.encode(self.0.to_der().unwrap())
    }
}

/// A token in the making, on a device: blinded, and not signed yet.
pub struct Request {
    key: TokenKey,
    nonce: [u8; NONCE],
    blinding: BlindingResult,
    blinded: String,
}

fn message(nonce: &[u8; NONCE]) -> Vec<u8> {
    [PREFIX, nonce].concat()
}

impl Request {
    /// A fresh token under an issuer's key, with randomness of the operating system.
    ///
    /// # Errors
    /// A key that cannot be used.
    pub fn new(key: &TokenKey) -> Result<Self, TokenError> {
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce).map_err(|_| TokenError::Randomness)?;
        let blinding = key.0.blind(&mut DefaultRng, message(&nonce)).map_err(|_| TokenError::Key)?;
        let blinded = URL_SAFE_NO_PAD.encode(&blinding.blind_message.0);
        Ok(Self { key: key.clone(), nonce, blinding, blinded })
    }

    /// What the issuer is asked to sign. It says nothing about the token.
    pub fn blinded(&self) -> &str {
        &self.blinded
    }

    /// The token, with the issuer's answer.
    ///
    /// # Errors
    /// A signature that does not fit.
    pub fn finish(self, signature: &str) -> Result<Token, TokenError> {
        let signature = BlindSignature(read(signature, TokenError::Unreadable)?);
        let finished = self.key.0.finalize(&signature, &self.blinding, message(&self.nonce));
        let signature = finished.map_err(|_| TokenError::Signature)?.0;
        Ok(Token { nonce: self.nonce, signature })
    }
}

/// A token, to be spent on one report.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    nonce: [u8; NONCE],
    signature: Vec<u8>,
}

/// Nothing that could be spent from a log.
impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

impl Token {
    /// A token from its text.
    ///
    /// # Errors
    /// Another text.
    pub fn from_text(text: &str) -> Result<Self, TokenError> {
        let bytes = read(text, TokenError::Unreadable)?;
        let (nonce, signature) = bytes.split_first_chunk::<NONCE>().ok_or(TokenError::Unreadable)?;
        if signature.is_empty() {
            return Err(TokenError::Unreadable);
        }
        Ok(Self { nonce: *nonce, signature: signature.to_vec() })
    }

    /// As it is sent: its random bytes and the signature, in base64url.
    pub fn to_text(&self) -> String {
        URL_SAFE_NO_PAD.encode([&self.nonce[..], &self.signature].concat())
    }

    /// Whether the issuer signed it.
    pub fn is_signed_by(&self, key: &TokenKey) -> bool {
        key.0.verify(&Signature(self.signature.clone()), None, message(&self.nonce)).is_ok()
    }

    /// What a collector keeps of it when it is spent. The token cannot be found from it.
    pub fn mark(&self) -> [u8; 32] {
        Sha256::digest([MARK, &self.nonce[..]].concat()).into()
    }
}
