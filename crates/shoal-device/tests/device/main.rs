//! Mechanisms on a device: what they promise, and their distributions.

mod bpm_law;
mod clients;
#[path = "../support/designs.rs"]
mod designs;
