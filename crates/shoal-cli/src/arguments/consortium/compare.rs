//! The options of `shoal consortium compare`. The comments here are the help texts.

use clap::Args;
use shoal::consortium::{DEFAULT_BITS, DEFAULT_WINDOW};
use shoal_privacy::Epsilon;
use shoal_reproduce::comparators::Comparison;

use super::code_options::{parse_bits, parse_window};
use crate::arguments::{TableArgs, parse_epsilon, parse_k};

pub const EXAMPLES: &str = "\
Table III of SZY19 on a table with known groups: how well each way of clustering finds the groups again, as \
normalised mutual information in %, over many runs. From one random start as published, \
and for the best of several starts (lowest objective, which needs no groups). Computed from raw rows: NOT PRIVATE.

Examples:
  shoal consortium compare digits.csv -k 10 --labels label --bounds 0,16
  shoal consortium compare iris.csv -k 3 --labels label --bounds 0,8 --epsilon 0.5,1,2,5 --bits 200 --runs 5";

#[derive(Args)]
pub struct CompareArgs {
    /// The table: CSV (also in gzip or zstd), Parquet, Arrow, .xlsx or .ods; - reads standard input
    pub data: String,
    /// Number of clusters
    #[arg(short, long, value_parser = parse_k, allow_negative_numbers = true)]
    pub k: usize,
    /// The column with the true groups
    #[arg(long, value_name = "COLUMN")]
    pub labels: String,
    /// Limits of each column: `LO,HI`, `NAME=LO:HI,…`, or a JSON or TOML file
    #[arg(short, long, allow_hyphen_values = true)]
    pub bounds: Option<String>,
    /// ε of each bit, one line for each
    #[arg(short, long, value_name = "E,…", value_delimiter = ',', default_value = Comparison::EPSILON, value_parser = parse_epsilon, allow_negative_numbers = true)]
    pub epsilon: Vec<Epsilon>,
    /// Bits of each column's code
    #[arg(long, value_name = "S", default_value_t = DEFAULT_BITS, value_parser = parse_bits, allow_negative_numbers = true)]
    pub bits: u32,
    /// Half the width t of the windows, as a share of each column's range
    #[arg(long, value_name = "SHARE", default_value_t = DEFAULT_WINDOW, value_parser = parse_window, allow_negative_numbers = true)]
    pub window: f64,
    /// Standard deviations of the additive noise (ADP), in the columns' own units
    #[arg(long, value_name = "SD,…", value_delimiter = ',', default_value = Comparison::SIGMA, value_parser = parse_sigma, allow_negative_numbers = true)]
    pub sigma: Vec<f64>,
    /// Shares of the dimensions that projections keep (RSP)
    #[arg(long, value_name = "SHARE,…", value_delimiter = ',', default_value = Comparison::KEPT, value_parser = parse_kept, allow_negative_numbers = true)]
    pub kept: Vec<f64>,
    /// Runs of everything
    #[arg(long, value_name = "N", default_value_t = Comparison::RUNS, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub runs: u32,
    /// Starts of which the best is kept, in the second column
    #[arg(long, value_name = "N", default_value_t = Comparison::STARTS, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub starts: u32,
    /// Most records; codes of all pairs are compared
    #[arg(long, value_name = "N", default_value_t = Comparison::MOST_RECORDS, value_parser = clap::value_parser!(u32).range(2..=50_000))]
    pub most_records: u32,
    /// Where the random numbers start; the same gives the same table
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub table: TableArgs,
}

fn parse_sigma(text: &str) -> Result<f64, String> {
    let form = "give a standard deviation, 0 or more, for example 1";
    text.parse().ok().filter(|sigma: &f64| sigma.is_finite() && *sigma >= 0.0).ok_or_else(|| form.into())
}

fn parse_kept(text: &str) -> Result<f64, String> {
    let form = "give a share of the dimensions above 0 and up to 1, for example 0.5";
    text.parse().ok().filter(|share| *share > 0.0 && *share <= 1.0).ok_or_else(|| form.into())
}
