//! The options of `shoal reproduce`. The comments here are the help texts.

use std::path::PathBuf;

use clap::Args;

pub const EXAMPLES: &str = "\
Each figure leaves four files in the folder of --out: its numbers (.csv), its picture (.svg, .png), and a page (.html) with \
the picture, what the paper says and prints of it, and whether that came out.

Runs are kept in FOLDER/.runs. A command that was killed goes on where it was, and nothing is measured twice. The same seed \
gives the same numbers, whatever the threads, but for times.

Iris, Wine, Wdbc and Digits are part of the program. Other data sets are looked for in --data-dir (or the folder that the \
variable SHOAL_DATA names); what is not there is left out, and the plot says so.

Examples:
  shoal reproduce --list
  shoal reproduce su16-fig1 --quick --data-dir data
  shoal reproduce chen25-fig3 chen25-fig5
  shoal reproduce --all --quick --out reproduced";

#[derive(Args)]
pub struct ReproduceArgs {
    /// Figures and tables by name; see --list
    #[arg(value_name = "FIGURE", required_unless_present_any = ["all", "list"], conflicts_with_all = ["all", "list"])]
    pub figures: Vec<String>,
    /// All figures and tables, and an index page
    #[arg(long, conflicts_with = "list")]
    pub all: bool,
    /// List all figures and tables, and whether they came out when they were last measured here
    #[arg(long)]
    pub list: bool,
    /// A first look: fewer runs than the paper made. The plot says so
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
