//! How rows are read. The comments here are the help texts.

use clap::Args;
use shoal_files::Missing;

use super::names::Names;
use super::parse::parse_size;
use super::written::WrittenArgs;

/// What to do with a row in which a value is missing.
pub const MISSING: Names<Missing> = Names(&[
    ("refuse", Missing::Refuse, "Stop and say where: the guarantee assumes that no row lacks a value"),
    ("drop", Missing::Drop, "Leave the row out: the number of rows that are left counts"),
    ("middle", Missing::Middle, "Use the middle of the column's bounds: every row counts, nothing shows about gaps"),
    ("category", Missing::Category, "The same for numbers; a gap in a category is a level of its own, `missing`"),
]);

/// How rows are read; the same for every command that reads a table.
#[derive(Args)]
pub struct TableArgs {
    /// Columns to use, in this order [default: all, or those named in --bounds]
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub columns: Option<Vec<String>>,
    /// What to do with a row in which a value is missing
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
    /// Memory for the rows, beside about 6M for the program; a larger table is read piece by piece, again for every
    /// pass, and longer standard input goes to a temporary file without a name
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = parse_size)]
    pub memory: usize,
}
