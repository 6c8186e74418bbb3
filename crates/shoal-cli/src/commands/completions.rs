//! `shoal completions`

use clap::CommandFactory;

use crate::arguments::Cli;
use crate::failure::Failure;
use crate::show::output;

/// Prints the completion script of a shell.
pub fn run(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "shoal", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}
