//! Enclosed positive reals of any size: an integer interval times a power of two.
//!
//! An [`Enclosure`] keeps a fixed number of bits after the point, so e^-40000 is nothing to it and
//! (2^40)^1000 does not fit. The weights of the Euclidean noise range that far and are only needed
//! relative to each other: here the point floats, all rounding still goes outward, and
//! [`in_common`] brings a list of them back to one point.

use dashu_base::BitTest;
use dashu_int::UBig;
use dashu_ratio::RBig;

use crate::exact::enclosure::{Enclosure, numerator, shr_up};

/// Exponents past this are not distinguished: e^-x is then below 2^-2^40, less than any number of bits resolves.
const VANISHING_BITS: usize = 40;

/// `low * 2^exponent <= value <= high * 2^exponent`.
#[derive(Clone)]
pub(crate) struct Scaled {
    low: UBig,
    high: UBig,
    exponent: i64,
}

impl Scaled {
    fn trimmed(low: UBig, high: UBig, exponent: i64, bits: usize) -> Self {
        let shift = high.bit_len().saturating_sub(bits);
        Self { low: low >> shift, high: shr_up(&high, shift), exponent: exponent + shift as i64 }
    }

    pub fn integer(value: UBig) -> Self {
        Self { low: value.clone(), high: value, exponent: 0 }
    }

    #[cfg(test)]
    pub fn between(low: UBig, high: UBig, exponent: i64) -> Self {
        Self { low, high, exponent }
    }

    pub fn times(&self, other: &Self, bits: usize) -> Self {
        Self::trimmed(&self.low * &other.low, &self.high * &other.high, self.exponent + other.exponent, bits)
    }

    /// The n-th power, n > 0. Every product at most adds the relative widths of its factors and one unit, so n
    /// widens the interval by log2(n) + 1 bits or so.
    pub fn power(&self, n: usize, bits: usize) -> Self {
        let mut result = self.clone();
        for place in (0..n.ilog2()).rev() {
            result = result.times(&result, bits);
            if n >> place & 1 == 1 {
                result = result.times(self, bits);
            }
        }
        result
    }

    /// e^-x for a rational x that is not negative, to `bits` significant bits less log2(x) + 4.
    pub fn exp_neg(x: &RBig, bits: usize) -> Self {
        let top = numerator(x);
        if top >= x.denominator() << VANISHING_BITS {
            return Self { low: UBig::ZERO, high: UBig::ONE, exponent: -(1 << VANISHING_BITS) };
        }
        // Halved until it is at most 1, then squared as often: the loss is one bit each time.
        let halvings = (top.bit_len() + 1).saturating_sub(x.denominator().bit_len());
        let mut result = Self::from(Enclosure::exp_neg(&(x / RBig::from(UBig::ONE << halvings)), bits));
        for _ in 0..halvings {
            result = result.times(&result, bits);
        }
        result
    }

    /// Where the leading bit of the upper end stands.
    fn leading(&self) -> i64 {
        self.exponent + self.high.bit_len() as i64
    }
}

impl From<Enclosure> for Scaled {
    fn from(e: Enclosure) -> Self {
        Self { low: e.low, high: e.high, exponent: -(e.bits as i64) }
    }
}

/// The values over one common power of two, such that the largest is near 1.
pub(crate) fn in_common(values: &[Scaled], bits: usize) -> Vec<Enclosure> {
    let top = values.iter().map(Scaled::leading).max().unwrap_or(0);
    values
        .iter()
        .map(|v| {
            let shift = v.exponent - top + bits as i64;
            match usize::try_from(shift) {
                Ok(left) => Enclosure { low: &v.low << left, high: &v.high << left, bits },
                // Unwrap safety: what is not a usize is negative, and exponents stay far inside 64 bits.
                Err(_) => {
                    let right = usize::try_from(-shift).unwrap();
                    Enclosure { low: &v.low >> right, high: shr_up(&v.high, right.min(v.high.bit_len() + 1)), bits }
                }
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (e^-x)^n against e^-nx, with x and nx far outside the doubles.
    #[test]
    fn powers_and_exponents_agree() {
        for (top, bottom) in [(1_u64, 3_u64), (40_000, 1), (7, 1 << 50), (1 << 28, 3)] {
            let x = RBig::from_parts(top.into(), bottom.into());
            for n in [1_usize, 2, 3, 7, 1000] {
                let power = Scaled::exp_neg(&x, 200).power(n, 200);
                let whole = Scaled::exp_neg(&(&x * RBig::from(n)), 200);
                let both = in_common(&[power, whole], 100);
                assert!(both[0].low <= both[1].high && both[1].low <= both[0].high, "{x} times {n}");
                assert!(both.iter().all(|e| &e.high - &e.low <= UBig::from(2_u8)), "{x} times {n} is loose");
            }
        }
    }

    #[test]
    fn what_vanishes_is_still_enclosed() {
        let gone = Scaled::exp_neg(&RBig::from(10_u8).pow(400), 100);
        let both = in_common(&[Scaled::integer(UBig::ONE), gone], 100);
        assert!(both[1].low == UBig::ZERO && both[1].high == UBig::ONE);
    }
}
