//! The options of `shoal fit`. The comments here are the help texts.

use std::path::PathBuf;

use clap::Args;
use shoal::K;
use shoal_privacy::{Delta, Epsilon};

use super::knobs::Knobs;
use super::parse::{parse_clusters, parse_delta, parse_epsilon, parse_method, parse_rows};
use super::persons::PersonArgs;
use super::table::TableArgs;

pub const EXAMPLES: &str = "\
Bounds are public limits of each column, chosen WITHOUT looking at the data. Three ways to give them:
  --bounds 0,100                      the same for all columns
  --bounds age=17:90,hours=1:99       column by column (and only these columns are used)
  --bounds bounds.json                a file, {\"age\": [17, 90], \"hours\": [1, 99]}, or the same as TOML
Where no limits are known, a part of ε buys some:
  --bounds auto:0.1                   estimated from the data, for 0.1 of --epsilon (auto:10% for a tenth of it)

Examples:
  shoal fit people.csv -k 5 --epsilon 1 --bounds age=17:90,hours=1:99
  shoal fit people.csv -k 5 --epsilon 1 --bounds age=17:90,income=1000:1000000 --scale income=log --weight age=2
  shoal fit people.csv -k 5 --epsilon 1 --bounds age=17:90 --categories 'gender=F|M|X,region=regions.txt'
  shoal fit people.csv -k auto --epsilon 1 --bounds age=17:90,hours=1:99 --rows 50000
  shoal fit people.parquet -k 3 --epsilon 0.5 --bounds bounds.toml --columns age,hours --out model.json
  gunzip -c people.csv.gz | shoal fit - -k 5 --epsilon 1 --bounds 0,1 --format json
  shoal ledger init people --epsilon 2 && shoal fit people.csv -k 5 --epsilon 1 --bounds b.json --ledger shoal.ledger

What may I publish?
  yes   the model (--out), the report (--report) and the synopsis (--synopsis), as far as you accept the guarantee
  no    labels (predict), scores (score), the table, the ledger; and nothing at all of a run with --seed

A person may have several rows? Say whose they are, and the guarantee is about persons:
  shoal fit visits.csv -k 5 --epsilon 1 --bounds b.json --person patient_id
  shoal fit visits.csv -k 5 --epsilon 1 --bounds b.json --person clinic,patient --per-person last:visited
  shoal fit visits.csv -k 5 --epsilon 1 --bounds b.json --person patient_id --per-person up-to:3

Two tables of the same people share a budget:
  shoal ledger init people2026 --epsilon 2
  shoal fit visits2025.csv -k 5 --epsilon 1 --bounds b.json --ledger shoal.ledger --people people2026
  shoal fit visits2026.csv -k 5 --epsilon 1 --bounds b.json --ledger shoal.ledger --people people2026

Cells to keep, clustered again later for another k without spending more:
  shoal fit people.csv -k 5 --epsilon 1 --bounds b.json --synopsis cells.parquet
  shoal cluster cells.parquet -k 8";

/// The method of a fit that names none.
pub const DEFAULT_METHOD: &str = "auto";

#[derive(Args)]
#[allow(missing_docs, reason = "a comment here would be help")]
pub struct FitArgs {
    /// The table: CSV (also in gzip or zstd), Parquet, Arrow, .xlsx or .ods; - reads standard input
    pub data: String,
    /// Number of clusters, or `auto` to choose it within the same budget (auto, grid, fixed-tree, looks, refined-tree);
    /// `auto:12` tries up to 12 instead of 20
    #[arg(short, long, aliases = ["clusters", "n-clusters"], value_parser = parse_clusters, allow_negative_numbers = true)]
    pub k: K,
    /// Privacy budget: smaller is more private and less accurate; 1 is a common choice
    #[arg(short, long, value_parser = parse_epsilon, allow_negative_numbers = true)]
    pub epsilon: Epsilon,
    /// δ: the probability with which the guarantee may fail. Keep it well below 1/rows. Some methods add less noise when
    /// δ > 0 (`shoal methods` lists them); 0 keeps a pure ε
    #[arg(short, long, default_value = "0", value_parser = parse_delta, allow_negative_numbers = true)]
    pub delta: Delta,
    /// Public limits of each column: `LO,HI`, `NAME=LO:HI,…`, a JSON or TOML file, or `auto:ε` to buy them
    #[arg(short, long, allow_hyphen_values = true)]
    pub bounds: Option<String>,
    /// Stretch skewed columns before they are clustered: `income=log`, `log1p` (from 0 on), `sqrt`, or `rank:` with public
    /// quantiles, `income=rank:0,10000,30000,250000`. Chosen without looking at the data, like bounds; the centre of a
    /// logarithm is a geometric mean
    #[arg(long, value_name = "NAME=SCALE,…")]
    pub scale: Option<String>,
    /// Columns of words with public levels: `gender=F|M|X`, or `region=regions.txt` for a file with a level on each line; a
    /// single level ends with a bar (`smoker=yes|`). All other values count as `other`. Centres show the share of each level.
    /// Chosen without looking at the data, like bounds
    #[arg(long, value_name = "NAME=LEVEL|…,…")]
    pub categories: Option<String>,
    /// How much columns count in a distance, where that is not 1: with `age=2`, a difference in age counts twice; of a category,
    /// the part of a column's range that a mismatch counts like [default: 0.5]
    #[arg(long, value_name = "NAME=NUMBER,…", allow_hyphen_values = true)]
    pub weight: Option<String>,
    /// How to cluster: `auto` takes what has the least expected error (`shoal plan` shows which); `shoal methods` lists
    /// them all
    #[arg(short, long, default_value = DEFAULT_METHOD, value_parser = parse_method)]
    pub method: String,
    /// About how many rows there are, known from elsewhere, NOT counted in this table (that is --rows-public). Shows the
    /// expected error before anything is spent, and shapes grids and blocks
    #[arg(long, value_name = "N", value_parser = parse_rows, allow_negative_numbers = true)]
    pub rows: Option<u64>,
    /// The true number of rows is no secret and may be used and shown: the guarantee is then about replacing a row, at 2ε
    #[arg(long, conflicts_with = "rows")]
    pub rows_public: bool,
    /// Write the model here
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write a page for people here
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Write the released noisy cells here (auto, grid, fixed-tree, looks, refined-tree, eugkm, hybrid, tree); `shoal cluster` clusters them
    /// again, free of charge
    #[arg(long, value_name = "FILE")]
    pub synopsis: Option<PathBuf>,
    /// The rows are a random sample of a larger population: also state how far its centres may be from these (error of
    /// sampling)
    #[arg(long)]
    pub sampling: bool,
    /// Keep the numbers and colours of this earlier model: clusters that match have the same number
    #[arg(long = "match", value_name = "MODEL")]
    pub earlier: Option<PathBuf>,
    /// Debit the budget kept in this file, and refuse to overspend it
    #[arg(long, value_name = "FILE", env = "SHOAL_LEDGER")]
    pub ledger: Option<PathBuf>,
    /// The data set's name in the ledger, which knows its table by the content [default: the file's name without its ending]
    #[arg(long, value_name = "NAME", requires = "ledger")]
    pub dataset: Option<String>,
    /// The name in the ledger of people of whom there are several tables (two years, two exports): what is released from each
    /// of them adds up
    #[arg(long, value_name = "NAME", requires = "ledger", conflicts_with = "dataset")]
    pub people: Option<String>,
    /// Repeatable noise, for tests and papers: gives NO PRIVACY
    #[arg(long)]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub persons: PersonArgs,
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub knobs: Knobs,
}
