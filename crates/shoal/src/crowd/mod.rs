//! Clustering without anyone to trust: each person perturbs their own record, and the server sees only reports.
//!
//! The code is split by role, as the people are.
//! - [`Design`]: what everyone agreed on beforehand and is public: mechanism, parameters, columns, bounds.
//! - [`client`]: runs on the person's device. Turns one record into one report and says what that promises.
//! - [`report_file`]: reports on their way from the people to the server.
//! - [`perturb_table`]: a crowd at once, each row of a table as one person.
//! - [`server`]: reports in, clusters out.
//!
//! Records are rounded to a lattice of [`STEPS`] steps across each attribute's public bounds, and reports lie on the
//! same lattice, continued beyond the bounds. Distances are Euclidean with every attribute scaled to a width of one.

pub mod client;
mod design;
mod method;
mod perturb;
pub mod report_file;
pub mod server;

pub use client::{Client, Promises};
pub use design::{BpgmForm, CrowdError, Design, Ending, Mechanism, NoiseLaw, Sampler, Space};
pub use method::{METHODS, find_method};
pub use perturb::{PerturbError, Perturbed, perturb_table};

use crate::data::HALF_WIDTH;

/// Lattice steps across an attribute's bounds: a record's coordinate is one of `0..=STEPS`.
pub const STEPS: u64 = 2 * HALF_WIDTH as u64;
