//! The options of `shoal compare`. The comments here are the help texts.

use std::path::PathBuf;

use clap::Args;

pub const EXAMPLES: &str = "\
Both models are released, so comparing them costs nothing. Columns are matched by name, clusters by place. A number has
changed if the difference is larger than the noise of both models explains (95 %). A cluster that is too far from every
cluster of the other model is shown as new or gone.

Examples:
  shoal compare model2025.json model2026.json
  shoal compare model2025.json model2026.json --report changes.html
  shoal fit people2026.csv -k 5 -e 1 -b b.json --match model2025.json   # the same numbers and colours from the start";

#[derive(Args)]
pub struct CompareArgs {
    /// The first model, such as last year's
    pub first: PathBuf,
    /// The second model, such as this year's
    pub second: PathBuf,
    /// Write a page for people here
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}
