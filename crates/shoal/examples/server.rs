//! The server of a crowd: collects reports that devices perturbed, and finds the clusters in them.
//!
//! ```sh
//! cargo run --release -p shoal --example server
//! ```
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use shoal::{Cluster, Perturb};
use shoal_crowd::report_file::Form;
use shoal_files::{Matrix, Source};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // What arrives from the devices. They are played here by a table of made-up people; a real device uses shoal-device.
    let people: Vec<f64> = (0..6_000).flat_map(|i| if i % 2 == 0 { [30.0, 40.0] } else { [70.0, 8.0] }).collect();
    let mut monday = Vec::new();
    let crowd = Perturb::new("8")?.bounds("age=17:90,hours=1:99")?;
    let made = crowd.run_to(Matrix::from_rows(&["age", "hours"], &people)?, &mut monday, Form::Csv)?;
    println!("{} reports. {}\n", made.reports, made.promises.guarantee);

    // The server sees reports and their public design, nothing else. Clustering costs nothing more: the guarantee of the
    // result is that of the reports.
    let model = Cluster::new(2)?.run([Source::Memory(monday)])?;
    println!("{model}");
    Ok(())
}
