//! `shoal`: finds the clusters in data about people without giving the people away.

use std::process::ExitCode;

fn main() -> ExitCode {
    shoal_cli::main()
}
