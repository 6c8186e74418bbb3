//! A budget over several releases: what is left, and the refusal when it is spent.
//!
//! ```sh
//! cargo run --release -p shoal --example ledger
//! ```
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use shoal::{Error, Fit, Ledger};
use shoal_files::Matrix;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("shoal-example-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("shoal.ledger");

    // Once: what all releases from these people together may give away.
    let mut ledger = Ledger::create_or_open(&file)?;
    ledger.init("people", "1", "0")?;

    let ages: Vec<f64> = (0..3_000).map(|i| 20.0 + f64::from(i % 50)).collect();
    let table = || Matrix::from_rows(&["age"], &ages);
    let fit = Fit::new(3, "0.6")?.bounds("age=17:90")?.ledger(&file, "people")?;
    println!("{}\n", fit.run(table()?)?);
    println!("left: ε = {}", ledger.balance("people")?.epsilon_left());

    // The second fit does not fit in the budget. It is refused before a row is looked at.
    match fit.run(table()?) {
        Err(Error::Ledger(refused)) => println!("refused: {refused}"),
        other => return Err(format!("the budget was overspent: {:?}", other.is_ok()).into()),
    }
    for entry in ledger.entries("people")? {
        println!("{}  ε = {}  {}", entry.time, entry.epsilon, entry.purpose);
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
