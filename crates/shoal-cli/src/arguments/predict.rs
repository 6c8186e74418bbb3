//! The options of `shoal predict`. The comments here are the help texts.

use std::path::PathBuf;

use clap::Args;
use shoal_files::Missing;

use super::names::Names;
use super::written::WrittenArgs;

/// What becomes of a row in which a value is missing.
const LABEL_MISSING: Names<Missing> = Names(&[
    ("refuse", Missing::Refuse, "Stop and say where"),
    ("drop", Missing::Drop, "Leave the row without a label"),
    ("middle", Missing::Middle, "Use the middle of the column's bounds, as a fit with this rule does"),
    (
        "category",
        Missing::Category,
        "The same for numbers; a gap in a category is the level `missing`, where the model has it",
    ),
]);

#[derive(Args)]
pub struct PredictArgs {
    /// The model that `shoal fit --out` or `shoal cluster --out` wrote
    pub model: PathBuf,
    /// The rows to label: CSV (also in gzip or zstd), Parquet, Arrow, .xlsx or .ods; - reads standard input
    pub data: String,
    /// Write the labels here, as CSV or Parquet by the ending of the name [default: CSV to standard output]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Columns of the table to pass on as they are, beside the labels; also text
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub keep: Vec<String>,
    /// What this table calls the model's columns, in the model's order [default: the same names]
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub columns: Option<Vec<String>>,
    /// What to do with a row in which a value is missing [default: as when the model was fitted]
    #[arg(long, value_parser = LABEL_MISSING)]
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
