//! Why a score cannot be computed.

/// Input that has no score. Rows are named by their number, never by what is in them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScoreError {
    /// Nothing to score.
    #[error("there are no rows to score; check that the data has rows and that its columns were selected rightly")]
    NoRows,
    /// Two columns that do not belong together.
    #[error("{left} labels cannot be compared with {right}; give both for the same rows in the same order")]
    Lengths {
        /// Length of the first.
        left: usize,
        /// Length of the second.
        right: usize,
    },
    /// A row or centre of another width.
    #[error("{what} has {found} columns where {expected} are expected; give points and centres with the same columns")]
    Columns {
        /// What is of the wrong width.
        what: &'static str,
        /// Its width.
        found: usize,
        /// The width of the others.
        expected: usize,
    },
    /// No centres, or points without columns.
    #[error("{what} cannot be scored; give at least one of each column and centre")]
    Nothing {
        /// What is missing.
        what: &'static str,
    },
    /// A missing or infinite value.
    #[error("{what} holds a value that is not a finite number; remove or fill such values before scoring")]
    NotFinite {
        /// What holds it.
        what: &'static str,
    },
    /// A label beyond the last cluster.
    #[error(
        "a row has label {label}, but there are {clusters} clusters, numbered from 0; check that labels and centres belong together"
    )]
    UnknownCluster {
        /// The label.
        label: usize,
        /// How many clusters there are.
        clusters: usize,
    },
    /// A cluster whose mean is asked for and that has no members.
    #[error("cluster {cluster} has no members, so it has no mean; score with fewer clusters")]
    EmptyCluster {
        /// The cluster.
        cluster: usize,
    },
    /// A matching that gives two clusters to one, or one to none.
    #[error("the matching does not pair {clusters} clusters one to one; give each number from 0 to {} once", clusters.saturating_sub(1))]
    NotAMatching {
        /// How many clusters there are.
        clusters: usize,
    },
}

impl ScoreError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoRows => "no-rows",
            Self::Lengths { .. } => "labels-lengths",
            Self::Columns { .. } => "score-columns",
            Self::Nothing { .. } => "nothing-to-score",
            Self::NotFinite { .. } => "value-not-finite",
            Self::UnknownCluster { .. } => "unknown-cluster",
            Self::EmptyCluster { .. } => "empty-cluster",
            Self::NotAMatching { .. } => "not-a-matching",
        }
    }
}

/// Refuses a row that is not `dims` finite numbers.
pub(crate) fn check_row(what: &'static str, row: &[f64], dims: usize) -> Result<(), ScoreError> {
    if row.len() != dims {
        return Err(ScoreError::Columns { what, found: row.len(), expected: dims });
    }
    if row.iter().all(|value| value.is_finite()) { Ok(()) } else { Err(ScoreError::NotFinite { what }) }
}

/// Refuses anything but one or more centres of `dims` finite numbers each.
pub(crate) fn check_centres(centres: &[f64], dims: usize) -> Result<(), ScoreError> {
    if dims == 0 {
        return Err(ScoreError::Nothing { what: "a point without columns" });
    }
    if centres.is_empty() {
        return Err(ScoreError::Nothing { what: "a model without centres" });
    }
    if !centres.len().is_multiple_of(dims) {
        return Err(ScoreError::Columns { what: "the last centre", found: centres.len() % dims, expected: dims });
    }
    centres.chunks_exact(dims).try_for_each(|centre| check_row("a centre", centre, dims))
}
