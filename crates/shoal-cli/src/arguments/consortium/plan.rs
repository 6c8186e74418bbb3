//! The options of `shoal consortium plan`. The comments here are the help texts.

use clap::Args;
use shoal::K;
use shoal_privacy::{Delta, Epsilon};

use crate::arguments::parse::parse_clusters;
use crate::arguments::plan::{parse_dims, parse_share};
use crate::arguments::{parse_delta, parse_epsilon, parse_rows};

pub const EXAMPLES: &str = "\
Nothing is read and nothing is spent. The error of each way to cluster the tables of several custodians is \
predicted from these numbers and from a guess about the data, usually within a factor of two:
  shoal consortium plan --rows 50000 --custodians 4 -k 5 --epsilon 1 --bounds age=17:90,hours=1:99
  shoal consortium plan --rows 20000 --custodians 64 --dims 10 -k 5 --epsilon 1";

#[derive(Args)]
pub struct ConsortiumPlanArgs {
    /// About how many rows all custodians have together, known from elsewhere
    #[arg(long, value_name = "N", value_parser = parse_rows, allow_negative_numbers = true)]
    pub rows: u64,
    /// Number of custodians, taken to have as many rows each
    #[arg(short, long, value_name = "M", value_parser = clap::value_parser!(u64).range(2..=10_000), allow_negative_numbers = true)]
    pub custodians: u64,
    /// Number of columns to cluster by [default: as many as --bounds names]
    #[arg(long, value_name = "D", value_parser = parse_dims, allow_negative_numbers = true,
        required_unless_present = "bounds")]
    pub dims: Option<usize>,
    /// Number of clusters
    #[arg(short, long, value_parser = parse_clusters, allow_negative_numbers = true)]
    pub k: K,
    /// Privacy budget of each custodian: smaller is more private and less accurate; 1 is a common choice
    #[arg(short, long, value_parser = parse_epsilon, allow_negative_numbers = true)]
    pub epsilon: Epsilon,
    /// δ: the probability with which the guarantee may fail. Keep it well below 1/rows; 0 keeps a pure ε
    #[arg(short, long, default_value = "0", value_parser = parse_delta, allow_negative_numbers = true)]
    pub delta: Delta,
    /// Public limits of columns, `NAME=LO:HI,…` or a file, to state errors in their units
    #[arg(short, long, allow_hyphen_values = true)]
    pub bounds: Option<String>,
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
}
