//! Names of the reasons for programs, and which of them are about the request itself.

use super::ConsortiumError;

impl ConsortiumError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Split(error) => error.code(),
            Self::EpsilonNeeded => "epsilon-needed",
            Self::FlipsOrNone => "flips-or-none",
            Self::UnsoundAgreement => "unsound-agreement",
            Self::ColumnsNeeded => "columns-needed",
            Self::ColumnName { .. } => "column-name",
            Self::Window { .. } => "window-out-of-range",
            Self::WindowOfUnknownColumn { .. } => "window-of-unknown-column",
            Self::EachNamed => "attributes-without-names",
            Self::OneRange => "one-range",
            Self::AgreedAlready { .. } => "agreed-already",
            Self::NothingToPrice => "nothing-to-price",
            Self::NothingAffordable { .. } => "nothing-affordable",
            Self::Terms(error) => error.code(),
            Self::Agreement(error) => error.code(),
            Self::LimitOfNothing { .. } => "limit-without-guarantee",
            Self::GapsWithoutNames => "gaps-without-names",
            Self::BridgeAcrossColumns { .. } => "bridge-across-columns",
            Self::CodedColumnInClear { .. } => "coded-column-in-clear",
            Self::NoFlips => "no-flips",
            Self::NothingUnsound => "nothing-unsound",
            Self::LimitNeeded { .. } => "limit-needed",
            Self::OverLimit { over, .. } => over.code(),
            Self::WriteCodes { .. } => "cannot-write-codes",
            Self::StdinAmongFiles => "stdin-among-files",
            Self::NamedTwice { .. } => "file-named-twice",
            Self::Codes(error) => error.code(),
            Self::ConsistencyNeedsRecords => "consistency-needs-records",
            Self::NamesNeeded => "names-needed",
            Self::OwnTable(error) => error.code(),
            Self::OtherPeople { .. } => "table-of-other-people",
            Self::PairsWithoutNames => "pairs-without-names",
            Self::SameName => "same-name-twice",
            Self::CodesWithoutNames => "codes-without-names",
            Self::NameNotFound { .. } => "name-not-found",
            Self::TooManyPairs { .. } => "too-many-pairs",
            Self::SumsNeedAllCodes => "sums-need-all-codes",
            Self::UnbiasedThroughOthers => "unbiased-through-others",
            Self::OneAttributeNeeded { .. } => "one-attribute-needed",
            Self::NoSuchRecord { .. } => "no-such-record",
            Self::DistanceToItself { .. } => "distance-to-itself",
            Self::KNeeded => "k-needed",
            Self::CutNeeded => "cut-needed",
            Self::TwoCuts => "two-cuts",
            Self::KNotWanted => "k-not-wanted",
            Self::RadiusNeeded => "radius-needed",
            Self::OwnRecordAsPrinted { .. } => "own-record-as-printed",
            Self::TooFewRecords { .. } => "too-few-records",
            Self::TooFewReleases => "too-few-releases",
            Self::ReleaseNamedTwice { .. } => "file-named-twice",
            Self::OneStdin => "stdin-twice",
            Self::NothingToMerge { .. } => "nothing-to-merge",
            Self::ModelToMerge { source, .. } => source.code(),
            Self::ModelsAndSynopses { .. } => "models-and-synopses",
            Self::ModelOfACrowd { .. } => "model-of-a-crowd",
            Self::MergedAlready { .. } => "merged-already",
            Self::ReleasedTwice { .. } => "same-release-twice",
            Self::ColumnsDiffer { .. } => "columns-differ",
            Self::BoundsDiffer { .. } => "bounds-differ",
            Self::ScalesDiffer { .. } => "scales-differ",
            Self::PromisesDiffer { source, .. } => source.code(),
            Self::KOfModels => "k-of-models",
            Self::TooFewToMerge { .. } => "too-few-to-merge",
            Self::Custodians { .. } => "custodians-out-of-range",
            Self::FewerRowsThanCustodians { .. } => "fewer-rows-than-custodians",
            Self::KCluster(error) => error.code(),
            Self::Dbscan(error) => error.code(),
            Self::Hierarchical(error) => error.code(),
        }
    }

    /// True when the request itself makes no sense, whatever the data. Otherwise files, memory or a limit are in the way.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Split(_)
            | Self::UnsoundAgreement
            | Self::NothingToPrice
            | Self::NothingAffordable { .. }
            | Self::Agreement(_)
            | Self::NoFlips
            | Self::OverLimit { .. }
            | Self::WriteCodes { .. }
            | Self::Codes(_)
            | Self::OtherPeople { .. }
            | Self::SameName
            | Self::CodesWithoutNames
            | Self::NameNotFound { .. }
            | Self::TooManyPairs { .. }
            | Self::TooFewRecords { .. }
            | Self::NothingToMerge { .. }
            | Self::ModelToMerge { .. }
            | Self::ModelsAndSynopses { .. }
            | Self::ModelOfACrowd { .. }
            | Self::MergedAlready { .. }
            | Self::ReleasedTwice { .. }
            | Self::ColumnsDiffer { .. }
            | Self::BoundsDiffer { .. }
            | Self::ScalesDiffer { .. }
            | Self::PromisesDiffer { .. }
            | Self::KOfModels
            | Self::TooFewToMerge { .. }
            | Self::KCluster(_)
            | Self::Hierarchical(_) => false,
            Self::OwnTable(error) => error.is_usage(),
            _ => true,
        }
    }
}
