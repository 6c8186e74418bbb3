//! A claim that holds, or the reason why none does; and, apart from it, what a paper published.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::claim::Claim;

/// What the code gives: a claim computed from what it did, or nothing, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", untagged)]
pub enum Guarantee {
    /// This holds.
    Holds(Claim),
    /// Nothing holds.
    Void {
        /// Why.
        none: NoGuarantee,
    },
}

/// Why there is no guarantee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoGuarantee {
    /// The noise can be computed again by anyone who knows the seed.
    Seeded,
    /// The published mechanism does not keep any such promise.
    Unsound,
    /// No noise was added.
    NotPrivate,
}

impl Guarantee {
    /// `claim`, unless the noise was seeded.
    pub fn of(claim: Claim, seeded: bool) -> Self {
        if seeded { Self::Void { none: NoGuarantee::Seeded } } else { Self::Holds(claim) }
    }

    /// The claim, where there is one.
    pub fn claim(&self) -> Option<&Claim> {
        match self {
            Self::Holds(claim) => Some(claim),
            Self::Void { .. } => None,
        }
    }

    /// Whether nothing holds because the noise came from a seed.
    pub fn is_seeded(&self) -> bool {
        *self == Self::Void { none: NoGuarantee::Seeded }
    }

    /// One plain sentence.
    pub fn sentence(&self) -> String {
        match self {
            Self::Holds(claim) => claim.sentence(),
            Self::Void { none } => none.sentence().into(),
        }
    }
}

impl NoGuarantee {
    /// One plain sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Seeded => {
                "NO PRIVACY: the noise came from a seed, so anyone who knows or guesses it can take the noise away again."
            }
            Self::Unsound => {
                "NO PRIVACY: this mechanism does not keep the promise that was published for it, nor any other."
            }
            Self::NotPrivate => "NO PRIVACY: this was computed from the data without any noise.",
        }
    }
}

impl fmt::Display for Guarantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence())
    }
}

/// What a paper says of its mechanism. Never printed as a guarantee.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Published {
    /// The claim in the paper's own terms.
    pub text: String,
    /// The paper's key.
    pub paper: String,
}

impl Published {
    /// A published claim.
    pub fn new(text: impl Into<String>, paper: impl Into<String>) -> Self {
        Self { text: text.into(), paper: paper.into() }
    }
}
