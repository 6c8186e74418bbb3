//! The command line. The comments here are the help texts.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use shoal_privacy::{Delta, Epsilon};

use crate::audit_arguments::{self, AuditArgs};
use crate::bounds_arguments::{self, BoundsArgs};
use crate::cluster_arguments::{self, ClusterArgs};
use crate::consortium_arguments::{self, ConsortiumArgs};
use crate::knobs::Knobs;
use crate::number_of_clusters::Number;
use crate::perturb_arguments::{self, PerturbArgs};
use crate::plan_arguments::{self, PlanArgs};
use crate::reproduce_arguments::{self, ReproduceArgs};

/// Finds the clusters in data about people without giving the people away.
///
/// Every result says in one sentence what it promises to the people in the data. Start with `shoal demo`.
#[derive(Parser)]
#[command(name = "shoal", version, max_term_width = 100, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub shown: Shown,
}

const EXAMPLES: &str = "\
Examples:
  shoal demo
  shoal plan --rows 50000 --dims 6 -k 5 --epsilon 1
  shoal fit people.csv -k 5 --epsilon 1 --bounds age=17:90,hours=1:99 --out model.json --report report.html
  shoal predict model.json people.csv --out labels.csv
  shoal score people.csv --model model.json
  shoal perturb people.csv --epsilon 4 --bounds age=17:90,hours=1:99 --out reports.parquet

Exit codes: 0 done, 1 refused or failed, 2 the command line does not make sense.";

/// What is printed, and how the work is done: options of every command.
#[derive(Args, Clone)]
pub struct Shown {
    /// Print a table for people or JSON for programs
    #[arg(long, global = true, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Print no notes and no progress, only results and errors
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Threads to use [default: all cores]. The result does not depend on it.
    #[arg(long, global = true, value_name = "N", value_parser = parse_threads, allow_negative_numbers = true)]
    pub threads: Option<NonZeroUsize>,
    /// A folder where tables are looked for when they are not found as named
    #[arg(long, global = true, value_name = "FOLDER", env = "SHOAL_DATA")]
    pub data_dir: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Table,
    /// For programs
    Json,
}

#[derive(Subcommand)]
pub enum Command {
    /// Cluster a table under differential privacy
    #[command(after_help = FIT_EXAMPLES)]
    Fit(Box<FitArgs>),
    /// Tell the error to expect from every method, before anything is spent. Reads nothing
    #[command(after_help = plan_arguments::EXAMPLES)]
    Plan(PlanArgs),
    /// Estimate limits of each column under differential privacy, where none are known
    #[command(after_help = bounds_arguments::EXAMPLES)]
    Bounds(Box<BoundsArgs>),
    /// Turn each row into a report that protects its person, with nobody trusted
    #[command(after_help = perturb_arguments::EXAMPLES)]
    Perturb(Box<PerturbArgs>),
    /// Cluster what has been released: reports of a crowd, or noisy cells. Spends nothing
    #[command(after_help = cluster_arguments::EXAMPLES)]
    Cluster(Box<ClusterArgs>),
    /// Cluster records that several custodians pool as noisy bit vectors
    #[command(after_help = consortium_arguments::EXAMPLES)]
    Consortium(Box<ConsortiumArgs>),
    /// Label your own rows with the nearest centre of a released model
    #[command(after_help = "Example:\n  shoal predict model.json people.csv --out labels.csv")]
    Predict(PredictArgs),
    /// Tell how well a model fits the raw rows. NOT PRIVATE: for your eyes only
    #[command(
        after_help = "Examples:\n  shoal score people.csv --model model.json --labels group\n  shoal score people.csv --model model.json --reports reports.parquet"
    )]
    Score(ScoreArgs),
    /// List every method: paper, trust model, published claim, guarantee, status
    #[command(after_help = "Example:\n  shoal methods --format json")]
    Methods,
    /// Try to break a promise: how much is lost at the least, beside what is promised
    #[command(after_help = audit_arguments::EXAMPLES)]
    Audit(Box<AuditArgs>),
    /// Measure a figure or table of a paper again: numbers, plot, and whether it came out
    #[command(after_help = reproduce_arguments::EXAMPLES)]
    Reproduce(ReproduceArgs),
    /// Keep the privacy budget of each data set in a file
    #[command(after_help = LEDGER_EXAMPLES)]
    Ledger(LedgerArgs),
    /// Run the main job end to end on generated data; no files needed
    #[command(
        after_help = "Examples:\n  shoal demo\n  shoal demo --keep demo   # leaves data, model and report in the folder demo"
    )]
    Demo(DemoArgs),
    /// Print a completion script for your shell
    #[command(after_help = "Example:\n  shoal completions bash > ~/.local/share/bash-completion/completions/shoal")]
    Completions {
        /// The shell to complete in
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Write the manual pages into a folder
    #[command(after_help = "Example:\n  shoal man ~/.local/share/man/man1")]
    Man {
        /// Where the pages go; made if it is not there
        folder: PathBuf,
    },
}

const FIT_EXAMPLES: &str = "\
Bounds are public limits of each column, chosen WITHOUT looking at the data. Three ways to give them:
  --bounds 0,100                      the same for all columns
  --bounds age=17:90,hours=1:99       column by column (and only these columns are used)
  --bounds bounds.json                a file, {\"age\": [17, 90], \"hours\": [1, 99]}, or the same as TOML
Where no limits are known, a part of ε buys some:
  --bounds auto:0.1                   estimated from the data, for 0.1 of --epsilon (auto:10% for a tenth of it)

Examples:
  shoal fit people.csv -k 5 --epsilon 1 --bounds age=17:90,hours=1:99
  shoal fit people.csv -k auto --epsilon 1 --bounds age=17:90,hours=1:99 --rows 50000
  shoal fit people.parquet -k 3 --epsilon 0.5 --bounds bounds.toml --columns age,hours --out model.json
  gunzip -c people.csv.gz | shoal fit - -k 5 --epsilon 1 --bounds 0,1 --format json
  shoal ledger init people --epsilon 2 && shoal fit people.csv -k 5 --epsilon 1 --bounds b.json --ledger shoal.ledger

Cells to keep, clustered again later for another k without spending more:
  shoal fit people.csv -k 5 --epsilon 1 --bounds b.json --synopsis cells.parquet
  shoal cluster cells.parquet -k 8";

/// The method of a fit that names none.
pub const DEFAULT_METHOD: &str = "auto";

const LEDGER_EXAMPLES: &str = "\
Examples:
  shoal ledger init people.csv --epsilon 2
  shoal ledger show
  shoal fit people.csv -k 5 --epsilon 1 --bounds age=17:90,hours=1:99 --ledger shoal.ledger";

/// How rows are read; the same for every command that reads a table.
#[derive(Args)]
pub struct TableArgs {
    /// Columns to use, in this order [default: all, or those named in --bounds]
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub columns: Option<Vec<String>>,
    /// What to do with a row in which a value is missing
    #[arg(long, value_enum, default_value_t = MissingArg::Refuse)]
    pub missing: MissingArg,
    /// The CSV file has no header; columns are called c1, c2, …
    #[arg(long)]
    pub no_header: bool,
    /// Memory for the rows, beside about 6M for the program; a larger table is read piece by piece, again for every
    /// pass
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = parse_size)]
    pub memory: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MissingArg {
    /// Stop and say where
    Refuse,
    /// Leave the row out
    Drop,
}

#[derive(Args)]
pub struct FitArgs {
    /// The table: CSV (also gzipped) or Parquet; - reads standard input
    pub data: String,
    /// Number of clusters, or `auto` to choose it on the released cells, free of charge (auto, grid, refined-tree);
    /// `auto:12` tries 12 at most (left out: 20)
    #[arg(short, long, value_parser = Number::parse, allow_negative_numbers = true)]
    pub k: Number,
    /// Privacy budget: smaller is more private and less accurate; 1 is a common choice
    #[arg(short, long, value_parser = parse_epsilon, allow_negative_numbers = true)]
    pub epsilon: Epsilon,
    /// A chance, well below 1 / number of rows, for which nothing need be promised: methods that use one get by with less
    /// noise (`shoal methods` tells which); 0 keeps a pure ε
    #[arg(short, long, default_value = "0", value_parser = parse_delta, allow_negative_numbers = true)]
    pub delta: Delta,
    /// Public limits of each column: `LO,HI`, `NAME=LO:HI,…`, a JSON or TOML file, or `auto:ε` to buy them
    #[arg(short, long, allow_hyphen_values = true)]
    pub bounds: Option<String>,
    /// How to cluster: `auto` takes what promises least error (`shoal plan` tells which); `shoal methods` lists them all
    #[arg(short, long, default_value = DEFAULT_METHOD, value_parser = parse_method)]
    pub method: String,
    /// About how many rows there are, known from elsewhere, NOT counted in this table (that is --rows-public): tells the
    /// expected error before anything is spent, and shapes grids and blocks
    #[arg(long, value_name = "N", value_parser = parse_rows, allow_negative_numbers = true)]
    pub rows: Option<u64>,
    /// The true number of rows is no secret and may be used and told: the promise becomes one about replacing a row, at 2ε
    #[arg(long, conflicts_with = "rows")]
    pub rows_public: bool,
    /// Write the model here
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write a page for people here
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Write the released noisy cells here (auto, grid, refined-tree, eugkm, hybrid, tree); `shoal cluster` clusters them
    /// again, free of charge
    #[arg(long, value_name = "FILE")]
    pub synopsis: Option<PathBuf>,
    /// Debit the budget kept in this file, and refuse to overspend it
    #[arg(long, value_name = "FILE")]
    pub ledger: Option<PathBuf>,
    /// The data set's name in the ledger [default: the file's name without its ending]
    #[arg(long, value_name = "NAME", requires = "ledger")]
    pub dataset: Option<String>,
    /// Repeatable noise, for tests and papers: gives NO PRIVACY
    #[arg(long, conflicts_with = "ledger")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub knobs: Knobs,
}

#[derive(Args)]
pub struct PredictArgs {
    /// The model that `shoal fit --out` or `shoal cluster --out` wrote
    pub model: PathBuf,
    /// The rows to label: CSV (also gzipped) or Parquet; - reads standard input
    pub data: String,
    /// Write `row,label` lines here [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// What to do with a row in which a value is missing
    #[arg(long, value_enum, default_value_t = MissingArg::Refuse)]
    pub missing: MissingArg,
    /// The CSV file has no header; columns are called c1, c2, …
    #[arg(long)]
    pub no_header: bool,
}

#[derive(Args)]
pub struct ScoreArgs {
    /// The table: CSV (also gzipped) or Parquet; - reads standard input
    pub data: String,
    /// The model that `shoal fit --out` or `shoal cluster --out` wrote
    #[arg(long, value_name = "FILE")]
    pub model: PathBuf,
    /// A column with the true groups, to compare with
    #[arg(long, value_name = "COLUMN")]
    pub labels: Option<String>,
    /// The reports that were made of these very rows, in the same order: adds the measures of the crowd papers
    #[arg(long, value_name = "FILE")]
    pub reports: Option<String>,
    /// What to do with a row in which a value is missing
    #[arg(long, value_enum, default_value_t = MissingArg::Refuse)]
    pub missing: MissingArg,
    /// The CSV file has no header; columns are called c1, c2, …
    #[arg(long)]
    pub no_header: bool,
}

#[derive(Args)]
pub struct LedgerArgs {
    #[command(subcommand)]
    pub action: LedgerAction,
    /// The ledger's file
    #[arg(long, global = true, value_name = "FILE", default_value = "shoal.ledger")]
    pub ledger: PathBuf,
}

#[derive(Subcommand)]
pub enum LedgerAction {
    /// Enter a data set with its whole budget; this can be done once
    #[command(after_help = "Example:\n  shoal ledger init people.csv --epsilon 2")]
    Init {
        /// The data set: a name, or the file's name (people.csv is kept as people)
        dataset: String,
        /// The budget for everything that will ever be released from it
        #[arg(short, long, value_parser = parse_epsilon, allow_negative_numbers = true)]
        epsilon: Epsilon,
        /// The δ budget; 0 allows only pure releases
        #[arg(short, long, default_value = "0", value_parser = parse_delta, allow_negative_numbers = true)]
        delta: Delta,
    },
    /// Show budgets and what they were spent on
    #[command(after_help = "Examples:\n  shoal ledger show\n  shoal ledger show people --format json")]
    Show {
        /// One data set [default: all]
        dataset: Option<String>,
    },
}

#[derive(Args)]
pub struct DemoArgs {
    /// Leave data, model and report in this folder
    #[arg(long, value_name = "FOLDER")]
    pub keep: Option<PathBuf>,
    /// Privacy budget
    #[arg(short, long, default_value = "1", value_parser = parse_epsilon, allow_negative_numbers = true)]
    pub epsilon: Epsilon,
    /// Repeatable noise, for tests: gives NO PRIVACY
    #[arg(long)]
    pub seed: Option<u64>,
}

/// The smallest ε the samplers are meant for; below it no data set on earth yields an answer.
const SMALLEST_EPSILON: &str = "1e-6";

pub fn parse_epsilon(text: &str) -> Result<Epsilon, String> {
    let epsilon: Epsilon = text.parse().map_err(|error| format!("{error}"))?;
    // Unwrap safety: a constant that parses.
    let smallest: Epsilon = SMALLEST_EPSILON.parse().unwrap();
    if epsilon.amount().is_zero() {
        return Err("ε = 0 lets nothing about the data out; give a number above 0, for example 1".into());
    }
    if epsilon < smallest {
        return Err(format!("ε below {SMALLEST_EPSILON} drowns any table in noise; give more, for example 1"));
    }
    if epsilon.to_f64_up() > 1e6 {
        return Err("ε above a million protects nobody; give less, for example 1".into());
    }
    Ok(epsilon)
}

pub fn parse_rows(text: &str) -> Result<u64, String> {
    match text.parse::<u64>() {
        Ok(0) | Err(_) => Err("give a whole number of rows, 1 or more, for example 50000".into()),
        Ok(rows) => Ok(rows),
    }
}

pub fn parse_delta(text: &str) -> Result<Delta, String> {
    text.parse().map_err(|error| format!("{error}"))
}

pub fn parse_k(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(0) => Err("0 clusters are none; give 1 or more".into()),
        Ok(k) if k > 10_000 => Err("give at most 10000 clusters".into()),
        Ok(k) => Ok(k),
        Err(_) => Err("give a whole number of clusters, for example 5".into()),
    }
}

fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    let threads = text.parse().ok().and_then(NonZeroUsize::new).filter(|threads| threads.get() <= 512);
    threads.ok_or_else(|| "give a whole number of threads from 1 to 512".into())
}

fn parse_method(name: &str) -> Result<String, String> {
    match shoal_curator::find_method(name) {
        Some(method) => Ok(method.name.into()),
        None => {
            let names: Vec<_> = shoal_curator::METHODS.iter().map(|method| method.name).collect();
            Err(format!("there is no such method; choose one of {} (see `shoal methods`)", names.join(", ")))
        }
    }
}

/// `512M`, `4G` or plain bytes.
pub fn parse_size(text: &str) -> Result<usize, String> {
    let wrong = || "give a size such as 512M or 4G".to_string();
    let (digits, unit) = match text.trim().char_indices().find(|(_, c)| !c.is_ascii_digit()) {
        Some((at, _)) => text.trim().split_at(at),
        None => (text.trim(), ""),
    };
    let shift = match unit.trim_end_matches(['B', 'b']).trim_end_matches(['I', 'i']).to_ascii_uppercase().as_str() {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err(wrong()),
    };
    let bytes = digits.parse::<usize>().map_err(|_| wrong())?.checked_mul(1 << shift).ok_or_else(wrong)?;
    if bytes < 1 << 20 { Err("give at least 1M".into()) } else { Ok(bytes) }
}
