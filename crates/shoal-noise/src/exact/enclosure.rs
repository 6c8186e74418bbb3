//! Intervals that certainly contain a real number, in integers only.
//!
//! The exact branch of every sampler asks "how large is this probability, to so many bits?" and
//! needs an answer it can lean on: two integers `low`, `high` with
//! `low <= p * 2^bits <= high`. All rounding here goes outward; no float is involved and no
//! library's accuracy is taken on trust beyond integer arithmetic being right.
//!
//! *Distribution*: `exp_neg` follows e^-x = (e^-(x / 2^s))^(2^s) with x / 2^s at most 1/2. With `y` the
//! floor of x / 2^s in units of 2^-w, each Taylor term is at most two units off (an error is at
//! most halved by the next factor and one unit is added by the next floor), K terms are at most
//! 2K off, the tail is below the first dropped term, hence below one unit, and the floor of `y`
//! itself moves e^-y by at most one unit. So the partial sum is within 2K + 3 units of the truth.
//! Each squaring at most doubles the width and adds one unit; 32 + s guard bits absorb that.

use dashu_base::BitTest;
use dashu_int::UBig;
use dashu_ratio::RBig;

use crate::exact::lazy::WORD_BITS;

/// `low <= value * 2^bits <= high`.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Enclosure {
    pub low: UBig,
    pub high: UBig,
    pub bits: usize,
}

/// `value / 2^shift`, rounded up.
pub(crate) fn shr_up(value: &UBig, shift: usize) -> UBig {
    let floor = value >> shift;
    if (&floor << shift) == *value { floor } else { floor + UBig::ONE }
}

/// `a / b`, rounded up.
pub(crate) fn div_up(a: &UBig, b: &UBig) -> UBig {
    let floor = a / b;
    if &floor * b == *a { floor } else { floor + UBig::ONE }
}

/// The numerator of a rational the caller knows not to be negative.
pub(crate) fn numerator(x: &RBig) -> UBig {
    debug_assert!(*x >= RBig::ZERO);
    x.numerator().clone().into_parts().1
}

impl Enclosure {
    /// Exactly one.
    pub fn one(bits: usize) -> Self {
        let one = UBig::ONE << bits;
        Self { low: one.clone(), high: one, bits }
    }

    /// A rational that is not negative.
    pub fn ratio(top: &UBig, bottom: &UBig, bits: usize) -> Self {
        let top = top << bits;
        Self { low: &top / bottom, high: div_up(&top, bottom), bits }
    }

    /// e^-x for a rational x that is not negative.
    pub fn exp_neg(x: &RBig, bits: usize) -> Self {
        let top = numerator(x);
        if top == UBig::ZERO {
            return Self::one(bits);
        }
        let bottom = x.denominator();
        // e^-bits is below 2^-bits: nothing of it is left at this resolution.
        if top >= bottom * UBig::from(bits) {
            return Self { low: UBig::ZERO, high: UBig::ONE, bits };
        }
        // x < 2^(top bits - bottom bits + 1), so this many halvings bring it to at most 1/2.
        let halvings = (top.bit_len() + 2).saturating_sub(bottom.bit_len());
        let guard = 32 + halvings;
        let work = bits + guard;
        let y: UBig = (top << (work - halvings)) / bottom;

        let one = UBig::ONE << work;
        let (mut plus, mut minus) = (one.clone(), UBig::ZERO);
        let mut term = one;
        let mut k = 0_u64;
        loop {
            k += 1;
            term = ((term * &y) >> work) / UBig::from(k);
            if term == UBig::ZERO {
                break;
            }
            if k % 2 == 1 {
                minus += &term;
            } else {
                plus += &term;
            }
        }
        let slack = UBig::from(2 * k + 3);
        // y is at most 1/2, so the sum is near e^-1/2 or above and far from zero.
        let mut low = &plus - &minus - &slack;
        let mut high = plus - minus + slack;
        for _ in 0..halvings {
            low = (&low * &low) >> work;
            high = shr_up(&(&high * &high), work);
        }
        Self { low: low >> guard, high: shr_up(&high, guard), bits }
    }

    /// e^-x for an x known to lie between two rationals, `least` of which is not negative.
    pub fn exp_neg_between(least: &RBig, most: &RBig, bits: usize) -> Self {
        Self { low: Self::exp_neg(most, bits).low, high: Self::exp_neg(least, bits).high, bits }
    }

    /// 1 - p for an enclosed probability p.
    pub fn complement(&self) -> Self {
        let one = UBig::ONE << self.bits;
        let low = if self.high < one { &one - &self.high } else { UBig::ZERO };
        Self { low, high: one - &self.low, bits: self.bits }
    }

    /// The product of two enclosed values that are not negative.
    pub fn times(&self, other: &Self) -> Self {
        debug_assert_eq!(self.bits, other.bits);
        Self {
            low: (&self.low * &other.low) >> self.bits,
            high: shr_up(&(&self.high * &other.high), self.bits),
            bits: self.bits,
        }
    }

    /// `floor` and `ceiling` of a probability at the resolution of one [`crate::exact::lazy`] word: the
    /// pair is again an enclosure, and both ends are at most 2^63.
    pub fn words(&self) -> (u64, u64) {
        let shift = self.bits - WORD_BITS;
        // Unwrap safety: a probability at 63 bits is at most 2^63; an upper end rounded past one
        // is cut back to it.
        let low = u64::try_from(&(&self.low >> shift)).unwrap();
        let high = shr_up(&self.high, shift).min(UBig::ONE << WORD_BITS);
        (low, u64::try_from(&high).unwrap())
    }
}

/// A double within a relative 2^-52 of a positive rational; 0 or infinity beyond the doubles.
///
/// The 64 leading bits are cut out with integers, so that the bound rests on one rounding.
pub(crate) fn approx_f64(x: &RBig) -> f64 {
    let top = numerator(x);
    if top == UBig::ZERO {
        return 0.0;
    }
    let bottom = x.denominator();
    let shift = 64 + bottom.bit_len() as i64 - top.bit_len() as i64;
    let quotient = if shift >= 0 { (top << shift as usize) / bottom } else { top / (bottom << (-shift) as usize) };
    // Unwrap safety: the shift leaves a quotient below 2^65.
    let head = u128::try_from(&quotient).unwrap();
    let exponent = i32::try_from(-shift).unwrap_or(if shift < 0 { i32::MAX } else { i32::MIN });
    libm::ldexp(head as f64, exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(text: &str) -> RBig {
        let (top, bottom) = text.split_once('/').unwrap();
        RBig::from_parts(top.parse().unwrap(), bottom.parse().unwrap())
    }

    /// The file gives floor(e^-x * 2^256) in decimal, from an independent program.
    #[test]
    fn exp_encloses_independent_values() {
        let mut rows = 0;
        for line in include_str!("../../tests/vectors/exp_neg.csv").lines().skip(1) {
            let (x, floor) = line.split_once(',').unwrap();
            let (x, floor): (RBig, UBig) = (rational(x), floor.parse().unwrap());
            for bits in [1_usize, 7, 63, 64, 127, 200, 256] {
                let e = Enclosure::exp_neg(&x, bits);
                let truth_low = &floor >> (256 - bits);
                assert!(e.low <= truth_low, "{x} at {bits}: lower end too high");
                assert!(e.high >= truth_low, "{x} at {bits}: upper end too low");
                if floor.bit_len() > 300 - bits {
                    assert!(e.high > truth_low, "{x} at {bits}: upper end is the floor");
                }
                assert!(&e.high - &e.low <= UBig::from(2_u8), "{x} at {bits}: loose");
            }
            rows += 1;
        }
        assert!(rows >= 40, "vector file is short: {rows}");
    }

    #[test]
    fn ends_are_exact_or_vanishing() {
        let zero = Enclosure::exp_neg(&RBig::ZERO, 100);
        assert!(zero.low == zero.high && zero.low == UBig::ONE << 100);
        let gone = Enclosure::exp_neg(&RBig::from(10_u8).pow(400), 100);
        assert!(gone.low == UBig::ZERO && gone.high == UBig::ONE);
    }

    /// More bits never contradict fewer bits.
    #[test]
    fn precision_levels_nest() {
        for n in 1..10_000_u64 {
            let x = RBig::from_parts((n * n).into(), (37 + 11 * n * (n % 97)).into());
            let coarse = Enclosure::exp_neg(&x, 70);
            let fine = Enclosure::exp_neg(&x, 230);
            assert!(&coarse.low << 160 <= fine.high && fine.low <= &coarse.high << 160);
            assert!(coarse.low <= &fine.low >> 160 && coarse.high >= shr_up(&fine.high, 160));
        }
    }

    #[test]
    fn doubles_are_close() {
        for (x, want) in [
            ("1/3", 1.0 / 3.0),
            ("7/1", 7.0),
            ("1/1000000000000000", 1e-15),
            ("123456789123456789123456789/1", 1.234_567_891_234_567_9e26),
        ] {
            let got = approx_f64(&rational(x));
            assert!((got / want - 1.0).abs() < 3e-16, "{x}: {got}");
        }
        assert_eq!(approx_f64(&RBig::from(10_u8).pow(400)), f64::INFINITY);
        assert_eq!(approx_f64(&(RBig::ONE / RBig::from(10_u8).pow(400))), 0.0);
    }
}
