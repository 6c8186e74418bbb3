//! Uniform integers, exact, and uniform reals for public randomness.
//!
//! *Distribution*: [`below`] and [`below_u128`] are exactly uniform on `0..n`; [`symmetric`] on `-n..=n`.
//! [`unit_f64`] and [`point_in_box`] are uniform on a grid of doubles, [`normal_f64`] is normal up to rounding: good for
//! randomness that touches no data (random initial centres, made-up records), never for noise.
//!
//! *Runtime*: one word in expectation; fewer than two words per try and fewer than two tries in
//! the 128-bit case.
//!
//! *Paper*: Lemire, "Fast random integer generation in an interval" (2019), algorithm 5.

use crate::source::NoiseSource;

/// A uniform integer in `0..n`.
///
/// # Panics
/// When `n` is 0: there is nothing to choose from.
#[inline]
pub fn below(source: &mut (impl NoiseSource + ?Sized), n: u64) -> u64 {
    assert!(n > 0, "a uniform draw needs at least one value");
    let mut wide = u128::from(source.next_u64()) * u128::from(n);
    // The low half shows whether the word sits in the uneven remainder of 2^64 / n; the division
    // that finds the remainder is only paid for when that is possible at all.
    if (wide as u64) < n {
        let uneven = n.wrapping_neg() % n;
        while (wide as u64) < uneven {
            wide = u128::from(source.next_u64()) * u128::from(n);
        }
    }
    (wide >> 64) as u64
}

/// A uniform integer in `0..n`, for ranges beyond 64 bits.
///
/// Short ranges go to [`below`]; long ones draw as many bits as `n - 1` has and start over when
/// the draw is too large.
///
/// # Panics
/// When `n` is 0: there is nothing to choose from.
pub fn below_u128(source: &mut (impl NoiseSource + ?Sized), n: u128) -> u128 {
    assert!(n > 0, "a uniform draw needs at least one value");
    if let Ok(short) = u64::try_from(n) {
        return u128::from(below(source, short));
    }
    let unused = (n - 1).leading_zeros();
    loop {
        let high = u128::from(source.next_u64());
        let low = u128::from(source.next_u64());
        let draw = (high << 64 | low) >> unused;
        if draw < n {
            return draw;
        }
    }
}

/// A uniform integer in `-n..=n`.
///
/// # Panics
/// When `n` is above 2^126.
#[inline]
pub fn symmetric(source: &mut (impl NoiseSource + ?Sized), n: u128) -> i128 {
    assert!(n <= 1 << 126, "the range would not fit 128 bits");
    if n < 1 << 62 {
        let n = n as u64;
        i128::from(below(source, 2 * n + 1) as i64 - n as i64)
    } else {
        below_u128(source, 2 * n + 1) as i128 - n as i128
    }
}

/// A uniform double in `[0, 1)`: a multiple of 2^-53. For public randomness only.
#[inline]
pub fn unit_f64(source: &mut (impl NoiseSource + ?Sized)) -> f64 {
    (source.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
}

/// A standard normal draw in doubles (Box and Muller). For made-up data and for methods that promise nothing, never for
/// noise that has to protect anyone.
pub fn normal_f64(source: &mut (impl NoiseSource + ?Sized)) -> f64 {
    let (u, v) = (1.0 - unit_f64(source), unit_f64(source));
    (-2.0 * libm::log(u)).sqrt() * libm::cos(2.0 * std::f64::consts::PI * v)
}

/// A uniform point of the box with corners `low` and `high`, written to `point`. For public
/// randomness only, such as initial centres.
///
/// # Panics
/// When the three slices differ in length.
pub fn point_in_box(source: &mut (impl NoiseSource + ?Sized), low: &[f64], high: &[f64], point: &mut [f64]) {
    assert_eq!(low.len(), high.len(), "the two corners differ in dimension");
    assert_eq!(low.len(), point.len(), "the point differs in dimension from the box");
    for ((x, &lo), &hi) in point.iter_mut().zip(low).zip(high) {
        let t = unit_f64(source);
        // Rounding may carry the last value past the corner.
        *x = (lo * (1.0 - t) + hi * t).clamp(lo, hi);
    }
}
