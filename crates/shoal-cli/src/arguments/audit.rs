//! The options of `shoal audit`. The comments here are the help texts.

use std::path::PathBuf;

use clap::Args;
use shoal_files::BoundsSpec;
use shoal_privacy::{Delta, Epsilon};

use crate::arguments::{parse_delta, parse_epsilon};

pub const EXAMPLES: &str = "\
An audit tries to refute a privacy claim and prints a lower bound on ε next to the claimed ε. It can refute \
a claim; it cannot prove one. It reads none of your data: it makes up neighbouring inputs that are hard to hide.

  broken        more is lost than claimed (wrong with a probability of at most --alpha)
  not refuted   nothing was found against the claim

The group `exact` computes instead of drawing: every release of every curator method against its charge, \
in any number of columns, and each noise halved in turn, which must be found.

Your own program is audited with --command. It reads a data set on standard input (one row per line, numbers \
separated by commas, no heading) and prints the numbers that it releases. A program that is slow to start can \
make several runs per call: it prints as many lines as the variable SHOAL_AUDIT_RUNS says.

Exit code 1 if a claim that should hold is refuted, or a known-bad mechanism is not caught.

Examples:
  shoal audit --list
  shoal audit exact --quick
  shoal audit dplloyd --epsilon 0.5
  shoal audit --all --quick --seed 7
  shoal audit --all --report audit.html --out audit.json
  shoal audit --command 'python3 my_kmeans.py' --epsilon 1 --columns 2 --bounds 0,1 --runs 20000";

#[derive(Args)]
pub struct AuditArgs {
    /// What to audit, by name or by group; see --list
    #[arg(value_name = "MECHANISM", required_unless_present_any = ["all", "list", "command"], conflicts_with_all = ["all", "list", "command"])]
    pub names: Vec<String>,
    /// Audit everything in Shoal that makes a privacy claim, and every known-bad mechanism
    #[arg(long, conflicts_with_all = ["list", "command"])]
    pub all: bool,
    /// A reduced run: a minute or two instead of an hour. Events show gross faults only; exact checks lose nothing but cases
    #[arg(long, conflicts_with = "command")]
    pub quick: bool,
    /// List what can be audited
    #[arg(long, conflicts_with = "command")]
    pub list: bool,
    /// Audit any program that reads a data set on standard input and prints numbers
    #[arg(long, value_name = "PROGRAM", requires = "epsilon", value_parser = parse_program)]
    pub command: Option<String>,
    /// ε to audit at, 0.01–30; with --command, the ε that the program claims. Known-bad mechanisms are audited at
    /// their own
    #[arg(short, long, value_parser = parse_audited_epsilon, allow_negative_numbers = true)]
    pub epsilon: Option<Epsilon>,
    /// Runs on each of two inputs [default: each mechanism's own number; 2000 with --command]
    #[arg(long, value_name = "N", value_parser = parse_runs, allow_negative_numbers = true)]
    pub runs: Option<usize>,
    /// Probability, on each line, that a true claim is called broken
    #[arg(long, default_value = "1e-6", value_name = "ALPHA", value_parser = parse_alpha, allow_negative_numbers = true)]
    pub alpha: f64,
    /// Repeat the same audit each time (programs draw their own noise)
    #[arg(long)]
    pub seed: Option<u64>,
    /// Write the findings to this file as JSON
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write a page to this file: HTML, or Markdown if the name ends in .md. May be given twice
    #[arg(long, value_name = "FILE")]
    pub report: Vec<PathBuf>,
    #[command(flatten)]
    pub program: ProgramArgs,
}

/// Options that go with `--command`.
#[derive(Args)]
#[command(next_help_heading = "With --command")]
pub struct ProgramArgs {
    /// The δ that the program claims with its ε
    #[arg(long, requires = "command", value_parser = parse_delta, allow_negative_numbers = true)]
    pub delta: Option<Delta>,
    /// Columns of the made-up data sets [default: 2]
    #[arg(long, requires = "command", value_name = "D", value_parser = parse_columns, allow_negative_numbers = true)]
    pub columns: Option<usize>,
    /// Rows of the smaller of two data sets [default: 20]
    #[arg(long, requires = "command", value_name = "N", value_parser = parse_table_rows, allow_negative_numbers = true)]
    pub rows: Option<usize>,
    /// Bounds of every column, as the program knows them [default: 0,1]
    #[arg(long, requires = "command", value_name = "LO,HI", value_parser = parse_bounds, allow_hyphen_values = true)]
    pub bounds: Option<(f64, f64)>,
    /// A data set of your own, sent as it is, and with --second the pair to audit
    #[arg(long, requires_all = ["command", "second"], value_name = "FILE", conflicts_with_all = ["columns", "rows", "bounds"])]
    pub first: Option<PathBuf>,
    /// The neighbour of the data set --first: the same with one row more or less
    #[arg(long, requires_all = ["command", "first"], value_name = "FILE")]
    pub second: Option<PathBuf>,
    /// Runs that the program makes per call; it reads the number from SHOAL_AUDIT_RUNS [default: 1]
    #[arg(long, requires = "command", value_name = "N", value_parser = parse_runs_per_call, allow_negative_numbers = true)]
    pub runs_per_call: Option<usize>,
}

/// A whole number within limits, or what would do.
fn within(text: &str, least: usize, most: usize, what: &str, example: usize) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("give a whole number of {what} from {least} to {most}, for example {example}"))
}

/// Below, no number of runs shows anything; above, no event is frequent enough on both inputs.
fn parse_audited_epsilon(text: &str) -> Result<Epsilon, String> {
    let epsilon = parse_epsilon(text)?;
    if !(0.01..=30.0).contains(&epsilon.to_f64_up()) {
        return Err(
            "an audit sees nothing at so small or so large an ε; give one from 0.01 to 30, for example 1".into()
        );
    }
    Ok(epsilon)
}

fn parse_runs(text: &str) -> Result<usize, String> {
    within(text, 100, 100_000_000, "runs", 20_000)
}

fn parse_columns(text: &str) -> Result<usize, String> {
    within(text, 1, 10_000, "columns", 2)
}

fn parse_table_rows(text: &str) -> Result<usize, String> {
    within(text, 0, 1_000_000, "rows", 20)
}

fn parse_runs_per_call(text: &str) -> Result<usize, String> {
    within(text, 1, 1_000_000, "runs", 100)
}

fn parse_program(text: &str) -> Result<String, String> {
    if text.trim().is_empty() { Err("give a command, such as 'python3 my_kmeans.py'".into()) } else { Ok(text.into()) }
}

fn parse_alpha(text: &str) -> Result<f64, String> {
    let alpha = text.parse().ok().filter(|alpha| (1e-12..=0.1).contains(alpha));
    alpha.ok_or_else(|| "give a probability from 1e-12 to 0.1, for example 1e-6".into())
}

fn parse_bounds(text: &str) -> Result<(f64, f64), String> {
    match BoundsSpec::parse(text) {
        Ok(BoundsSpec::All(interval)) => Ok((interval.lo(), interval.hi())),
        Ok(BoundsSpec::Named(_)) => Err("give one pair of limits for all columns, such as 0,1".into()),
        Err(error) => Err(error.to_string()),
    }
}
