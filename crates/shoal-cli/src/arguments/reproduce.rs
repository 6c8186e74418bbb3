//! The options of `shoal reproduce`. The comments here are the help texts.

use std::path::PathBuf;

use clap::{Args, Subcommand};

pub const EXAMPLES: &str = "\
Each figure leaves four files in the folder of --out: its numbers (.csv), its picture (.svg, .png), and a page (.html) with \
the picture, what the paper says and prints of it, and whether that was reproduced.

Runs are kept in FOLDER/.runs. A command that was killed goes on where it was, and nothing is measured twice. The same seed \
gives the same numbers, whatever the threads, but for times.

Iris, Wine, Wdbc and Digits are part of the program. Other data sets are looked for in --data-dir (or the folder that the \
variable SHOAL_DATA names). A made-up table takes the place of one that is not there, and the plot says so. docs/data.md \
lists where the public keeps the real ones; `shoal reproduce data FOLDER` converts downloads in a folder and checks them.

Examples:
  shoal reproduce --list
  shoal reproduce data downloads
  shoal reproduce su16-fig1 --quick --data-dir data
  shoal reproduce chen25-fig3 chen25-fig5
  shoal reproduce --all --quick --out reproduced";

/// What else can be done.
#[derive(Subcommand)]
pub enum ReproduceCommand {
    /// Convert downloads of the papers' data sets and check them
    Data {
        /// The folder with the downloads, where the converted tables go as well
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
}

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct ReproduceArgs {
    #[command(subcommand)]
    pub command: Option<ReproduceCommand>,
    /// Figures and tables by name; see --list
    #[arg(
        value_name = "FIGURE",
        required_unless_present_any = ["all", "list", "overview"],
        conflicts_with_all = ["all", "list", "overview"]
    )]
    pub figures: Vec<String>,
    /// All figures and tables, and an index page
    #[arg(long, conflicts_with = "list")]
    pub all: bool,
    /// List all figures and tables with the verdict of the last record, one line each
    #[arg(long)]
    pub list: bool,
    /// Write one page about the five papers from the record, with the pictures that are in the folder of --out
    #[arg(long, value_name = "FILE", conflicts_with_all = ["all", "list", "quick", "fresh"])]
    pub overview: Option<PathBuf>,
    /// A reduced run: fewer repetitions than the paper made. The plot says so
    #[arg(long, conflicts_with = "list")]
    pub quick: bool,
    /// Where files go; made if it is not there
    #[arg(long, value_name = "FOLDER", default_value = "reproduced", conflicts_with = "list")]
    pub out: PathBuf,
    /// Seed of all noise
    #[arg(long, default_value_t = 1, conflicts_with = "list")]
    pub seed: u64,
    /// Forget all runs that are kept in the folder, and measure again
    #[arg(long, conflicts_with = "list")]
    pub fresh: bool,
}
