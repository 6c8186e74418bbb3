//! The run of split trust that a model was computed from.

use serde::{Deserialize, Serialize};

/// The run of split trust that a model was computed from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SplitRun {
    /// The charter's fingerprint, which everyone compared.
    pub charter: String,
    /// The run's name.
    pub run: String,
    /// The custodians by name.
    pub custodians: Vec<String>,
    /// Who operated the helpers: the guarantee holds as long as one of them is honest.
    pub helpers: Vec<String>,
    /// How many questions were answered.
    pub rounds: usize,
}

impl SplitRun {
    /// How the model came about, in a line.
    pub fn summary(&self) -> String {
        format!(
            "rounds over the tables of {} custodians, with noise added by each of {} helpers ({}); nobody saw another's rows",
            self.custodians.len(),
            self.helpers.len(),
            self.helpers.join(", ")
        )
    }
}
