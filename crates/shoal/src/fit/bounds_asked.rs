//! Where the bounds of a fit come from: known to anyone, or bought.

use shoal_files::BoundsSpec;
use shoal_privacy::{Amount, Epsilon};

use crate::Error;
use crate::epsilon::IntoEpsilon;
use crate::ledger::rest_of;

/// What a caller asks for.
#[derive(Clone, Debug)]
pub(crate) enum BoundsAsked {
    /// Limits that anyone may know.
    Public(BoundsSpec),
    /// Limits estimated from the data, for this part of the budget.
    Bought(Price),
}

/// What bounds may cost.
#[derive(Clone, Debug)]
pub(crate) enum Price {
    /// Per cent of the whole budget.
    Percent(Amount),
    /// An ε out of it.
    Epsilon(Epsilon),
}

/// How a budget is divided between bounds and clusters.
pub(crate) struct Purchase {
    pub(crate) bounds: Epsilon,
    pub(crate) rest: Epsilon,
}

impl BoundsAsked {
    /// Reads `auto:10%`, `auto:0.1`, or public bounds.
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        let trimmed = text.trim();
        let price = trimmed.strip_prefix("auto").map(|price| (price.strip_prefix(':'), price));
        match price {
            Some((Some(price), _)) => Self::price(price).map_err(|_| not_understood(trimmed)),
            Some((None, "")) => Err(Error::BoundsWithoutPrice),
            // A column or a file may be called so.
            _ => Ok(Self::Public(BoundsSpec::parse(text).map_err(Error::BoundsText)?)),
        }
    }

    /// Reads `10%` or `0.1`.
    pub(crate) fn price(text: &str) -> Result<Self, Error> {
        let price = match text.trim().strip_suffix('%') {
            Some(percent) => percent.parse().ok().filter(|percent: &Amount| !percent.is_zero()).map(Price::Percent),
            None => text.trim().into_epsilon().ok().map(Price::Epsilon),
        };
        price.map(Self::Bought).ok_or_else(|| not_understood(text.trim()))
    }

    /// Refuses a purchase that leaves nothing for the clusters.
    pub(crate) fn check(&self, total: &Epsilon) -> Result<(), Error> {
        match self {
            Self::Public(_) => Ok(()),
            Self::Bought(price) => price.of(total).map(|_| ()),
        }
    }
}

fn not_understood(text: &str) -> Error {
    Error::BoundsPrice { text: text.into() }
}

impl Price {
    /// The purchase out of `total`.
    pub(crate) fn of(&self, total: &Epsilon) -> Result<Purchase, Error> {
        let bounds = match self {
            Self::Percent(percent) => total.times(&percent.split(100)),
            Self::Epsilon(epsilon) => epsilon.clone(),
        };
        match rest_of(total, &bounds) {
            Some(rest) => Ok(Purchase { bounds, rest }),
            None => Err(Error::NothingLeft { bounds, total: total.clone() }),
        }
    }
}
