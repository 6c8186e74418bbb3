//! The options of `shoal consortium attack`. The comments here are the help texts.

use std::path::PathBuf;

use clap::Args;
use shoal::consortium::{DEFAULT_BITS, DEFAULT_WINDOW};
use shoal_lattice::Interval;
use shoal_privacy::Epsilon;

use super::code_options::{parse_bits, parse_window};
use crate::arguments::parse_epsilon;

pub const EXAMPLES: &str = "\
Runs three attackers against codes and shows how close they come: a curious aggregator, who has nothing but \
the codes; one who also knows the values of some records; and one who has the agreement. Without a table \
the people are made up, with values spread evenly over the range. What it prints about a table of your own \
is computed from its raw values: for your eyes only.

Examples:
  shoal consortium attack                                   # the parameters of the paper
  shoal consortium attack --bits 4 --epsilon 0.5
  shoal consortium attack people.csv --agreement agreement.json --column age";

#[derive(Args)]
pub struct AttackArgs {
    /// A table of your own to attack, CSV (also gzipped) or Parquet; needs --agreement [default: made-up people]
    #[arg(requires = "agreement")]
    pub data: Option<String>,
    /// The agreement to attack [default: one made for the occasion from the options below]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["bits", "epsilon", "no_flips", "range", "window"])]
    pub agreement: Option<PathBuf>,
    /// The attribute to attack [default: the first of the agreement]
    #[arg(long, value_name = "NAME", requires = "agreement")]
    pub column: Option<String>,
    /// Bits of a code
    #[arg(long, value_name = "S", default_value_t = DEFAULT_BITS, value_parser = parse_bits, allow_negative_numbers = true)]
    pub bits: u32,
    /// ε of each bit
    #[arg(short, long, default_value = "1", value_parser = parse_epsilon, allow_negative_numbers = true)]
    pub epsilon: Epsilon,
    /// Flip no bits (the BV encoding)
    #[arg(long, conflicts_with = "epsilon")]
    pub no_flips: bool,
    /// The range of the values
    #[arg(long, value_name = "LO:HI", default_value = "0:50", value_parser = parse_range, allow_hyphen_values = true)]
    pub range: Interval,
    /// Half the width t of the windows, as a share of the range
    #[arg(long, value_name = "SHARE", default_value_t = DEFAULT_WINDOW, value_parser = parse_window, allow_negative_numbers = true)]
    pub window: f64,
    /// How many people are made up, or taken from the table (the first so many rows)
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(2..=5_000))]
    pub people: u32,
    /// Of how many records the attackers with known plaintext know the values
    /// [default: 1,5,20, as far as there are so many]
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    pub known: Option<Vec<usize>>,
    /// Repeatable people, anchors and flips
    #[arg(long)]
    pub seed: Option<u64>,
}

/// `LO:HI`.
fn parse_range(text: &str) -> Result<Interval, String> {
    let form = "give LO:HI, for example 0:50";
    let (low, high) = text.split_once(':').ok_or(form)?;
    let number = |text: &str| text.trim().parse::<f64>().map_err(|_| form.to_string());
    Interval::new(number(low)?, number(high)?).map_err(|error| error.to_string())
}
