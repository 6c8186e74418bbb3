//! `shoal`: finds the clusters in data about people without giving the people away.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is the program that talks to people")]

mod arguments;
mod commands;
mod failure;
mod output;
mod progress;
mod report;
mod table;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Cli, Command};
use failure::Failure;

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("shoal: {failure}");
            failure.exit_code()
        }
    }
}

fn run(cli: Cli) -> Result<(), Failure> {
    if let Some(threads) = cli.threads {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads.get())
            .build_global()
            .map_err(|error| Failure::refused(format!("{threads} threads cannot be started ({error}); try fewer")))?;
    }
    match cli.command {
        Command::Fit(args) => commands::fit::run(&args, &cli.shown),
        Command::Predict(args) => commands::predict::run(&args, &cli.shown),
        Command::Score(args) => commands::score::run(&args, &cli.shown),
        Command::Methods => commands::methods::run(&cli.shown),
        Command::Ledger(args) => commands::ledger::run(&args, &cli.shown),
        Command::Demo(args) => commands::demo::run(&args, &cli.shown),
        Command::Completions { shell } => commands::completions::run(shell),
        Command::Man { folder } => commands::man::run(&folder),
    }
}
