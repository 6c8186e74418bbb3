//! What a forecast assumes about the data.

use serde::{Deserialize, Serialize};
use shoal_lattice::Widths;

/// A guess about the data. It comes from the analyst, from earlier releases or from similar tables, and never from the
/// table itself: that would have to be paid for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DataGuess {
    /// Standard deviation of the rows of a cluster, in each column, as a part of the column's range.
    pub spread: Widths,
    /// The share of rows that lie between clusters: in the middle third of the way from their own centre to the next.
    /// Round Gaussian clusters have 0.2 % when their centres are 8 standard deviations apart, about 5 % at 5, and about a
    /// quarter at 3; rows that are spread evenly have about a third per neighbour.
    pub overlap: f64,
    /// The share of rows in the smallest cluster; without it, half of an average cluster.
    pub smallest: Option<f64>,
}

impl DataGuess {
    /// The largest spread that makes sense: that of rows spread evenly over the whole range is 29 %.
    pub const WIDEST: Widths = Widths(0.3);

    /// The size of the smallest of k clusters, in parts of the average size.
    pub fn balance(&self, k: usize) -> f64 {
        self.smallest.map_or(0.5, |share| (share * k as f64).clamp(1e-3, 1.0))
    }
}

impl Default for DataGuess {
    /// Clusters that overlap somewhat, as those of most tables about people do.
    fn default() -> Self {
        Self { spread: Widths(0.08), overlap: 0.1, smallest: None }
    }
}
