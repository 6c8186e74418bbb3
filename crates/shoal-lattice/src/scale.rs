//! How a column is stretched before it goes on the lattice: a public part of its definition, beside its bounds.
//!
//! A column of incomes has most of its rows in a small part of its range. Its logarithm does not, so that distances and
//! noise mean the same at both ends. The lattice is then a grid of the *stretched* values, the mean of a cluster is taken
//! there, and what comes back in the user's units is another kind of mean ([`Scale::mean`]).
//!
//! A value is moved into the bounds first. Whatever it is, it ends on one of the same lattice positions as without a scale:
//! the sensitivity of every query, and so every claim, is the same. `libm` computes the same on every machine.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

use crate::bounds::Interval;

/// The most quantiles of a rank.
const MOST_KNOTS: usize = 1000;

/// A way to stretch a column. It never decreases.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[non_exhaustive]
pub enum Scale {
    /// As it is.
    #[default]
    Linear,
    /// Logarithms: for amounts above zero whose ratios matter.
    Log,
    /// Logarithms of 1 + x: for amounts from zero on.
    Log1p,
    /// Square roots: for counts.
    Sqrt,
    /// Ranks among public quantiles, in increasing order: each part between two of them is as wide as any other.
    Rank(Vec<f64>),
}

impl Scale {
    /// The stretched value of one within the bounds of its column.
    pub fn forward(&self, x: f64) -> f64 {
        match self {
            Self::Linear => x,
            Self::Log => libm::log(x),
            Self::Log1p => libm::log1p(x),
            Self::Sqrt => x.sqrt(),
            Self::Rank(knots) => {
                let at = part(knots, x);
                at as f64 + (x - knots[at]) / (knots[at + 1] - knots[at])
            }
        }
    }

    /// The value whose stretched one this is.
    pub fn inverse(&self, t: f64) -> f64 {
        match self {
            Self::Linear => t,
            Self::Log => libm::exp(t),
            Self::Log1p => libm::expm1(t),
            Self::Sqrt => t * t,
            Self::Rank(knots) => {
                let at = (t.max(0.0) as usize).min(knots.len() - 2);
                knots[at] + (t - at as f64) * (knots[at + 1] - knots[at])
            }
        }
    }

    /// How many of the user's units a unit of stretched values is, at this stretched value.
    pub(crate) fn slope(&self, t: f64) -> f64 {
        match self {
            Self::Linear => 1.0,
            Self::Log | Self::Log1p => libm::exp(t),
            Self::Sqrt => 2.0 * t,
            Self::Rank(knots) => {
                let at = (t.max(0.0) as usize).min(knots.len() - 2);
                knots[at + 1] - knots[at]
            }
        }
    }

    /// What the centre of a cluster is in such a column.
    pub fn mean(&self) -> &'static str {
        match self {
            Self::Linear => "mean",
            Self::Log => "geometric mean",
            Self::Log1p => "geometric mean of 1 + x, less 1",
            Self::Sqrt => "square of the mean square root",
            Self::Rank(_) => "value at the mean rank",
        }
    }

    /// The scale without its quantiles, for people.
    pub fn short(&self) -> String {
        match self {
            Self::Rank(knots) => format!("rank among {} public quantiles", knots.len()),
            other => other.to_string(),
        }
    }

    /// Whether the column is left as it is.
    pub fn is_linear(&self) -> bool {
        *self == Self::Linear
    }

    /// Why a column with these bounds cannot be stretched so, and what to do.
    pub(crate) fn fault(&self, interval: &Interval) -> Option<String> {
        let lo = interval.lo();
        match self {
            Self::Log if lo <= 0.0 => {
                return Some(format!(
                    "there is no logarithm of {lo}, the lower bound; give one above 0 (values below are moved to it), or use \
                     log1p, which begins at 0"
                ));
            }
            Self::Log1p if lo <= -1.0 => {
                return Some(format!("log1p needs a lower bound above -1, and it is {lo}; give a higher one"));
            }
            Self::Sqrt if lo < 0.0 => {
                return Some(format!("there is no square root of {lo}, the lower bound; give one of 0 or more"));
            }
            Self::Rank(knots) => {
                if let Some(why) = knots_fault(knots) {
                    return Some(why.into());
                }
                let (first, last) = (knots[0], knots[knots.len() - 1]);
                if lo < first || interval.hi() > last {
                    return Some(format!(
                        "the quantiles go from {first} to {last}, and the bounds are {interval}; let them begin and end there"
                    ));
                }
            }
            _ => {}
        }
        let width = self.forward(interval.hi()) - self.forward(lo);
        (!width.is_finite() || width <= 0.0)
            .then(|| "its bounds are too near each other to be stretched so; use linear".into())
    }
}

/// What is wrong with the quantiles of a rank.
fn knots_fault(knots: &[f64]) -> Option<&'static str> {
    let rising = knots.windows(2).all(|pair| pair[0] < pair[1] && (pair[1] - pair[0]).is_finite());
    let finite = knots.iter().all(|knot| knot.is_finite());
    if knots.len() > MOST_KNOTS {
        return Some("a rank has at most 1000 quantiles; leave some out");
    }
    (knots.len() < 2 || !rising || !finite).then_some("give two or more quantiles, each above the one before it")
}

/// The part between two knots that holds x, or the nearest one.
fn part(knots: &[f64], x: f64) -> usize {
    knots[1..knots.len() - 1].partition_point(|knot| *knot <= x)
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Linear => f.write_str("linear"),
            Self::Log => f.write_str("log"),
            Self::Log1p => f.write_str("log1p"),
            Self::Sqrt => f.write_str("sqrt"),
            Self::Rank(knots) => {
                let knots: Vec<String> = knots.iter().map(f64::to_string).collect();
                write!(f, "rank:{}", knots.join(","))
            }
        }
    }
}

impl FromStr for Scale {
    type Err = String;

    /// Reads `log`, `log1p`, `sqrt`, `linear` or `rank:0,10000,30000`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "linear" => Ok(Self::Linear),
            "log" => Ok(Self::Log),
            "log1p" => Ok(Self::Log1p),
            "sqrt" => Ok(Self::Sqrt),
            other => {
                let Some(knots) = other.strip_prefix("rank:") else {
                    return Err("give log, log1p, sqrt, linear, or rank: with public quantiles such as \
                                rank:0,10000,30000,250000"
                        .into());
                };
                let knots: Result<Vec<f64>, _> = knots.split(',').map(|knot| knot.trim().parse()).collect();
                let knots = knots.map_err(|_| "the quantiles after rank: are numbers separated by commas")?;
                if let Some(why) = knots_fault(&knots) {
                    return Err(why.into());
                }
                Ok(Self::Rank(knots))
            }
        }
    }
}

impl From<Scale> for String {
    fn from(scale: Scale) -> Self {
        scale.to_string()
    }
}

impl TryFrom<String> for Scale {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}
