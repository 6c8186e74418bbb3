//! Errors about tables whose columns are not named by --columns.

use crate::failure::Failure;

/// How one of the aggregator's own columns is left out.
pub const OUT_OF_OWN: &str = "out of --own-bounds";

/// How a coded column is left out.
pub const OUT_OF_AGREEMENT: &str = "out of the agreement (init --columns)";

/// An error about a table whose columns are named elsewhere than by --columns: how one is left `out` instead.
pub fn without_columns(error: Failure, out: &str) -> Failure {
    let text = error.to_string();
    let text = if out == OUT_OF_OWN {
        text.replace(
            "Drop rows with missing values (--missing drop), count them with the middle of the bounds (--missing middle), leave",
            "Leave",
        )
    } else {
        text.replace("(--missing drop)", "(--missing drop with --id)")
    };
    let text = text
        .replace(
            "Leave out columns that are often empty with --columns",
            &format!("Leave columns that are often empty {out}"),
        )
        .replace("select others with --columns", &format!("leave it {out}"))
        .replace("out with --columns", out);
    let text = match text.split_once(" Select columns of numbers") {
        Some((before, _)) => format!("{before} Turn it into numbers first, or leave the column {out}"),
        None => text,
    };
    error.with_message(text)
}
