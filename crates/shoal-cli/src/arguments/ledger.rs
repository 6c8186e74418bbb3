//! The options of `shoal ledger`. The comments here are the help texts.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use shoal_privacy::{Delta, Epsilon};

use super::parse::{parse_delta, parse_epsilon};

pub const EXAMPLES: &str = "\
Examples:
  shoal ledger init people.csv --epsilon 2
  shoal ledger show
  shoal fit people.csv -k 5 --epsilon 1 --bounds age=17:90,hours=1:99 --ledger shoal.ledger";

#[derive(Args)]
pub struct LedgerArgs {
    #[command(subcommand)]
    pub action: LedgerAction,
    /// The ledger's file
    #[arg(long, global = true, value_name = "FILE", default_value = "shoal.ledger", env = "SHOAL_LEDGER")]
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
