//! What a release cost, as files state it.

use serde::{Deserialize, Serialize};

use crate::{Delta, Epsilon, Guarantee, Loss};

/// The cost of a fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// ε.
    pub epsilon: Epsilon,
    /// δ, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<Delta>,
}

impl Spent {
    /// The cost of what was charged. Seeded noise has none: no budget can pay for it.
    pub fn unless_seeded(guarantee: &Guarantee, charged: &Loss) -> Option<Self> {
        if guarantee.is_seeded() { None } else { Self::of(charged) }
    }

    /// The cost of a loss in (ε, δ), where it has one.
    pub fn of(loss: &Loss) -> Option<Self> {
        match loss {
            Loss::Pure(epsilon) => Some(Self { epsilon: epsilon.clone(), delta: None }),
            Loss::Approximate { epsilon, delta } => Some(Self { epsilon: epsilon.clone(), delta: Some(delta.clone()) }),
            Loss::Zcdp(_) | Loss::PerDistance(_) => None,
        }
    }
}
