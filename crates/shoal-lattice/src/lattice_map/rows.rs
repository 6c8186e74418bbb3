//! Rows of 32-bit floats in memory, brought to the lattice on all threads.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::LatticeMap;
use crate::lattice_map::{Axis, ROUND};
use crate::{HALF_WIDTH, LatticePoints, TILE};

/// Values rounded at a time, few enough for the first-level cache; more only if a single row has more.
const BATCH: usize = 64 * TILE;

impl LatticePoints {
    /// Points from `rows` in the user's units, one row after the other, each value as [`LatticeMap::to_lattice`] maps
    /// it. Runs on the threads of the current rayon pool. Refuses with the position of the first value that is not
    /// finite.
    ///
    /// # Panics
    /// When `rows` does not consist of whole rows.
    pub fn from_rows_f32(map: &LatticeMap, rows: &[f32]) -> Result<Self, usize> {
        let dims = map.dims();
        assert!(dims > 0 && rows.len().is_multiple_of(dims), "a row has a value per attribute");
        let at_once = (BATCH / dims).clamp(1, TILE);
        let axes = BatchAxes::new(map, at_once);
        let (finite, plain) = (AtomicBool::new(true), map.is_plain());
        let points = Self::from_tiles(rows.len() / dims, dims, |first, tile| {
            let (mut small, mut large);
            let rounded: &mut [i16] = if dims <= BATCH {
                small = [0; BATCH];
                &mut small
            } else {
                large = vec![0; dims];
                &mut large
            };
            let values = &rows[first * dims..rows.len().min((first + TILE) * dims)];
            if !all_finite(values) {
                finite.store(false, Ordering::Relaxed);
            }
            for (batch, values) in values.chunks(at_once * dims).enumerate() {
                if plain {
                    axes.round(values, rounded);
                } else {
                    for (i, (&x, to)) in values.iter().zip(rounded.iter_mut()).enumerate() {
                        *to = map.axes[i % dims].round(f64::from(x));
                    }
                }
                for (row, values) in (batch * at_once..).zip(rounded[..values.len()].chunks_exact(dims)) {
                    write_row(tile, row, values);
                }
            }
        });
        if finite.into_inner() { Ok(points) } else { Err(rows.iter().position(|x| !x.is_finite()).unwrap_or(0)) }
    }
}

/// Whether no value is NaN or infinite, without a branch per value: those have all bits of the exponent set, and one
/// more carries into the sign.
fn all_finite(values: &[f32]) -> bool {
    let carry = |x: &f32| (x.to_bits() & f32::INFINITY.to_bits()) + (1 << 23);
    values.iter().fold(0, |any, x| any | carry(x)) >> 31 == 0
}

/// The parameters of all values of a batch, so that one flat loop vectorises whatever the number of attributes.
struct BatchAxes {
    lo: Vec<f64>,
    hi: Vec<f64>,
    lift: Vec<f64>,
    scale: Vec<f64>,
    lifted: bool,
    avx2: bool,
}

impl BatchAxes {
    fn new(map: &LatticeMap, rows: usize) -> Self {
        let [lo, hi, lift, scale] =
            [|axis: &Axis| axis.lo, |axis: &Axis| axis.hi, |axis: &Axis| axis.lift, |axis: &Axis| axis.scale]
                .map(|part| map.axes.iter().map(part).collect::<Vec<f64>>().repeat(rows));
        let lifted = lift.iter().any(|&x| x != 1.0);
        #[cfg(target_arch = "x86_64")]
        let avx2 = is_x86_feature_detected!("avx2");
        #[cfg(not(target_arch = "x86_64"))]
        let avx2 = false;
        Self { lo, hi, lift, scale, lifted, avx2 }
    }

    fn round(&self, values: &[f32], out: &mut [i16]) {
        #[cfg(target_arch = "x86_64")]
        if self.avx2 && !self.lifted {
            // SAFETY: this machine has AVX2.
            return unsafe { self.round_avx2(values, out) };
        }
        if self.lifted { self.round_with::<true>(values, out) } else { self.round_with::<false>(values, out) }
    }

    /// The same operations on wider vectors, each rounded in the same way.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn round_avx2(&self, values: &[f32], out: &mut [i16]) {
        self.round_with::<false>(values, out);
    }

    /// [`Axis::round`] of every value. Multiplying by one changes nothing and is left out.
    #[inline(always)]
    fn round_with<const LIFTED: bool>(&self, values: &[f32], out: &mut [i16]) {
        let axes = self.lo.iter().zip(&self.hi).zip(self.lift.iter().zip(&self.scale));
        for ((out, &x), ((lo, hi), (lift, scale))) in out.iter_mut().zip(values).zip(axes) {
            let above = f64::from(x).max(*lo).min(*hi) - lo;
            let steps = if LIFTED { above * lift * scale } else { above * scale };
            *out = ((steps + ROUND).to_bits() as i16).wrapping_sub(HALF_WIDTH as i16);
        }
    }
}

/// Writes one row of a tile, in the layout of [`LatticePoints`].
fn write_row(tile: &mut [i16], row: usize, values: &[i16]) {
    let (words, _) = tile.as_chunks_mut::<{ 2 * TILE }>();
    let (pairs, last) = values.as_chunks::<2>();
    for (words, pair) in words.iter_mut().zip(pairs) {
        words[2 * row..][..2].copy_from_slice(pair);
    }
    if let ([x], Some(words)) = (last, words.last_mut()) {
        words[2 * row] = *x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bounds, Interval};
    use proptest::prelude::*;

    fn map(intervals: &[(f64, f64)]) -> LatticeMap {
        let names = (0..intervals.len()).map(|i| format!("x{i}")).collect();
        let intervals = intervals.iter().map(|&(lo, hi)| Interval::new(lo, hi).unwrap()).collect();
        LatticeMap::new(&Bounds::new(names, intervals).unwrap())
    }

    fn same_as_value_by_value(map: &LatticeMap, rows: &[f32]) {
        let points = LatticePoints::from_rows_f32(map, rows).unwrap();
        let mut expected = LatticePoints::new(map.dims());
        for row in rows.chunks_exact(map.dims()) {
            let row = row.iter().enumerate().map(|(a, &x)| map.to_lattice(a, f64::from(x)).unwrap().0);
            expected.push_row(&row.collect::<Vec<_>>());
        }
        assert_eq!(points.rows(), expected.rows());
        assert!(points.tile_cells(0..points.tiles()) == expected.tile_cells(0..expected.tiles()));
    }

    proptest! {
        #[test]
        fn rows_map_as_their_values_do(
            intervals in prop::collection::vec((-1e3..1e3f64, prop_oneof![1e-3..1e3f64, Just(1e-300)]), 1..40),
            values in prop::collection::vec(prop_oneof![-2e3..2e3f32, any::<f32>()], 0..900),
        ) {
            // A narrow interval only exists around zero.
            let ends = |&(lo, width): &(f64, f64)| if width < 1e-9 { (0.0, width) } else { (lo, lo + width) };
            let map = map(&intervals.iter().map(ends).collect::<Vec<_>>());
            let rows = &values[..values.len() / map.dims() * map.dims()];
            match rows.iter().position(|x| !x.is_finite()) {
                Some(at) => prop_assert_eq!(LatticePoints::from_rows_f32(&map, rows).err(), Some(at)),
                None => same_as_value_by_value(&map, rows),
            }
        }
    }

    #[test]
    fn wide_rows_map_too() {
        for dims in [1_000, BATCH, BATCH + 1, 3_000] {
            let intervals: Vec<_> = (0..dims).map(|a| (-1.0 - a as f64, 2.0)).collect();
            let rows: Vec<f32> = (0..19 * dims).map(|i| (i as f32).sin() * 1_500.0).collect();
            same_as_value_by_value(&map(&intervals), &rows);
        }
    }
}
