//! What `distances` and `cluster` have in common. The comments here are the help texts.

use clap::Args;
use shoal::consortium::Consistency;

use crate::arguments::names::Names;
use crate::arguments::parse_size;

const CONSISTENCIES: Names<Consistency> = Names(&[
    ("none", Consistency::None, "Distances as decoded"),
    ("layered", Consistency::Layered, "The paper's rounds and flags, with the window from the agreement"),
    ("as-printed", Consistency::AsPrinted, "The paper's eight lines without the flags, which change almost nothing"),
    ("corrected", Consistency::Corrected, "Shortest paths: too short where there is noise"),
]);

/// Codes, and what the aggregator has beside them.
#[derive(Args)]
pub struct CodesArgs {
    /// Codes that `shoal consortium encode` wrote, in one file or several of one agreement; - reads standard input
    #[arg(value_name = "CODES", required = true)]
    pub files: Vec<String>,
    /// Distances beyond the window, through records in between (Algorithm 1), attribute by attribute [default: none;
    /// layered when no form is named]
    #[arg(long, value_name = "FORM", value_parser = CONSISTENCIES, num_args = 0..=1, default_missing_value = "layered")]
    pub consistency: Option<Consistency>,
    /// Your own table with other columns of the same people, row by row as the codes (a vertical partition)
    #[arg(long, value_name = "DATA", requires = "own_bounds")]
    pub own: Option<String>,
    /// Limits of your own columns, as for `shoal fit --bounds`; only these columns count
    #[arg(long, value_name = "BOUNDS", requires = "own", allow_hyphen_values = true)]
    pub own_bounds: Option<String>,
    /// A column of your own table that says which row of the codes is meant; needed where they were encoded with --id
    #[arg(long, value_name = "COLUMN", requires = "own")]
    pub id: Option<String>,
    /// Memory for codes and distances [default: 4G]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<usize>,
}

/// A whole number of something, from 1.
pub fn parse_count(text: &str, most: u32, what: &str, example: u32) -> Result<u32, String> {
    let count = text.parse::<u32>().ok().filter(|count| (1..=most).contains(count));
    count.ok_or_else(|| format!("give a whole number of {what} from 1 to {most}, for example {example}"))
}
