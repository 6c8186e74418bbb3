//! The options of `shoal consortium distances`. The comments here are the help texts.

use std::path::PathBuf;

use clap::Args;
use shoal::consortium::Metric;

use super::codes::CodesArgs;
use crate::arguments::names::Names;

const METRICS: Names<Metric> = Names(&[
    ("eq11", Metric::Eq11, "The distance of a single attribute"),
    ("eq19", Metric::Eq19, "The root of the sum of squared distances of all attributes"),
    ("eq19-unbiased", Metric::Eq19Unbiased, "The same without what noise adds to the squares on average"),
    ("hamming-sum", Metric::HammingSum, "The sum of the distances of all attributes"),
]);

pub const EXAMPLES: &str = "\
Decoding is post-processing: the guarantee stays that of the codes. Rows are counted from 1 over all \
files, in the order in which they are named; the summary says which file has which numbers.

Examples:
  shoal consortium distances north.parquet south.parquet
  shoal consortium distances north.parquet --pairs '1,2;1,3' --out some.csv
  shoal consortium distances north.parquet south.parquet --all --out distances.parquet
  shoal consortium distances pairs.parquet --own alice.csv --own-bounds height=100:220 -o own.csv";

#[derive(Args)]
pub struct DistancesArgs {
    #[command(flatten)]
    pub codes: CodesArgs,
    /// How distances are decoded [default: eq11 for one attribute, eq19 for several]
    #[arg(short, long, value_parser = METRICS)]
    pub method: Option<Metric>,
    /// Only these pairs of rows, counted from 1 over all files: `i,j;i,j;…`
    #[arg(long, value_name = "I,J;…", conflicts_with = "all")]
    pub pairs: Option<String>,
    /// All pairs of rows [default, where they fit in --memory]
    #[arg(long)]
    pub all: bool,
    /// Write `i,j,distance` rows here: text if the name ends in .csv, Parquet if in .parquet
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}
