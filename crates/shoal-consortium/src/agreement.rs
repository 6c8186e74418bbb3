//! What custodians share among themselves: the terms, and the secret that the anchors are drawn from.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use shoal_noise::{NoiseError, NoiseSource, OsNoise, SeededNoise};

use crate::Anchors;
use crate::Terms;

/// Terms and secret. Whoever has it can encode, and can read much out of codes: it is not for the aggregator.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    terms: Terms,
    secret: AnchorSecret,
}

/// The key of the anchors, 256 bits.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct AnchorSecret([u8; 32]);

impl AnchorSecret {
    /// A fresh one from the operating system.
    pub fn new() -> Result<Self, NoiseError> {
        let mut key = [0; 32];
        OsNoise::new()?.fill_bytes(&mut key);
        Ok(Self(key))
    }

    /// One that can be made again, for tests and papers. Anyone can guess it.
    pub fn from_seed(seed: u64) -> Self {
        let mut key = [0; 32];
        SeededNoise::new(seed).fill_bytes(&mut key);
        Self(key)
    }
}

impl Agreement {
    /// An agreement on these terms.
    pub fn new(terms: Terms, secret: AnchorSecret) -> Self {
        Self { terms, secret }
    }

    /// The public part.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The secret part.
    pub fn secret(&self) -> &AnchorSecret {
        &self.secret
    }

    /// Sixteen bytes in hexadecimal that distinguish agreements: of the SHA-256 of terms and secret, so that they give
    /// neither away.
    pub fn fingerprint(&self) -> String {
        // Unwrap safety: terms are numbers and names.
        let terms = serde_json::to_vec(&self.terms).unwrap();
        let mut hash = Sha256::new();
        hash.update(b"shoal consortium agreement 1\0");
        hash.update((terms.len() as u64).to_le_bytes());
        hash.update(&terms);
        hash.update(self.secret.0);
        hash.finalize()[..16].iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The anchors of every attribute, the same for whoever has the agreement.
    pub fn anchors(&self) -> Vec<Anchors> {
        self.draw(&self.terms, 0)
    }

    /// The anchors of the two scalars of a decomposed partition. `pair` is [`Terms::decomposed`] of the terms.
    pub fn pair_anchors(&self, pair: &Terms) -> Anchors {
        let mut anchors = self.draw(pair, 1 << 32);
        anchors.swap_remove(0)
    }

    fn draw(&self, terms: &Terms, first_label: u64) -> Vec<Anchors> {
        let mut source = SeededNoise::from_key(self.secret.0);
        if first_label > 0 {
            source = source.fork(first_label);
        }
        let mut label = first_label;
        let attributes = terms.attributes().iter();
        attributes
            .map(|attribute| {
                label += 1;
                Anchors::draw(attribute, terms.bits(), &mut source.fork(label))
            })
            .collect()
    }
}

impl fmt::Debug for AnchorSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AnchorSecret(hidden)")
    }
}

impl From<AnchorSecret> for String {
    fn from(secret: AnchorSecret) -> Self {
        secret.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl TryFrom<String> for AnchorSecret {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        const FORM: &str = "the anchors' secret is not 64 hexadecimal digits";
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return Err(FORM);
        }
        let mut key = [0; 32];
        for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
            let digit = |d: u8| char::from(d).to_digit(16).ok_or(FORM);
            *byte = (16 * digit(pair[0])? + digit(pair[1])?) as u8;
        }
        Ok(Self(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Attribute, Flips, Scale};
    use shoal_lattice::Interval;

    fn agreement(secret: AnchorSecret, t: f64) -> Agreement {
        let attribute = |name| Attribute::new(name, Interval::new(0.0, 50.0).unwrap(), t).unwrap();
        let terms = Terms::new(vec![attribute("x"), attribute("y")], 100, Flips::None, Scale::Own).unwrap();
        Agreement::new(terms, secret)
    }

    #[test]
    fn the_same_agreement_gives_the_same_anchors_and_another_gives_others() {
        let one = agreement(AnchorSecret::from_seed(1), 25.0);
        assert_eq!(one.anchors(), agreement(AnchorSecret::from_seed(1), 25.0).anchors());
        assert_ne!(one.anchors(), agreement(AnchorSecret::from_seed(2), 25.0).anchors());
        assert_ne!(one.anchors()[0], one.anchors()[1], "each attribute has its own");
        let pair = one.terms().decomposed().unwrap();
        assert_eq!(one.pair_anchors(&pair).len(), 200);
    }

    #[test]
    fn fingerprints_follow_terms_and_secret() {
        let one = agreement(AnchorSecret::from_seed(1), 25.0).fingerprint();
        assert_eq!(one.len(), 32);
        assert_eq!(one, agreement(AnchorSecret::from_seed(1), 25.0).fingerprint());
        assert_ne!(one, agreement(AnchorSecret::from_seed(2), 25.0).fingerprint());
        assert_ne!(one, agreement(AnchorSecret::from_seed(1), 24.0).fingerprint());
    }

    #[test]
    fn a_secret_reads_back_and_is_never_printed() {
        let secret = AnchorSecret::from_seed(7);
        let text = String::from(secret.clone());
        assert_eq!(AnchorSecret::try_from(text.clone()).unwrap(), secret);
        assert!(!format!("{:?}", agreement(secret, 25.0)).contains(&text));
        for bad in ["", "00", &"g".repeat(64), &"é".repeat(32)] {
            assert!(AnchorSecret::try_from(bad.to_string()).is_err(), "{bad}");
        }
    }
}
