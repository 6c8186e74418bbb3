//! The charter: one public file that names everyone who takes part, with their keys and all limits (R1).

mod error;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use shoal_lattice::{Bounds, Interval};
use shoal_privacy::{Amount, Epsilon};

pub use error::CharterError;

use crate::hash::{Hash, from_hex, to_hex};
use crate::party::Party;

/// The version of the file.
const VERSION: u32 = 1;

/// More parties than any consortium has; their places fit into a byte.
const MOST_CUSTODIANS: usize = 200;

const MOST_HELPERS: usize = 5;

const LONGEST_NAME: usize = 64;

/// The public half of an Ed25519 key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PublicKey(pub [u8; 32]);

impl PublicKey {
    /// `ed25519:` and 64 hexadecimal digits.
    pub fn to_text(self) -> String {
        format!("ed25519:{}", to_hex(&self.0))
    }

    /// A key from [`PublicKey::to_text`].
    pub fn from_text(text: &str) -> Option<Self> {
        text.trim().strip_prefix("ed25519:").and_then(from_hex).map(Self)
    }
}

/// A custodian or a driver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// A short name.
    pub name: String,
    /// The pinned key, as [`PublicKey::to_text`] writes it.
    pub key: String,
}

/// A helper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HelperEntry {
    /// A short name.
    pub name: String,
    /// The organisation that runs it. Two helpers of one organisation are no split of trust.
    pub operator: String,
    /// Host and port.
    pub at: String,
    /// The pinned key.
    pub key: String,
}

/// A column and its public bounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnEntry {
    /// As in the tables.
    pub name: String,
    /// The lower bound.
    pub lowest: f64,
    /// The upper bound.
    pub highest: f64,
}

/// What a charter says, before it is checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CharterText {
    /// 1.
    pub version: u32,
    /// The fewest custodians that a run may have: with two, each sees the noisy sums of the other.
    pub least_custodians: usize,
    /// The largest ε of a run.
    pub max_epsilon: String,
    /// c, when every custodian also adds noise of its own at c times the budget; or `none`.
    pub fallback: String,
    /// The deadline of each round.
    pub round_seconds: u32,
    /// Columns in their order.
    #[serde(rename = "column")]
    pub columns: Vec<ColumnEntry>,
    /// Those who hold rows.
    #[serde(rename = "custodian")]
    pub custodians: Vec<Member>,
    /// Those who add shares.
    #[serde(rename = "helper")]
    pub helpers: Vec<HelperEntry>,
    /// Those who may ask.
    #[serde(rename = "driver")]
    pub drivers: Vec<Member>,
}

/// A charter that was checked.
///
/// ```
/// use shoal_split::Charter;
///
/// let key = |digit: &str| format!("ed25519:{}", digit.repeat(64));
/// let text = format!(r#"
/// version = 1
/// least_custodians = 2
/// max_epsilon = "1"
/// fallback = "none"
/// round_seconds = 600
/// column = [{{ name = "age", lowest = 17, highest = 90 }}]
/// custodian = [{{ name = "north", key = "{}" }}, {{ name = "south", key = "{}" }}]
/// driver = [{{ name = "study", key = "{}" }}]
/// [[helper]]
/// name = "uni"
/// operator = "Uni Nord"
/// at = "helper.uni.example:7443"
/// key = "{}"
/// [[helper]]
/// name = "trust"
/// operator = "Data Trust"
/// at = "h.trust.example:7443"
/// key = "{}"
/// "#, key("1"), key("2"), key("3"), key("4"), key("5"));
/// let charter = Charter::from_toml(&text)?;
/// assert_eq!(Charter::from_toml(&charter.to_toml())?.fingerprint(), charter.fingerprint());
/// # Ok::<(), shoal_split::CharterError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Charter {
    text: CharterText,
    bounds: Bounds,
    max_epsilon: Epsilon,
    fallback: Option<Amount>,
    keys: Vec<(Party, PublicKey)>,
    fingerprint: Hash,
}

impl Charter {
    /// Reads a charter file.
    pub fn from_toml(text: &str) -> Result<Self, CharterError> {
        if text.len() > 1 << 20 {
            return Err(CharterError::TooLong);
        }
        let parsed: CharterText = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| 1 + text[..span.start.min(text.len())].matches('\n').count());
            CharterError::NotToml { line, why: error.message().to_string() }
        })?;
        Self::new(parsed)
    }

    /// Checks what a charter says.
    pub fn new(text: CharterText) -> Result<Self, CharterError> {
        if text.version != VERSION {
            return Err(CharterError::Version { found: text.version });
        }
        let custodians = text.custodians.len();
        // R1: with two members each sees the other's noisy sums, so fewer than three must be asked for.
        if custodians < text.least_custodians.max(2) {
            return Err(CharterError::FewCustodians { there: custodians, least: text.least_custodians.max(2) });
        }
        if custodians > MOST_CUSTODIANS {
            return Err(CharterError::ManyCustodians { there: custodians, most: MOST_CUSTODIANS });
        }
        if !(2..=MOST_HELPERS).contains(&text.helpers.len()) {
            return Err(CharterError::Helpers { there: text.helpers.len(), most: MOST_HELPERS });
        }
        if text.drivers.is_empty() || text.drivers.len() > MOST_CUSTODIANS {
            return Err(CharterError::Drivers { there: text.drivers.len() });
        }
        if !(1..=86_400).contains(&text.round_seconds) {
            return Err(CharterError::RoundSeconds { given: text.round_seconds });
        }
        let max_epsilon: Epsilon = positive(&text.max_epsilon, "max_epsilon")?;
        let fallback = match text.fallback.as_str() {
            "none" => None,
            given => match given.parse::<Amount>() {
                Ok(times) if times >= Amount::ONE && times <= Amount::ratio(1000, 1) => Some(times),
                _ => return Err(CharterError::Fallback { given: shown(given) }),
            },
        };
        check_names(&text)?;
        let bounds = bounds(&text.columns)?;
        let keys = keys(&text)?;
        check_operators(&text.helpers)?;
        // Unwrap safety: strings, numbers and lists, which JSON can always write; bounds were found to be finite.
        let fingerprint = Hash::of("charter", &[&serde_json::to_vec(&text).unwrap()]);
        Ok(Self { text, bounds, max_epsilon, fallback, keys, fingerprint })
    }

    /// The file.
    pub fn to_toml(&self) -> String {
        // Unwrap safety: a struct of strings, numbers and lists of such structs, which TOML can write in this order.
        toml::to_string(&self.text).unwrap()
    }

    /// What everyone compares: the hash of everything in the charter.
    pub fn fingerprint(&self) -> Hash {
        self.fingerprint
    }

    /// The first 128 bits of the fingerprint in groups, to be read out on the telephone.
    pub fn spoken_fingerprint(&self) -> String {
        let digits = to_hex(&self.fingerprint.0[..16]);
        let groups = digits.as_bytes().chunks(4).map(|group| String::from_utf8_lossy(group).into_owned());
        groups.collect::<Vec<_>>().join(" ")
    }

    /// The columns and their bounds.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// The largest ε of a run.
    pub fn max_epsilon(&self) -> &Epsilon {
        &self.max_epsilon
    }

    /// c, when every custodian also adds noise of its own at c times the budget.
    pub fn fallback(&self) -> Option<&Amount> {
        self.fallback.as_ref()
    }

    /// The deadline of each round, in seconds.
    pub fn round_seconds(&self) -> u32 {
        self.text.round_seconds
    }

    /// Number of custodians.
    pub fn custodians(&self) -> usize {
        self.text.custodians.len()
    }

    /// Number of helpers.
    pub fn helpers(&self) -> usize {
        self.text.helpers.len()
    }

    /// Number of drivers.
    pub fn drivers(&self) -> usize {
        self.text.drivers.len()
    }

    /// The helpers.
    pub fn helper_entries(&self) -> &[HelperEntry] {
        &self.text.helpers
    }

    /// Whether a party is in the charter.
    pub fn has(&self, party: Party) -> bool {
        self.keys.iter().any(|(other, _)| *other == party)
    }

    /// The party with this key.
    pub fn party_of(&self, key: &PublicKey) -> Option<Party> {
        self.keys.iter().find(|(_, other)| other == key).map(|(party, _)| *party)
    }

    /// The key of a party.
    pub fn key_of(&self, party: Party) -> Option<&PublicKey> {
        self.keys.iter().find(|(other, _)| *other == party).map(|(_, key)| key)
    }

    /// A party's name.
    pub fn name_of(&self, party: Party) -> &str {
        let name = match party {
            Party::Custodian(i) => self.text.custodians.get(usize::from(i)).map(|it| &it.name),
            Party::Helper(i) => self.text.helpers.get(usize::from(i)).map(|it| &it.name),
            Party::Driver(i) => self.text.drivers.get(usize::from(i)).map(|it| &it.name),
        };
        name.map_or("a party that is not in the charter", String::as_str)
    }

    /// A party with its role and name, for people.
    pub fn describe(&self, party: Party) -> String {
        let role = match party {
            Party::Custodian(_) => "custodian",
            Party::Helper(_) => "helper",
            Party::Driver(_) => "driver",
        };
        format!("{role} {}", self.name_of(party))
    }

    /// Every custodian.
    pub fn all_custodians(&self) -> impl Iterator<Item = Party> + use<> {
        (0..self.text.custodians.len() as u8).map(Party::Custodian)
    }

    /// Every helper.
    pub fn all_helpers(&self) -> impl Iterator<Item = Party> + use<> {
        (0..self.text.helpers.len() as u8).map(Party::Helper)
    }

    /// What should be known before the charter is agreed on.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let host = |at: &str| at.rsplit_once(':').map_or(at, |(host, _)| host).to_string();
        let hosts: BTreeSet<String> = self.text.helpers.iter().map(|it| host(&it.at)).collect();
        // R14: two helpers on one machine are in one pair of hands.
        if hosts.len() < self.text.helpers.len() {
            warnings.push("two helpers have the same host: whoever runs that machine sees all shares".into());
        }
        if self.text.custodians.len() == 2 {
            warnings.push(
                "with two custodians, each of them learns the other's sums under noise that hides one row and not the institution"
                    .into(),
            );
        }
        warnings
    }
}

fn positive(text: &str, what: &'static str) -> Result<Epsilon, CharterError> {
    match text.parse::<Epsilon>() {
        Ok(epsilon) if epsilon > Epsilon::ZERO => Ok(epsilon),
        _ => Err(CharterError::Epsilon { what, given: shown(text) }),
    }
}

/// A value for a message, without characters that could confuse a terminal.
fn shown(text: &str) -> String {
    text.chars().take(40).filter(|c| !shoal_privacy::is_unprintable(*c)).collect()
}

fn check_names(text: &CharterText) -> Result<(), CharterError> {
    let members = text.custodians.iter().chain(&text.drivers).map(|it| &it.name);
    let names: Vec<&String> = members.chain(text.helpers.iter().map(|it| &it.name)).collect();
    for (i, name) in names.iter().enumerate() {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(plain) {
            return Err(CharterError::Name { name: shown(name) });
        }
        if names[..i].contains(name) {
            return Err(CharterError::SameName { name: shown(name) });
        }
    }
    Ok(())
}

fn bounds(columns: &[ColumnEntry]) -> Result<Bounds, CharterError> {
    if columns.is_empty() || columns.len() > 10_000 {
        return Err(CharterError::Columns { there: columns.len() });
    }
    let mut seen = BTreeSet::new();
    let mut intervals = Vec::new();
    for column in columns {
        if column.name.is_empty() || column.name.len() > 256 || column.name.chars().any(shoal_privacy::is_unprintable) {
            return Err(CharterError::ColumnName { name: shown(&column.name) });
        }
        if !seen.insert(&column.name) {
            return Err(CharterError::SameColumn { name: shown(&column.name) });
        }
        intervals.push(Interval::new(column.lowest, column.highest)?);
    }
    Ok(Bounds::new(columns.iter().map(|it| it.name.clone()).collect(), intervals)?)
}

/// R14: every party has a key of its own.
fn keys(text: &CharterText) -> Result<Vec<(Party, PublicKey)>, CharterError> {
    let custodians =
        text.custodians.iter().enumerate().map(|(i, it)| (Party::Custodian(i as u8), it.name.as_str(), &it.key));
    let helpers = text.helpers.iter().enumerate().map(|(i, it)| (Party::Helper(i as u8), it.name.as_str(), &it.key));
    let drivers = text.drivers.iter().enumerate().map(|(i, it)| (Party::Driver(i as u8), it.name.as_str(), &it.key));
    let mut keys: Vec<(Party, PublicKey)> = Vec::new();
    for (party, name, key) in custodians.chain(helpers).chain(drivers) {
        let key = PublicKey::from_text(key).ok_or_else(|| CharterError::Key { of: name.into() })?;
        if keys.iter().any(|(_, other)| *other == key) {
            return Err(CharterError::SameKey { of: name.into() });
        }
        keys.push((party, key));
    }
    Ok(keys)
}

/// R14: helpers of one organisation are no split of trust.
fn check_operators(helpers: &[HelperEntry]) -> Result<(), CharterError> {
    for (i, helper) in helpers.iter().enumerate() {
        let operator = |it: &HelperEntry| it.operator.trim().to_lowercase();
        if operator(helper).is_empty()
            || helper.operator.len() > 200
            || helper.operator.chars().any(shoal_privacy::is_unprintable)
        {
            return Err(CharterError::Operator { of: helper.name.clone() });
        }
        if helpers[..i].iter().any(|other| operator(other) == operator(helper)) {
            return Err(CharterError::SameOperator { operator: shown(&helper.operator) });
        }
        let port = helper
            .at
            .rsplit_once(':')
            .filter(|(host, _)| !host.is_empty())
            .and_then(|(_, port)| port.parse::<u16>().ok());
        if port.is_none_or(|port| port == 0)
            || helper.at.len() > 300
            || helper.at.chars().any(|c| c.is_whitespace() || shoal_privacy::is_unprintable(c))
        {
            return Err(CharterError::At { of: helper.name.clone() });
        }
        if helpers[..i].iter().any(|other| other.at == helper.at) {
            return Err(CharterError::SameAt { of: helper.name.clone() });
        }
    }
    Ok(())
}
