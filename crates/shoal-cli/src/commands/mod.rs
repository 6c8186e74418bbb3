//! One file per command.

pub mod completions;
pub mod demo;
pub mod fit;
pub mod ledger;
pub mod man;
pub mod methods;
pub mod predict;
pub mod score;
pub mod summary;
