//! The options of `shoal consortium cluster`. The comments here are the help texts.

use std::path::PathBuf;

use clap::Args;
use shoal::consortium::{Grouping, Metric};
use shoal_kernel::{Linkage, OwnRecord};

use super::codes::{CodesArgs, parse_count};
use crate::arguments::names::Names;
use crate::arguments::parse_k;

const OWN_RECORD: Names<OwnRecord> = Names(&[
    ("left-out", OwnRecord::LeftOut, "It does not"),
    ("as-printed", OwnRecord::AsPrinted, "It does, as published"),
]);

const LINKAGES: Names<Linkage> = Names(&[
    ("single", Linkage::Single, "That of their nearest records"),
    ("complete", Linkage::Complete, "That of their farthest records"),
    ("average", Linkage::Average, "The mean over all pairs of records"),
]);

const METHODS: Names<Grouping> = Names(&[
    (
        "kcluster",
        Grouping::KCluster,
        "Every record to the cluster that it is nearest to on average (SZY19, Algorithm 2)",
    ),
    ("dbscan", Grouping::Dbscan, "Dense neighbourhoods, and records that belong to none"),
    ("hierarchical", Grouping::Hierarchical, "A tree of clusters, cut into k or at a height"),
]);

const METRICS: Names<Metric> = Names(&[
    ("eq19", Metric::Eq19, "The root of the sum of squared distances of all attributes, for thousands of records"),
    (
        "eq19-unbiased",
        Metric::Eq19Unbiased,
        "The same without what noise adds to the squares on average: for a --radius or --height in the columns' own units",
    ),
    ("hamming-sum", Metric::HammingSum, "The sum of the distances of all attributes, for a hundred thousand records"),
]);

pub const EXAMPLES: &str = "\
Clustering codes is post-processing: the guarantee stays theirs. Clusters are lists of their members: \
codes have no centres. They are numbered by the first record in them. Labels may be \
given to the custodians, who know which row is whose.

Examples:
  shoal consortium cluster north.parquet south.parquet -k 5 --out labels.csv
  shoal consortium cluster north.parquet -k 5 --metric hamming-sum --starts 50
  shoal consortium cluster north.parquet south.parquet -k 5 --format json
  shoal consortium cluster north.parquet --method dbscan --radius 0.1 --min-points 5
  shoal consortium cluster north.parquet --method hierarchical --linkage average -k 5
  shoal consortium cluster north.parquet --method hierarchical --height 0.4
  shoal consortium cluster pairs.parquet --own alice.csv --own-bounds height=100:220 -k 3";

#[derive(Args)]
pub struct ConsortiumClusterArgs {
    #[command(flatten)]
    pub codes: CodesArgs,
    /// Number of clusters; kcluster, hierarchical
    #[arg(short, long, value_parser = parse_k, allow_negative_numbers = true)]
    pub k: Option<usize>,
    /// How to cluster [default: kcluster]
    #[arg(short, long, value_parser = METHODS)]
    pub method: Option<Grouping>,
    /// How the distances of several columns are combined [default: eq19; with kcluster and dbscan hamming-sum above 5000 records, unless --own or codes of pairs are given]. One column needs none
    #[arg(long, value_parser = METRICS)]
    pub metric: Option<Metric>,
    /// Repeatable starts. Takes no guarantee away: the flips are in the file already, and starts are not noise
    #[arg(long)]
    pub seed: Option<u64>,
    /// Write `file,row,cluster` rows here, as CSV; rows and clusters count from 1
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub knobs: GroupingKnobs,
}

/// What only some methods have.
#[derive(Args)]
#[command(next_help_heading = "Knobs of the methods")]
pub struct GroupingKnobs {
    /// Whether a record counts in the average of its own cluster; kcluster [default: left-out]
    #[arg(long, value_parser = OWN_RECORD)]
    pub own_record: Option<OwnRecord>,
    /// Starts that are tried; the best result is kept; kcluster [default: 20]
    #[arg(long, value_name = "COUNT", value_parser = parse_starts, allow_negative_numbers = true)]
    pub starts: Option<u32>,
    /// Steps from each start, at most; kcluster [default: 100]
    #[arg(long, value_name = "T", value_parser = parse_iterations, allow_negative_numbers = true)]
    pub iterations: Option<u32>,
    /// How near records of one neighbourhood are; dbscan
    #[arg(long, value_name = "DISTANCE", allow_negative_numbers = true)]
    pub radius: Option<f64>,
    /// Records that make a neighbourhood dense, the record itself among them; dbscan [default: 5]
    #[arg(long, value_name = "M", value_parser = parse_min_points, allow_negative_numbers = true)]
    pub min_points: Option<u32>,
    /// What the distance of two clusters is; hierarchical [default: average]
    #[arg(long, value_parser = LINKAGES)]
    pub linkage: Option<Linkage>,
    /// Cut the tree at this distance instead of into k clusters; hierarchical
    #[arg(long, value_name = "DISTANCE", conflicts_with = "k", allow_negative_numbers = true)]
    pub height: Option<f64>,
}

fn parse_starts(text: &str) -> Result<u32, String> {
    parse_count(text, 100_000, "starts", 20)
}

fn parse_iterations(text: &str) -> Result<u32, String> {
    parse_count(text, 10_000, "steps", 100)
}

fn parse_min_points(text: &str) -> Result<u32, String> {
    parse_count(text, u32::MAX, "records", 5)
}
