//! The options of `shoal cluster`. The comments here are the help texts.

use std::path::PathBuf;

use clap::Args;
use shoal::{K, ServerMethod};
use shoal_crowd::server::noise_aware::{Criterion, Estimate, Prior, Width};
use shoal_crowd::server::tk_means::Kappa;

use crate::arguments::names::Names;
use crate::arguments::parse::parse_clusters;
use crate::arguments::parse_k;

pub const EXAMPLES: &str = "\
Reports and cells were paid for when they were released, and clustering them is post-processing: \
the guarantee stays theirs, however often and for however many clusters this is done. No records \
are needed and no ledger is touched.

Examples with reports, which each person perturbed on their own device (`shoal perturb`):
  shoal perturb people.csv --epsilon 4 --bounds age=17:90,hours=1:99 --out reports.parquet
  shoal cluster reports.parquet -k 5 --out model.json --report report.html
  shoal cluster monday.parquet tuesday.parquet -k auto
  shoal cluster reports.parquet -k 5 --method tk-means
  shoal cluster reports.parquet -k 5 --labels labels.csv

With noisy cells that a trusted holder released (`shoal fit --synopsis`):
  shoal fit people.csv -k 5 -e 1 -b age=17:90,hours=1:99 --synopsis cells.parquet
  shoal cluster cells.parquet -k 8
  shoal cluster cells.parquet -k auto";

const METHODS: Names<ServerMethod> = Names(&[
    ("noise-aware", ServerMethod::NoiseAware, "Maximum likelihood under the known distribution of the noise"),
    ("kmeans", ServerMethod::KMeans, "k-means as if reports were records (DKdP of YTL22)"),
    ("tk-means", ServerMethod::TkMeans, "A mixture of Student t distributions (CLZ25)"),
]);

const WIDTHS: Names<Width> = Names(&[
    ("per-attribute", Width::PerAttribute, "One standard deviation for each column, shared by the clusters"),
    ("shared", Width::Shared, "One standard deviation for all clusters and columns (faster)"),
    ("per-cluster", Width::PerCluster, "One for each cluster, the same in all columns"),
    ("none", Width::None, "None: every record of a cluster is its centre"),
]);

const CRITERIA: Names<Criterion> = Names(&[
    ("evidence", Criterion::Evidence, "The probability of the reports under all mixtures of k clusters"),
    ("bic", Criterion::Bic, "The Bayesian information criterion, which chooses too few clusters under heavy noise"),
]);

const ESTIMATES: Names<Estimate> = Names(&[
    (
        "auto",
        Estimate::Auto,
        "Pooled where the errors of the centres matter, otherwise the mode, which is then the same",
    ),
    ("pooled", Estimate::Pooled, "The centres that cost least on average over all that are about as likely"),
    ("mode", Estimate::Mode, "The most likely centres"),
]);

const PRIORS: Names<Prior> = Names(&[
    ("weak", Prior::WEAK, "Clusters of similar size, not far apart; outweighed by a few dozen reports per cluster"),
    ("none", Prior::NONE, "Plain maximum likelihood"),
]);

const KAPPAS: Names<Kappa> = Names(&[
    ("corrected", Kappa::Corrected, "Averaged over reports: the likelihood never falls"),
    ("published", Kappa::AsPublished, "Averaged over clusters, as printed"),
]);

#[derive(Args)]
pub struct ClusterArgs {
    /// Reports that `shoal perturb` wrote, in one file or several, or cells that `shoal fit --synopsis` wrote; - reads standard input
    #[arg(value_name = "REPORTS|SYNOPSIS", required = true)]
    pub files: Vec<String>,
    /// Number of clusters, or `auto` to choose it by what the reports or the cells show; `auto:12` tries 12 at
    /// most [default: 12 for reports, 20 for cells]
    #[arg(short, long, value_parser = parse_clusters, allow_negative_numbers = true)]
    pub k: K,
    /// How to cluster reports [default: noise-aware, or kmeans for reports that have no density]
    #[arg(short, long, value_parser = METHODS)]
    pub method: Option<ServerMethod>,
    /// Initialisations that are tried; the best result is kept [default: 24 for noise-aware, 5 for tk-means, 30 otherwise]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub inits: Option<u32>,
    /// Iterations from each initialisation, at most [default: 400 for noise-aware, 300 for tk-means, 50 otherwise]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub iterations: Option<u32>,
    /// Write the model here
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write a page for people here
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Write the cluster of each report here, as CSV or Parquet by the ending of the name: report, label, and its probability
    /// under the known noise. Labels have the guarantee of the reports and no other
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,
    /// The rows are a random sample of a larger population: also state how far its centres may be from these (error of
    /// sampling)
    #[arg(long)]
    pub sampling: bool,
    /// Keep the numbers and colours of this earlier model: clusters that match have the same number
    #[arg(long = "match", value_name = "MODEL")]
    pub earlier: Option<PathBuf>,
    /// Repeatable initialisations. The guarantee stays: the noise is in the file already
    #[arg(long)]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub knobs: ServerKnobs,
}

/// What only some server methods have.
#[derive(Args)]
#[command(next_help_heading = "Options of the server methods")]
pub struct ServerKnobs {
    /// How records are spread about the centre of their cluster, apart from the noise; noise-aware [default: per-attribute]
    #[arg(long, value_parser = WIDTHS)]
    pub width: Option<Width>,
    /// What is assumed about clusters where reports carry little information; noise-aware [default: weak]
    #[arg(long, value_parser = PRIORS)]
    pub prior: Option<Prior>,
    /// Clusters that `-k auto` tries at most; noise-aware [default: 12]
    #[arg(long, value_name = "K", value_parser = parse_k, allow_negative_numbers = true)]
    pub most_clusters: Option<usize>,
    /// What `-k auto` compares numbers of clusters by; noise-aware [default: evidence]
    #[arg(long, value_parser = CRITERIA)]
    pub criterion: Option<Criterion>,
    /// Which estimate of the centres is reported; noise-aware [default: auto]
    #[arg(long, value_parser = ESTIMATES)]
    pub estimate: Option<Estimate>,
    /// Which κ the degrees of freedom come from; tk-means [default: corrected]
    #[arg(long, value_parser = KAPPAS)]
    pub kappa: Option<Kappa>,
}
