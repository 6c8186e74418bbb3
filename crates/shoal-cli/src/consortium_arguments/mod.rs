//! The options of `shoal consortium`. The comments here are the help texts.

pub mod attack;
pub mod cluster;
mod code_options;
pub mod codes;
pub mod compare;
pub mod distances;
pub mod encode;
pub mod init;
pub mod price;

use clap::{Args, Subcommand};

pub const EXAMPLES: &str = "\
Several custodians hold records of the same kind and want to cluster them together, without showing
them to each other or to the aggregator who does it:

  1. One custodian makes an agreement and gives the file to the other custodians, not to the aggregator:
       shoal consortium init --bounds age=17:90,hours=1:99 --bits 20 --epsilon 0.1 --out agreement.json
  2. Each custodian encodes their own table, if what it promises is within their own limit:
       shoal consortium encode north.csv --agreement agreement.json --max-epsilon 4 --out north.parquet
  3. The aggregator gets the codes and nothing else:
       shoal consortium cluster north.parquet south.parquet -k 5 --out labels.csv

What codes promise is much less than what was published for them; `init` and `encode` say how much, and beforehand:
  shoal consortium price --range 0:50 --attributes 2 --afford 20";

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
    /// Tell what codes would promise and what they would cost, from public numbers alone
    #[command(after_help = price::EXAMPLES)]
    Price(Box<price::PriceArgs>),
    /// See what attackers read out of codes
    #[command(after_help = attack::EXAMPLES)]
    Attack(Box<attack::AttackArgs>),
    /// Compare ways to cluster protected records on a table with known groups. NOT PRIVATE: for your eyes only
    #[command(after_help = compare::EXAMPLES)]
    Compare(Box<compare::CompareArgs>),
}
