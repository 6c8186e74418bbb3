//! Squared distances of a tile's rows from several centres at once, for k-means++.
//!
//! Rounded to 24 bits: they are probabilities, not labels. Every path adds the same numbers in the same order, so all find
//! the same bits: a difference of lattice coordinates is exact in 24 bits, whether it is taken before or after the
//! conversion, and nothing is contracted.

use shoal_lattice::TILE;

/// Squared distances of the rows of a tile, `cells` in the layout of the points, from `C` centres.
///
/// The padding of an odd number of attributes is zero in points, so it is zero in centres.
#[inline(always)]
pub(crate) fn plain<const C: usize>(cells: &[i16], centres: [&[i16]; C]) -> [[f32; TILE]; C] {
    centres.map(|centre| {
        let mut sums = [0.0; TILE];
        for (pair, c) in cells.as_chunks::<{ 2 * TILE }>().0.iter().zip(centre.chunks(2)) {
            let (even, odd) = (i32::from(c[0]), i32::from(c.get(1).copied().unwrap_or(0)));
            for lane in 0..TILE {
                let x = (i32::from(pair[2 * lane]) - even) as f32;
                let y = (i32::from(pair[2 * lane + 1]) - odd) as f32;
                sums[lane] += x * x + y * y;
            }
        }
        sums
    })
}

/// [`plain`], eight rows at a time; coordinates are unpacked once for all centres.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn avx2<const C: usize>(cells: &[i16], centres: [&[i16]; C]) -> [[f32; TILE]; C] {
    use std::arch::x86_64::{
        __m256i, _mm256_add_ps, _mm256_cvtepi32_ps, _mm256_loadu_si256, _mm256_mul_ps, _mm256_set1_ps,
        _mm256_setzero_ps, _mm256_slli_epi32, _mm256_srai_epi32, _mm256_storeu_ps, _mm256_sub_ps,
    };
    const LANES: usize = 8;
    let mut found = [[0.0; TILE]; C];
    for half in 0..TILE / LANES {
        let mut sums = [_mm256_setzero_ps(); C];
        for (p, pair) in cells.as_chunks::<{ 2 * TILE }>().0.iter().enumerate() {
            // SAFETY: sixteen of the pair's 32 numbers, from the first or from the seventeenth on.
            let both = unsafe { _mm256_loadu_si256(pair[half * 2 * LANES..].as_ptr().cast::<__m256i>()) };
            let even = _mm256_cvtepi32_ps(_mm256_srai_epi32::<16>(_mm256_slli_epi32::<16>(both)));
            let odd = _mm256_cvtepi32_ps(_mm256_srai_epi32::<16>(both));
            for (sum, centre) in sums.iter_mut().zip(centres) {
                let at = |axis: usize| _mm256_set1_ps(centre.get(axis).map_or(0.0, |&c| f32::from(c)));
                let (x, y) = (_mm256_sub_ps(even, at(2 * p)), _mm256_sub_ps(odd, at(2 * p + 1)));
                *sum = _mm256_add_ps(*sum, _mm256_add_ps(_mm256_mul_ps(x, x), _mm256_mul_ps(y, y)));
            }
        }
        for (found, sum) in found.iter_mut().zip(sums) {
            // SAFETY: eight of sixteen numbers, from the first or from the ninth on.
            unsafe { _mm256_storeu_ps(found[half * LANES..].as_mut_ptr(), sum) };
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::random;
    use shoal_lattice::LatticePoints;

    #[test]
    fn all_paths_find_the_same_bits() {
        let mut next = random(4);
        let mut coordinate = move || match next() % 5 {
            0 => 32_767,
            1 => -32_767,
            _ => (next() % 65_535) as i32 as u16 as i16,
        };
        let mut coordinate = move || coordinate().max(-32_767);
        for dims in [1, 2, 3, 10, 17] {
            let mut points = LatticePoints::new(dims);
            for _ in 0..37 {
                let row: Vec<i16> = (0..dims).map(|_| coordinate()).collect();
                points.push_row(&row);
            }
            let centres: Vec<Vec<i16>> = (0..3).map(|_| (0..dims).map(|_| coordinate()).collect()).collect();
            let centres = [&centres[0][..], &centres[1][..], &centres[2][..]];
            for tile in 0..points.tiles() {
                let cells = points.tile_cells(tile..tile + 1);
                let expected = plain(cells, centres);
                #[cfg(target_arch = "x86_64")]
                if is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor has been asked.
                    assert_eq!(unsafe { avx2(cells, centres) }, expected, "{dims} attributes, tile {tile}");
                }
                // And one row by hand.
                let x = |axis: usize| f64::from(points.get(tile * TILE, axis)) - f64::from(centres[1][axis]);
                let exact: f64 = (0..dims).map(|axis| x(axis).powi(2)).sum();
                assert!((f64::from(expected[1][0]) - exact).abs() <= 1e-5 * exact);
            }
        }
    }
}
