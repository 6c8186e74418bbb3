//! The options of `shoal plan`. The comments here are the help texts.

use clap::Args;
use shoal_curator::MOST_DIMS;
use shoal_privacy::{Delta, Epsilon};

use crate::arguments::{parse_delta, parse_epsilon, parse_k, parse_rows};

pub const EXAMPLES: &str = "\
Nothing is read and nothing is spent: the error is predicted from these numbers alone. It ranks the \
methods; how good a result is depends on the data, too. See what a larger ε, more rows or fewer \
columns would change.

Examples:
  shoal plan --rows 50000 --dims 6 -k 5 --epsilon 1
  shoal plan --rows 50000 --dims 6 -k 5 --epsilon 1 --delta 1e-6
  shoal plan --rows 300 --dims 12 -k 3 --epsilon 0.5 --format json";

#[derive(Args)]
pub struct PlanArgs {
    /// About how many rows the table has, known from elsewhere
    #[arg(long, value_name = "N", value_parser = parse_rows, allow_negative_numbers = true)]
    pub rows: u64,
    /// Number of columns to cluster by
    #[arg(long, value_name = "D", value_parser = parse_dims, allow_negative_numbers = true)]
    pub dims: usize,
    /// Number of clusters
    #[arg(short, long, value_parser = parse_k, allow_negative_numbers = true)]
    pub k: usize,
    /// Privacy budget: smaller is more private and less accurate; 1 is a common choice
    #[arg(short, long, value_parser = parse_epsilon, allow_negative_numbers = true)]
    pub epsilon: Epsilon,
    /// A chance, well below 1 / number of rows, for which nothing need be promised; 0 keeps a pure ε
    #[arg(short, long, default_value = "0", value_parser = parse_delta, allow_negative_numbers = true)]
    pub delta: Delta,
}

fn parse_dims(text: &str) -> Result<usize, String> {
    let dims = text.parse().ok().filter(|dims| (1..=MOST_DIMS).contains(dims));
    dims.ok_or_else(|| format!("give a whole number of columns from 1 to {MOST_DIMS}"))
}
