//! What a step may cost, in the unit of its noise.

use shoal_privacy::{Amount, Epsilon, Loss, Rho};

/// What a step may cost, in the unit in which its noise is accounted for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepBudget {
    /// Pure ε: Laplace or cube noise.
    Pure(Epsilon),
    /// Concentrated ρ: Gaussian noise.
    Concentrated(Rho),
}

impl StepBudget {
    /// Cut into `parts` equal shares, each exact.
    pub fn split(&self, parts: u64) -> Self {
        match self {
            Self::Pure(epsilon) => Self::Pure(epsilon.split(parts)),
            Self::Concentrated(rho) => Self::Concentrated(rho.split(parts)),
        }
    }

    /// A share of it, exact.
    pub fn times(&self, share: &Amount) -> Self {
        match self {
            Self::Pure(epsilon) => Self::Pure(epsilon.times(share)),
            Self::Concentrated(rho) => Self::Concentrated(rho.times(share)),
        }
    }

    /// As a loss.
    pub fn loss(&self) -> Loss {
        match self {
            Self::Pure(epsilon) => Loss::Pure(epsilon.clone()),
            Self::Concentrated(rho) => Loss::Zcdp(rho.clone()),
        }
    }
}
