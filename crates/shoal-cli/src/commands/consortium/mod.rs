//! `shoal consortium`: one file per command of custodians and aggregator.

mod attack;
mod cluster;
pub mod codes;
mod compare;
mod distances;
mod encode;
pub mod found;
mod init;
mod limit;
mod own;
pub mod price;
mod worth;

use crate::arguments::Shown;
use crate::arguments::consortium::{ConsortiumArgs, ConsortiumCommand};
use crate::failure::Failure;

/// Runs one of them.
pub fn run(args: &ConsortiumArgs, shown: &Shown) -> Result<(), Failure> {
    match &args.command {
        ConsortiumCommand::Init(args) => init::run(args, shown),
        ConsortiumCommand::Encode(args) => encode::run(args, shown),
        ConsortiumCommand::Distances(args) => distances::run(args, shown),
        ConsortiumCommand::Cluster(args) => cluster::run(args, shown),
        ConsortiumCommand::Price(args) => price::run(args, shown),
        ConsortiumCommand::Attack(args) => attack::run(args, shown),
        ConsortiumCommand::Compare(args) => compare::run(args, shown),
    }
}
