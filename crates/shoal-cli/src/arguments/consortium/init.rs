//! The options of `shoal consortium init`. The comments here are the help texts.

use std::path::PathBuf;

use clap::Args;
use shoal::consortium::{DEFAULT_BITS, DEFAULT_DELTA, DEFAULT_WINDOW};
use shoal_consortium::Scale;
use shoal_privacy::{Delta, Epsilon};

use super::code_options::{SCALES, parse_bits, parse_window};
use crate::arguments::{parse_delta, parse_epsilon};

pub const EXAMPLES: &str = "\
Bounds are public limits of each column, chosen WITHOUT looking at the data:
  --bounds age=17:90,hours=1:99         column by column
  --bounds 0,100 --columns age,hours    the same for these columns
  --bounds bounds.json                  {\"age\": [17, 90], \"hours\": [1, 99]}, or the same as TOML

Examples:
  shoal consortium init --bounds age=17:90,hours=1:99 --bits 20 --epsilon 0.1 --out agreement.json
  shoal consortium init -b income=0:100000 --t income=5000 --bits 500 -e 1 --out incomes.json
  shoal consortium init -b 0,50 --columns a,b --bits 1000 -e 1 --delta 1e-9 --out accurate.json
  shoal consortium init -b x=0:50 --no-flips --accept-unsound --out bv.json   # BV: no privacy at all

Whoever has the file can read values out of codes: give it to custodians, not to the aggregator.";

#[derive(Args)]
pub struct InitArgs {
    /// Public limits of each column: `NAME=LO:HI,…`, `LO,HI` with --columns, or a JSON or TOML file
    #[arg(short, long, allow_hyphen_values = true)]
    pub bounds: String,
    /// Columns to use, in this order [default: those named in --bounds]
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub columns: Option<Vec<String>>,
    /// Bits of each column's code: more make distances more accurate and guarantee less
    #[arg(long, value_name = "S", default_value_t = DEFAULT_BITS, value_parser = parse_bits, allow_negative_numbers = true)]
    pub bits: u32,
    /// ε of each bit, which is flipped with probability 1/(1+e^ε)
    #[arg(short, long, value_parser = parse_epsilon, allow_negative_numbers = true)]
    pub epsilon: Option<Epsilon>,
    /// The window t as a share of each column's range; distances are kept up to 2t
    #[arg(long, value_name = "SHARE", default_value_t = DEFAULT_WINDOW, value_parser = parse_window, allow_negative_numbers = true)]
    pub window: f64,
    /// The window t of single columns, in their own units: `NAME=T,…`
    #[arg(long, value_delimiter = ',', value_name = "NAME=T,…", value_parser = parse_t, allow_hyphen_values = true)]
    pub t: Vec<(String, f64)>,
    /// The unit in which columns count when their distances are combined [default: own for one column, range for several]
    #[arg(long, value_parser = SCALES)]
    pub scale: Option<Scale>,
    /// The δ at which the loss is shown next to the pure one
    #[arg(short, long, default_value = DEFAULT_DELTA, value_parser = parse_delta, allow_negative_numbers = true)]
    pub delta: Delta,
    /// Flip no bits (BV): guarantees nothing, needs --accept-unsound
    #[arg(long, conflicts_with = "epsilon")]
    pub no_flips: bool,
    /// Make an agreement that guarantees nothing: for research only
    #[arg(long)]
    pub accept_unsound: bool,
    /// Anchors that can be made again, for tests and papers, and that ANYONE CAN GUESS
    #[arg(long)]
    pub seed: Option<u64>,
    /// Write the agreement here, readable by you alone
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
}

/// `NAME=T`.
fn parse_t(text: &str) -> Result<(String, f64), String> {
    let pair = text.split_once('=').and_then(|(name, t)| Some((name.into(), t.trim().parse().ok()?)));
    pair.ok_or_else(|| "give NAME=T, a column and a number in its unit, for example income=5000".into())
}
