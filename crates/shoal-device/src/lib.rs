//! What runs on a person's device: a public [`Design`] in, one noisy [`Report`] out. The server sees only the report.
//!
//! A collector publishes a design as JSON: which columns, their bounds, the mechanism and its ε. A device reads it,
//! checks it against the person's own [`Limit`], and reports. The noise is part of the report, so nobody has to be
//! trusted with the record.
//!
//! ```
//! use shoal_device::{Design, Device, Limit, Mechanism};
//! use shoal_lattice::{Bounds, Interval};
//!
//! // The collector, once.
//! let bounds = Bounds::new(vec!["age".into(), "hours".into()], vec![Interval::new(17.0, 90.0)?, Interval::new(1.0, 99.0)?])?;
//! let published = Design::new(Mechanism::Laplace, "2".parse()?, bounds)?.with_identifier("commute-2026")?.to_json();
//!
//! // Every device.
//! let design = Design::from_json(&published)?;
//! let mut device = Device::within(&design, &Limit::any_two_records("2".parse()?))?;
//! println!("{}", device.promises().guarantee);
//! let report = device.report(&[34.0, 40.0])?;
//! println!("{}", serde_json::to_string(&report)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | mechanism | noise | guarantee |
//! |---|---|---|
//! | `bpm` ([`Bpm`]) | falls with the distance up to a radius, then uniform in a box | ε per unit of distance |
//! | `nd-laplace` ([`NdLaplace`]) | falls with the distance | ε per unit of distance |
//! | `laplace` ([`LaplacePerAttribute`]) | on each column by itself | ε between any two records |
//! | `laplace-metric` ([`LaplacePerAttribute`]) | on each column by itself | ε per unit of distance |
//! | `bpgm` ([`Bpgm`]) | as published, for research | none |
//!
//! Designs may also have columns of words with public levels ([`Design::categories`]). A report has one of their words, by
//! randomised response ([`WordResponse`]): a column of weight w has ε·w where ε is per unit of distance, and its share of ε
//! otherwise. Devices then report with [`Device::report_with`].
//!
//! Values are rounded to a lattice of [`STEPS`](shoal_lattice::STEPS) steps across each column's bounds, and noise is
//! drawn exactly on that lattice. Distances are Euclidean, and the range of every column counts as one.
//!
//! [`Client`] is the layer below, for whoever perturbs many records on the lattice at once. [`choose_radius`] and
//! [`BpmLaw`] help collectors choose parameters.
//!
//! [`DeviceLedger`] keeps what was sent, so that a collection is answered once, or as often as the person allows.
//!
//! [`wire`] is how reports travel to a collector: about 44 bytes each, or JSON.
//!
//! The crate has no dependency on threads, files or C code. With the feature `wasm` it compiles for
//! `wasm32-unknown-unknown` and takes randomness from the browser.

pub mod bpm_law;
pub mod choose_radius;
mod client;
mod design;
mod design_json;
mod device;
mod error;
mod ledger;
mod limit;
mod mechanism;
pub mod mechanisms;
mod promises;
mod report;
pub mod wire;

pub use bpm_law::BpmLaw;
pub use client::Client;
pub use design::Design;
pub use device::Device;
pub use error::{DesignError, DeviceError, Over};
pub use ledger::{DeviceLedger, Repeat};
pub use limit::Limit;
pub use mechanism::{BpgmForm, Ending, Mechanism, NoiseLaw, Sampler, Space};
pub use mechanisms::{Bpgm, Bpm, LaplacePerAttribute, NdLaplace, WordResponse, bpgm};
pub use promises::Promises;
pub use report::Report;
