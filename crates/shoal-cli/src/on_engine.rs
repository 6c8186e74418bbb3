//! Commands on the rows of a query engine: the same options, files and words as those on tables that `shoal` reads itself.
//! For programs that bring an [`Engine`].

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use shoal::Engine;

pub use crate::arguments::{BoundsArgs, FitArgs, PlanArgs, Shown};
use crate::arguments::{Format, TableArgs};
use crate::commands;
pub use crate::failure::Failure;
use crate::{log, not_understood, panic_note};

/// Examples for the help of `plan`.
pub const PLAN_EXAMPLES: &str = crate::arguments::plan::EXAMPLES;

/// Parses a command line and runs it, with the exit codes of `shoal`.
pub fn run_program<C: Parser>(shown: impl FnOnce(&C) -> Shown, run: impl FnOnce(C) -> Result<(), Failure>) -> ExitCode {
    let command = match C::try_parse() {
        Ok(command) => command,
        Err(error) => return not_understood(&error),
    };
    let shown = shown(&command);
    if shown.log {
        log::start();
    }
    crate::ended(panic_note::catch(|| run(command)), shown.format)
}

/// `fit` on the engine that `open` gives, after the options were checked and before anything is paid.
pub fn fit<E: Engine>(args: &FitArgs, shown: &Shown, open: impl FnOnce() -> Result<E, Failure>) -> Result<E, Failure> {
    check_table(&args.table)?;
    let mut opened = None;
    commands::fit::run_with(args, shown, here(&args.data), |fit| {
        let engine = opened.insert(open()?);
        fit.run_engine(engine).map_err(commands::fit::failed_on(args))
    })?;
    opened.ok_or_else(|| Failure::fault("on an engine"))
}

/// `bounds` on the engine that `open` gives.
pub fn bounds<E: Engine>(
    args: &BoundsArgs,
    shown: &Shown,
    open: impl FnOnce() -> Result<E, Failure>,
) -> Result<E, Failure> {
    check_table(&args.table)?;
    let mut opened = None;
    commands::bounds::run_with(args, shown, here(&args.data), |job| {
        let engine = opened.insert(open()?);
        job.run_engine(engine).map_err(crate::library::failed)
    })?;
    opened.ok_or_else(|| Failure::fault("on an engine"))
}

/// `plan`, which reads nothing.
pub fn plan(args: &PlanArgs, shown: &Shown) -> Result<(), Failure> {
    commands::plan::run(args, shown)
}

/// Whether notes may be printed beside the result.
pub fn notes(shown: &Shown) -> bool {
    !shown.quiet && shown.format == Format::Table
}

/// The place that a command line names: as it stands or, where there is no such file, in the data folder.
pub fn place(data: &str, shown: &Shown) -> String {
    let elsewhere = shown.data_dir.as_ref().map(|folder| folder.join(data)).filter(|path| path.exists());
    match elsewhere {
        Some(path) if here(data).is_some_and(|path| !path.exists()) => path.to_string_lossy().into_owned(),
        _ => data.into(),
    }
}

/// A path on this machine, where the place is one.
fn here(data: &str) -> Option<&Path> {
    (!data.contains("://")).then(|| Path::new(data))
}

/// Refuses options about text files and workbooks, which an engine does not read.
fn check_table(table: &TableArgs) -> Result<(), Failure> {
    let written = &table.written;
    let given = [
        ("--no-header", table.no_header),
        ("--multiline", table.multiline),
        ("--delimiter", written.delimiter.is_some()),
        ("--decimal", written.decimal.is_some()),
        ("--dates", written.dates.is_some()),
        ("--sheet", written.sheet.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Failure::usage(format!(
            "{option} is about text files and workbooks; an engine reads Parquet and Arrow files. Leave it out, or use `shoal`"
        ))),
        None => Ok(()),
    }
}
