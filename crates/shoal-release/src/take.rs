//! Which numbers of an answer leave.

use serde::{Deserialize, Serialize};
use shoal_kernel::{ClusterSums, MomentSums};
use shoal_scan::Question;

/// Which numbers of the answer get noise and leave. The others stay where the rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Take {
    /// All of them.
    Whole,
    /// Sums, without the counts beside them.
    Sums,
    /// Sums of all centres, then their counts.
    SumsAndCounts,
    /// Counts, without the sums beside them.
    Counts,
    /// Of moments: the sums of coordinates, then those of each attribute's stretched squares.
    EachVariance,
    /// Of moments: the sums of coordinates, then that of the mean stretched square over all attributes.
    OneVariance,
}

impl Take {
    /// Numbers that leave; none where the question has no such numbers.
    pub(crate) fn numbers(self, question: &Question) -> Option<usize> {
        let centres = match question {
            Question::ClippedSums { centres, .. } | Question::SumsAndCounts { centres } => Some(centres),
            _ => None,
        };
        let sums = || centres.and_then(|centres| centres.count().checked_mul(centres.dims()));
        match (self, question) {
            (Self::Whole, Question::CellCounts { grid }) => Some(grid.cells()),
            (Self::Whole, Question::BoxCounts { tree }) => Some(tree.leaves()),
            (Self::Whole, Question::RowCount | Question::CappedCost { .. }) => Some(1),
            (Self::Whole, Question::Buckets { lists }) => Some(lists.iter().map(|list| list.count()).sum()),
            (Self::Sums, Question::ClippedSums { .. }) => sums(),
            (Self::SumsAndCounts, Question::ClippedSums { .. }) => sums()?.checked_add(centres?.count()),
            (Self::Counts, Question::SumsAndCounts { .. }) => Some(centres?.count()),
            (Self::EachVariance, Question::Moments { dims }) => dims.checked_mul(2),
            (Self::OneVariance, Question::Moments { dims }) => dims.checked_add(1),
            _ => None,
        }
    }

    /// The moments that leave, as sums of one centre.
    pub(crate) fn of_moments(self, exact: MomentSums) -> ClusterSums {
        let squares = if self == Self::OneVariance { vec![exact.mean_squares] } else { exact.squares };
        ClusterSums::of_one(exact.sums.into_iter().chain(squares).collect())
    }
}
