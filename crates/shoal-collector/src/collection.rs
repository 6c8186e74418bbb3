//! What an operator decides about a collection, and what follows from it.

use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shoal::{Batches, K, Perturb};
use shoal_device::{Client, Design};
use shoal_privacy::Claim;

use crate::error::CollectorError;
use crate::key::KeyHash;
use crate::token::TokenKey;

/// The fewest reports that clusters may be shown from.
pub const LEAST_MINIMUM: u64 = 20;

/// The longest name of a collection.
const LONGEST_ID: usize = 64;

/// Reports that a person may be allowed on one day, at most.
const MOST_PER_DAY: u32 = 100;

/// Days after which a report is too old, at most.
const OLDEST: u32 = 366;

/// A collection as the operator describes it, in JSON:
///
/// ```json
/// {"id": "commute-2026", "design": { … as published … }, "k": "auto", "minimum": 1000,
///  "opens": "2026-03-01T00:00:00Z", "closes": "2026-04-01T00:00:00Z",
///  "most_per_day": 1, "oldest_days": 7, "retention_days": 400}
/// ```
///
/// All but the design may be left out. The name is then the design's identifier.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Collection {
    /// Its name, which is part of addresses: lower-case letters, digits and hyphens.
    #[serde(default)]
    pub id: String,
    /// The design as it is published.
    pub design: Value,
    /// The number of clusters, or `auto`.
    #[serde(default = "auto")]
    pub k: String,
    /// When it opens, such as `2026-03-01T00:00:00Z`; at once if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opens: Option<String>,
    /// When it closes; never if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closes: Option<String>,
    /// Reports that must be there before anything is clustered.
    #[serde(default = "thousand")]
    pub minimum: u64,
    /// Reports that a person sends on one day, at most. Clients keep to it; the composed guarantee is computed from it.
    #[serde(default = "one")]
    pub most_per_day: u32,
    /// Days after which a report is too old to be taken.
    #[serde(default = "week")]
    pub oldest_days: u32,
    /// Days after which reports are deleted; models stay. Never if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention_days: Option<u32>,
    /// The SHA-256, in hexadecimal digits, of a key that whoever sends reports must have: for a server that relays them.
    /// Anybody may send if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relay_key_sha256: Option<String>,
    /// Leave reports out of the clustering that are more in one place than honest people's can plausibly be: forged ones.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub robust: bool,
    /// The public key of whoever issues one-time tokens: each report then needs a token of its own. Not together with a relay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_key: Option<String>,
}

fn auto() -> String {
    "auto".into()
}

fn thousand() -> u64 {
    1000
}

fn one() -> u32 {
    1
}

fn week() -> u32 {
    7
}

/// A collection whose settings have been checked.
#[derive(Clone)]
pub struct Checked {
    /// As described, with its name.
    pub collection: Collection,
    /// The design.
    pub design: Design,
    /// Its mechanism.
    pub client: Client,
    /// The number of clusters.
    pub k: K,
    /// Opening time in seconds since 1970 began.
    pub opens: Option<u64>,
    /// Closing time in seconds since 1970 began.
    pub closes: Option<u64>,
    /// The hash of the key of a relaying server.
    pub relay_key: Option<KeyHash>,
    /// The public key of the issuer of tokens.
    pub token_key: Option<TokenKey>,
}

/// Whether a collection takes reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum State {
    /// Not yet.
    Announced,
    /// Now.
    Open,
    /// No more.
    Closed,
}

impl State {
    /// The word for it in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Announced => "announced",
            Self::Open => "open",
            Self::Closed => "closed",
        }
    }
}

impl Collection {
    /// A collection with the usual settings.
    pub fn new(design: &Design) -> Self {
        Self {
            id: String::new(),
            // Unwrap safety: a design is written as JSON.
            design: serde_json::from_str(&design.to_json()).unwrap(),
            k: auto(),
            opens: None,
            closes: None,
            minimum: thousand(),
            most_per_day: one(),
            oldest_days: week(),
            retention_days: None,
            relay_key_sha256: None,
            robust: false,
            token_key: None,
        }
    }

    /// Reads the description of a collection. Instead of a design there may be `bounds`, which name the columns, and
    /// `epsilon`, both texts: the library then makes the usual design from them.
    ///
    /// # Errors
    /// Text of another shape, and bounds or ε that make no sense.
    pub fn from_json(text: &[u8]) -> Result<Self, CollectorError> {
        let unreadable = |error: serde_json::Error| CollectorError::Unreadable { why: error.to_string() };
        let mut value: Value = serde_json::from_slice(text).map_err(unreadable)?;
        if let Some(fields) = value.as_object_mut()
            && !fields.contains_key("design")
            && let (Some(Value::String(bounds)), Some(Value::String(epsilon))) =
                (fields.remove("bounds"), fields.remove("epsilon"))
        {
            let mut design = Perturb::new(epsilon.as_str())?.bounds(&bounds)?.design()?;
            if let Some(id) = fields.get("id").and_then(Value::as_str) {
                check_id(id)?;
                design = design.with_identifier(id)?;
            }
            fields.insert("design".into(), Self::new(&design).design);
        }
        serde_json::from_value(value).map_err(unreadable)
    }

    /// Checks every setting.
    ///
    /// # Errors
    /// Settings out of range, a design that cannot be used, a mechanism without any guarantee.
    pub fn check(mut self) -> Result<Checked, CollectorError> {
        let design = Design::from_json(&self.design.to_string())?;
        design.numbers_only("a collector")?;
        // A mechanism whose reports protect nobody has no place in a collection.
        let client = Client::new(&design)?;
        if self.id.is_empty() {
            self.id = design.identifier().unwrap_or_default().to_string();
        }
        check_id(&self.id)?;
        let k = K::parse(&self.k)?;
        within("the minimum number of reports", self.minimum, LEAST_MINIMUM.max(most_k(k)), u64::MAX >> 1)?;
        within("the number of reports per person and day", self.most_per_day.into(), 1, MOST_PER_DAY.into())?;
        within("the age of reports in days", self.oldest_days.into(), 1, OLDEST.into())?;
        if let Some(days) = self.retention_days {
            // An identifier is remembered for as long as its report is kept, and a report that is still taken must be known.
            within("the retention in days", days.into(), u64::from(self.oldest_days) + 2, 36_500)?;
        }
        let (opens, closes) = (time("opening time", &self.opens)?, time("closing time", &self.closes)?);
        if let (Some(opens), Some(closes)) = (opens, closes)
            && closes <= opens
        {
            let advice = "give a time after the opening time".into();
            return Err(CollectorError::Setting { what: "the closing time", given: closes.to_string(), advice });
        }
        let relay_key = self.relay_key_sha256.as_deref().map(KeyHash::from_hex).transpose()?;
        let token_key = self.token_key.as_deref().map(TokenKey::from_text).transpose()?;
        if relay_key.is_some() && token_key.is_some() {
            let (what, given) = ("the enrolment", "both a relay's key and an issuer's".into());
            let advice = "give one of them: a relay checks for itself who sends".into();
            return Err(CollectorError::Setting { what, given, advice });
        }
        Ok(Checked { collection: self, design, client, k, opens, closes, relay_key, token_key })
    }
}

impl Checked {
    /// What the reports of one person on one day reveal together, in all units: the losses add up.
    pub fn composed(&self) -> Vec<Claim> {
        let claims = self.client.promises();
        let day =
            |claim: &Claim| (1..self.collection.most_per_day).try_fold(claim.clone(), |all, _| all.then(claim)).ok();
        claims.claims().filter_map(day).collect()
    }

    /// What everybody who sees the models, and nothing else, can learn from a report that will be sent: no model has a batch
    /// of fewer than the minimum. Nothing is known beforehand where reports are deleted by the day, which divides batches.
    pub fn towards_the_public(&self) -> Option<Claim> {
        match self.collection.retention_days {
            Some(_) => None,
            None => Batches::of([self.collection.minimum]).claim(&self.client.promises()),
        }
    }

    /// Who may send reports, in a word.
    pub fn enrolment(&self) -> &'static str {
        match (&self.relay_key, &self.token_key) {
            (Some(_), _) => "relay",
            (None, Some(_)) => "tokens",
            (None, None) => "open",
        }
    }

    /// Whether it takes reports at a time, unless it was closed by hand.
    pub fn state(&self, now: u64) -> State {
        match (self.opens, self.closes) {
            (Some(opens), _) if now < opens => State::Announced,
            (_, Some(closes)) if now >= closes => State::Closed,
            _ => State::Open,
        }
    }
}

/// A time as texts in JSON have it.
pub fn time_text(seconds: u64) -> String {
    i64::try_from(seconds).ok().and_then(|s| Timestamp::from_second(s).ok()).map_or_else(String::new, |t| t.to_string())
}

fn most_k(k: K) -> u64 {
    if k.is_auto() { 1 } else { k.most(1) as u64 }
}

fn within(what: &'static str, given: u64, least: u64, most: u64) -> Result<(), CollectorError> {
    if (least..=most).contains(&given) {
        return Ok(());
    }
    Err(CollectorError::Setting { what, given: given.to_string(), advice: format!("give {least} to {most}") })
}

fn time(what: &'static str, text: &Option<String>) -> Result<Option<u64>, CollectorError> {
    let Some(text) = text else { return Ok(None) };
    let seconds = Timestamp::from_str(text).ok().and_then(|time| u64::try_from(time.as_second()).ok());
    let advice = || "give a time in UTC such as 2026-03-01T00:00:00Z".to_string();
    let given = || text.chars().filter(|c| !c.is_control()).take(40).collect();
    seconds.map(Some).ok_or_else(|| CollectorError::Setting { what, given: given(), advice: advice() })
}

fn check_id(id: &str) -> Result<(), CollectorError> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if (1..=LONGEST_ID).contains(&id.len()) && id.chars().all(fits) {
        return Ok(());
    }
    let given = id.chars().filter(|c| !c.is_control()).take(80).collect::<String>();
    let given = if given.is_empty() { "empty".to_string() } else { format!("`{given}`") };
    let advice = format!("give 1 to {LONGEST_ID} lower-case letters, digits and hyphens, such as commute-2026");
    Err(CollectorError::Setting { what: "the name of the collection", given, advice })
}
