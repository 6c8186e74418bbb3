//! The options of `shoal consortium cluster`. The comments here are the help texts.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
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

pub const EXAMPLES: &str = "\
Clustering codes is post-processing: the promise stays theirs. Clusters are told by their members, \
not by centres, which codes do not have, and numbered by the first record in them. Labels may be \
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
    /// How to cluster
    #[arg(short, long, value_enum, default_value_t = GroupingArg::Kcluster)]
    pub method: GroupingArg,
    /// How the distances of several columns are combined [default: eq19; with kcluster and dbscan hamming-sum above 5000 records, unless --own or codes of pairs are given]. One column needs none
    #[arg(long, value_enum)]
    pub metric: Option<MetricArg>,
    /// Repeatable starts. Takes no promise away: the flips are in the file already, and starts are not noise
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

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GroupingArg {
    /// Every record to the cluster that it is nearest to on average (SZY19, Algorithm 2)
    Kcluster,
    /// Dense neighbourhoods, and records that belong to none
    Dbscan,
    /// A tree of clusters, cut into k or at a height
    Hierarchical,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MetricArg {
    /// The root of the sum of squared distances of all attributes, for thousands of records
    Eq19,
    /// The sum of the distances of all attributes, for a hundred thousand records
    HammingSum,
}

impl GroupingArg {
    pub fn name(self) -> &'static str {
        match self {
            Self::Kcluster => "kcluster",
            Self::Dbscan => "dbscan",
            Self::Hierarchical => "hierarchical",
        }
    }
}

impl GroupingKnobs {
    /// The names of those that were given.
    pub fn given(&self) -> Vec<&'static str> {
        let all = [
            ("own-record", self.own_record.is_some()),
            ("starts", self.starts.is_some()),
            ("iterations", self.iterations.is_some()),
            ("radius", self.radius.is_some()),
            ("min-points", self.min_points.is_some()),
            ("linkage", self.linkage.is_some()),
            ("height", self.height.is_some()),
        ];
        all.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect()
    }
}
