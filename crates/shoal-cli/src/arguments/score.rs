//! The options of `shoal score`. The comments here are the help texts.

use std::path::PathBuf;

use clap::Args;
use shoal_files::Missing;

use super::table::MISSING;
use super::written::WrittenArgs;

#[derive(Args)]
pub struct ScoreArgs {
    /// The table: CSV (also in gzip or zstd), Parquet, Arrow, .xlsx or .ods; - reads standard input
    pub data: String,
    /// The model that `shoal fit --out` or `shoal cluster --out` wrote
    #[arg(long, value_name = "FILE")]
    pub model: PathBuf,
    /// A column with the true groups, to compare with
    #[arg(long, value_name = "COLUMN")]
    pub labels: Option<String>,
    /// The reports that were made of these very rows, in the same order: adds the measures of the crowd papers
    #[arg(long, value_name = "FILE")]
    pub reports: Option<String>,
    /// What this table calls the model's columns, in the model's order [default: the same names]
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub columns: Option<Vec<String>>,
    /// What to do with a row in which a value is missing [default: as when the model was fitted]
    #[arg(long, value_parser = MISSING)]
    pub missing: Option<Missing>,
    /// The CSV file has no header; columns are called c1, c2, … [default: as when the model was fitted]
    #[arg(long)]
    pub no_header: bool,
    /// The CSV file has a header, although that of the model had none
    #[arg(long, conflicts_with = "no_header")]
    pub header: bool,
    /// Quoted cells of the CSV file may span lines; otherwise a record that does is refused, as an open quote would be
    #[arg(long)]
    pub multiline: bool,
    #[command(flatten)]
    pub written: WrittenArgs,
}
