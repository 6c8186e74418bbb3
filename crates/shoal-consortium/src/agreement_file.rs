//! An agreement as a file, which custodians hand to each other and to nobody else.
//!
//! ```text
//! {"kind": "shoal-consortium-agreement", "version": 1, "terms": { … }, "anchor_secret": "64 hexadecimal digits",
//!  "seeded": false, "fingerprint": "32 hexadecimal digits", "shoal": "0.1.0"}
//! ```
//!
//! The fingerprint is computed again when the file is read: custodians whose terms or secrets differ by a single digit
//! would make codes that cannot be compared, and nothing in the codes would show it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Terms;
use crate::{Agreement, AnchorSecret};

/// What the file says it is.
const KIND: &str = "shoal-consortium-agreement";

/// The version this program writes and reads.
pub const AGREEMENT_VERSION: u32 = 1;

/// An agreement has a line for each attribute; beyond this it is some other file.
const FILE_LIMIT: u64 = 16 << 20;

/// An agreement as it is kept in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct AgreementFile {
    /// The agreement.
    pub agreement: Agreement,
    /// The anchors came from a seed, so that anyone can guess them. What the flipped bits promise does not rest on the
    /// anchors' secrecy, but nothing else is left in the way of whoever gets the codes.
    pub seeded: bool,
}

/// The file as it is written.
#[derive(Serialize, Deserialize)]
struct Written {
    kind: String,
    version: u32,
    terms: Terms,
    anchor_secret: AnchorSecret,
    seeded: bool,
    fingerprint: String,
    shoal: String,
}

/// Why a file could not be read as an agreement. Never quotes the file: it holds a secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgreementFileError {
    /// Not there, or not to be read.
    #[error("{name} cannot be read ({source}); check the name and its permissions")]
    Io {
        /// The file.
        name: String,
        /// The error of the system.
        source: io::Error,
    },
    /// Another kind of file.
    #[error("{name} is no agreement of a consortium ({why}); give the file that `shoal consortium init` wrote")]
    Foreign {
        /// The file.
        name: String,
        /// What it is instead.
        why: String,
    },
    /// Another version of the format.
    #[error(
        "{name} is an agreement of version {found}, and this program reads version {AGREEMENT_VERSION}; use a program that reads it"
    )]
    Version {
        /// The file.
        name: String,
        /// The version in the file.
        found: u64,
    },
    /// Not what was written.
    #[error(
        "{name} is damaged or was edited ({why}); make a new agreement with `shoal consortium init` and give it to all custodians"
    )]
    Edited {
        /// The file.
        name: String,
        /// What does not fit.
        why: String,
    },
}

impl AgreementFileError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Io { .. } => "cannot-read-agreement",
            Self::Foreign { .. } => "not-an-agreement",
            Self::Version { .. } => "agreement-version",
            Self::Edited { .. } => "agreement-damaged",
        }
    }
}

impl AgreementFile {
    /// The file's text.
    pub fn to_json(&self) -> String {
        let written = Written {
            kind: KIND.into(),
            version: AGREEMENT_VERSION,
            terms: self.agreement.terms().clone(),
            anchor_secret: self.agreement.secret().clone(),
            seeded: self.seeded,
            fingerprint: self.agreement.fingerprint(),
            shoal: env!("CARGO_PKG_VERSION").into(),
        };
        // Unwrap safety: names and finite numbers always have a JSON form.
        serde_json::to_string_pretty(&written).unwrap() + "\n"
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, AgreementFileError> {
        let name = path.display().to_string();
        let io = |source| AgreementFileError::Io { name: name.clone(), source };
        let mut bytes = Vec::new();
        File::open(path).and_then(|file| file.take(FILE_LIMIT + 1).read_to_end(&mut bytes)).map_err(io)?;
        if bytes.len() as u64 > FILE_LIMIT {
            return Err(AgreementFileError::Foreign { name, why: "it is far too large".into() });
        }
        Self::from_json(&bytes, &name)
    }

    /// Reads the text of a file; `name` is for messages. The version comes first, because another one may have any shape.
    pub fn from_json(bytes: &[u8], name: &str) -> Result<Self, AgreementFileError> {
        let name = || name.to_string();
        let foreign = |why: &str| AgreementFileError::Foreign { name: name(), why: why.into() };
        let edited = |why: String| AgreementFileError::Edited { name: name(), why };
        let value: Value = serde_json::from_slice(bytes).map_err(|error| match error.classify() {
            // A file that began as one and stops is cut off; its words are not quoted.
            serde_json::error::Category::Eof if !bytes.is_empty() => edited("it ends early".into()),
            _ if bytes.is_empty() => foreign("it is empty"),
            _ => foreign("it is not JSON"),
        })?;
        match value.get("kind").and_then(Value::as_str) {
            Some(KIND) => {}
            _ => return Err(foreign("it does not say that it is one")),
        }
        match value.get("version").map(Value::as_u64) {
            Some(Some(found)) if found != u64::from(AGREEMENT_VERSION) => {
                return Err(AgreementFileError::Version { name: name(), found });
            }
            Some(Some(_)) => {}
            _ => return Err(edited("it has no version number".into())),
        }
        let written: Written = serde_json::from_value(value).map_err(|error| edited(harmless(&error)))?;
        if let Some(attribute) =
            written.terms.attributes().iter().find(|a| a.name.chars().any(shoal_privacy::is_unprintable))
        {
            return Err(edited(format!("the name {:?} holds control characters", attribute.name)));
        }
        let agreement = Agreement::new(written.terms, written.anchor_secret);
        if agreement.fingerprint() != written.fingerprint {
            return Err(edited("its fingerprint does not fit its terms and secret".into()));
        }
        Ok(Self { agreement, seeded: written.seeded })
    }
}

/// What a parser says quotes the value it stumbled over, which may be the secret.
fn harmless(error: &serde_json::Error) -> String {
    let message = error.to_string();
    if message.contains("invalid type") || message.contains("invalid value") {
        "a value in it has the wrong form".into()
    } else {
        message
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Attribute, Flips, Scale};
    use shoal_lattice::Interval;

    fn file() -> AgreementFile {
        let x = Attribute::new("x", Interval::new(0.0, 50.0).unwrap(), 25.0).unwrap();
        let terms = Terms::new(vec![x], 1000, Flips::PerBit("1".parse().unwrap()), Scale::Own).unwrap();
        AgreementFile { agreement: Agreement::new(terms, AnchorSecret::from_seed(5)), seeded: true }
    }

    fn refused(bytes: &[u8]) -> String {
        AgreementFile::from_json(bytes, "a.json").unwrap_err().to_string()
    }

    #[test]
    fn what_is_read_is_what_was_written() {
        assert_eq!(AgreementFile::from_json(file().to_json().as_bytes(), "a").unwrap(), file());
        let mut third = file();
        let terms = third.agreement.terms();
        let flips = Flips::PerBit("1/3".parse().unwrap());
        let terms = Terms::new(terms.attributes().to_vec(), 1000, flips, Scale::Own).unwrap();
        third.agreement = Agreement::new(terms, AnchorSecret::from_seed(5));
        let back = AgreementFile::from_json(third.to_json().as_bytes(), "a").unwrap();
        assert_eq!(back.agreement.fingerprint(), third.agreement.fingerprint(), "an ε without a decimal form");
        assert_eq!(AgreementFile::from_json(back.to_json().as_bytes(), "a").unwrap(), back);
    }

    #[test]
    fn an_edited_file_is_noticed_whatever_was_edited() {
        let good = file().to_json();
        for (from, to) in [
            ("1000", "1001"),
            ("50.0", "51.0"),
            ("32767", "32766"),
            ("\"own\"", "\"range\""),
            ("\"x\"", "\"y\""),
            ("\"per-bit\": 1.0", "\"per-bit\": 2.0"),
        ] {
            let text = good.replace(from, to);
            assert_ne!(text, good, "{from}");
            let message = refused(text.as_bytes());
            assert!(message.contains("fingerprint") && message.contains("give it to all custodians"), "{message}");
        }
        let secret = String::from(AnchorSecret::from_seed(5));
        let other = String::from(AnchorSecret::from_seed(6));
        assert!(refused(good.replace(&secret, &other).as_bytes()).contains("fingerprint"));
    }

    #[test]
    fn other_files_are_refused_with_a_way_out_and_without_the_secret() {
        let good = file().to_json();
        let secret = String::from(AnchorSecret::from_seed(5));
        let cases = [
            (Vec::new(), "empty"),
            (b"age,hours\n1,2\n".to_vec(), "not JSON"),
            (b"{\"k\": 3}".to_vec(), "does not say"),
            (b"[1, 2]".to_vec(), "does not say"),
            (b"\xff\xfe{}".to_vec(), "not JSON"),
            (good.replace("\"version\": 1", "\"version\": 2").into_bytes(), "version 2"),
            (good.replace("\"version\": 1", "\"version\": \"1\"").into_bytes(), "no version number"),
            (good.replace(&secret, "12").into_bytes(), "64 hexadecimal digits"),
            (good.replace(&format!("\"{secret}\""), "7").into_bytes(), "wrong form"),
            (good.replace("\"bits\": 1000", "\"bits\": 0").into_bytes(), "number of bits"),
            (good.replace("\"x\"", "\"\\u001b\"").into_bytes(), "control characters"),
        ];
        for (bytes, words) in cases {
            let message = refused(&bytes);
            assert!(message.contains(words) && message.contains("a.json"), "{message}");
            assert!(message.contains("shoal consortium init") || message.contains("use a program"), "{message}");
            assert!(!message.contains(&secret[..8]), "{message}");
        }
        for length in 1..good.len() - 2 {
            let message = refused(&good.as_bytes()[..length]);
            assert!(message.contains("ends early") && !message.contains(&secret), "{length}: {message}");
        }
    }
}
