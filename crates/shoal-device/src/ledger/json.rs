//! A device's ledger as JSON, for the app to store. Losses are fractions in texts, because a JSON number would be rounded.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use shoal_privacy::{Amount, Assumption, Claim, Epsilon, Loss, Neighbours, Numerics};

use super::{Answered, DeviceLedger};
use crate::DeviceError;
use crate::wire::{decode, encode};

/// The version that is written and read.
const VERSION: u64 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    version: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    total: Option<String>,
    collections: BTreeMap<String, WrittenAnswer>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenAnswer {
    digest: String,
    epsilon: String,
    numerics: Numerics,
    assumes: Vec<Assumption>,
    reports: u32,
    /// The last report in the binary form, in hexadecimal digits.
    sent: String,
}

impl DeviceLedger {
    /// The state to store.
    pub fn to_json(&self) -> String {
        let written = |answered: &Answered| WrittenAnswer {
            digest: answered.digest.clone(),
            epsilon: super::pure(&answered.claim).map_or_else(String::new, fraction),
            numerics: answered.claim.numerics,
            assumes: answered.claim.assumes.iter().copied().collect(),
            reports: answered.reports,
            sent: encode(std::slice::from_ref(&answered.sent)).iter().map(|byte| format!("{byte:02x}")).collect(),
        };
        let collections = self.collections.iter().map(|(name, answered)| (name.clone(), written(answered))).collect();
        let written = Written { version: VERSION, total: self.total.as_ref().map(fraction), collections };
        // Unwrap safety: texts and whole numbers under fixed names.
        serde_json::to_string(&written).unwrap()
    }

    /// Reads a stored state. An empty text is an empty ledger.
    ///
    /// # Errors
    /// When the text is not what [`Self::to_json`] of this version wrote. Do not go on with an empty ledger then: what was
    /// sent before would be forgotten.
    pub fn from_json(text: &str) -> Result<Self, DeviceError> {
        if text.trim().is_empty() {
            return Ok(Self::new());
        }
        let unreadable = |why: String| DeviceError::LedgerUnreadable { why };
        let written: Written = serde_json::from_str(text).map_err(|error| unreadable(error.to_string()))?;
        if written.version != VERSION {
            return Err(unreadable(format!("it has version {}, and version {VERSION} is known", written.version)));
        }
        let epsilon = |text: &str| {
            text.parse::<Amount>().map(Epsilon::new).map_err(|_| unreadable("an ε in it is not a number".into()))
        };
        let mut ledger = Self { total: written.total.as_deref().map(epsilon).transpose()?, ..Self::default() };
        for (name, answer) in written.collections {
            let body = bytes(&answer.sent).ok_or_else(|| unreadable("a report in it is not hexadecimal".into()))?;
            let sent = decode(&body, 1).map_err(|error| unreadable(error.to_string()))?;
            let [sent] = <[_; 1]>::try_from(sent).map_err(|_| unreadable("a report in it is not one".into()))?;
            if answer.reports == 0 {
                return Err(unreadable("a collection in it has no reports".into()));
            }
            let claim = Claim {
                neighbours: Neighbours::AnyTwoInputs,
                loss: Loss::Pure(epsilon(&answer.epsilon)?),
                numerics: answer.numerics,
                assumes: answer.assumes.into_iter().collect(),
            };
            let answered = Answered { digest: answer.digest, claim, reports: answer.reports, sent };
            ledger.collections.insert(name, answered);
        }
        Ok(ledger)
    }
}

/// The exact fraction.
fn fraction(epsilon: &Epsilon) -> String {
    let exact = epsilon.amount().as_rational();
    format!("{}/{}", exact.numerator(), exact.denominator())
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| Some((digit(*pair.first()?)? << 4 | digit(*pair.get(1)?)?) as u8)).collect()
}
