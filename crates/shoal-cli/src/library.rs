//! Errors of the library in the words of the command line: parameters become flags.

use std::path::Path;

use shoal::Error;
use shoal_files::FileKind;

use crate::failure::{Failure, with_flags};
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

/// The failure of a command.
pub fn failed(error: Error) -> Failure {
    let text = match &error {
        Error::BoundsNeeded => BOUNDS_NEEDED.into(),
        Error::BoundsForSale { why } => {
            why.replace("`auto:", "--bounds `auto:").replace('`', "").replace(" of ε", " of --epsilon")
        }
        Error::UnknownKnob { knob, method, others } => {
            let others = others.join(", ");
            format!("--{knob} is no option of {method}; leave it out, or choose a method that has it ({others})")
        }
        Error::NoCells { method, others } => {
            format!("{method} makes no cells that --synopsis could write; {} do", others.join(", "))
        }
        Error::CannotChooseK { method, k, others } => format!(
            "{method} cannot choose the number of clusters (-k {k}); give a number, or choose a method that can ({})",
            others.join(", ")
        ),
        Error::NotATable { path, kind } => released(path, *kind),
        Error::TooLittleMemory { least } => format!(
            "the table does not fit in --memory, and reading it piece by piece takes more, too: give --memory {}M or more",
            least.div_ceil(1 << 20)
        ),
        Error::Unsound { reason } => format!("{reason} To run it all the same, for research, say --accept-unsound"),
        Error::Codes { path } => codes(path),
        Error::NothingReleased { name } => format!(
            "{name} holds neither reports nor noisy cells; give a file that `shoal perturb --out` or `shoal fit --synopsis` wrote. A table of people goes through one of them first"
        ),
        Error::OnlyForReports { option: "method" } => {
            "--method is for reports; these are noisy cells, which are clustered by k-means".into()
        }
        Error::OnlyForReports { option } => {
            format!("--{option} is for reports, and these are noisy cells; leave it out")
        }
        Error::NoDensity { why } => format!(
            "noise-aware needs raw reports whose noise has a known distribution, and these have none: {why}. Use --method kmeans or tk-means, or collect raw reports"
        ),
        Error::CannotChooseKOfReports { why } => {
            let why = why.replace("choosing k needs the method noise-aware", "-k auto needs --method noise-aware");
            format!("{}; give a number", why.replace("choosing k needs", "-k auto needs"))
        }
        Error::MostClusters { why } => why
            .replace("(`most-clusters`)", "(--most-clusters)")
            .replace("k = auto", "-k auto")
            .replace("k = ", "-k ")
            .replace("`most-clusters`", "--most-clusters"),
        Error::TooFewReports { k, reports } => {
            format!("{k} clusters of {reports} reports cannot be found; give a smaller -k")
        }
        other => with_flags(other),
    };
    if error.is_usage() { Failure::usage(text) } else { Failure::refused(text) }
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
