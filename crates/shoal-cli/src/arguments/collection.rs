//! The options of `shoal collection`. The comments here are the help texts.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use shoal::K;
use shoal_privacy::Epsilon;

use super::parse::parse_clusters;
use super::serve::DatabaseArgs;
use crate::arguments::parse_epsilon;

pub const EXAMPLES: &str = "\
These work on the folder of a server, whether it runs or not.

Examples:
  shoal collection create --data collector --name commute --bounds age=17:90,hours=1:99 --epsilon 4
  shoal collection create --data collector --design design.json --closes 2026-12-31T23:59:59Z --minimum 5000
  shoal collection list --data collector
  shoal collection show commute --data collector
  shoal collection close commute --data collector
  shoal collection delete commute --data collector --yes";

#[derive(Args)]
pub struct CollectionArgs {
    #[command(subcommand)]
    pub action: CollectionAction,
    /// The folder of the server
    #[arg(long, value_name = "DIR", global = true, default_value = "collector")]
    pub data: PathBuf,
    #[command(flatten)]
    pub database: DatabaseArgs,
}

#[derive(Subcommand)]
pub enum CollectionAction {
    /// Add a collection. Its design is published as soon as the server runs
    Create(Box<CreateArgs>),
    /// List all collections
    List,
    /// Show one collection: design, guarantee, reports
    Show {
        /// Its name
        name: String,
    },
    /// Close a collection: it takes no more reports. Cannot be undone
    Close {
        /// Its name
        name: String,
    },
    /// Delete a collection with its reports and models. Cannot be undone
    Delete {
        /// Its name
        name: String,
        /// Really delete it
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Args)]
pub struct CreateArgs {
    /// Its name, which is part of addresses: lower-case letters, digits and hyphens [default: the design's identifier]
    #[arg(long)]
    pub name: Option<String>,
    /// A design as it was published, JSON
    #[arg(long, value_name = "FILE", conflicts_with_all = ["bounds", "epsilon"], required_unless_present = "bounds")]
    pub design: Option<PathBuf>,
    /// Columns and their public limits, `NAME=LO:HI,…` or a file; the design is then bpm with --epsilon
    #[arg(short, long, allow_hyphen_values = true, requires = "epsilon")]
    pub bounds: Option<String>,
    /// Privacy budget of each report, per width of distance between two records
    #[arg(short, long, value_parser = parse_epsilon, allow_negative_numbers = true)]
    pub epsilon: Option<Epsilon>,
    /// Number of clusters, or `auto`
    #[arg(short, long, default_value = "auto", value_parser = parse_clusters, allow_negative_numbers = true)]
    pub k: K,
    /// Reports that must be there before anything is clustered
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub minimum: u64,
    /// When it opens, such as 2026-03-01T00:00:00Z [default: at once]
    #[arg(long, value_name = "TIME")]
    pub opens: Option<String>,
    /// When it closes [default: when it is closed by hand]
    #[arg(long, value_name = "TIME")]
    pub closes: Option<String>,
    /// Reports that a person sends on one day, at most; what they reveal together is shown
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub most_per_day: u32,
    /// Days after which a report is too old to be taken
    #[arg(long, value_name = "DAYS", default_value_t = 7)]
    pub oldest_days: u32,
    /// A file with a key that whoever sends reports must have: for a server that relays them. Only its hash is kept
    /// [default: anybody may send]
    #[arg(long, value_name = "FILE")]
    pub relay_key: Option<PathBuf>,
    /// A file with the public key of an issuer of one-time tokens (docs/collector.md): each report then needs a token
    #[arg(long, value_name = "FILE", conflicts_with = "relay_key")]
    pub token_key: Option<PathBuf>,
    /// Leave reports out of the clustering that are more in one place than honest people's plausibly are: forged ones
    #[arg(long)]
    pub robust: bool,
    /// Days after which reports are deleted; models stay [default: never]
    #[arg(long, value_name = "DAYS")]
    pub retention_days: Option<u32>,
}
