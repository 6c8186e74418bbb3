//! One file per command.

pub mod cluster;
pub mod completions;
pub mod demo;
pub mod fit;
pub mod ledger;
pub mod man;
pub mod methods;
mod outputs;
pub mod predict;
pub mod score;
pub mod summary;
