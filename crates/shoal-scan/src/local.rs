//! Scans on this machine, over all its threads.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use shoal_privacy::Sensitive;

use crate::box_walk::BoxWalk;
use crate::{BlockDraw, BoxTree, Grid, Scan, ScanError};
use shoal_files::{DataError, LoadOptions, PointStore, Progress, Silent};
use shoal_kernel::nearest::{capped_cost, clipped_sums};
use shoal_kernel::{
    Cap, ClipLimits, ClusterSums, LatticeCentres, MomentSums, Reach, SearchCentres, moment_sums, sums_and_counts,
};
use shoal_lattice::{LatticePoints, TILE};

/// Tiles that one thread takes at a time: enough to forget the cost of handing them out, few enough to share evenly.
const TILES_PER_TASK: usize = 512;

/// From this many cells on, threads count into one vector; below it, waiting for each other would cost more than copies.
const SHARED_COUNTS: usize = 1 << 14;

/// A table on this machine, in memory or read again for every scan.
pub struct LocalScan {
    store: Sensitive<PointStore>,
    dims: usize,
    memory: usize,
    progress: Box<dyn Progress + Send>,
}

impl LocalScan {
    /// Scans of the rows in `store`.
    pub fn new(store: PointStore) -> Self {
        let memory = LoadOptions::default().memory;
        Self { dims: store.dims(), store: Sensitive::new(store), memory, progress: Box::new(Silent) }
    }

    /// Bytes that a scan may use for copies of points; see [`Scan::block_results`].
    pub fn with_memory(self, memory: usize) -> Self {
        Self { memory, ..self }
    }

    /// Tells a listener how far each pass over a file has come.
    pub fn with_progress(self, progress: impl Progress + Send + 'static) -> Self {
        Self { progress: Box::new(progress), ..self }
    }

    /// Merges `part` of every task over all chunks, starting from `empty`.
    ///
    /// All partial answers are integers, so the order in which threads finish does not show.
    fn merge<A: Send>(
        &self,
        asked: usize,
        empty: impl Fn() -> A + Sync,
        part: impl Fn(&LatticePoints, Range<usize>, &mut A) + Sync,
        merge: impl Fn(&mut A, A) + Sync,
    ) -> Result<Sensitive<A>, ScanError> {
        if asked != self.dims {
            return Err(ScanError::Dimensions { asked, has: self.dims });
        }
        self.store.try_map_ref(|store| {
            let mut total = empty();
            store.for_each_chunk_with(&*self.progress, |points| {
                let tasks = points.tiles().div_ceil(TILES_PER_TASK);
                let answer = (0..tasks)
                    .into_par_iter()
                    .fold(&empty, |mut answer, task| {
                        let first = task * TILES_PER_TASK;
                        part(points, first..(first + TILES_PER_TASK).min(points.tiles()), &mut answer);
                        answer
                    })
                    .reduce(&empty, |mut left, right| {
                        merge(&mut left, right);
                        left
                    });
                merge(&mut total, answer);
                Ok::<(), DataError>(())
            })?;
            Ok(total)
        })
    }

    /// Counts of cells that `cells_of` finds for the rows of a tile, with room for one row to work in.
    fn counts(
        &self,
        dims: usize,
        cells: usize,
        cells_of: impl Fn(&LatticePoints, usize, &mut [i16]) -> [u32; TILE] + Sync,
    ) -> Result<Sensitive<Vec<u64>>, ScanError> {
        if cells > SHARED_COUNTS {
            return self.shared_counts(dims, cells, cells_of);
        }
        let count = |points: &LatticePoints, tiles: Range<usize>, counts: &mut Vec<u64>| {
            let mut row = vec![0; dims];
            for tile in tiles {
                for &cell in &cells_of(points, tile, &mut row)[..rows_in(points, tile)] {
                    counts[cell as usize] += 1;
                }
            }
        };
        self.merge(
            dims,
            || vec![0; cells],
            count,
            |left, right| {
                left.iter_mut().zip(right).for_each(|(total, more)| *total += more);
            },
        )
    }

    /// One vector for all threads: a copy for each would multiply the memory of a large grid.
    fn shared_counts(
        &self,
        dims: usize,
        cells: usize,
        cells_of: impl Fn(&LatticePoints, usize, &mut [i16]) -> [u32; TILE] + Sync,
    ) -> Result<Sensitive<Vec<u64>>, ScanError> {
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
        let scanned = self.merge(dims, || (), count, |_, ()| ())?;
        Ok(scanned.map(|()| counts.into_iter().map(AtomicU64::into_inner).collect()))
    }
}

/// Rows of a tile that are not padding.
fn rows_in(points: &LatticePoints, tile: usize) -> usize {
    (points.rows() - tile * TILE).min(TILE)
}

/// The cells of the rows of a tile, one row after the other.
fn row_by_row(points: &LatticePoints, tile: usize, row: &mut [i16], cell_of: impl Fn(&[i16]) -> usize) -> [u32; TILE] {
    let mut cells = [0; TILE];
    for (lane, cell) in cells[..rows_in(points, tile)].iter_mut().enumerate() {
        points.copy_row(tile * TILE + lane, row);
        *cell = cell_of(row) as u32;
    }
    cells
}

impl Scan for LocalScan {
    fn dims(&self) -> usize {
        self.dims
    }

    fn sums_and_counts(&self, centres: &LatticeCentres) -> Result<Sensitive<ClusterSums>, ScanError> {
        let search = SearchCentres::new(centres);
        self.merge(
            centres.dims(),
            || ClusterSums::zero(centres.count(), centres.dims()),
            |points, tiles, sums| sums.merge(&sums_and_counts(points, tiles, &search)),
            |left, right| left.merge(&right),
        )
    }

    fn clipped_sums(&self, centres: &LatticeCentres, reach: &Reach) -> Result<Sensitive<ClusterSums>, ScanError> {
        if centres.count() != reach.count() {
            return Err(ScanError::Reaches { centres: centres.count(), reaches: reach.count() });
        }
        if centres.dims() != reach.dims() {
            return Err(ScanError::Dimensions { asked: reach.dims(), has: centres.dims() });
        }
        let (search, limits) = (SearchCentres::new(centres), ClipLimits::new(reach));
        self.merge(
            centres.dims(),
            || ClusterSums::zero(centres.count(), centres.dims()),
            |points, tiles, sums| sums.merge(&clipped_sums(points, tiles, &search, reach, &limits)),
            |left, right| left.merge(&right),
        )
    }

    fn cell_counts(&self, grid: &Grid) -> Result<Sensitive<Vec<u64>>, ScanError> {
        self.counts(grid.dims(), grid.cells(), |points, tile, row| row_by_row(points, tile, row, |row| grid.cell(row)))
    }

    fn box_counts(&self, tree: &BoxTree) -> Result<Sensitive<Vec<u64>>, ScanError> {
        match BoxWalk::new(tree) {
            Some(walk) => self.counts(tree.dims(), tree.leaves(), |points, tile, _| walk.leaves(points, tile)),
            None => self.counts(tree.dims(), tree.leaves(), |points, tile, row| {
                row_by_row(points, tile, row, |row| tree.leaf(row))
            }),
        }
    }

    /// Since Σ‖x − c‖² = Σ‖x‖² + C·‖c‖² − 2·c·S for C rows that sum to S, the costs follow from the sums and counts of
    /// the vectorised search: no row is looked at again, and all of it is in integers.
    fn costs(&self, candidates: &[LatticeCentres]) -> Result<Sensitive<Vec<u128>>, ScanError> {
        for centres in candidates {
            if centres.dims() != self.dims {
                return Err(ScanError::Dimensions { asked: centres.dims(), has: self.dims });
            }
        }
        let searches: Vec<_> = candidates.par_iter().map(SearchCentres::new).collect();
        let add = |points: &LatticePoints, tiles: Range<usize>, costs: &mut Vec<u128>| {
            // Padding is zero and adds nothing.
            let norms = points.tile_cells(tiles.clone()).iter().map(|&x| i128::from(i32::from(x).pow(2))).sum::<i128>();
            costs.par_iter_mut().zip(candidates).zip(&searches).for_each(|((cost, centres), search)| {
                let sums = sums_and_counts(points, tiles.clone(), search);
                *cost += (norms + cost_beyond_norms(&sums, centres)) as u128;
            });
        };
        self.merge(
            self.dims,
            || vec![0; candidates.len()],
            add,
            |left, right| {
                left.iter_mut().zip(right).for_each(|(total, more)| *total += more);
            },
        )
    }

    fn block_results(
        &self,
        draw: &BlockDraw,
        work: &(dyn Fn(&LatticePoints) -> Vec<i16> + Sync),
    ) -> Result<Sensitive<Vec<Vec<i16>>>, ScanError> {
        self.store.try_map_ref(|store| {
            // A pass holds the rows of as many blocks as the memory budget has room for.
            let all = LatticePoints::bytes_for(self.dims, store.rows());
            let passes = all.div_ceil(self.memory.max(1)).clamp(1, draw.blocks());
            let mut results = Vec::with_capacity(draw.blocks());
            for pass in 0..passes {
                let held = pass * draw.blocks() / passes..(pass + 1) * draw.blocks() / passes;
                let mut blocks: Vec<_> = held.clone().map(|_| LatticePoints::new(self.dims)).collect();
                let mut deal = draw.deal();
                let mut row = vec![0; self.dims];
                store.for_each_chunk_with(&*self.progress, |points| {
                    for (r, block) in (0..points.rows()).zip(&mut deal) {
                        if held.contains(&block) {
                            points.copy_row(r, &mut row);
                            blocks[block - held.start].push_row(&row);
                        }
                    }
                    Ok::<(), DataError>(())
                })?;
                results.par_extend(blocks.par_iter().map(work));
            }
            Ok(results)
        })
    }

    fn moments(&self) -> Result<Sensitive<MomentSums>, ScanError> {
        self.merge(
            self.dims,
            || MomentSums::zero(self.dims),
            |points, tiles, sums| sums.merge(&moment_sums(points, tiles)),
            |left, right| left.merge(&right),
        )
    }

    fn capped_cost(&self, centres: &LatticeCentres, cap: Cap) -> Result<Sensitive<u128>, ScanError> {
        let search = SearchCentres::new(centres);
        let add = |points: &LatticePoints, tiles: Range<usize>, cost: &mut u128| {
            *cost += capped_cost(points, tiles, centres, &search, cap);
        };
        self.merge(centres.dims(), || 0, add, |left, right| *left += right)
    }

    fn row_count(&self) -> Result<Sensitive<u64>, ScanError> {
        let count = |points: &LatticePoints, tiles: Range<usize>, rows: &mut u64| {
            *rows += ((tiles.end * TILE).min(points.rows()) - tiles.start * TILE) as u64;
        };
        self.merge(self.dims, || 0, count, |left, right| *left += right)
    }
}

/// Σ_j (C_j·‖c_j‖² − 2·c_j·S_j): the sum of squared distances less that of the rows' own squared lengths.
fn cost_beyond_norms(sums: &ClusterSums, centres: &LatticeCentres) -> i128 {
    let of_cluster = |(j, &count): (usize, &i64)| {
        let products = centres.centre(j).iter().zip(sums.sum(j));
        products
            .map(|(&c, &sum)| i128::from(c) * (i128::from(count) * i128::from(c) - 2 * i128::from(sum)))
            .sum::<i128>()
    };
    sums.counts.iter().enumerate().map(of_cluster).sum()
}
