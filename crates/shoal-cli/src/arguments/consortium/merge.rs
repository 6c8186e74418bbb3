//! The options of `shoal consortium merge`. The comments here are the help texts.

use std::path::PathBuf;

use clap::Args;
use shoal::K;

use crate::arguments::parse::parse_clusters;

pub const EXAMPLES: &str = "\
Each custodian fits its own table with the same public bounds and gives the model away; anyone merges. \
Nobody sees another's rows, nothing is spent on merging, and there are no rounds:
  shoal fit north.csv -k 5 -e 1 -b age=17:90,hours=1:99 --out north.json
  shoal fit south.csv -k 5 -e 1 -b age=17:90,hours=1:99 --out south.json
  shoal consortium merge north.json south.json -k 5 --out model.json --report report.html

With the noisy cells of all custodians instead of their models, for any number of clusters, or one that the \
cells show:
  shoal fit north.csv -k 5 -e 1 -b age=17:90,hours=1:99 --method tree --synopsis north.parquet
  shoal consortium merge north.parquet south.parquet -k auto

If nobody is in two of the tables, the guarantee is that of the largest ε among the custodians; for someone who \
is in all of them the ε add up. Both are stated. `shoal consortium plan` compares merging with other ways.";

#[derive(Args)]
pub struct MergeArgs {
    /// One release of each custodian: models that `shoal fit --out` wrote, or cells that `shoal fit --synopsis` wrote; - reads standard input
    #[arg(value_name = "MODEL|SYNOPSIS", required = true)]
    pub files: Vec<String>,
    /// Number of clusters; for synopses also `auto`, to choose it by what the cells show, and `auto:12` to try 12 at most
    #[arg(short, long, value_parser = parse_clusters, allow_negative_numbers = true)]
    pub k: K,
    /// Initialisations that are tried; the best result is kept [default: 100 for models, 30 for synopses]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub inits: Option<u32>,
    /// Iterations from each initialisation, at most [default: 50]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub iterations: Option<u32>,
    /// Write the model here
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write a page for people here
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// The rows are a random sample of a larger population: also state how far its centres may be from these (error of
    /// sampling)
    #[arg(long)]
    pub sampling: bool,
    /// Keep the numbers and colours of this earlier model: clusters that match have the same number
    #[arg(long = "match", value_name = "MODEL")]
    pub earlier: Option<PathBuf>,
    /// Repeatable initialisations. The guarantee stays: the noise is in the releases already
    #[arg(long)]
    pub seed: Option<u64>,
}
