//! The only way a method sees records: queries whose answers are integers that add up over rows.
//!
//! A method of the curator puts a [`Question`] to a [`Scan`] and gets a [`Sensitive`] [`Answer`]: it leaves through a mechanism,
//! or not at all. Questions are plain data with a binary form, and the answer for all rows is the sum of the
//! [`Partial`] answers for parts of them, so anything that can map and reduce is a scan: threads ([`LocalScan`]),
//! processes, machines.
//!
//! | question | answer | one more or one less row changes |
//! |---|---|---|
//! | [`SumsAndCounts`](Question::SumsAndCounts) | per centre: a sum per attribute and a count | one centre: each sum by at most `HALF_WIDTH`, the count by 1 |
//! | [`ClippedSums`](Question::ClippedSums) | per centre: a sum of clipped distances per attribute and a count | one centre: each sum by at most its own half-width, the count by 1 |
//! | [`CellCounts`](Question::CellCounts), [`BoxCounts`](Question::BoxCounts) | a count per cell of a grid or box of a tree | one count, by 1 |
//! | [`Costs`](Question::Costs) | per set of centres: the sum of squared distances | each by 0 to `d·(2·HALF_WIDTH)²`, all in the same direction |
//! | [`Blocks`](Question::Blocks) | per random block: the centres that k-means finds in its rows | one block's centres, arbitrarily, over the random deal ([`BlockDraw`]) |
//! | [`Moments`](Question::Moments) | sums of coordinates and of stretched squares | each by at most `HALF_WIDTH` |
//! | [`CappedCost`](Question::CappedCost) | a sum of squared distances, each cut off | by 0 to the cap |
//! | [`RowCount`](Question::RowCount) | the number of rows | by 1 |
//! | [`Buckets`](Question::Buckets) | per column, before there are bounds: a count per bucket of raw values | one count of each column, by 1 |
//!
//! # What an answer does not depend on
//! The number of threads, how rows are split into chunks and shards, and who answers first: integers add up to the same
//! in any order. The order of rows does not matter either, except for blocks: a row's block follows from its place in
//! the table. The length of an answer follows from the question alone.
//!
//! # Scans on several machines
//! A driver sends [`Question::to_bytes`] to its workers. Each checks and reads them ([`Question::from_bytes`]), answers
//! for its own rows ([`Partial::of_shard`], or [`LocalScan::partial`] where they do not fit into memory) and sends
//! [`Partial::to_bytes`] back. The driver collects them in a [`Gathering`], which counts every worker once, and the
//! result is the [`Sensitive`] answer that [`Scan::ask`] returns. There is no noise in partial answers, so asking again is
//! safe; noise is added once, by the mechanism that opens the sum. All workers must turn values into lattice points with
//! the same bounds, and for [`Question::Blocks`] each must know the place of its first row: both belong to the set-up of
//! an engine. `examples/custom_scan.rs` is such a driver in one process.
//!
//! ```
//! use shoal_files::PointStore;
//! use shoal_lattice::LatticePoints;
//! use shoal_scan::{LocalScan, ScanExt};
//!
//! let mut points = LatticePoints::new(2);
//! points.push_row(&[300, -4]);
//! let scan = LocalScan::new(PointStore::InMemory(points));
//! let rows = scan.row_count()?; // Sensitive: it cannot be printed, only released with noise
//! # Ok::<(), shoal_scan::ScanError>(())
//! ```

mod answer;
pub mod blocks;
mod box_trail;
mod box_tree;
mod box_walk;
mod counts;
mod error;
mod gathering;
mod grid;
mod grid_walk;
mod local;
mod partial;
mod question;
mod question_json;
mod raw_values;
mod scan_ext;
mod tally;
mod value_buckets;
pub mod wire;

use shoal_privacy::Sensitive;

pub use answer::Answer;
pub use blocks::{BlockDraw, Deal};
pub use box_tree::{BoxTree, LeafBoxes, Node, NotATree};
pub use error::{MergeError, ScanError, WireError};
pub use gathering::Gathering;
pub use grid::{Grid, GridError};
pub use local::LocalScan;
pub use partial::Partial;
pub use question::{Question, QuestionId};
pub use raw_values::TableScan;
pub use scan_ext::ScanExt;
pub use value_buckets::ValueBuckets;

/// Rows that can be asked about. [`ScanExt`] has a method with a typed answer for each kind of question.
pub trait Scan: Send + Sync {
    /// Number of attributes. Public: it is the number of columns.
    fn dims(&self) -> usize;

    /// The exact answer for all rows.
    ///
    /// Equal questions get equal answers as long as the rows are the same: an answer holds no randomness. An error must
    /// not depend on the contents of a record.
    fn ask(&self, question: &Question) -> Result<Sensitive<Answer>, ScanError>;
}
