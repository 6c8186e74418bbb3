//! Exact amounts of privacy loss.
//!
//! A budget is cut into shares (five iterations, twenty-four parts, a hundredth for the row count) and the shares
//! must add up to what the user gave: not nearly, exactly. So an amount is a rational number. `0.1` typed by a user
//! is one tenth, not the double nearest to it.

use std::fmt;
use std::str::FromStr;

use dashu_base::{Approximation, Sign};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Digits behind the decimal point that an amount may have when it is read from text.
const MOST_DECIMALS: i64 = 400;

/// A non-negative exact rational number.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Amount(RBig);

/// Why a text or number is not an amount.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AmountError {
    /// Not a decimal number.
    #[error("“{0}” is not a number; write a decimal number such as 0.5 or 1e-6")]
    NotANumber(String),
    /// Below zero.
    #[error("{0} is negative; a privacy loss is never below zero")]
    Negative(String),
    /// Infinite, not a number, or too long to be meant.
    #[error("{0} is not a finite number of reasonable length; write a decimal number such as 0.5 or 1e-6")]
    NotFinite(String),
}

impl AmountError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotANumber(..) => "amount-not-a-number",
            Self::Negative(..) => "amount-negative",
            Self::NotFinite(..) => "amount-not-finite",
        }
    }
}

impl Amount {
    /// Nothing.
    pub const ZERO: Self = Self(RBig::ZERO);

    /// One.
    pub const ONE: Self = Self(RBig::ONE);

    /// The fraction `numerator / denominator`.
    ///
    /// # Panics
    /// When `denominator` is zero.
    pub fn ratio(numerator: u64, denominator: u64) -> Self {
        assert_ne!(denominator, 0, "an amount is a fraction with a non-zero denominator");
        Self(RBig::from_parts(numerator.into(), denominator.into()))
    }

    /// The shortest decimal number that reads back as `value`: `0.1_f64` becomes exactly one tenth.
    pub fn from_shortest_decimal(value: f64) -> Result<Self, AmountError> {
        if !value.is_finite() {
            return Err(AmountError::NotFinite(value.to_string()));
        }
        format!("{value:e}").parse()
    }

    /// The exact rational behind this amount.
    pub fn as_rational(&self) -> &RBig {
        &self.0
    }

    /// Takes over a rational, refusing negative ones.
    pub fn from_rational(value: RBig) -> Result<Self, AmountError> {
        match value.sign() {
            Sign::Negative => Err(AmountError::Negative(value.to_string())),
            Sign::Positive => Ok(Self(value)),
        }
    }

    /// True when this is nothing at all.
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// The smallest double that is not below this amount.
    pub fn to_f64_up(&self) -> f64 {
        match self.0.to_f64() {
            Approximation::Exact(value) => value,
            // The sign shows on which side of the exact value the rounded one lies.
            Approximation::Inexact(value, Sign::Positive) => value,
            Approximation::Inexact(value, Sign::Negative) => value.next_up(),
        }
    }

    /// The largest double that is not above this amount.
    pub fn to_f64_down(&self) -> f64 {
        match self.0.to_f64() {
            Approximation::Exact(value) => value,
            Approximation::Inexact(value, Sign::Positive) => value.next_down(),
            Approximation::Inexact(value, Sign::Negative) => value,
        }
    }

    /// This amount less `other`, or `None` when that would be negative.
    pub fn checked_sub(&self, other: &Self) -> Option<Self> {
        (self >= other).then(|| Self(&self.0 - &other.0))
    }

    /// The product of two amounts.
    pub fn times(&self, other: &Self) -> Self {
        Self(&self.0 * &other.0)
    }

    /// This amount cut into `parts` equal shares, each exact.
    ///
    /// # Panics
    /// When `parts` is zero.
    pub fn split(&self, parts: u64) -> Self {
        assert_ne!(parts, 0, "a budget is split into at least one part");
        Self(&self.0 / RBig::from(parts))
    }

    /// The sum of two amounts.
    pub fn plus(&self, other: &Self) -> Self {
        Self(&self.0 + &other.0)
    }
}

impl std::iter::Sum for Amount {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, |total, amount| total.plus(&amount))
    }
}

impl FromStr for Amount {
    type Err = AmountError;

    fn from_str(text: &str) -> Result<Self, AmountError> {
        let trimmed = text.trim();
        let not_a_number = || AmountError::NotANumber(trimmed.chars().take(40).collect());
        if let Some((numerator, denominator)) = trimmed.split_once('/') {
            let numerator = whole(numerator).ok_or_else(not_a_number)?;
            let denominator = whole(denominator).filter(|d| !d.is_zero()).ok_or_else(not_a_number)?;
            return Ok(Self(RBig::from_parts(numerator.into(), denominator)));
        }
        let (mantissa, exponent) = match trimmed.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().map_err(|_| not_a_number())?),
            None => (trimmed, 0),
        };
        let (negative, digits) = match mantissa.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
        };
        let (integer, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let significand = whole(&format!("{integer}{fraction}")).ok_or_else(not_a_number)?;
        if negative && !significand.is_zero() {
            return Err(AmountError::Negative(trimmed.chars().take(40).collect()));
        }
        let power = exponent.saturating_sub(fraction.len() as i64);
        if power.abs() > MOST_DECIMALS {
            return Err(AmountError::NotFinite(trimmed.chars().take(40).collect()));
        }
        let scale = UBig::from(10u8).pow(power.unsigned_abs() as usize);
        Ok(Self(if power >= 0 {
            RBig::from_parts((significand * scale).into(), UBig::ONE)
        } else {
            RBig::from_parts(IBig::from(significand), scale)
        }))
    }
}

/// Decimal digits and nothing else.
fn whole(text: &str) -> Option<UBig> {
    (!text.is_empty() && text.len() <= 800 && text.bytes().all(|b| b.is_ascii_digit()))
        .then(|| UBig::from_str_radix(text, 10).ok())
        .flatten()
}

impl fmt::Display for Amount {
    /// A decimal number that is never below the exact amount.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&decimal(self.to_shortest_decimal_up()))
    }
}

/// Plain digits, or a power of ten where there would be many zeros.
fn decimal(value: f64) -> String {
    if value != 0.0 && !(1e-4..1e15).contains(&value) { format!("{value:e}") } else { value.to_string() }
}

impl fmt::Debug for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl Serialize for Amount {
    /// A JSON number that is never below the exact amount.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.to_shortest_decimal_up())
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = f64::deserialize(deserializer)?;
        Self::from_shortest_decimal(value).map_err(serde::de::Error::custom)
    }
}

impl Amount {
    /// A decimal number that is never above the exact amount: what is offered must be there.
    pub fn display_down(&self) -> String {
        decimal(self.to_shortest_decimal_down())
    }

    /// The largest double whose shortest decimal form reads back as no more than this amount.
    pub fn to_shortest_decimal_down(&self) -> f64 {
        let mut candidate = self.to_f64_up();
        while Self::from_shortest_decimal(candidate).is_ok_and(|read_back| read_back > *self) {
            candidate = candidate.next_down();
        }
        candidate
    }

    /// The smallest double whose shortest decimal form reads back as no less than this amount.
    ///
    /// One tenth is not a double, yet the double `0.1` reads back as exactly one tenth, so nothing need be rounded.
    fn to_shortest_decimal_up(&self) -> f64 {
        let mut candidate = self.to_f64_down();
        // A shortest decimal lies within half a unit of its double, so the third candidate at the latest is enough.
        while Self::from_shortest_decimal(candidate).is_ok_and(|read_back| read_back < *self) {
            candidate = candidate.next_up();
        }
        candidate
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn amount(text: &str) -> Amount {
        text.parse().unwrap()
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(amount("0.1"), Amount::ratio(1, 10));
        assert_eq!(amount("1e-6"), Amount::ratio(1, 1_000_000));
        assert_eq!(amount("2.50E1"), Amount::ratio(25, 1));
        assert_eq!(amount(".5"), Amount::ratio(1, 2));
        assert_eq!(amount("1/3"), Amount::ratio(1, 3));
        assert_eq!(Amount::from_shortest_decimal(0.1).unwrap(), Amount::ratio(1, 10));
    }

    #[test]
    fn five_fifths_make_exactly_one_whole() {
        let budget = amount("0.1");
        let total: Amount = std::iter::repeat_n(budget.split(5), 5).sum();
        assert_eq!(total, budget);
        assert_ne!((0..10).map(|_| 0.1_f64).sum::<f64>(), 1.0, "doubles would not do");
    }

    #[test]
    fn what_is_left_is_told_in_plain_digits_and_never_too_much() {
        for text in ["0.4", "0.1", "2", "1e-6", "0", "0.30000000000000004"] {
            assert_eq!(amount(text).display_down(), text);
        }
        assert_eq!(Amount::ratio(1, 3).display_down(), "0.3333333333333333");
    }

    #[test]
    fn bad_text_is_refused() {
        for text in ["", "x", "1,5", "--1", "1e", "nan", "inf", "1/0", "0x10", "1_000", "1e999999999999"] {
            assert!(text.parse::<Amount>().is_err(), "{text} was taken for an amount");
        }
        assert!(matches!("-1".parse::<Amount>(), Err(AmountError::Negative(_))));
        assert!(Amount::from_shortest_decimal(f64::NAN).is_err());
        assert_eq!("-0".parse::<Amount>().unwrap(), Amount::ZERO);
    }

    #[test]
    fn json_keeps_decimals_and_rounds_the_rest_up() {
        assert_eq!(serde_json::to_string(&amount("0.1")).unwrap(), "0.1");
        assert_eq!(serde_json::from_str::<Amount>("0.1").unwrap(), amount("0.1"));
        let third: Amount = serde_json::from_str(&serde_json::to_string(&amount("1/3")).unwrap()).unwrap();
        assert!(third >= amount("1/3"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        #[test]
        fn rounding_errs_only_on_the_safe_side(numerator in any::<u64>(), denominator in 1..u64::MAX) {
            let exact = Amount::ratio(numerator, denominator);
            let up = RBig::try_from(exact.to_f64_up()).unwrap();
            let down = RBig::try_from(exact.to_f64_down()).unwrap();
            prop_assert!(down <= exact.0 && exact.0 <= up);
            prop_assert!(exact.to_f64_up() - exact.to_f64_down() <= exact.to_f64_up() * f64::EPSILON);
            let json: Amount = serde_json::from_str(&serde_json::to_string(&exact).unwrap()).unwrap();
            prop_assert!(json >= exact);
            let shown: Amount = exact.to_string().parse().unwrap();
            prop_assert!(shown >= exact);
            let offered: Amount = exact.display_down().parse().unwrap();
            prop_assert!(offered <= exact && offered.to_f64_up() >= exact.to_f64_down().next_down());
        }
    }
}
