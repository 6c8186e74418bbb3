//! Counts of rows per cell, in as little memory as the number of cells asks for.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use shoal_files::DataError;
use shoal_lattice::{LatticePoints, TILE};

use crate::tally::{Chunks, merge, rows_in};

/// From this many cells on, threads count into one vector; below it, waiting for each other would cost more than copies.
pub(crate) const SHARED_COUNTS: usize = 1 << 14;

/// Counts of the cells that `cells_of` finds for the rows of a tile, with room for one row to work in.
pub(crate) fn count(
    rows: &dyn Chunks,
    cells: usize,
    cells_of: impl Fn(&LatticePoints, usize, &mut [i16]) -> [u32; TILE] + Sync,
) -> Result<Vec<u64>, DataError> {
    if cells > SHARED_COUNTS {
        return shared_count(rows, cells, cells_of);
    }
    let dims = rows.dims();
    let count = |points: &LatticePoints, tiles: Range<usize>, counts: &mut Vec<u64>| {
        let mut row = vec![0; dims];
        for tile in tiles {
            for &cell in &cells_of(points, tile, &mut row)[..rows_in(points, tile)] {
                counts[cell as usize] += 1;
            }
        }
    };
    merge(
        rows,
        || vec![0; cells],
        count,
        |left, right| left.iter_mut().zip(right).for_each(|(total, more)| *total += more),
    )
}

/// One vector for all threads: a copy for each would multiply the memory of a large grid.
fn shared_count(
    rows: &dyn Chunks,
    cells: usize,
    cells_of: impl Fn(&LatticePoints, usize, &mut [i16]) -> [u32; TILE] + Sync,
) -> Result<Vec<u64>, DataError> {
    let dims = rows.dims();
    let counts: Vec<AtomicU64> = std::iter::repeat_with(AtomicU64::default).take(cells).collect();
    let count = |points: &LatticePoints, tiles: Range<usize>, _: &mut ()| {
        let mut row = vec![0; dims];
        for tile in tiles {
            for &cell in &cells_of(points, tile, &mut row)[..rows_in(points, tile)] {
                // Additions commute, and the end of the scan orders them before the reading.
                counts[cell as usize].fetch_add(1, Ordering::Relaxed);
            }
        }
    };
    merge(rows, || (), count, |_, ()| ())?;
    Ok(counts.into_iter().map(AtomicU64::into_inner).collect())
}

/// The cells of the rows of a tile, one row after the other.
pub(crate) fn row_by_row(
    points: &LatticePoints,
    tile: usize,
    row: &mut [i16],
    cell_of: impl Fn(&[i16]) -> usize,
) -> [u32; TILE] {
    let mut cells = [0; TILE];
    for (lane, cell) in cells[..rows_in(points, tile)].iter_mut().enumerate() {
        points.copy_row(tile * TILE + lane, row);
        *cell = cell_of(row) as u32;
    }
    cells
}
