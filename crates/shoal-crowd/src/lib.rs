//! Clustering without anyone to trust: each person perturbs their own record, and the server sees only reports.
//!
//! A public [`Design`](shoal_device::Design) fixes the columns, their bounds, the mechanism and its ε. Devices turn records into
//! noisy reports ([`shoal_device`]); this crate is what happens to the reports then.
//!
//! ```
//! use shoal_crowd::report_file::{Form, ReportWriter, Reports};
//! use shoal_crowd::server::NoiseAware;
//! use shoal_device::{Client, Design, Device, Mechanism, choose_radius};
//! use shoal_files::Source;
//! use shoal_lattice::{Bounds, Interval, LatticeMap};
//! use shoal_noise::SeededNoise;
//!
//! // What everyone agrees on beforehand.
//! let bounds = Bounds::new(vec!["age".into(), "hours".into()], vec![Interval::new(17.0, 90.0)?, Interval::new(1.0, 99.0)?])?;
//! let radius_steps = choose_radius::information(2, 8.0).steps;
//! let design = Design::new(Mechanism::Bpm { radius_steps }, "8".parse()?, bounds)?;
//!
//! // On each device (here one device simulates them all): one record in, one report out.
//! let mut device = Device::new(&design)?;
//! println!("{}", device.promises().guarantee);
//! let mut columns = vec![Vec::new(); 2];
//! for person in 0..2000 {
//!     let report = device.report(if person % 2 == 0 { &[30.0, 40.0] } else { &[70.0, 5.0] })?;
//!     columns.iter_mut().zip(report.steps).for_each(|(column, x)| column.push(x.0));
//! }
//!
//! // On their way: a sealed file, which a reader refuses if it is damaged or contradicts itself.
//! let mut file = Vec::new();
//! let mut out = ReportWriter::new(&mut file, &design, &device.promises(), false, Form::Csv)?;
//! out.append(&columns)?;
//! out.finish()?;
//!
//! // On the server: reports and the distribution of their noise, nothing else.
//! let (collected, points) = Reports::read(vec![Source::Memory(file)])?.into_points();
//! let law = Client::new(&collected.design)?.noise_law().ok_or("these reports have no known density")?;
//! let found = NoiseAware::new(2).cluster(&points, law, &mut SeededNoise::new(1));
//! let map = LatticeMap::new(collected.design.bounds());
//! let mut ages: Vec<f64> = found.centres.iter().map(|centre| map.to_user(0, centre[0].in_box())).collect();
//! ages.sort_by(f64::total_cmp);
//! assert!((ages[0] - 30.0).abs() < 5.0 && (ages[1] - 70.0).abs() < 5.0, "{ages:?}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`report_file`]: reports on their way from the people to the server.
//! - [`server`]: reports in, clusters out; [`METHODS`] lists how.
//! - [`perturb_table`]: a crowd at once, each row of a table as one person, for trials and for custodians who release reports.
//!
//! Records are rounded to a lattice of [`STEPS`](shoal_lattice::STEPS) steps across each attribute's public bounds, and
//! reports lie on the same lattice, continued beyond the bounds. Distances are Euclidean, and the range of every attribute
//! counts as one.

mod catalogue;
mod perturb;
pub mod report_file;
pub mod server;

pub use catalogue::{METHODS, find_method};
pub use perturb::{PerturbError, Perturbed, perturb_table};
