//! The options of `shoal plan`. The comments here are the help texts.

use clap::Args;
use shoal::K;
use shoal_curator::MOST_DIMS;
use shoal_files::PerPerson;
use shoal_privacy::{Delta, Epsilon};

use super::parse::parse_clusters;
use super::persons::parse_per_person;
use crate::arguments::{parse_delta, parse_epsilon, parse_rows};

pub const EXAMPLES: &str = "\
Nothing is read and nothing is spent: the error that privacy adds is predicted from these numbers and \
from a guess about the data (--spread, --overlap, --smallest), usually within a factor of two. \
docs/plan.md explains it with examples.

Examples:
  shoal plan --rows 30000 -k 4 --epsilon 1 --bounds age=0:110,visits=0:50
  shoal plan --rows 30000 -k 4 --epsilon 1 --bounds age=0:110,income=1000:1000000 --scale income=log --weight age=2
  shoal plan --rows 30000 -k 4 --epsilon 1 --bounds age=0:110 --categories 'gender=F|M|X'
  shoal plan --rows 50000 --dims 6 -k auto --epsilon 1 --delta 1e-6
  shoal plan --rows 30000 -k 4 --bounds age=0:110,visits=0:50 --target age=1      # which ε for ± 1 year?
  shoal plan --epsilon 0.5 -k 4 --bounds age=0:110,visits=0:50 --target age=1     # how many rows?
  shoal plan --dims 6 -k 5 --target 2%                                            # rows by ε
  shoal plan --rows 90000 -k 4 --epsilon 1 --dims 3 --per-person up-to:3          # three rows share ε
  shoal plan --crowd --dims 4 -k 5 --epsilon 4                                    # how many reports of devices?
  shoal plan --rows 300 --dims 12 -k 3 --epsilon 0.5 --all-methods";

#[derive(Args)]
#[allow(missing_docs, reason = "a comment here would be help")]
pub struct PlanArgs {
    /// About how many rows the table has, known from elsewhere
    #[arg(long, value_name = "N", value_parser = parse_rows, allow_negative_numbers = true,
        required_unless_present_any = ["target", "crowd"])]
    pub rows: Option<u64>,
    /// Number of columns of numbers to cluster by [default: as many as --bounds names]
    #[arg(long, value_name = "D", value_parser = parse_dims, allow_negative_numbers = true,
        required_unless_present_any = ["bounds", "categories"])]
    pub dims: Option<usize>,
    /// Number of clusters, or `auto`
    #[arg(short, long, value_parser = parse_clusters, allow_negative_numbers = true)]
    pub k: K,
    /// Privacy budget: smaller is more private and less accurate; 1 is a common choice
    #[arg(short, long, value_parser = parse_epsilon, allow_negative_numbers = true,
        required_unless_present = "target")]
    pub epsilon: Option<Epsilon>,
    /// δ: the probability with which the guarantee may fail. Keep it well below 1/rows; 0 keeps a pure ε
    #[arg(short, long, default_value = "0", value_parser = parse_delta, allow_negative_numbers = true)]
    pub delta: Delta,
    /// Public limits of columns, `NAME=LO:HI,…` or a file, to state errors in their units
    #[arg(short, long, allow_hyphen_values = true)]
    pub bounds: Option<String>,
    /// Scales of columns, as for `shoal fit`: errors are then those of a centre in the middle of the stretched bounds
    #[arg(long, value_name = "NAME=SCALE,…", requires = "bounds")]
    pub scale: Option<String>,
    /// Weights of columns, as for `shoal fit`: noise is larger, relative to its range, in a lighter column
    #[arg(long, value_name = "NAME=NUMBER,…", allow_hyphen_values = true)]
    pub weight: Option<String>,
    /// Categories beside the columns of numbers, as for `shoal fit`: every level is a coordinate with noise of its own
    #[arg(long, value_name = "NAME=LEVEL|…,…")]
    pub categories: Option<String>,
    /// Which rows of a person would count: with `up-to:M` they share ε, and --rows is the number of all of them
    #[arg(long, value_name = "ROWS", value_parser = parse_per_person, conflicts_with = "target")]
    pub per_person: Option<PerPerson>,
    /// Accuracy that is wanted: `age=1` in the column's units, `2%` of each column's range, `size=100` rows or
    /// `size=5%` of the average size; several are separated by commas. Finds the smallest ε for --rows, the fewest rows for --epsilon, or a table of both
    #[arg(long, value_name = "WANTED", allow_hyphen_values = true)]
    pub target: Option<String>,
    /// Guess: the standard deviation of the rows of a cluster, as a share of a column's range [default: 8%]
    #[arg(long, value_name = "SHARE", value_parser = parse_share, allow_negative_numbers = true)]
    pub spread: Option<f64>,
    /// Guess: the share of rows between clusters, in the middle third of the way from one centre to the next
    /// [default: 10%]
    #[arg(long, value_name = "SHARE", value_parser = parse_share, allow_negative_numbers = true)]
    pub overlap: Option<f64>,
    /// Guess: the share of all rows in the smallest cluster [default: half of an average cluster]
    #[arg(long, value_name = "SHARE", value_parser = parse_share, allow_negative_numbers = true)]
    pub smallest: Option<f64>,
    /// Plan a collection instead: how many reports of devices are needed for which error. Crowds are simulated, which takes
    /// some seconds
    #[arg(long, conflicts_with_all = ["rows", "target", "per_person", "delta", "overlap", "smallest", "all_methods"])]
    pub crowd: bool,
    /// Rank all methods, too, by the mean squared distance that they are expected to reach
    #[arg(long, conflicts_with = "target")]
    pub all_methods: bool,
}

pub(crate) fn parse_dims(text: &str) -> Result<usize, String> {
    let dims = text.parse().ok().filter(|dims| (1..=MOST_DIMS).contains(dims));
    dims.ok_or_else(|| format!("give a whole number of columns from 1 to {MOST_DIMS}"))
}

/// `5%` or `0.05`.
pub(crate) fn parse_share(text: &str) -> Result<f64, String> {
    let (number, unit) = text.trim().strip_suffix('%').map_or((text, 1.0), |number| (number, 100.0));
    let share = number.trim().parse::<f64>().ok().filter(|share| share.is_finite());
    share.map(|share| share / unit).ok_or_else(|| "give a share such as 5% or 0.05".into())
}
