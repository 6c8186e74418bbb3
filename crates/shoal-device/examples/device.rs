//! A device: reads the design that a collector published, checks it against the person's own limit, and reports.
//!
//! ```sh
//! cargo run -p shoal-device --example device                                # with a design of its own
//! cargo run -p shoal-device --example device -- design.json 34 40           # with a published one and own values
//! ```

use std::error::Error;
use std::io::{self, Write};

use shoal_device::{Design, Device, Limit, Mechanism, choose_radius};
use shoal_lattice::{Bounds, Interval};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let published = match arguments.next() {
        Some(path) => std::fs::read_to_string(path)?,
        None => published()?,
    };
    let design = Design::from_json(&published)?;
    let mut values = arguments.map(|value| value.parse()).collect::<Result<Vec<f64>, _>>()?;
    if values.is_empty() {
        // The middle of every column, for want of a person.
        values = design.bounds().intervals().iter().map(|range| range.lo() + range.width() / 2.0).collect();
    }

    // What this person allows, whatever the collector asks for.
    let limit = Limit::unit_of_distance("4".parse()?).and_any_two_records("6".parse()?).and_exact_noise();
    let mut device = Device::within(&design, &limit)?;
    let report = device.report(&values)?;

    let mut out = io::stdout().lock();
    writeln!(out, "Design {}, digest {}.", design.identifier().unwrap_or("without a name"), design.digest())?;
    writeln!(out, "{}", device.promises().guarantee)?;
    for ((name, value), noisy) in design.bounds().columns().iter().zip(&values).zip(report.to_user(&design)?) {
        writeln!(out, "{name}: {value} stays here, {noisy:.1} is sent")?;
    }
    writeln!(out, "{}", serde_json::to_string(&report)?)?;
    Ok(())
}

/// What a collector would publish, once and for everyone.
fn published() -> Result<String, Box<dyn Error>> {
    let columns = vec!["age".into(), "hours".into()];
    let bounds = Bounds::new(columns, vec![Interval::new(17.0, 90.0)?, Interval::new(1.0, 99.0)?])?;
    let mechanism = Mechanism::Bpm { radius_steps: choose_radius::information(2, 4.0).steps };
    Ok(Design::new(mechanism, "4".parse()?, bounds)?.with_identifier("commute-2026")?.to_json())
}
