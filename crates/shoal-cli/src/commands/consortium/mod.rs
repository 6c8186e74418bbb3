//! `shoal consortium`: one file per command of custodians and aggregator.

#[cfg(feature = "audit")]
mod attack;
mod cluster;
mod codes;
#[cfg(feature = "reproduce")]
mod compare;
mod distances;
mod encode;
mod init;
mod merge;
mod plan;
mod price;
mod rehearse;
mod verify;

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
        ConsortiumCommand::Merge(args) => merge::run(args, shown),
        ConsortiumCommand::Plan(args) => plan::run(args, shown),
        ConsortiumCommand::Price(args) => price::run(args, shown),
        ConsortiumCommand::Rehearse(args) => rehearse::run(args, shown),
        ConsortiumCommand::Verify(args) => verify::run(args, shown),
        #[cfg(feature = "audit")]
        ConsortiumCommand::Attack(args) => attack::run(args, shown),
        #[cfg(feature = "reproduce")]
        ConsortiumCommand::Compare(args) => compare::run(args, shown),
    }
}
