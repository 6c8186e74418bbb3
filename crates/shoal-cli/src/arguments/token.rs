//! The options of `shoal token`. The comments here are the help texts.

use std::path::PathBuf;

use clap::{Args, Subcommand};

pub const EXAMPLES: &str = "\
A collection with --token-key takes each report with a token of its own. Whoever knows people's accounts (the issuer, best not \
the collector) signs one blinded token for each answer that a person may give, and cannot link it to a report. Devices make \
and blind tokens with the crate shoal-tokens or tokens.js of the npm package.

Examples:
  shoal token key --out issuer.pem                          # prints the public key
  shoal collection create --data collector --bounds age=17:90 --epsilon 4 --name sport --token-key issuer.pub
  shoal token sign --key issuer.pem < blinded.txt           # a signature for each line";

#[derive(Args)]
pub struct TokenArgs {
    #[command(subcommand)]
    pub action: TokenAction,
}

#[derive(Subcommand)]
pub enum TokenAction {
    /// Make the key of an issuer, and print its public part
    Key {
        /// Where the private key goes, PEM. An existing file is never replaced
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
    /// Sign blinded tokens: one a line on standard input, a signature for each on standard output
    Sign {
        /// The private key of the issuer, PEM
        #[arg(long, value_name = "FILE")]
        key: PathBuf,
    },
}
