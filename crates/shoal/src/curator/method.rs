//! Every method by name: paper, trust model, published claim, guarantee, status.

use serde::Serialize;
use shoal_privacy::Published;

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
}

impl MethodInfo {
    /// What the paper says of it.
    pub fn published(&self) -> Published {
        Published::new(self.published, self.paper)
    }
}

/// All methods, in the order in which they are listed.
pub const METHODS: &[MethodInfo] = &[
    MethodInfo {
        name: "dplloyd",
        trust: "curator",
        paper: "SCL16",
        published: "ε-DP",
        guarantee: "pure ε, add or remove one row, exact; needs public bounds",
        status: "as published; papers/SCL16.md",
        summary: "Lloyd's algorithm with noisy sums and counts, from uniformly random centres",
    },
    MethodInfo {
        name: "dplloyd-impr",
        trust: "curator",
        paper: "SCL16",
        published: "ε-DP",
        guarantee: "pure ε, add or remove one row, exact; needs public bounds",
        status: "as published; papers/SCL16.md",
        summary: "Lloyd's algorithm with noisy sums and counts, from centres that keep their distance (sphere packing)",
    },
];

/// The method with this name.
pub fn find_method(name: &str) -> Option<&'static MethodInfo> {
    METHODS.iter().find(|method| method.name == name)
}
