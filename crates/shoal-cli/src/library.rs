//! Errors of the library in the words of the command line: parameters become flags.

use std::path::Path;

use shoal::Error;
use shoal::consortium::{ConsortiumError, SplitError};
use shoal_files::FileKind;

use crate::failure::Failure;
use crate::table::short_name;

/// Shown when there are no bounds.
pub const BOUNDS_NEEDED: &str = "\
public bounds are needed: limits of each column, chosen without looking at the data (limits taken from the data \
would reveal its extremes). Give them in one of these ways:
  --bounds 0,100                   the same for all columns
  --bounds age=17:90,hours=1:99    column by column
  --bounds bounds.json             a file with {\"age\": [17, 90], \"hours\": [1, 99]}
Values outside are moved to the nearest limit.";

/// Shown with it by a fit, which can estimate bounds itself.
pub const BOUNDS_FOR_SALE: &str = "\
Where you know no limits, buy them with a part of ε:
  --bounds auto:0.1                limits estimated from the data under differential privacy, for 0.1 of --epsilon";

/// The failure of a command. Parameters that a message mentions become flags by themselves; what names other commands is
/// put in words here.
pub fn failed(error: Error) -> Failure {
    let failure = match &error {
        Error::BoundsNeeded => Failure::usage(BOUNDS_NEEDED),
        Error::NotATable { path, kind } => Failure::refused(released(path, *kind)),
        Error::Codes { path } => Failure::refused(codes(path)),
        Error::NothingReleased { name } => Failure::refused(format!(
            "{name} holds neither reports nor noisy cells; give a file that `shoal perturb --out` or `shoal fit --synopsis` wrote. A table of people goes through one of them first"
        )),
        Error::Consortium(ConsortiumError::Split(error @ SplitError::Ended { .. })) => Failure::ended(error),
        error if error.is_usage() => Failure::usage(error),
        error => Failure::refused(error),
    };
    failure.with_code(error.code())
}

/// What was released is no table of people, though it could be read as one.
fn released(path: &Path, kind: FileKind) -> String {
    let name = short_name(&path.to_string_lossy());
    match kind {
        FileKind::Codes => codes(path),
        FileKind::Reports => {
            format!("{name} holds reports, which are perturbed already; use `shoal cluster {name} -k K`")
        }
        _ => format!("{name} holds released cells, not rows of people; use `shoal cluster {name} -k K`"),
    }
}

/// Codes are no table either, and have commands of their own.
pub fn codes(path: &Path) -> String {
    let name = short_name(&path.to_string_lossy());
    format!("{name} holds codes of a consortium; use `shoal consortium cluster {name} -k K`")
}
