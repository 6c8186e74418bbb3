//! The options of `shoal consortium encode`. The comments here are the help texts.

use std::path::PathBuf;

use clap::Args;
use shoal_privacy::{Delta, Epsilon};

use crate::arguments::{MissingArg, parse_delta, parse_epsilon};

pub const EXAMPLES: &str = "\
Each row becomes a code of flipped bits, by the agreement that all custodians share. You state the
most that a row's code may give away; if the agreement promises less, nothing is written.

Examples:
  shoal consortium encode north.csv --agreement agreement.json --max-epsilon 4 --out north.parquet
  shoal consortium encode north.csv --agreement agreement.json --max-epsilon 4 --delta 1e-6 --out north.parquet
  shoal consortium encode north.csv --agreement agreement.json --max-epsilon 4 --id patient --out north.parquet

With one column whose window is narrow, made-up records between the true ones make far values reachable:
  shoal consortium encode incomes.csv --agreement agreement.json --max-epsilon 40 --bridge 50 --out codes.parquet

For an aggregator who has other columns of the same people (a vertical partition), a code for each PAIR:
  shoal consortium encode bob.csv --agreement agreement.json --max-epsilon 9999 --pairs --out pairs.parquet";

#[derive(Args)]
pub struct EncodeArgs {
    /// The table: CSV (also gzipped) or Parquet; - reads standard input
    pub data: String,
    /// The agreement that `shoal consortium init` wrote
    #[arg(short, long, value_name = "FILE")]
    pub agreement: PathBuf,
    /// Your own limit: the most that a row's code may give away between any two values
    #[arg(long, value_name = "E", value_parser = parse_epsilon, allow_negative_numbers = true)]
    pub max_epsilon: Option<Epsilon>,
    /// A δ with which the limit may be met, for example 1e-6 [default: none, the limit is met purely]
    #[arg(short, long, value_parser = parse_delta, allow_negative_numbers = true)]
    pub delta: Option<Delta>,
    /// Write the codes here, as Parquet
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    /// A column whose values go along IN THE CLEAR, to tell rows apart or to match them
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,
    /// A code for each pair of rows instead of each row (eqs 21 to 23)
    #[arg(long, conflicts_with_all = ["id", "bridge"])]
    pub pairs: bool,
    /// Made-up records, evenly spaced, after the true ones; for agreements on one column
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub bridge: Option<u64>,
    /// Encode although the agreement flips no bits and promises nothing: for research only
    #[arg(long)]
    pub accept_unsound: bool,
    /// Repeatable flips, for tests and papers: gives NO PRIVACY
    #[arg(long)]
    pub seed: Option<u64>,
    /// What to do with a row in which a value is missing
    #[arg(long, value_enum, default_value_t = MissingArg::Refuse)]
    pub missing: MissingArg,
    /// The CSV file has no header; columns are called c1, c2, …
    #[arg(long)]
    pub no_header: bool,
}
