//! The options of `shoal consortium`, one file per action. The comments here are the help texts.

mod price;

use clap::{Args, Subcommand};

pub use price::{PartitionArg, PriceArgs, ScaleArg};

pub const EXAMPLES: &str = "\
Examples:
  shoal consortium price --range 0:50 --attributes 64 --bits 1000 --epsilon 1
  shoal consortium price --range 0:50 --attributes 2 --afford 20";

#[derive(Args)]
pub struct ConsortiumArgs {
    #[command(subcommand)]
    pub action: ConsortiumAction,
}

#[derive(Subcommand)]
pub enum ConsortiumAction {
    /// Tell what codes would promise and what they would cost, from public numbers alone
    #[command(after_help = price::EXAMPLES)]
    Price(Box<PriceArgs>),
}
