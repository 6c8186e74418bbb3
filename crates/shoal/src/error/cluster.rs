//! Why reports or noisy cells were not clustered.

use shoal_privacy::Parameter;

/// The limit on the number of clusters that is chosen.
const MOST_CLUSTERS: Parameter = Parameter::new("most-clusters");

/// What [`Cluster`](crate::Cluster) and scores of reports refuse. Each message says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// Reports that do not belong to a model.
    #[error("{why}; give the reports that the model was found in")]
    OtherReports {
        /// What is different.
        why: &'static str,
    },
    /// Reports that were not made of these rows.
    #[error(
        "there are {reports} reports and {rows} rows; give the reports that were made of these very rows, in their order"
    )]
    ReportsOfOtherRows {
        /// Number of reports.
        reports: usize,
        /// Number of rows.
        rows: usize,
    },
    /// An option for reports, given for noisy cells.
    #[error(
        "{} is for reports, and these are noisy cells, which are clustered by k-means; leave it out",
        Parameter::new(option)
    )]
    OnlyForReports {
        /// The option.
        option: &'static str,
    },
    /// The server method needs to know the distribution of the noise.
    #[error(
        "noise-aware needs raw reports whose noise has a known distribution, and these have none: {why}. Use {} kmeans or \
         tk-means, or collect raw reports",
        Parameter::METHOD
    )]
    NoDensity {
        /// Why there is none.
        why: &'static str,
    },
    /// The number of clusters cannot be chosen without a known distribution of the noise.
    #[error(
        "{} auto needs a known noise distribution; these reports were post-processed (clamped or moved to a grid, or \
         made by bpgm) and have none. Give a number",
        Parameter::K
    )]
    ChoosingKNeedsDensity,
    /// The number of clusters can be chosen by one method only.
    #[error("{} auto needs {} noise-aware, and not {method}; give a number", Parameter::K, Parameter::METHOD)]
    ChoosingKNeedsNoiseAware {
        /// The method that was asked for.
        method: &'static str,
    },
    /// A limit on a number of clusters that is given.
    #[error("{} goes with {} auto; give both or neither", MOST_CLUSTERS, Parameter::K)]
    MostWithoutAuto,
    /// A limit that is given twice.
    #[error("{} {k} and {} {most} mean the same; give one of them", Parameter::K, MOST_CLUSTERS)]
    MostTwice {
        /// One.
        k: crate::K,
        /// The other.
        most: usize,
    },
    /// More clusters than reports.
    #[error("{k} clusters of {reports} reports cannot be found; give a smaller {}", Parameter::K)]
    TooFewReports {
        /// Clusters.
        k: usize,
        /// Reports.
        reports: usize,
    },
}

impl ClusterError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::OtherReports { .. } => "other-reports",
            Self::ReportsOfOtherRows { .. } => "reports-of-other-rows",
            Self::OnlyForReports { .. } => "only-for-reports",
            Self::NoDensity { .. } => "no-density",
            Self::ChoosingKNeedsDensity => "choosing-k-needs-density",
            Self::ChoosingKNeedsNoiseAware { .. } => "choosing-k-needs-noise-aware",
            Self::MostWithoutAuto => "most-clusters-without-auto",
            Self::MostTwice { .. } => "most-clusters-twice",
            Self::TooFewReports { .. } => "too-few-reports",
        }
    }

    /// True when the request itself makes no sense, whatever the reports.
    pub fn is_usage(&self) -> bool {
        !matches!(self, Self::OtherReports { .. } | Self::ReportsOfOtherRows { .. } | Self::TooFewReports { .. })
    }
}
