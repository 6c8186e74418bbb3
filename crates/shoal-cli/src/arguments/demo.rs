//! The options of `shoal demo`. The comments here are the help texts.

use std::path::PathBuf;

use clap::Args;
use shoal_privacy::Epsilon;

use super::parse::parse_epsilon;

#[derive(Args)]
pub struct DemoArgs {
    /// Leave data, model and report in this folder
    #[arg(long, value_name = "FOLDER")]
    pub keep: Option<PathBuf>,
    /// Privacy budget
    #[arg(short, long, default_value = "1", value_parser = parse_epsilon, allow_negative_numbers = true)]
    pub epsilon: Epsilon,
    /// Repeatable noise, for tests: gives NO PRIVACY
    #[arg(long)]
    pub seed: Option<u64>,
}
