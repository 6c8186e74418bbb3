//! The command line. The comments here are the help texts. One file per command.

#[cfg(feature = "audit")]
pub mod audit;
pub mod bounds;
pub mod cluster;
#[cfg(feature = "collector")]
pub mod collection;
pub mod compare;
pub mod consortium;
pub mod demo;
pub mod fit;
pub mod knobs;
pub mod ledger;
pub mod left_out;
pub mod look;
pub mod names;
mod parse;
pub mod persons;
pub mod perturb;
pub mod plan;
pub mod predict;
#[cfg(feature = "reproduce")]
pub mod reproduce;
pub mod score;
#[cfg(feature = "collector")]
pub mod serve;
pub mod table;
pub mod written;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

#[cfg(feature = "audit")]
pub use self::audit::AuditArgs;
pub use self::bounds::BoundsArgs;
pub use self::cluster::ClusterArgs;
#[cfg(feature = "collector")]
pub use self::collection::{CollectionAction, CollectionArgs};
pub use self::compare::CompareArgs;
pub use self::consortium::ConsortiumArgs;
pub use self::demo::DemoArgs;
pub use self::fit::{DEFAULT_METHOD, FitArgs};
pub use self::knobs::Knobs;
pub use self::ledger::{LedgerAction, LedgerArgs};
pub use self::look::LookArgs;
use self::parse::parse_threads;
pub use self::parse::{parse_delta, parse_epsilon, parse_k, parse_rows, parse_size};
pub use self::persons::PersonArgs;
pub use self::perturb::{EndingArg, MechanismArg, PerturbArgs, RadiusRuleArg};
pub use self::plan::PlanArgs;
pub use self::predict::PredictArgs;
#[cfg(feature = "reproduce")]
pub use self::reproduce::ReproduceArgs;
pub use self::score::ScoreArgs;
#[cfg(feature = "collector")]
pub use self::serve::ServeArgs;
pub use self::table::TableArgs;

/// Finds the clusters in data about people without giving the people away.
///
/// Every result states in one sentence what it guarantees to the people in the data. Start with `shoal demo`.
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
  shoal look people.csv
  shoal plan --rows 50000 --dims 6 -k 5 --epsilon 1
  shoal fit people.csv -k 5 --epsilon 1 --bounds age=17:90,hours=1:99 --out model.json --report report.html
  shoal predict model.json people.csv --out labels.csv
  shoal score people.csv --model model.json
  shoal compare model2025.json model2026.json
  shoal perturb people.csv --epsilon 4 --bounds age=17:90,hours=1:99 --out reports.parquet

What may I publish?
  yes   model, report, synopsis: they hold released numbers only, under the guarantee that they state
  no    labels, scores, the table, the ledger; and nothing at all of a run with --seed

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
    /// Log what is read, debited, asked and released, with times, to standard error. Values of records are never logged,
    /// but times depend on the table: keep a log as safe as the table itself
    #[arg(long, global = true)]
    pub log: bool,
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
    /// Show the columns of a table and a line to start from. Reads no record and costs nothing
    #[command(after_help = look::EXAMPLES)]
    Look(LookArgs),
    /// Cluster a table under differential privacy
    #[command(after_help = fit::EXAMPLES)]
    Fit(Box<FitArgs>),
    /// Predict the error that privacy adds, or find the rows or the ε that an accuracy needs. Reads nothing
    #[command(after_help = plan::EXAMPLES)]
    Plan(PlanArgs),
    /// Estimate limits of each column under differential privacy, where none are known
    #[command(after_help = bounds::EXAMPLES)]
    Bounds(Box<BoundsArgs>),
    /// Turn each row into a report that protects its person, with nobody trusted
    #[command(after_help = perturb::EXAMPLES)]
    Perturb(Box<PerturbArgs>),
    /// Cluster what has been released: reports of a crowd, or noisy cells. Spends nothing
    #[command(after_help = cluster::EXAMPLES)]
    Cluster(Box<ClusterArgs>),
    /// Receive reports of devices over HTTP, keep them, and find their clusters
    #[cfg(feature = "collector")]
    #[command(after_help = serve::EXAMPLES)]
    Serve(Box<ServeArgs>),
    /// Create, list, show, close and delete the collections of a server
    #[cfg(feature = "collector")]
    #[command(after_help = collection::EXAMPLES)]
    Collection(Box<CollectionArgs>),
    /// Show two models side by side: which cluster is which, and what changed beyond noise
    #[command(after_help = compare::EXAMPLES)]
    Compare(CompareArgs),
    /// Cluster records that several custodians pool as noisy bit vectors
    #[command(after_help = consortium::EXAMPLES)]
    Consortium(Box<ConsortiumArgs>),
    /// Label your own rows with the nearest centre of a released model
    #[command(
        after_help = "Examples:\n  shoal predict model.json people.csv --out labels.csv\n  shoal predict model.json people.csv --keep id,name --out labels.parquet\n\nThe table is read as that of the model was; options override it. Labels are NOT PRIVATE: keep them as safe as the rows."
    )]
    Predict(PredictArgs),
    /// Measure how well a model fits the raw rows. NOT PRIVATE: for your eyes only
    #[command(
        after_help = "Examples:\n  shoal score people.csv --model model.json --labels group\n  shoal score people.csv --model model.json --reports reports.parquet"
    )]
    Score(ScoreArgs),
    /// List every method: paper, trust model, published claim, guarantee, status
    #[command(after_help = "Example:\n  shoal methods --format json")]
    Methods,
    /// Audit a privacy claim: print an empirical lower bound on ε next to the claimed ε
    #[cfg(feature = "audit")]
    #[command(after_help = audit::EXAMPLES)]
    Audit(Box<AuditArgs>),
    /// Measure a figure or table of a paper again: numbers, plot, and whether it came out
    #[cfg(feature = "reproduce")]
    #[command(after_help = reproduce::EXAMPLES)]
    Reproduce(ReproduceArgs),
    /// Keep the privacy budget of each data set in a file
    #[command(after_help = ledger::EXAMPLES)]
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
