//! Devices: designs, mechanisms and their distributions, limits, reports.

mod bpm_law;
mod clients;
mod dependencies;
mod design_json;
#[path = "../support/designs.rs"]
mod designs;
mod device;
mod ledger;
mod vectors;
mod wire;
mod words;
