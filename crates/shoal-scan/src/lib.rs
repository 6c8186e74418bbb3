//! The only way an algorithm sees records: mergeable integer aggregates over one pass.
//!
//! A curator algorithm asks a [`Scan`] for sums and counts per nearest centre (plain or clipped), counts per grid cell or tree box,
//! costs of candidate centres, or results per random block. Every answer is a vector of integers that is the sum (or,
//! for blocks, the concatenation) of the answers for parts of the rows, and its length depends on the question alone.
//! So the answer is the same for any row order (but for blocks, which are dealt by a row's place), thread count and
//! chunking, and an engine on several machines can
//! implement the trait with the same integers. Every answer is [`Sensitive`]: it leaves through a mechanism or not
//! at all.
//!
//! | question | answer | changes, when one row comes or goes, by |
//! |---|---|---|
//! | [`Scan::sums_and_counts`] | per centre: a sum per attribute and a count | one centre: each sum by at most `HALF_WIDTH`, the count by 1 |
//! | [`Scan::clipped_sums`] | per centre: a sum of clipped distances per attribute and a count | one centre: each sum by at most its own half-width, the count by 1 |
//! | [`Scan::cell_counts`], [`Scan::box_counts`] | a count per cell or box | one count, by 1 |
//! | [`Scan::costs`] | per candidate set: the sum of squared distances | each by 0 to `d·(2·HALF_WIDTH)²`, all in the same direction |
//! | [`Scan::block_results`] | per block: what the caller's function makes of its rows | one block's result, arbitrarily, over the random deal (see [`BlockDraw`]) |
//! | [`Scan::moments`] | sums of coordinates and of stretched squares | each by at most `HALF_WIDTH` |
//! | [`Scan::capped_cost`] | a sum of squared distances, each cut off | 0 to the cap |
//! | [`Scan::row_count`] | the number of rows | 1 |
//! | [`RawScan::bucket_counts`] | per column, before there are bounds: a count per bucket of values | one count of each column, by 1 |

mod blocks;
mod box_tree;
mod box_walk;
mod grid;
mod local;
mod raw_values;
mod value_buckets;

use shoal_privacy::Sensitive;

pub use blocks::BlockDraw;
pub use box_tree::{BoxTree, LeafBoxes, Node};
pub use grid::{Grid, GridError};
pub use local::LocalScan;
pub use raw_values::{RawScan, TableScan};
pub use value_buckets::ValueBuckets;

use shoal_files::DataError;
use shoal_kernel::{Cap, ClusterSums, LatticeCentres, MomentSums, Reach};
use shoal_lattice::LatticePoints;

/// What an algorithm can ask about the rows of a table.
pub trait Scan {
    /// Number of attributes. Public: it is the number of bounds.
    fn dims(&self) -> usize;

    /// For each centre, the sum of the rows nearest to it and their number.
    fn sums_and_counts(&self, centres: &LatticeCentres) -> Result<Sensitive<ClusterSums>, ScanError>;

    /// For each centre and attribute, the sum over the rows nearest to it of how far they are from the reach's
    /// reference, clipped to its half-width on both sides; and the number of these rows.
    fn clipped_sums(&self, centres: &LatticeCentres, reach: &Reach) -> Result<Sensitive<ClusterSums>, ScanError>;

    /// How many rows fall into each cell of a grid.
    fn cell_counts(&self, grid: &Grid) -> Result<Sensitive<Vec<u64>>, ScanError>;

    /// How many rows fall into each leaf of a tree of boxes.
    fn box_counts(&self, tree: &BoxTree) -> Result<Sensitive<Vec<u64>>, ScanError>;

    /// For each set of centres, the sum over rows of the squared distance to the nearest one, in squared lattice units.
    fn costs(&self, candidates: &[LatticeCentres]) -> Result<Sensitive<Vec<u128>>, ScanError>;

    /// Sends every row to a block drawn at random for it, and applies `work` to the rows of each block.
    ///
    /// `work` is called once for every block, also for empty ones, and must return vectors of one length.
    fn block_results(
        &self,
        draw: &BlockDraw,
        work: &(dyn Fn(&LatticePoints) -> Vec<i16> + Sync),
    ) -> Result<Sensitive<Vec<Vec<i16>>>, ScanError>;

    /// Sums of the rows' coordinates and of their stretched squares.
    fn moments(&self) -> Result<Sensitive<MomentSums>, ScanError>;

    /// The sum over rows of the squared distance to the nearest centre, each cut off at `cap`, in the cap's units.
    fn capped_cost(&self, centres: &LatticeCentres, cap: Cap) -> Result<Sensitive<u128>, ScanError>;

    /// The number of rows.
    fn row_count(&self) -> Result<Sensitive<u64>, ScanError>;
}

/// Why a scan could not be finished.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// The table could not be read (again).
    #[error(transparent)]
    Data(#[from] DataError),
    /// The question is about other attributes than the table has.
    #[error("the scan asks about {asked} attributes, but the table has {has}")]
    Dimensions {
        /// Attributes in the question.
        asked: usize,
        /// Attributes in the table.
        has: usize,
    },
    /// The question names a reach for other centres than it asks about.
    #[error("the scan asks about {centres} centres, but has a reach for {reaches}")]
    Reaches {
        /// Centres in the question.
        centres: usize,
        /// Centres that the reach is for.
        reaches: usize,
    },
}
