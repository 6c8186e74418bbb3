//! What comes back: integers, as many as the question says.

use std::fmt;

use serde::{Deserialize, Serialize};
use shoal_kernel::{ClusterSums, MomentSums};

use crate::wire::Numbers;
use crate::{MergeError, Question, WireError};

/// The answer to a [`Question`], in the variant of the same name.
///
/// It says more about people than anyone may know, so it comes out of a [`Scan`](crate::Scan) only as
/// [`Sensitive`](shoal_privacy::Sensitive), and [`Debug`] shows none of it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Answer {
    /// Sums and counts per centre.
    SumsAndCounts(ClusterSums),
    /// Clipped sums and counts per centre.
    ClippedSums(ClusterSums),
    /// A count per cell.
    CellCounts(Vec<u64>),
    /// A count per leaf.
    BoxCounts(Vec<u64>),
    /// A cost per set of centres.
    Costs(Vec<u128>),
    /// The centres of each wanted block.
    Blocks(Vec<Vec<i16>>),
    /// Sums of coordinates and of stretched squares.
    Moments(MomentSums),
    /// A cost in the cap's units.
    CappedCost(u128),
    /// The number of rows.
    RowCount(u64),
    /// For each column, a count per bucket.
    Buckets(Vec<Vec<u64>>),
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Answer(hidden)")
    }
}

impl Answer {
    /// The answer for no rows. Blocks have none that is a sum: they are answered once all rows are gathered.
    pub(crate) fn zero(question: &Question) -> Option<Self> {
        Some(match question {
            Question::SumsAndCounts { centres } => {
                Self::SumsAndCounts(ClusterSums::zero(centres.count(), centres.dims()))
            }
            Question::ClippedSums { centres, .. } => {
                Self::ClippedSums(ClusterSums::zero(centres.count(), centres.dims()))
            }
            Question::CellCounts { grid } => Self::CellCounts(vec![0; grid.cells()]),
            Question::BoxCounts { tree } => Self::BoxCounts(vec![0; tree.leaves()]),
            Question::Costs { candidates } => Self::Costs(vec![0; candidates.len()]),
            Question::Blocks { .. } => return None,
            Question::Moments { dims } => Self::Moments(MomentSums::zero(*dims)),
            Question::CappedCost { .. } => Self::CappedCost(0),
            Question::RowCount => Self::RowCount(0),
            Question::Buckets { lists } => Self::Buckets(lists.iter().map(|list| vec![0; list.count()]).collect()),
        })
    }

    /// Whether kind and lengths are those that the question asks for.
    pub fn fits(&self, question: &Question) -> bool {
        let sums = |sums: &ClusterSums, k: usize, dims: usize| {
            (sums.dims(), sums.counts.len(), sums.sums.len()) == (dims, k, k * dims)
        };
        match (self, question) {
            (Self::SumsAndCounts(found), Question::SumsAndCounts { centres })
            | (Self::ClippedSums(found), Question::ClippedSums { centres, .. }) => {
                sums(found, centres.count(), centres.dims())
            }
            (Self::CellCounts(counts), Question::CellCounts { grid }) => counts.len() == grid.cells(),
            (Self::BoxCounts(counts), Question::BoxCounts { tree }) => counts.len() == tree.leaves(),
            (Self::Costs(costs), Question::Costs { candidates }) => costs.len() == candidates.len(),
            (Self::Blocks(blocks), Question::Blocks { wanted, work, .. }) => {
                blocks.len() == wanted.len() && blocks.iter().all(|block| block.len() == work.result_len())
            }
            (Self::Moments(found), Question::Moments { dims }) => {
                found.sums.len() == *dims && found.squares.len() == *dims
            }
            (Self::CappedCost(_), Question::CappedCost { .. }) | (Self::RowCount(_), Question::RowCount) => true,
            (Self::Buckets(counts), Question::Buckets { lists }) => {
                counts.len() == lists.len()
                    && counts.iter().zip(lists).all(|(counts, list)| counts.len() == list.count())
            }
            _ => false,
        }
    }

    /// Adds the answer for other rows. Both answer the same question; blocks do not add.
    pub(crate) fn add(&mut self, other: &Self) -> Result<(), MergeError> {
        match (self, other) {
            (Self::SumsAndCounts(total), Self::SumsAndCounts(more))
            | (Self::ClippedSums(total), Self::ClippedSums(more)) => {
                add_all(&mut total.sums, &more.sums, i64::checked_add)?;
                add_all(&mut total.counts, &more.counts, i64::checked_add)
            }
            (Self::CellCounts(total), Self::CellCounts(more)) | (Self::BoxCounts(total), Self::BoxCounts(more)) => {
                add_all(total, more, u64::checked_add)
            }
            (Self::Costs(total), Self::Costs(more)) => add_all(total, more, u128::checked_add),
            (Self::Moments(total), Self::Moments(more)) => {
                add_all(&mut total.sums, &more.sums, i64::checked_add)?;
                add_all(&mut total.squares, &more.squares, i64::checked_add)?;
                add_all(std::slice::from_mut(&mut total.mean_squares), &[more.mean_squares], i64::checked_add)
            }
            (Self::CappedCost(total), Self::CappedCost(more)) => {
                add_all(std::slice::from_mut(total), &[*more], u128::checked_add)
            }
            (Self::RowCount(total), Self::RowCount(more)) => {
                add_all(std::slice::from_mut(total), &[*more], u64::checked_add)
            }
            (Self::Buckets(total), Self::Buckets(more)) if total.len() == more.len() => {
                total.iter_mut().zip(more).try_for_each(|(total, more)| add_all(total, more, u64::checked_add))
            }
            _ => Err(MergeError::OtherQuestion),
        }
    }

    /// The numbers, one after the other, each in as many bytes as its kind has.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let i64s = |numbers: &[i64]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
        let u64s = |numbers: &[u64]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
        match self {
            Self::SumsAndCounts(sums) | Self::ClippedSums(sums) => [i64s(&sums.sums), i64s(&sums.counts)].concat(),
            Self::CellCounts(counts) | Self::BoxCounts(counts) => u64s(counts),
            Self::Costs(costs) => costs.iter().flat_map(|cost| cost.to_le_bytes()).collect(),
            Self::Blocks(blocks) => blocks.iter().flatten().flat_map(|number| number.to_le_bytes()).collect(),
            Self::Moments(sums) => [i64s(&sums.sums), i64s(&sums.squares), i64s(&[sums.mean_squares])].concat(),
            Self::CappedCost(cost) => cost.to_le_bytes().to_vec(),
            Self::RowCount(rows) => rows.to_le_bytes().to_vec(),
            Self::Buckets(lists) => lists.iter().flat_map(|counts| u64s(counts)).collect(),
        }
    }

    /// A sum from [`Answer::to_bytes`], which the caller found to be as long as the question says.
    pub(crate) fn from_bytes(question: &Question, bytes: &[u8]) -> Result<Option<Self>, WireError> {
        let mut numbers = Numbers(bytes);
        let mut sums = |k: usize, dims: usize| -> Result<ClusterSums, WireError> {
            let (sums, counts) = (numbers.i64s(k * dims)?, numbers.i64s(k)?);
            let damaged = WireError::Damaged { what: crate::wire::PARTIAL.what };
            if counts.iter().any(|&count| count < 0) {
                return Err(damaged);
            }
            ClusterSums::checked(dims, sums, counts).map_err(|_| damaged)
        };
        Ok(Some(match question {
            Question::SumsAndCounts { centres } => Self::SumsAndCounts(sums(centres.count(), centres.dims())?),
            Question::ClippedSums { centres, .. } => Self::ClippedSums(sums(centres.count(), centres.dims())?),
            Question::CellCounts { grid } => Self::CellCounts(numbers.u64s(grid.cells())?),
            Question::BoxCounts { tree } => Self::BoxCounts(numbers.u64s(tree.leaves())?),
            Question::Costs { candidates } => Self::Costs(numbers.u128s(candidates.len())?),
            Question::Blocks { .. } => return Ok(None),
            Question::Moments { dims } => {
                let (sums, squares) = (numbers.i64s(*dims)?, numbers.i64s(*dims)?);
                Self::Moments(MomentSums { sums, squares, mean_squares: numbers.i64s(1)?[0] })
            }
            Question::CappedCost { .. } => Self::CappedCost(numbers.u128s(1)?[0]),
            Question::RowCount => Self::RowCount(numbers.u64s(1)?[0]),
            Question::Buckets { lists } => {
                Self::Buckets(lists.iter().map(|list| numbers.u64s(list.count())).collect::<Result<_, _>>()?)
            }
        }))
    }
}

/// Adds number by number, and refuses what does not fit.
fn add_all<T: Copy>(total: &mut [T], more: &[T], add: impl Fn(T, T) -> Option<T>) -> Result<(), MergeError> {
    if total.len() != more.len() {
        return Err(MergeError::OtherQuestion);
    }
    for (total, more) in total.iter_mut().zip(more) {
        *total = add(*total, *more).ok_or(MergeError::Overflow)?;
    }
    Ok(())
}
