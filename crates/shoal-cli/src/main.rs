//! `shoal`: finds the clusters in data about people without giving the people away.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is the program that talks to people")]

mod arguments;
mod commands;
mod failure;
mod interrupt;
mod library;
mod log;
mod memory;
mod outputs;
mod panic_note;
mod place;
#[cfg(feature = "audit")]
mod rows;
mod show;
mod table;
#[cfg(any(feature = "audit", feature = "reproduce"))]
mod threads;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Cli, Command, Format, left_out};
use failure::Failure;

fn main() -> ExitCode {
    memory::keep_little();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return not_understood(&error),
    };
    if cli.shown.log {
        log::start();
    }
    let format = cli.shown.format;
    let failure = match panic_note::catch(|| run(cli)) {
        Ok(Ok(())) => return ExitCode::SUCCESS,
        Ok(Err(failure)) => failure,
        Err(place) => Failure::fault(&place),
    };
    failure.print(format);
    failure.exit_code()
}

/// Ends a command line that cannot be parsed, or that asks for help or the version.
fn not_understood(error: &clap::Error) -> ExitCode {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    let pair = |pair: &[std::ffi::OsString]| pair[0] == "--format" && pair[1] == "json";
    let json = words.windows(2).any(pair) || words.iter().any(|word| word == "--format=json");
    let failure = match left_out::explain(error) {
        Some(explained) => Failure::usage(explained),
        None if json && error.use_stderr() => {
            Failure::usage(error.render().to_string().trim().trim_start_matches("error: "))
        }
        None => error.exit(),
    };
    failure.print(if json { Format::Json } else { Format::Table });
    failure.exit_code()
}

fn run(cli: Cli) -> Result<(), Failure> {
    match cli.command {
        Command::Fit(args) => commands::fit::run(&args, &cli.shown),
        Command::Look(args) => commands::look::run(&args, &cli.shown),
        Command::Bounds(args) => commands::bounds::run(&args, &cli.shown),
        Command::Predict(args) => commands::predict::run(&args, &cli.shown),
        Command::Score(args) => commands::score::run(&args, &cli.shown),
        Command::Plan(args) => commands::plan::run(&args, &cli.shown),
        Command::Perturb(args) => commands::perturb::run(&args, &cli.shown),
        Command::Cluster(args) => commands::cluster::run(&args, &cli.shown),
        #[cfg(feature = "collector")]
        Command::Serve(args) => commands::serve::run(&args, &cli.shown),
        #[cfg(feature = "collector")]
        Command::Collection(args) => commands::collection::run(&args, &cli.shown),
        Command::Compare(args) => commands::compare::run(&args, &cli.shown),
        Command::Consortium(args) => commands::consortium::run(&args, &cli.shown),
        #[cfg(feature = "audit")]
        Command::Audit(args) => commands::audit::run(&args, &cli.shown),
        #[cfg(feature = "reproduce")]
        Command::Reproduce(args) => commands::reproduce::run(&args, &cli.shown),
        Command::Methods => commands::methods::run(&cli.shown),
        Command::Ledger(args) => commands::ledger::run(&args, &cli.shown),
        Command::Demo(args) => commands::demo::run(&args, &cli.shown),
        Command::Completions { shell } => commands::completions::run(shell),
        Command::Man { folder } => commands::man::run(&folder),
    }
}
