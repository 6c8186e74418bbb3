//! What can be asked about the rows of a table, as plain data.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use shoal_kernel::{BlockKMeans, Cap, LatticeCentres, Reach};

use crate::{BlockDraw, BoxTree, Grid, ScanError, ValueBuckets, WireError, wire};

/// A query about the rows of a table.
///
/// It holds nothing but public or released numbers, with one exception: the key of [`Question::Blocks`] is a secret of
/// the run. The length of the answer follows from the question alone. See the [crate's documentation](crate) for what
/// is answered and how far one row can change it.
///
/// ```
/// use shoal_kernel::LatticeCentres;
/// use shoal_scan::Question;
///
/// let question = Question::SumsAndCounts { centres: LatticeCentres::new(2, vec![0, 0, 500, -500]) };
/// let bytes = question.to_bytes();
/// assert_eq!(Question::from_bytes(&bytes)?, question);
/// assert!(Question::from_bytes(&bytes[1..]).is_err());
/// # Ok::<(), shoal_scan::WireError>(())
/// ```
///
/// As JSON it has a version, too: `{"format_version": 1, "question": "RowCount"}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
#[non_exhaustive]
pub enum Question {
    /// For each centre, the sum of the rows nearest to it and their number.
    SumsAndCounts {
        /// The centres.
        centres: LatticeCentres,
    },
    /// For each centre and attribute, the sum over the rows nearest to it of their distance from a reference, clipped to
    /// a half-width on both sides; and the number of these rows.
    ClippedSums {
        /// The centres.
        centres: LatticeCentres,
        /// References and clipping bounds.
        reach: Reach,
    },
    /// How many rows fall into each cell of a grid.
    CellCounts {
        /// The grid.
        grid: Grid,
    },
    /// How many rows fall into each leaf of a tree of boxes.
    BoxCounts {
        /// The tree.
        tree: BoxTree,
    },
    /// For each set of centres, the sum over rows of the squared distance to the nearest one, in squared lattice units.
    Costs {
        /// The sets.
        candidates: Vec<LatticeCentres>,
    },
    /// For each wanted block, the centres that k-means finds among the rows dealt to it. See [`BlockDraw`].
    Blocks {
        /// Which row goes to which block.
        draw: BlockDraw,
        /// The blocks asked about: all of them, or as many as fit into memory.
        wanted: Range<u32>,
        /// The k-means that runs in each block.
        work: BlockKMeans,
    },
    /// Sums of the rows' coordinates and of their stretched squares.
    Moments {
        /// Number of attributes.
        dims: usize,
    },
    /// The sum over rows of the squared distance to the nearest centre, each cut off at a cap, in the cap's units.
    CappedCost {
        /// The centres.
        centres: LatticeCentres,
        /// The cap.
        cap: Cap,
    },
    /// The number of rows.
    RowCount,
    /// For each column of raw values, the number of rows in each bucket of its list: before there are bounds.
    Buckets {
        /// One list for each column.
        lists: Vec<ValueBuckets>,
    },
}

/// Names a question: equal for equal questions, and different for different ones but for a negligible probability.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct QuestionId(pub(crate) [u8; 16]);

impl fmt::Display for QuestionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for QuestionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "QuestionId({self})")
    }
}

impl Question {
    /// Most bytes of an answer that [`Question::from_bytes`] lets a question ask for: more than any method of Shoal does.
    pub const MOST_ANSWER_BYTES: u64 = 4 << 30;

    /// What is asked for, in words.
    pub fn name(&self) -> &'static str {
        match self {
            Self::SumsAndCounts { .. } => "sums and counts",
            Self::ClippedSums { .. } => "clipped sums",
            Self::CellCounts { .. } => "cell counts",
            Self::BoxCounts { .. } => "box counts",
            Self::Costs { .. } => "costs",
            Self::Blocks { .. } => "blocks",
            Self::Moments { .. } => "moments",
            Self::CappedCost { .. } => "a capped cost",
            Self::RowCount => "the row count",
            Self::Buckets { .. } => "bucket counts of raw values",
        }
    }

    /// Whether a partial answer holds rows instead of sums, so that rows move when it does.
    pub fn moves_rows(&self) -> bool {
        matches!(self, Self::Blocks { .. })
    }

    /// Number of attributes that the question is about, where it matters.
    pub fn dims(&self) -> Option<usize> {
        match self {
            Self::SumsAndCounts { centres } | Self::ClippedSums { centres, .. } | Self::CappedCost { centres, .. } => {
                Some(centres.dims())
            }
            Self::CellCounts { grid } => Some(grid.dims()),
            Self::BoxCounts { tree } => Some(tree.dims()),
            Self::Costs { candidates } => candidates.first().map(LatticeCentres::dims),
            Self::Blocks { work, .. } => Some(work.dims()),
            Self::Moments { dims } => Some(*dims),
            Self::RowCount => None,
            Self::Buckets { lists } => Some(lists.len()),
        }
    }

    /// Checks that the parts of the question go together.
    pub fn check(&self) -> Result<(), ScanError> {
        let senseless = |why| Err(ScanError::Senseless { question: self.name(), why });
        match self {
            Self::ClippedSums { centres, reach } if centres.count() != reach.count() => {
                Err(ScanError::Reaches { centres: centres.count(), reaches: reach.count() })
            }
            Self::ClippedSums { centres, reach } if centres.dims() != reach.dims() => {
                Err(ScanError::Dimensions { asked: reach.dims(), has: centres.dims() })
            }
            Self::CellCounts { grid } if u32::try_from(grid.cells()).is_err() => {
                senseless("there are more cells than 32 bits can number")
            }
            Self::Costs { candidates } => match candidates.iter().find(|set| Some(set.dims()) != self.dims()) {
                Some(other) => Err(ScanError::Dimensions { asked: other.dims(), has: candidates[0].dims() }),
                None => Ok(()),
            },
            Self::Blocks { draw, wanted, .. }
                if draw.blocks() == 0 || wanted.start > wanted.end || wanted.end as usize > draw.blocks() =>
            {
                senseless("it asks about blocks that do not exist")
            }
            Self::CappedCost { cap, .. } if cap.shift >= u64::BITS - 1 => {
                senseless("the unit of the cap is larger than any distance")
            }
            Self::Buckets { lists } if !lists.iter().all(ValueBuckets::is_sound) => {
                senseless("edges of buckets must be finite and ascend")
            }
            _ => Ok(()),
        }
    }

    /// [`Question::check`], for a table of `has` attributes.
    pub fn check_for(&self, has: usize) -> Result<(), ScanError> {
        self.check()?;
        match self.dims() {
            Some(asked) if asked != has => Err(ScanError::Dimensions { asked, has }),
            _ => Ok(()),
        }
    }

    /// Bytes that the numbers of the answer take.
    pub fn answer_bytes(&self) -> u64 {
        let wide = |count: usize| count as u64;
        match self {
            Self::SumsAndCounts { centres } | Self::ClippedSums { centres, .. } => {
                wide(centres.count()).saturating_mul(wide(centres.dims()) + 1).saturating_mul(8)
            }
            Self::CellCounts { grid } => wide(grid.cells()).saturating_mul(8),
            Self::BoxCounts { tree } => wide(tree.leaves()).saturating_mul(8),
            Self::Costs { candidates } => wide(candidates.len()).saturating_mul(16),
            Self::Blocks { wanted, work, .. } => {
                u64::from(wanted.end.saturating_sub(wanted.start)).saturating_mul(2 * wide(work.result_len()))
            }
            Self::Moments { dims } => wide(*dims).saturating_mul(16).saturating_add(8),
            Self::CappedCost { .. } => 16,
            Self::RowCount => 8,
            Self::Buckets { lists } => lists.iter().map(|list| 8 * wide(list.count())).sum(),
        }
    }

    /// The question as bytes: versioned, with its length and a checksum. Bytes of [`Question::Blocks`] hold the run's key
    /// and need a confidential channel.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Unwrap safety: the format can write every sequence whose length is known, and all of these are.
        wire::seal(wire::QUESTION, &[&postcard::to_allocvec(self).unwrap()])
    }

    /// A question from bytes, if its answer takes at most [`Question::MOST_ANSWER_BYTES`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WireError> {
        Self::from_bytes_within(bytes, Self::MOST_ANSWER_BYTES)
    }

    /// A question from bytes, if its answer takes at most `most` bytes. Reading takes memory in proportion to the bytes
    /// given, whatever they claim.
    pub fn from_bytes_within(bytes: &[u8], most: u64) -> Result<Self, WireError> {
        let unusable = |why: String| WireError::Question { why };
        let body = wire::open(wire::QUESTION, bytes)?;
        let (question, rest): (Self, _) =
            postcard::take_from_bytes(body).map_err(|error| unusable(error.to_string()))?;
        if !rest.is_empty() {
            return Err(unusable("there is more after its end".into()));
        }
        question.check().map_err(|error| unusable(error.to_string()))?;
        match question.answer_bytes() {
            bytes if bytes > most => Err(WireError::TooLarge { bytes, limit: most }),
            _ => Ok(question),
        }
    }

    /// A short name of the question, for those who keep track of what was answered.
    pub fn id(&self) -> QuestionId {
        let digest = wire::digest(&self.to_bytes());
        // Unwrap safety: a digest has 32 bytes.
        QuestionId(digest[..16].try_into().unwrap())
    }
}
