//! The options of `shoal consortium rehearse`. The comments here are the help texts.

use std::path::PathBuf;

use clap::Args;
use shoal::K;
use shoal_privacy::Epsilon;

use crate::arguments::parse::parse_clusters;
use crate::arguments::{parse_epsilon, parse_rows};

pub const EXAMPLES: &str = "\
One table stands for each custodian. Custodians, helpers and the driver run in one process, with the messages, the noise \
and the checks of a real run; whoever has all tables keeps nothing from himself, so the model has no guarantee:
  shoal consortium rehearse north.csv south.csv east.csv -b age=17:90,hours=1:99 -k 5 -e 1
  shoal consortium rehearse north.csv south.csv east.csv -b bounds.toml -k 5 -e 1 --helpers 3 \\
      --out model.json --transcript run.jsonl --charter charter.toml
  shoal consortium verify run.jsonl charter.toml --model model.json";

#[derive(Args)]
pub struct RehearseArgs {
    /// One table for each custodian, two at least
    #[arg(value_name = "TABLE", required = true, num_args = 2..=200)]
    pub tables: Vec<String>,
    /// Public limits of columns, `NAME=LO:HI,…` or a file
    #[arg(short, long, allow_hyphen_values = true)]
    pub bounds: String,
    /// Number of clusters, or `auto` to choose it by what is released
    #[arg(short, long, value_parser = parse_clusters, allow_negative_numbers = true)]
    pub k: K,
    /// Privacy budget of the run, the same for each custodian
    #[arg(short, long, value_parser = parse_epsilon, allow_negative_numbers = true)]
    pub epsilon: Epsilon,
    /// Number of helpers; each adds the whole noise
    #[arg(long, value_name = "H", default_value_t = 2, value_parser = clap::value_parser!(u8).range(2..=5))]
    pub helpers: u8,
    /// About how many rows all custodians have together, known from elsewhere [default: bought with a part of ε]
    #[arg(long, value_name = "N", value_parser = parse_rows, allow_negative_numbers = true)]
    pub rows: Option<u64>,
    /// Write the model here
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write a page for people here
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Write everything that was asked and released here
    #[arg(long, value_name = "FILE")]
    pub transcript: Option<PathBuf>,
    /// Write the charter that was made up for the rehearsal here; `verify` needs it
    #[arg(long, value_name = "FILE")]
    pub charter: Option<PathBuf>,
    /// Repeatable noise
    #[arg(long)]
    pub seed: Option<u64>,
}
