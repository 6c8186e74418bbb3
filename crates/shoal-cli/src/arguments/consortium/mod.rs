//! The options of `shoal consortium`. The comments here are the help texts.

#[cfg(feature = "audit")]
pub mod attack;
pub mod cluster;
mod code_options;
pub mod codes;
#[cfg(feature = "reproduce")]
pub mod compare;
pub mod distances;
pub mod encode;
pub mod init;
pub mod merge;
pub mod plan;
pub mod price;
pub mod rehearse;
pub mod verify;

use clap::{Args, Subcommand};

pub const EXAMPLES: &str = "\
Several custodians hold records of the same kind and want to cluster them together, without showing \
them to each other. `plan` compares the ways. For a few custodians with many rows, each fits alone and \
anyone merges:
       shoal consortium plan --rows 50000 --custodians 4 -k 5 --epsilon 1 --bounds age=17:90,hours=1:99
       shoal fit north.csv -k 5 -e 1 -b age=17:90,hours=1:99 --out north.json
       shoal consortium merge north.json south.json -k 5 --out model.json

By codes, as published (SZY19), with an aggregator who does the clustering:

  1. One custodian makes an agreement and gives the file to the others, not to the aggregator:
       shoal consortium init -b age=17:90,hours=1:99 --bits 200 --epsilon 1 --out agreed.json
  2. Each custodian encodes their own table, if what it gives away is within their own limit:
       shoal consortium encode north.csv -a agreed.json --max-epsilon 400 --out north.parquet
       shoal consortium encode south.csv -a agreed.json --max-epsilon 400 --out south.parquet
  3. The aggregator gets the codes and nothing else:
       shoal consortium cluster north.parquet south.parquet -k 5 --out labels.csv

Codes with enough in them to find clusters give much away, far more than was published for them: ε for \
every bit, 400 here. See what a total affords, what attackers read out, and `shoal perturb`, which \
serves better at the same total:
       shoal consortium price -b age=17:90,hours=1:99 --afford 20
       shoal consortium attack --bits 200 --epsilon 1";

#[derive(Args)]
pub struct ConsortiumArgs {
    #[command(subcommand)]
    pub command: ConsortiumCommand,
}

#[derive(Subcommand)]
pub enum ConsortiumCommand {
    /// Make the agreement that all custodians encode by
    #[command(after_help = init::EXAMPLES)]
    Init(Box<init::InitArgs>),
    /// Turn a custodian's records into codes for the aggregator
    #[command(after_help = encode::EXAMPLES)]
    Encode(Box<encode::EncodeArgs>),
    /// Decode distances between records from their codes
    #[command(after_help = distances::EXAMPLES)]
    Distances(Box<distances::DistancesArgs>),
    /// Cluster records by their codes
    #[command(after_help = cluster::EXAMPLES)]
    Cluster(Box<cluster::ConsortiumClusterArgs>),
    /// Merge models or synopses that custodians fitted, each alone, into one model
    #[command(after_help = merge::EXAMPLES)]
    Merge(Box<merge::MergeArgs>),
    /// Compare ways to cluster the tables of several custodians, from public numbers alone
    #[command(after_help = plan::EXAMPLES)]
    Plan(Box<plan::ConsortiumPlanArgs>),
    /// Show what codes would guarantee and what they would cost, from public numbers alone
    #[command(after_help = price::EXAMPLES)]
    Price(Box<price::PriceArgs>),
    /// Try split trust on your own tables, all parties in one process. NOT PRIVATE: to see what it does and costs
    #[command(after_help = rehearse::EXAMPLES)]
    Rehearse(Box<rehearse::RehearseArgs>),
    /// Compute charges, hashes and the model again from the transcript of a split-trust run
    #[command(after_help = verify::EXAMPLES)]
    Verify(Box<verify::VerifyArgs>),
    /// See what attackers read out of codes
    #[cfg(feature = "audit")]
    #[command(after_help = attack::EXAMPLES)]
    Attack(Box<attack::AttackArgs>),
    /// Compare ways to cluster protected records on a table with known groups. NOT PRIVATE: for your eyes only
    #[cfg(feature = "reproduce")]
    #[command(after_help = compare::EXAMPLES)]
    Compare(Box<compare::CompareArgs>),
}
