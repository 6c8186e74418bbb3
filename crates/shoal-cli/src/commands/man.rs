//! `shoal man`

use std::path::Path;

use clap::CommandFactory;

use crate::arguments::Cli;
use crate::failure::Failure;

/// Writes a manual page for the program and for each of its commands.
pub fn run(folder: &Path) -> Result<(), Failure> {
    let written = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(Cli::command(), folder));
    written.map_err(|error| {
        Failure::refused(format!(
            "cannot write the manual pages to {} ({error}); choose another folder",
            folder.display()
        ))
    })
}
