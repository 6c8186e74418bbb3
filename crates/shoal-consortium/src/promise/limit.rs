//! A custodian's own limit: whatever was agreed on, no code leaves that promises less.

use serde::Serialize;
use shoal_privacy::{Delta, Epsilon, Guarantee, Loss, Parameter};

use crate::Promise;

/// The most that a record's codes may give away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Limit {
    /// The largest ε between any two records.
    pub epsilon: Epsilon,
    /// The δ at which it may be met; without one it is met purely.
    pub delta: Option<Delta>,
}

/// Codes that would give away more than a custodian allows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OverLimit {
    /// They promise less.
    #[error(
        "the codes of a record give away {loss}, and the limit is {limit}; agree on fewer bits or a smaller ε per bit (`price::afford` lists what fits)"
    )]
    Loss {
        /// What they promise.
        loss: String,
        /// What is allowed.
        limit: String,
        /// The ε that is allowed.
        epsilon: Epsilon,
    },
    /// They promise nothing.
    #[error(
        "the codes promise nothing, and the limit is {limit}; agree on an ε per bit, and leave {} out",
        Parameter::SEED
    )]
    Nothing {
        /// What is allowed.
        limit: String,
    },
}

impl OverLimit {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Loss { .. } => "over-limit",
            Self::Nothing { .. } => "no-guarantee",
        }
    }
}

impl Limit {
    /// The limit as a loss.
    pub fn loss(&self) -> Loss {
        match &self.delta {
            Some(delta) => Loss::Approximate { epsilon: self.epsilon.clone(), delta: delta.clone() },
            None => Loss::Pure(self.epsilon.clone()),
        }
    }
}

impl Promise {
    /// Whether the promise stays within a limit. At the limit's δ the curve of the promise counts.
    pub fn within(&self, limit: &Limit) -> Result<(), OverLimit> {
        let allowed = limit.loss();
        let Some(loss) = self.loss_at(limit.delta.as_ref()) else {
            debug_assert!(matches!(self.guarantee, Guarantee::Void { .. }));
            return Err(OverLimit::Nothing { limit: allowed.symbols() });
        };
        if loss.implies(&allowed) {
            Ok(())
        } else {
            Err(OverLimit::Loss { loss: loss.symbols(), limit: allowed.symbols(), epsilon: limit.epsilon.clone() })
        }
    }
}
