//! Budgets as callers write them.

use shoal_privacy::{Delta, Epsilon};

use crate::Error;

/// The smallest ε the samplers are made for; below it the noise hides any table.
const SMALLEST: &str = "1e-6";

/// The largest ε that is accepted; beyond it nothing is protected.
const LARGEST: f64 = 1e6;

/// What can stand for an ε: text such as `"0.1"` or `"1/3"`, which is exact, or a float, which counts as its shortest
/// decimal form.
pub trait IntoEpsilon {
    /// The checked budget.
    fn into_epsilon(self) -> Result<Epsilon, Error>;
}

impl IntoEpsilon for &str {
    fn into_epsilon(self) -> Result<Epsilon, Error> {
        let wrong = |why: String| Error::Epsilon { given: self.into(), why };
        check(self.parse().map_err(|error| wrong(format!("{error}")))?, self)
    }
}

impl IntoEpsilon for Epsilon {
    fn into_epsilon(self) -> Result<Epsilon, Error> {
        let text = self.to_string();
        check(self, &text)
    }
}

impl IntoEpsilon for &Epsilon {
    fn into_epsilon(self) -> Result<Epsilon, Error> {
        self.clone().into_epsilon()
    }
}

impl IntoEpsilon for f64 {
    fn into_epsilon(self) -> Result<Epsilon, Error> {
        self.to_string().as_str().into_epsilon()
    }
}

fn check(epsilon: Epsilon, given: &str) -> Result<Epsilon, Error> {
    let wrong = |why: &str| Error::Epsilon { given: given.into(), why: why.into() };
    // Unwrap safety: a constant that parses.
    let smallest: Epsilon = SMALLEST.parse().unwrap();
    if epsilon.amount().is_zero() {
        return Err(wrong("ε = 0 lets nothing about the data out; give a number above 0, for example 1"));
    }
    if epsilon < smallest {
        return Err(wrong(&format!("ε below {SMALLEST} hides any table in noise; give more, for example 1")));
    }
    if epsilon.to_f64_up() > LARGEST {
        return Err(wrong("ε above a million protects nobody; give less, for example 1"));
    }
    Ok(epsilon)
}

/// What can stand for a δ.
pub trait IntoDelta {
    /// The checked probability.
    fn into_delta(self) -> Result<Delta, Error>;
}

impl IntoDelta for &str {
    fn into_delta(self) -> Result<Delta, Error> {
        self.parse().map_err(|error| Error::Delta { given: self.into(), why: format!("{error}") })
    }
}

impl IntoDelta for Delta {
    fn into_delta(self) -> Result<Delta, Error> {
        Ok(self)
    }
}

impl IntoDelta for &Delta {
    fn into_delta(self) -> Result<Delta, Error> {
        Ok(self.clone())
    }
}

impl IntoDelta for f64 {
    fn into_delta(self) -> Result<Delta, Error> {
        self.to_string().as_str().into_delta()
    }
}
