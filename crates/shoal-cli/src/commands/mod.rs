//! One file per command.

#[cfg(feature = "audit")]
pub mod audit;
pub mod bounds;
pub mod cluster;
#[cfg(feature = "collector")]
pub mod collection;
pub mod compare;
pub mod completions;
pub mod consortium;
pub mod demo;
pub mod fit;
pub mod ledger;
pub mod look;
pub mod man;
pub mod methods;
pub mod perturb;
pub mod plan;
pub mod predict;
#[cfg(feature = "reproduce")]
pub mod reproduce;
pub mod score;
#[cfg(feature = "collector")]
pub mod serve;
