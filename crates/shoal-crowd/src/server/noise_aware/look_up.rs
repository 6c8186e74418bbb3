//! Sixteen look-ups in a table at once, and sixteen exponentials.
//!
//! The arithmetic is written once, over arrays of sixteen, and the compiler makes vectors of it. Only fetching from the table
//! has two forms: [`Portable`], and [`Avx2`], which reads a value and its slope as one word of eight bytes and sorts
//! them in registers. Both fetch the same numbers.

use crate::server::noise_aware::profile::PIECES;
use crate::server::points::LANES;

/// A number for each of sixteen reports.
pub(super) type Lanes = [f32; LANES];

/// A table: value at the left knot and slope in squared distance, for each piece.
pub(super) type Pieces = [[f32; 2]; PIECES];

/// How a table is read.
pub(super) trait Fetch {
    /// Values and slopes of sixteen pieces; every number is below [`PIECES`].
    fn fetch(pieces: &Pieces, at: &[u32; LANES]) -> (Lanes, Lanes);
}

/// Piece by piece; any machine can.
pub(super) struct Portable;

impl Fetch for Portable {
    #[inline(always)]
    fn fetch(pieces: &Pieces, at: &[u32; LANES]) -> (Lanes, Lanes) {
        let (mut values, mut slopes) = ([0.0; LANES], [0.0; LANES]);
        for lane in 0..LANES {
            [values[lane], slopes[lane]] = pieces[at[lane] as usize & (PIECES - 1)];
        }
        (values, slopes)
    }
}

/// Eight bytes at a time. To be used where the machine is known to have AVX2, and nowhere else.
#[cfg(target_arch = "x86_64")]
pub(super) struct Avx2;

#[cfg(target_arch = "x86_64")]
impl Fetch for Avx2 {
    #[inline(always)]
    fn fetch(pieces: &Pieces, at: &[u32; LANES]) -> (Lanes, Lanes) {
        // SAFETY: whoever chose this type has asked the machine.
        unsafe { fetch_avx2(pieces, at) }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn fetch_avx2(pieces: &Pieces, at: &[u32; LANES]) -> (Lanes, Lanes) {
    use std::arch::x86_64::{
        __m128d, _mm_loadh_pd, _mm_set_sd, _mm256_castpd_ps, _mm256_set_m128d, _mm256_shuffle_ps, _mm256_storeu_ps,
    };
    let word = |lane: usize| pieces[at[lane] as usize & (PIECES - 1)].as_ptr().cast::<f64>();
    let pair = |low: usize| -> __m128d {
        // SAFETY: a piece is eight bytes, and neither load asks for alignment.
        unsafe { _mm_loadh_pd(_mm_set_sd(word(low).read_unaligned()), word(low + 1)) }
    };
    let (mut values, mut slopes) = ([0.0; LANES], [0.0; LANES]);
    let mut half = 0;
    while half < LANES {
        // Pieces 0, 1, 4, 5 and 2, 3, 6, 7: the shuffle takes its halves from either.
        let even = _mm256_castpd_ps(_mm256_set_m128d(pair(half + 4), pair(half)));
        let odd = _mm256_castpd_ps(_mm256_set_m128d(pair(half + 6), pair(half + 2)));
        // SAFETY: eight numbers from `half` on are inside sixteen.
        unsafe {
            _mm256_storeu_ps(values.as_mut_ptr().add(half), _mm256_shuffle_ps::<0b10_00_10_00>(even, odd));
            _mm256_storeu_ps(slopes.as_mut_ptr().add(half), _mm256_shuffle_ps::<0b11_01_11_01>(even, odd));
        }
        half += 8;
    }
    (values, slopes)
}

/// What a table says about sixteen distances.
pub(super) struct Found {
    /// Logarithm of the density.
    pub ln_density: Lanes,
    /// Slope in squared distance; a report's weight is minus twice that.
    pub slope: Lanes,
    /// The pieces.
    pub at: [u32; LANES],
    /// How far into its piece each squared distance is.
    pub excess: Lanes,
}

/// Looks up distances and their squares.
#[inline(always)]
pub(super) fn look_up<F: Fetch>(
    distance: &Lanes,
    squared: &Lanes,
    pieces: &Pieces,
    (spacing, inverse_spacing): (f32, f32),
) -> Found {
    /// Added to a small number, leaves its nearest integer in the low bits.
    const ROUND: f32 = 8_388_608.0;
    const LAST: f32 = (PIECES - 1) as f32;
    let mut at = [0_u32; LANES];
    let mut excess = [0.0; LANES];
    for lane in 0..LANES {
        let position = distance[lane] * inverse_spacing - 0.5;
        // Comparisons, unlike `max` and `min`, are one instruction each.
        let position = if position > 0.0 { position } else { 0.0 };
        let position = if position < LAST { position } else { LAST } + ROUND;
        at[lane] = position.to_bits() & (PIECES as u32 - 1);
        let left = (position - ROUND) * spacing;
        excess[lane] = squared[lane] - left * left;
    }
    let (mut ln_density, slope) = F::fetch(pieces, &at);
    for lane in 0..LANES {
        ln_density[lane] += slope[lane] * excess[lane];
    }
    Found { ln_density, slope, at, excess }
}

/// e^x for x ≤ 0 within 2e-7 of itself, 0 below -87; no library call, so that sixteen go at once.
#[inline(always)]
pub(super) fn exp_of_negative(x: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0;
    let x = if x > -87.0 { x } else { -87.0 };
    let scaled = x * std::f32::consts::LOG2_E;
    let whole = scaled + ROUND;
    let power = whole - ROUND;
    // x − power·ln 2 in two steps, so that nothing is lost.
    let rest = (x - power * 0.693_359_4) - power * -2.121_944_4e-4;
    let polynomial = 1.987_569_2e-4 * rest + 1.398_199_9e-3;
    let polynomial = (polynomial * rest + 8.333_452e-3) * rest + 4.166_579_6e-2;
    let polynomial = (polynomial * rest + 0.166_666_66) * rest + 0.5;
    let mantissa = polynomial * rest * rest + rest + 1.0;
    let exponent = (whole.to_bits() << 23).wrapping_add(mantissa.to_bits());
    if x <= -87.0 { 0.0 } else { f32::from_bits(exponent) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_of_negative_numbers() {
        for i in 0..200_000 {
            let x = -(i as f32) * 4.3e-4;
            let (found, truth) = (f64::from(exp_of_negative(x)), f64::from(x).exp());
            assert!((found / truth - 1.0).abs() < 2e-7, "e^{x}: {found}, not {truth}");
        }
        assert_eq!(exp_of_negative(0.0), 1.0);
        assert_eq!(exp_of_negative(-90.0), 0.0);
        assert_eq!(exp_of_negative(f32::NEG_INFINITY), 0.0);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn both_ways_to_fetch_agree() {
        if !is_x86_feature_detected!("avx2") {
            return;
        }
        let mut pieces = [[0.0; 2]; PIECES];
        for (i, piece) in pieces.iter_mut().enumerate() {
            *piece = [i as f32, -1.0 - i as f32];
        }
        for first in 0..PIECES as u32 {
            let at = std::array::from_fn(|lane| (first + lane as u32 * 677) % PIECES as u32);
            assert_eq!(Portable::fetch(&pieces, &at), Avx2::fetch(&pieces, &at));
        }
    }
}
