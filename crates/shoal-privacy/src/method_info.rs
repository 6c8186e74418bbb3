//! A row of a catalogue: what a method is, what its paper claims, what the code gives.

use serde::Serialize;

use crate::Published;

/// One row of `shoal methods`.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MethodInfo {
    /// The name after `--method`.
    pub name: &'static str,
    /// Who is trusted.
    pub trust: &'static str,
    /// Key of the paper it comes from.
    pub paper: &'static str,
    /// What the paper claims.
    pub published: &'static str,
    /// What the code gives.
    pub guarantee: &'static str,
    /// How far it is built.
    pub status: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// The options that are its own, without the dashes.
    pub options: &'static [&'static str],
    /// True when it releases noisy cells that can be clustered again.
    pub synopsis: bool,
    /// True when it can make use of a δ above zero.
    pub delta: bool,
    /// True when it can choose the number of clusters (`-k auto`).
    pub chooses_k: bool,
    /// What the number after ± is.
    pub plus_minus: &'static str,
}

impl MethodInfo {
    /// What the paper says of it.
    pub fn published(&self) -> Published {
        Published::new(self.published, self.paper)
    }
}
