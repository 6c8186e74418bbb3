//! The command line of `shoal bounds`. The comments here are the help texts.

use std::path::PathBuf;

use clap::Args;
use shoal_privacy::Epsilon;

use crate::arguments::{PersonArgs, TableArgs, parse_epsilon};

pub const EXAMPLES: &str = "\
An interval for each column, estimated under differential privacy, where no public limits are known. Public limits from \
a form, a law or common knowledge are better: they cost nothing. ε is shared by all columns, so name those you need.

Examples:
  shoal bounds people.csv --epsilon 0.1 --columns age,hours --out bounds.json
  shoal fit people.csv -k 5 --epsilon 0.9 --bounds bounds.json     # costs 0.9 beside the 0.1
  shoal fit people.csv -k 5 --epsilon 1 --bounds auto:0.1          # both in one
  shoal bounds visits.csv --epsilon 0.1 --person patient_id        # about persons, not visits
  shoal bounds people.csv --epsilon 0.1 --ledger shoal.ledger --format json";

#[derive(Args)]
#[allow(missing_docs, reason = "a comment here would be help")]
pub struct BoundsArgs {
    /// The table: CSV (also in gzip or zstd), Parquet, Arrow, .xlsx or .ods; - reads standard input
    pub data: String,
    /// Privacy budget for the bounds of all columns together; a tenth of what the clusters get is a common choice
    #[arg(short, long, value_parser = parse_epsilon, allow_negative_numbers = true)]
    pub epsilon: Epsilon,
    /// Write the bounds here, in the form that --bounds reads (JSON)
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Debit the budget kept in this file, and refuse to overspend it
    #[arg(long, value_name = "FILE", env = "SHOAL_LEDGER")]
    pub ledger: Option<PathBuf>,
    /// The data set's name in the ledger, which knows its table by the content [default: the file's name without its ending]
    #[arg(long, value_name = "NAME", requires = "ledger")]
    pub dataset: Option<String>,
    /// The name in the ledger of people of whom there are several tables (two years, two exports): what is released from each
    /// of them adds up
    #[arg(long, value_name = "NAME", requires = "ledger", conflicts_with = "dataset")]
    pub people: Option<String>,
    /// Repeatable noise, for tests and papers: gives NO PRIVACY
    #[arg(long)]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub persons: PersonArgs,
    #[command(flatten)]
    pub table: TableArgs,
}
