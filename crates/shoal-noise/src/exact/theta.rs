//! π and the sum of e^(-t z²) over the integers, enclosed.
//!
//! *Distribution*: for t > 3 the sum θ(t) = 1 + 2 Σ e^(-t k²) is taken as it stands. Otherwise Poisson
//! summation gives θ(t) = √(π/t) (1 + 2 Σ e^(-π² k² / t)), whose exponents exceed 3 as well. With
//! an exponent s k², s > 3, what follows the k-th term is below e^(-s k²) Σ_i e^(-9 i), a
//! thousandth of it; twice that is covered by adding the upper end of the k-th term once.
//!
//! π is 16 arctan(1/5) - 4 arctan(1/239). In units of 2^-w every power is at most 1.05 below its
//! value and every quotient at most one more, so K terms are within 3 K units, and the alternating
//! rest is below the first term left out, one unit.
//!
//! *Paper*: Machin (1706) for π.

use dashu_base::SquareRoot;
use dashu_int::UBig;
use dashu_ratio::RBig;

use crate::exact::enclosure::{Enclosure, div_up, numerator, shr_up};
use crate::exact::scaled::Scaled;

/// Bits that absorb the rounding of the sums here.
const GUARD: usize = 32;

/// θ(t) for a positive rational t, to about `bits` significant bits.
pub(crate) fn theta(t: &RBig, bits: usize) -> Scaled {
    if *t > RBig::from(3_u8) {
        return Scaled::from(two_sided(bits, |k| Enclosure::exp_neg(&(t * RBig::from(k * k)), bits)));
    }
    let work = bits + GUARD;
    let pi = pi(work);
    let dual = |end: &UBig| RBig::from_parts(end.clone().into(), UBig::ONE << work).sqr() / t;
    let (least, most) = (dual(&pi.low), dual(&pi.high));
    let sum = two_sided(bits, |k| {
        let square = RBig::from(k * k);
        Enclosure::exp_neg_between(&(&least * &square), &(&most * &square), bits)
    });
    // √(π/t) in units of 2^-work: π carries one factor 2^work already.
    let (top, bottom) = (numerator(t), t.denominator());
    let low = ((&pi.low * bottom) << work) / &top;
    let high = div_up(&((&pi.high * bottom) << work), &top);
    let root = Enclosure { low: low.sqrt(), high: high.sqrt() + UBig::ONE, bits: work };
    Scaled::from(root).times(&Scaled::from(sum), bits)
}

/// 1 + 2 Σ of the terms, which fall as e^(-s k²) with s > 3.
fn two_sided(bits: usize, term: impl Fn(u64) -> Enclosure) -> Enclosure {
    let mut sum = Enclosure::one(bits);
    for k in 1.. {
        let e = term(k);
        sum.low += &e.low << 1;
        sum.high += &e.high << 1;
        if e.low == UBig::ZERO {
            sum.high += e.high;
            break;
        }
    }
    sum
}

/// π to `bits` bits after the point.
pub(crate) fn pi(bits: usize) -> Enclosure {
    let work = bits + GUARD;
    let (five, five_terms) = arctan_inverse(5, work);
    let (large, large_terms) = arctan_inverse(239, work);
    let middle = (five << 4) - (large << 2);
    let slack = UBig::from(16 * (3 * five_terms + 1) + 4 * (3 * large_terms + 1));
    Enclosure { low: (&middle - &slack) >> GUARD, high: shr_up(&(middle + slack), GUARD), bits }
}

/// Σ (-1)^k / ((2k + 1) n^(2k + 1)) in units of 2^-work, and its number of terms.
fn arctan_inverse(n: u64, work: usize) -> (UBig, u64) {
    let mut power = (UBig::ONE << work) / UBig::from(n);
    let (mut plus, mut minus) = (UBig::ZERO, UBig::ZERO);
    let mut k = 0_u64;
    while power != UBig::ZERO {
        let term = &power / UBig::from(2 * k + 1);
        if k.is_multiple_of(2) {
            plus += term
        } else {
            minus += term
        }
        power /= UBig::from(n * n);
        k += 1;
    }
    (plus - minus, k)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::scaled::in_common;
    use dashu_base::BitTest;

    #[test]
    fn pi_to_fifty_digits() {
        let digits: UBig = "314159265358979323846264338327950288419716939937510".parse().unwrap();
        let unit = UBig::from(10_u8).pow(50);
        for bits in [1_usize, 10, 63, 127, 160] {
            let pi = pi(bits);
            assert!(&pi.low * &unit <= (&digits + UBig::ONE) << bits && &pi.high * &unit >= &digits << bits);
            assert!((&pi.high - &pi.low).bit_len() <= 2);
        }
    }

    /// The two series are one function: around t = 3 they may be asked for either.
    #[test]
    fn the_series_meet() {
        let just = |sign: i64| RBig::from(3_u8) + RBig::from_parts(sign.into(), UBig::ONE << 150);
        let both = in_common(&[theta(&just(-1), 120), theta(&just(1), 120)], 100);
        assert!(both[0].low <= both[1].high && both[1].low <= both[0].high);
        assert!((&both[0].high - &both[0].low).bit_len() <= 3 && (&both[1].high - &both[1].low).bit_len() <= 3);
    }
}
