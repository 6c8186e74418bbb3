//! `shoal`: finds the clusters in data about people without giving the people away.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is the program that talks to people")]

mod arguments;
mod commands;
mod failure;
mod library;
mod log;
mod memory;
mod outputs;
mod panic_note;
mod place;
mod show;
mod table;
mod threads;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Cli, Command, left_out};
use failure::Failure;

fn main() -> ExitCode {
    memory::keep_little();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => match left_out::explain(&error) {
            Some(explained) => {
                let failure = Failure::usage(explained);
                eprintln!("shoal: {failure}");
                return failure.exit_code();
            }
            None => error.exit(),
        },
    };
    if cli.shown.log {
        log::start();
    }
    let ended = panic_note::catch(|| run(cli));
    match ended {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(failure)) => {
            eprintln!("shoal: {failure}");
            failure.exit_code()
        }
        Err(place) => {
            eprintln!(
                "shoal: a fault of the program itself, {place}. Nothing more was released. Please report it with the command you ran."
            );
            ExitCode::from(1)
        }
    }
}

fn run(cli: Cli) -> Result<(), Failure> {
    match cli.command {
        Command::Fit(args) => commands::fit::run(&args, &cli.shown),
        Command::Bounds(args) => commands::bounds::run(&args, &cli.shown),
        Command::Predict(args) => commands::predict::run(&args, &cli.shown),
        Command::Score(args) => commands::score::run(&args, &cli.shown),
        Command::Plan(args) => commands::plan::run(&args, &cli.shown),
        Command::Perturb(args) => commands::perturb::run(&args, &cli.shown),
        Command::Cluster(args) => commands::cluster::run(&args, &cli.shown),
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
