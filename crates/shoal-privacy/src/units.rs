//! The three numbers in which privacy loss is stated, each its own type so that none is taken for another.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::amount::{Amount, AmountError};

/// The ε of differential privacy: odds change by a factor of at most `e^ε`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Epsilon(Amount);

/// The δ of approximate differential privacy: the chance that the bound on the odds may fail.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Delta(Amount);

/// The ρ of zero-concentrated differential privacy.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Rho(Amount);

/// Why a number is not a δ.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeltaError {
    /// Not a number at all.
    #[error(transparent)]
    Amount(#[from] AmountError),
    /// One or more.
    #[error(
        "δ = {0} promises nothing; give a δ below 1, and well below one over the number of rows (for example 1e-6)"
    )]
    TooLarge(Amount),
}

impl DeltaError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Amount(error) => error.code(),
            Self::TooLarge(..) => "delta-too-large",
        }
    }
}

macro_rules! loss_unit {
    ($name:ident) => {
        impl $name {
            /// No loss at all.
            pub const ZERO: Self = Self(Amount::ZERO);

            /// The exact amount.
            pub fn amount(&self) -> &Amount {
                &self.0
            }

            /// The smallest double that is not below it.
            pub fn to_f64_up(&self) -> f64 {
                self.0.to_f64_up()
            }

            /// The sum of two, exact.
            pub fn plus(&self, other: &Self) -> Self {
                Self(self.0.plus(&other.0))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}
loss_unit!(Epsilon);
loss_unit!(Delta);
loss_unit!(Rho);

macro_rules! unbounded_unit {
    ($name:ident) => {
        impl $name {
            /// Takes an exact amount.
            pub const fn new(amount: Amount) -> Self {
                Self(amount)
            }

            /// Cut into `parts` equal shares, each exact.
            pub fn split(&self, parts: u64) -> Self {
                Self(self.0.split(parts))
            }

            /// A share of it, exact.
            pub fn times(&self, share: &Amount) -> Self {
                Self(self.0.times(share))
            }
        }

        impl FromStr for $name {
            type Err = AmountError;

            fn from_str(text: &str) -> Result<Self, AmountError> {
                text.parse().map(Self)
            }
        }
    };
}
unbounded_unit!(Epsilon);
unbounded_unit!(Rho);

impl Delta {
    /// Takes an exact amount below one.
    pub fn new(amount: Amount) -> Result<Self, DeltaError> {
        if amount >= Amount::ONE { Err(DeltaError::TooLarge(amount)) } else { Ok(Self(amount)) }
    }
}

impl FromStr for Delta {
    type Err = DeltaError;

    fn from_str(text: &str) -> Result<Self, DeltaError> {
        Self::new(text.parse()?)
    }
}

impl<'de> Deserialize<'de> for Delta {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(Amount::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}
