//! Sums over rows, on all threads: the answers of every question that adds up.

use std::ops::Range;

use rayon::prelude::*;
use shoal_files::DataError;
use shoal_kernel::{ClipLimits, ClusterSums, LatticeCentres, MomentSums, SearchCentres, moment_sums, sums_and_counts};
use shoal_kernel::{capped_cost, clipped_sums};
use shoal_lattice::{LatticePoints, TILE};

use crate::box_walk::BoxWalk;
use crate::counts::{count, row_by_row};
use crate::grid_walk::GridWalk;
use crate::{Answer, Question, ScanError};

/// Tiles that one thread takes at a time: enough to forget the cost of handing them out, few enough to share evenly.
pub(crate) const TILES_PER_TASK: usize = 512;

/// Rows that come in chunks.
pub(crate) trait Chunks {
    fn dims(&self) -> usize;

    /// Hands all rows to `f`, in their order.
    fn for_each(&self, f: &mut dyn FnMut(&LatticePoints)) -> Result<(), DataError>;
}

impl Chunks for LatticePoints {
    fn dims(&self) -> usize {
        self.dims()
    }

    fn for_each(&self, f: &mut dyn FnMut(&LatticePoints)) -> Result<(), DataError> {
        f(self);
        Ok(())
    }
}

/// The answer for all `rows`; the caller has checked that the question is about them.
pub(crate) fn tally(question: &Question, rows: &dyn Chunks) -> Result<Answer, ScanError> {
    let unanswerable = |why| Err(ScanError::Unanswerable { question: question.name(), why });
    Ok(match question {
        Question::SumsAndCounts { centres } => {
            let search = SearchCentres::new(centres);
            Answer::SumsAndCounts(merge(
                rows,
                || ClusterSums::zero(centres.count(), centres.dims()),
                |points, tiles, sums| sums.merge(&sums_and_counts(points, tiles, &search)),
                |left, right| left.merge(&right),
            )?)
        }
        Question::ClippedSums { centres, reach } => {
            let (search, limits) = (SearchCentres::new(centres), ClipLimits::new(reach));
            Answer::ClippedSums(merge(
                rows,
                || ClusterSums::zero(centres.count(), centres.dims()),
                |points, tiles, sums| sums.merge(&clipped_sums(points, tiles, &search, reach, &limits)),
                |left, right| left.merge(&right),
            )?)
        }
        Question::CellCounts { grid } => {
            let walk = GridWalk::new(grid);
            Answer::CellCounts(count(rows, grid.cells(), |points, tile, _| walk.cells(points, tile))?)
        }
        Question::BoxCounts { tree } => Answer::BoxCounts(match BoxWalk::new(tree) {
            Some(walk) => count(rows, tree.leaves(), |points, tile, _| walk.leaves(points, tile))?,
            None => {
                count(rows, tree.leaves(), |points, tile, row| row_by_row(points, tile, row, |row| tree.leaf(row)))?
            }
        }),
        Question::Costs { candidates } => Answer::Costs(costs(rows, candidates)?),
        Question::Moments { dims } => Answer::Moments(merge(
            rows,
            || MomentSums::zero(*dims),
            |points, tiles, sums| sums.merge(&moment_sums(points, tiles)),
            |left, right| left.merge(&right),
        )?),
        Question::CappedCost { centres, cap } => {
            let search = SearchCentres::new(centres);
            let add = |points: &LatticePoints, tiles: Range<usize>, cost: &mut u128| {
                *cost += capped_cost(points, tiles, centres, &search, *cap);
            };
            Answer::CappedCost(merge(rows, || 0, add, |left, right| *left += right)?)
        }
        Question::RowCount => {
            let mut total = 0;
            rows.for_each(&mut |points| total += points.rows() as u64)?;
            Answer::RowCount(total)
        }
        Question::Blocks { .. } => return unanswerable("it does not add up, and is answered from gathered rows"),
        Question::Buckets { .. } => {
            return unanswerable("it is about raw values, and these rows are on the lattice already");
        }
    })
}

/// Merges `part` of every task over all chunks, starting from `empty`.
///
/// All partial answers are integers, so the order in which threads finish does not show.
pub(crate) fn merge<A: Send>(
    rows: &dyn Chunks,
    empty: impl Fn() -> A + Sync,
    part: impl Fn(&LatticePoints, Range<usize>, &mut A) + Sync,
    merge: impl Fn(&mut A, A) + Sync,
) -> Result<A, DataError> {
    let mut total = empty();
    rows.for_each(&mut |points| {
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
    })?;
    Ok(total)
}

/// Since Σ‖x − c‖² = Σ‖x‖² + C·‖c‖² − 2·c·S for C rows that sum to S, the costs follow from the sums and counts of the
/// vectorised search: no row is visited again, and all of it is in integers.
fn costs(rows: &dyn Chunks, candidates: &[LatticeCentres]) -> Result<Vec<u128>, DataError> {
    let searches: Vec<_> = candidates.par_iter().map(SearchCentres::new).collect();
    let add = |points: &LatticePoints, tiles: Range<usize>, costs: &mut Vec<u128>| {
        // Padding is zero and adds nothing.
        let norms = points.tile_cells(tiles.clone()).iter().map(|&x| i128::from(i32::from(x).pow(2))).sum::<i128>();
        costs.par_iter_mut().zip(candidates).zip(&searches).for_each(|((cost, centres), search)| {
            let sums = sums_and_counts(points, tiles.clone(), search);
            *cost += (norms + cost_beyond_norms(&sums, centres)) as u128;
        });
    };
    merge(
        rows,
        || vec![0; candidates.len()],
        add,
        |left, right| left.iter_mut().zip(right).for_each(|(total, more)| *total += more),
    )
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

/// Rows of a tile that are not padding.
pub(crate) fn rows_in(points: &LatticePoints, tile: usize) -> usize {
    (points.rows() - tile * TILE).min(TILE)
}
