//! `shoal-engine`: the commands of `shoal` on tables in folders and object stores, with Apache DataFusion.
#![allow(clippy::print_stderr, reason = "this is the program that talks to people")]

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use shoal_cli::on_engine::{self, BoundsArgs, Failure, FitArgs, PLAN_EXAMPLES, PlanArgs, Shown};
use shoal_engine::{EngineError, Options, TableEngine};

/// Finds clusters in tables too large or too many for one file: the commands of `shoal` on Apache DataFusion.
///
/// Tables are Parquet or Arrow files in a folder, a glob in quotes, a partitioned data set (`year=2026/…`) or an object
/// store (s3://, gs://, az://, with the credentials of the environment). Results are those of `shoal`, to the last bit.
#[derive(Parser)]
#[command(name = "shoal-engine", version, max_term_width = 100, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    shown: Shown,
}

const EXAMPLES: &str = "\
Examples:
  shoal-engine fit people/ -k 5 --epsilon 1 --bounds age=17:90,hours=1:99 --out model.json
  shoal-engine fit 'people/2026-*.parquet' -k 5 --epsilon 1 --bounds age=17:90,hours=1:99
  shoal-engine fit s3://lake/people/ -k auto --epsilon 1 --bounds bounds.json --ledger shoal.ledger
  shoal-engine fit people/ -k 5 --epsilon 1 --bounds age=17:90,income=0:1e6 \\
      --sql 'select age, income from people where year = 2026'
  shoal-engine bounds people/ --epsilon 0.1 --columns age,hours --out bounds.json

Exit codes: 0 done, 1 refused or failed, 2 the command line does not make sense.";

const OF_FIT: &str = "\
The options are those of `shoal fit`, whose help explains them. What differs: the table is a folder, a glob or an \
address; options about text files and workbooks are refused; bounds are not bought (`shoal-engine bounds` estimates them, \
as a release of its own); rows are not grouped by person; methods that cluster blocks of rows (gkm) are refused before \
anything is paid.";

#[derive(Subcommand)]
enum Command {
    /// Cluster a table under differential privacy
    #[command(after_help = OF_FIT)]
    Fit(Box<OnEngine<FitArgs>>),
    /// Estimate limits of each column under differential privacy, where none are known
    Bounds(Box<OnEngine<BoundsArgs>>),
    /// Predict the error that privacy adds, or find the rows or the ε that an accuracy needs. Reads nothing
    #[command(after_help = PLAN_EXAMPLES)]
    Plan(Box<PlanArgs>),
}

/// A command with the options of an engine beside its own.
#[derive(clap::Args)]
struct OnEngine<A: clap::Args> {
    #[command(flatten)]
    args: A,
    /// Use the rows of this query instead of all rows, each made from one row of the table: SELECT and WHERE, without joins,
    /// aggregates, windows and limits. The table has the name of its folder or file
    #[arg(long, value_name = "QUERY")]
    sql: Option<String>,
    /// Print what each question about the rows cost. Times depend on the table: keep them as safe as the table itself
    #[arg(long)]
    costs: bool,
}

impl<A: clap::Args> OnEngine<A> {
    fn open(&self, data: &str, memory: usize, shown: &Shown) -> Result<TableEngine, Failure> {
        if self.sql.is_some() && on_engine::notes(shown) {
            eprintln!(
                "note: the rows are those of a query. The guarantee covers the rows of the table if the query was chosen \
                 without looking at them, like bounds"
            );
        }
        let options = Options { sql: self.sql.clone(), threads: shown.threads.map(Into::into), memory: Some(memory) };
        let place = on_engine::place(data, shown);
        TableEngine::open(&[place], &options).map_err(failed)
    }

    fn print_costs(&self, table: &TableEngine) {
        if !self.costs {
            return;
        }
        for asked in table.asked() {
            eprintln!(
                "{:>9.3} s  {} (question {} bytes, answer {} bytes)",
                asked.seconds, asked.question, asked.question_bytes, asked.answer_bytes
            );
        }
    }
}

fn failed(error: EngineError) -> Failure {
    match error {
        EngineError::Query { .. } | EngineError::NotRowByRow { .. } => Failure::usage(&error),
        _ => Failure::refused(&error),
    }
    .with_code(error.code())
}

fn main() -> ExitCode {
    on_engine::run_program(|cli: &Cli| cli.shown.clone(), run)
}

fn run(cli: Cli) -> Result<(), Failure> {
    let shown = &cli.shown;
    match cli.command {
        Command::Fit(fit) => {
            let table = on_engine::fit(&fit.args, shown, || fit.open(&fit.args.data, fit.args.table.memory, shown))?;
            fit.print_costs(&table);
        }
        Command::Bounds(bounds) => {
            let table = on_engine::bounds(&bounds.args, shown, || {
                bounds.open(&bounds.args.data, bounds.args.table.memory, shown)
            })?;
            bounds.print_costs(&table);
        }
        Command::Plan(args) => on_engine::plan(&args, shown)?,
    }
    Ok(())
}
