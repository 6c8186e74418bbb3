//! Which errors are about the request itself.

use shoal_curator::FitError;
use shoal_device::DesignError;

use super::Error;

impl Error {
    /// True when the request itself makes no sense, whatever the data: wrong parameters, unknown names. Otherwise the
    /// data, a file or a budget prevents it.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::K { .. }
            | Self::Epsilon { .. }
            | Self::Delta { .. }
            | Self::Rows
            | Self::Dimensions { .. }
            | Self::Guess { .. }
            | Self::Target { .. }
            | Self::TargetNeedsBounds { .. }
            | Self::MoreBoundsThanColumns { .. }
            | Self::BoundsNeeded
            | Self::BoundsWithoutNames
            | Self::BoundsOfScan
            | Self::BoundsOfEngine
            | Self::CategoriesWithBoughtBounds
            | Self::GapsWithoutCategories
            | Self::ScaleOfScan
            | Self::ScaleOfBoughtBounds
            | Self::BoundsText(_)
            | Self::BoundsWithoutPrice
            | Self::BoundsPrice { .. }
            | Self::NothingLeft { .. }
            | Self::PerPerson(_)
            | Self::PerPersonWithoutPerson
            | Self::WordsNeedNoiseAware { .. }
            | Self::WordsArePooledNever
            | Self::SeveralReportsOfAPerson
            | Self::CountOfSeveralRows
            | Self::DeltaOfSeveralRows { .. }
            | Self::PersonsOfScan
            | Self::PersonsOfEngine
            | Self::UnknownMethod { .. }
            | Self::UnknownKnob { .. }
            | Self::NoCells { .. }
            | Self::CannotChooseK { .. }
            | Self::NoFiles
            | Self::NamedTwice { .. }
            | Self::LabelsEnding { .. }
            | Self::ColumnsOfModel { .. }
            | Self::SeededWithLedger => true,
            Self::Cluster(error) => error.is_usage(),
            Self::Consortium(error) => error.is_usage(),
            Self::Fit(error) => {
                matches!(error, FitError::Parameter { .. } | FitError::Share { .. } | FitError::TooManyCentres { .. })
            }
            Self::Design(error) => matches!(error, DesignError::Parameter { .. }),
            _ => false,
        }
    }
}
