//! One file per command.

pub mod audit;
mod beside_reports;
mod bought_bounds;
pub mod bounds;
pub mod cluster;
pub mod completions;
pub mod consortium;
pub mod demo;
pub mod fit;
pub mod ledger;
pub mod man;
mod mechanism;
pub mod methods;
mod open_ledger;
mod outputs;
pub mod perturb;
pub mod plan;
pub mod predict;
pub mod reproduce;
pub mod score;
mod server;
