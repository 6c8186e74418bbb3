//! Clusters a table that you hold: what to expect, the fit, labels for your own rows.
//!
//! ```sh
//! cargo run --release -p shoal --example fit                                  # made-up people
//! cargo run --release -p shoal --example fit -- people.csv age=17:90,hours=1:99
//! ```
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use shoal::{Fit, Input, Plan, Predict};
use shoal_files::Matrix;
use shoal_privacy::ThisIsNotPrivate;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (path, bounds) = match arguments.as_slice() {
        [path, bounds] => (Some(path.as_str()), bounds.as_str()),
        _ => (None, "age=17:90,hours=1:99"),
    };

    // Before anything is read or spent: how well can this work? The number of rows is a public guess.
    let plan = Plan::new(2_000, 2, 2, "1")?.run()?;
    plan.decisions.iter().for_each(|decision| println!("{decision}"));

    // Rows can come from a file, a reader, or memory; here is a row-major matrix for want of a file.
    let people: Vec<f64> =
        (0..2_000).flat_map(|i| if i % 3 == 0 { [71.0, 6.0] } else { [30.0 + f64::from(i % 7), 41.0] }).collect();
    let table = || -> Result<Input<'_>, shoal::Error> {
        Ok(match path {
            Some(path) => path.into(),
            None => Matrix::from_rows(&["age", "hours"], &people)?.into(),
        })
    };

    // Checks, reads every row, and only then spends ε = 1. The claim that comes back carries every condition.
    let model = Fit::new(2, "1")?.bounds(bounds)?.run(table()?)?;
    println!("{model}\n");

    // Labels depend on single rows, so they are marked and have to be revealed on purpose.
    let labels = Predict::new(&model)?.run(table()?)?.reveal(ThisIsNotPrivate);
    let first: Vec<usize> = labels.iter().take(5).filter_map(|found| found.label).map(|label| label + 1).collect();
    println!("NOT PRIVATE: the first five rows belong to clusters {first:?}");
    Ok(())
}
