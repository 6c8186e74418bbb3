//! The options of `shoal consortium verify`. The comments here are the help texts.

use std::path::PathBuf;

use clap::Args;

pub const EXAMPLES: &str = "\
Anyone can check a run from its public transcript: that every question cost what is stated and all together no more than \
was ordered, that the hashes hold from the charter to the end, and that the model follows from the released numbers:
  shoal consortium verify run.jsonl charter.toml --model model.json

The last hash that it prints stands for the whole transcript: every party computes it during a run, and parties with the \
same last hash saw the same questions and answers and no others. A transcript is not signed, so compare this hash.";

#[derive(Args)]
pub struct VerifyArgs {
    /// The transcript that the driver wrote
    #[arg(value_name = "TRANSCRIPT")]
    pub transcript: PathBuf,
    /// The charter of the run
    #[arg(value_name = "CHARTER")]
    pub charter: PathBuf,
    /// Compare the model that the transcript gives with this one
    #[arg(long, value_name = "MODEL")]
    pub model: Option<PathBuf>,
}
