//! The options of `shoal look`. The comments here are the help texts.

use clap::Args;

use super::written::WrittenArgs;

pub const EXAMPLES: &str = "\
Examples:
  shoal look people.csv
  shoal look visits.xlsx --sheet 2026 --format json

No record is read, so this costs nothing and shows nothing about a person.";

#[derive(Args)]
pub struct LookArgs {
    /// The table: CSV (also in gzip or zstd), Parquet, Arrow, .xlsx or .ods; - reads standard input
    pub data: String,
    /// The CSV file has no header; columns are called c1, c2, …
    #[arg(long)]
    pub no_header: bool,
    #[command(flatten)]
    pub written: WrittenArgs,
}
