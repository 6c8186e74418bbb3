//! The options of `shoal consortium price`. The comments here are the help texts.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use shoal::consortium::{DEFAULT_DELTA, DEFAULT_WINDOW};
use shoal_consortium::Scale;
use shoal_privacy::{Delta, Epsilon};

use super::code_options::{SCALES, parse_bits, parse_window};
use crate::arguments::parse_epsilon;

pub const EXAMPLES: &str = "\
No data are read: a price follows from what custodians agree on. The paper's own setting:
  shoal consortium price --range 0:50 --attributes 64 --bits 1000 --epsilon 1

An agreement that is made already, with its very anchors:
  shoal consortium price --agreement agreement.json

What a total of ε = 20 for any two records affords, purely and with a δ:
  shoal consortium price --range 0:50 --attributes 2 --afford 20 --delta 0
  shoal consortium price --range 0:50 --attributes 2 --afford 20

Columns with ranges of their own, and a table of which each pair of records is coded:
  shoal consortium price --bounds age=17:90,hours=1:99 --bits 20 --epsilon 0.5
  shoal consortium price --bounds age=17:90,hours=1:99 --partition decomposed --records 500 --epsilon 0.5";

#[derive(Args)]
pub struct PriceArgs {
    /// Price this agreement, instead of the options below
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["bits", "epsilon", "afford", "range", "attributes", "bounds", "window", "scale"]
    )]
    pub agreement: Option<PathBuf>,
    /// Bits of each attribute's code [default: 1000; with --afford, one more number of bits to try]
    #[arg(long, value_name = "S", value_parser = parse_bits, allow_negative_numbers = true)]
    pub bits: Option<u32>,
    /// ε of each bit: it is flipped with probability 1/(1+e^ε)
    #[arg(
        short,
        long,
        value_parser = parse_epsilon,
        allow_negative_numbers = true,
        required_unless_present_any = ["afford", "agreement"],
        conflicts_with = "afford"
    )]
    pub epsilon: Option<Epsilon>,
    /// List what fits this total ε for any two records instead
    #[arg(long, value_name = "EPSILON", value_parser = parse_epsilon, allow_negative_numbers = true)]
    pub afford: Option<Epsilon>,
    /// The public range of every attribute, `LO:HI`
    #[arg(
        long,
        value_name = "LO:HI",
        allow_hyphen_values = true,
        conflicts_with = "bounds",
        required_unless_present_any = ["bounds", "agreement"]
    )]
    pub range: Option<String>,
    /// How many attributes have that range
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_attributes, allow_negative_numbers = true, conflicts_with = "bounds")]
    pub attributes: usize,
    /// Public limits of each attribute instead: `NAME=LO:HI,…`, or a JSON or TOML file
    #[arg(short, long, allow_hyphen_values = true)]
    pub bounds: Option<String>,
    /// Half the width t of the window around an anchor, as a share of the range: distances are kept up to twice this
    #[arg(long, value_name = "SHARE", default_value_t = DEFAULT_WINDOW, value_parser = parse_window, allow_negative_numbers = true)]
    pub window: f64,
    /// The δ at which ε is listed next to the pure one; 0 for none
    #[arg(long, default_value = DEFAULT_DELTA, allow_negative_numbers = true)]
    pub delta: Delta,
    /// How records are coded
    #[arg(long, value_enum, default_value_t = PartitionArg::Records)]
    pub partition: PartitionArg,
    /// How many records there are; for --partition decomposed
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..), allow_negative_numbers = true, required_if_eq("partition", "decomposed"))]
    pub records: Option<u64>,
    /// How attributes count in a distance [default: own with --range, range with --bounds]
    #[arg(long, value_parser = SCALES)]
    pub scale: Option<Scale>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PartitionArg {
    /// Attribute by attribute, once per record
    Records,
    /// Two numbers for each pair of records: the losses of all pairs add up
    Decomposed,
}

fn parse_attributes(text: &str) -> Result<usize, String> {
    let attributes = text.parse::<usize>().ok().filter(|n| (1..=100_000).contains(n));
    attributes.ok_or_else(|| "give a whole number of attributes from 1 to 100000, for example 2".into())
}
