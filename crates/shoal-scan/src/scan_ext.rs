//! Queries with typed answers, for every scan.

use shoal_kernel::{BlockKMeans, Cap, ClusterSums, LatticeCentres, MomentSums, Reach};
use shoal_privacy::Sensitive;

use crate::{Answer, BlockDraw, BoxTree, Grid, Question, Scan, ScanError, ValueBuckets};

/// One method for each kind of [`Question`], on every [`Scan`]: it asks, and checks that the answer has the right kind and
/// length. No scan can override it.
pub trait ScanExt: Scan {
    /// For each centre, the sum of the rows nearest to it and their number.
    fn sums_and_counts(&self, centres: &LatticeCentres) -> Result<Sensitive<ClusterSums>, ScanError> {
        let question = Question::SumsAndCounts { centres: centres.clone() };
        ask(self, &question, |answer| if let Answer::SumsAndCounts(sums) = answer { Some(sums) } else { None })
    }

    /// For each centre and attribute, the sum over the rows nearest to it of their distance from the reference of
    /// `reach`, clipped to its half-width on both sides; and the number of these rows.
    fn clipped_sums(&self, centres: &LatticeCentres, reach: &Reach) -> Result<Sensitive<ClusterSums>, ScanError> {
        let question = Question::ClippedSums { centres: centres.clone(), reach: reach.clone() };
        ask(self, &question, |answer| if let Answer::ClippedSums(sums) = answer { Some(sums) } else { None })
    }

    /// How many rows fall into each cell of a grid.
    fn cell_counts(&self, grid: &Grid) -> Result<Sensitive<Vec<u64>>, ScanError> {
        let question = Question::CellCounts { grid: grid.clone() };
        ask(self, &question, |answer| if let Answer::CellCounts(counts) = answer { Some(counts) } else { None })
    }

    /// How many rows fall into each leaf of a tree of boxes.
    fn box_counts(&self, tree: &BoxTree) -> Result<Sensitive<Vec<u64>>, ScanError> {
        let question = Question::BoxCounts { tree: tree.clone() };
        ask(self, &question, |answer| if let Answer::BoxCounts(counts) = answer { Some(counts) } else { None })
    }

    /// For each set of centres, the sum over rows of the squared distance to the nearest one, in squared lattice units.
    fn costs(&self, candidates: &[LatticeCentres]) -> Result<Sensitive<Vec<u128>>, ScanError> {
        let question = Question::Costs { candidates: candidates.to_vec() };
        ask(self, &question, |answer| if let Answer::Costs(costs) = answer { Some(costs) } else { None })
    }

    /// For each block, the centres that k-means finds among the rows dealt to it; empty blocks answer as well.
    fn block_results(&self, draw: &BlockDraw, work: &BlockKMeans) -> Result<Sensitive<Vec<Vec<i16>>>, ScanError> {
        let question = Question::Blocks { draw: draw.clone(), wanted: 0..draw.blocks() as u32, work: work.clone() };
        ask(self, &question, |answer| if let Answer::Blocks(blocks) = answer { Some(blocks) } else { None })
    }

    /// Whether [`ScanExt::block_results`] can be answered at all: a query about no blocks, to be asked before anything is
    /// spent.
    fn check_blocks(&self) -> Result<(), ScanError> {
        let question = Question::Blocks { draw: BlockDraw::idle(), wanted: 0..0, work: BlockKMeans::idle(self.dims()) };
        self.ask(&question).map(drop)
    }

    /// Sums of the rows' coordinates and of their stretched squares.
    fn moments(&self) -> Result<Sensitive<MomentSums>, ScanError> {
        let question = Question::Moments { dims: self.dims() };
        ask(self, &question, |answer| if let Answer::Moments(sums) = answer { Some(sums) } else { None })
    }

    /// The sum over rows of the squared distance to the nearest centre, each cut off at `cap`, in the cap's units.
    fn capped_cost(&self, centres: &LatticeCentres, cap: Cap) -> Result<Sensitive<u128>, ScanError> {
        let question = Question::CappedCost { centres: centres.clone(), cap };
        ask(self, &question, |answer| if let Answer::CappedCost(cost) = answer { Some(cost) } else { None })
    }

    /// The number of rows.
    fn row_count(&self) -> Result<Sensitive<u64>, ScanError> {
        ask(self, &Question::RowCount, |answer| if let Answer::RowCount(rows) = answer { Some(rows) } else { None })
    }

    /// For each column of raw values, the number of rows in each bucket of its list.
    fn bucket_counts(&self, lists: &[ValueBuckets]) -> Result<Sensitive<Vec<Vec<u64>>>, ScanError> {
        let question = Question::Buckets { lists: lists.to_vec() };
        ask(self, &question, |answer| if let Answer::Buckets(counts) = answer { Some(counts) } else { None })
    }
}

impl<S: Scan + ?Sized> ScanExt for S {}

fn ask<T>(
    scan: &(impl Scan + ?Sized),
    question: &Question,
    pick: impl FnOnce(Answer) -> Option<T>,
) -> Result<Sensitive<T>, ScanError> {
    let _ask = tracing::info_span!("ask", question = question.name()).entered();
    let wrong = || ScanError::WrongAnswer { question: question.name() };
    scan.ask(question)?.try_map(|answer| match answer.fits(question) {
        true => pick(answer).ok_or_else(wrong),
        false => Err(wrong()),
    })
}
