//! Clustering without anyone to trust: each person perturbs their own record, and the server sees only reports.
//!
//! The parts follow the people's roles.
//! - [`Design`](shoal_device::Design): what everyone agreed on beforehand and is public: mechanism, parameters, columns, bounds.
//! - [`shoal_device`]: runs on the person's device, turns one record into one report and computes its guarantee.
//! - [`report_file`]: reports on their way from the people to the server.
//! - [`perturb_table`]: a crowd at once, each row of a table as one person.
//! - [`server`]: reports in, clusters out.
//!
//! Records are rounded to a lattice of [`STEPS`](shoal_lattice::STEPS) steps across each attribute's public bounds, and reports lie on the
//! same lattice, continued beyond the bounds. Distances are Euclidean with every attribute scaled to a width of one.
//!
//! ```
//! use shoal_device::choose_radius;
//! use shoal_crowd::server::noise_aware::NoiseAware;
//! use shoal_crowd::server::ReportPoints;
//! use shoal_device::{Client, Design, Device, Mechanism};
//! use shoal_lattice::{Bounds, Interval, LatticeMap};
//! use shoal_noise::SeededNoise;
//!
//! // What everyone agrees on beforehand.
//! let bounds = Bounds::new(vec!["age".into(), "hours".into()], vec![Interval::new(17.0, 90.0)?, Interval::new(1.0, 99.0)?])?;
//! let radius_steps = choose_radius::information(2, 8.0).steps;
//! let mechanism = Mechanism::Bpm { radius_steps };
//! let design = Design::new(mechanism, "8".parse()?, bounds)?;
//!
//! // On each device (here one device simulates them all): one record in, one report out.
//! let mut device = Device::new(&design)?;
//! println!("{}", device.promises().guarantee);
//! let mut columns = vec![Vec::new(); 2];
//! for person in 0..2000 {
//!     let report = device.report(if person % 2 == 0 { &[30.0, 40.0] } else { &[70.0, 5.0] })?;
//!     columns.iter_mut().zip(report.steps).for_each(|(column, x)| column.push(x));
//! }
//!
//! // On the server: reports and the distribution of their noise, nothing else.
//! let law = Client::new(&design)?.noise_law().ok_or("these reports have no known density")?;
//! let map = LatticeMap::new(design.bounds());
//! let found = NoiseAware::new(2).cluster(&ReportPoints::from_steps(&columns), law, &mut SeededNoise::new(1));
//! let mut ages: Vec<f64> = found.centres.iter().map(|centre| map.to_user(0, centre[0].in_box())).collect();
//! ages.sort_by(f64::total_cmp);
//! assert!((ages[0] - 30.0).abs() < 5.0 && (ages[1] - 70.0).abs() < 5.0, "{ages:?}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod catalogue;
mod perturb;
pub mod report_file;
pub mod server;

pub use catalogue::{METHODS, find_method};
pub use perturb::{PerturbError, Perturbed, perturb_table};
