//! The options of `shoal consortium encode`. The comments here are the help texts.

use std::path::PathBuf;

use clap::Args;
use shoal_files::Missing;
use shoal_privacy::{Delta, Epsilon};

use super::codes::parse_count;
use crate::arguments::table::MISSING;
use crate::arguments::written::WrittenArgs;
use crate::arguments::{parse_delta, parse_epsilon};

pub const EXAMPLES: &str = "\
Each row becomes a code of flipped bits, by the agreement that all custodians share. You state the \
most that a row's code may give away; if the agreement guarantees less, nothing is written.

Examples:
  shoal consortium encode north.csv -a agreement.json --max-epsilon 4 --out north.parquet
  shoal consortium encode south.csv -a agreement.json --max-epsilon 3.9 -d 1e-6 --out south.parquet
  shoal consortium encode west.csv -a agreement.json --max-epsilon 4 --id patient --out west.parquet

With one column whose window is narrow, made-up records between the true ones make far values \
reachable. They are evenly spaced, so an aggregator knows their values: known plaintexts, as in \
`shoal consortium attack`.
  shoal consortium encode incomes.csv -a incomes.json --max-epsilon 500 --bridge 50 -o far.parquet

For an aggregator who has other columns of the same people (a vertical partition), a code for each \
PAIR of rows, whose losses add up:
  shoal consortium encode bob.csv -a agreement.json --max-epsilon 9999 --pairs --out pairs.parquet

A limit is about one report: a second file of the same people adds to the first.";

#[derive(Args)]
pub struct EncodeArgs {
    /// The table: CSV (also in gzip or zstd), Parquet, Arrow, .xlsx or .ods; - reads standard input
    pub data: String,
    /// The agreement that `shoal consortium init` wrote
    #[arg(short, long, value_name = "FILE")]
    pub agreement: PathBuf,
    /// Your own limit: the most that a row's code may give away between any two values. Not with --seed or --accept-unsound, which keep none
    #[arg(long, value_name = "E", value_parser = parse_epsilon, allow_negative_numbers = true)]
    pub max_epsilon: Option<Epsilon>,
    /// A δ with which the limit may be met, at most 0.001, for example 1e-6 [default: none, the limit is met purely]
    #[arg(short, long, value_parser = parse_delta, allow_negative_numbers = true)]
    pub delta: Option<Delta>,
    /// Write the codes here, as Parquet; codes that are there already are not replaced
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    /// A column whose values go along IN THE CLEAR, to tell rows apart or to match them; each row has its own
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,
    /// A code for each pair of rows instead of each row (eqs 21 to 23)
    #[arg(long, conflicts_with_all = ["id", "bridge"])]
    pub pairs: bool,
    /// Made-up records, evenly spaced, after the true ones; for agreements on one column. An aggregator knows their values
    #[arg(long, value_name = "N", value_parser = parse_bridge, allow_negative_numbers = true)]
    pub bridge: Option<u32>,
    /// Encode although the agreement flips no bits and guarantees nothing: for research only
    #[arg(long)]
    pub accept_unsound: bool,
    /// Repeatable flips, for tests and papers: gives NO PRIVACY
    #[arg(long)]
    pub seed: Option<u64>,
    /// What to do with a row in which a value is missing; drop needs --id
    #[arg(long, value_parser = MISSING, default_value = "refuse")]
    pub missing: Missing,
    /// The CSV file has no header; columns are called c1, c2, …
    #[arg(long)]
    pub no_header: bool,
    /// Quoted cells of the CSV file may span lines; otherwise a record that does is refused, as an open quote would be
    #[arg(long)]
    pub multiline: bool,
    #[command(flatten)]
    pub written: WrittenArgs,
}

fn parse_bridge(text: &str) -> Result<u32, String> {
    parse_count(text, 1_000_000, "made-up records", 50)
}
