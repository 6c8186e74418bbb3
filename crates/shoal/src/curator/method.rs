//! Every method by name: paper, trust model, published claim, guarantee, status, options.

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
    /// The options that are its own, without the dashes.
    pub options: &'static [&'static str],
    /// True when it releases noisy cells that can be clustered again.
    pub synopsis: bool,
}

impl MethodInfo {
    /// What the paper says of it.
    pub fn published(&self) -> Published {
        Published::new(self.published, self.paper)
    }
}

/// A curator method of SCL16 that does not use the number of rows.
const SCL16: MethodInfo = MethodInfo {
    name: "",
    trust: "curator",
    paper: "SCL16",
    published: "ε-DP",
    guarantee: "pure ε, add or remove one row, exact; needs public bounds",
    status: "as published; papers/SCL16.md",
    summary: "",
    options: &[],
    synopsis: false,
};

/// The guarantee of a method that is designed for a number of rows.
const DESIGNED: &str =
    "pure ε, add or remove one row, exact; needs public bounds; the row count is public (--rows) or bought within ε";

const GKM_OPTIONS: &[&str] = &["iterations", "inits", "blocks", "matching", "range-share", "count-share"];

const NQC21: MethodInfo =
    MethodInfo { paper: "NQC21", status: "as published; papers/NQC21.md", options: &["iterations", "shares"], ..SCL16 };

/// All methods, in the order in which they are listed.
pub const METHODS: &[MethodInfo] = &[
    MethodInfo {
        name: "dplloyd",
        summary: "Lloyd's algorithm with noisy sums and counts, from uniformly random centres",
        options: &["iterations"],
        ..SCL16
    },
    MethodInfo {
        name: "dplloyd-impr",
        summary: "Lloyd's algorithm with noisy sums and counts, from centres that keep their distance (sphere packing)",
        options: &["iterations"],
        ..SCL16
    },
    MethodInfo {
        name: "gkm",
        guarantee: DESIGNED,
        summary: "k-means in N^0.4 random blocks, noisy means of the blocks' centres (sample and aggregate, after GUPT)",
        options: GKM_OPTIONS,
        ..SCL16
    },
    MethodInfo {
        name: "gkm-3k",
        guarantee: DESIGNED,
        summary: "gkm with blocks of 3k rows: more blocks, less noise",
        options: GKM_OPTIONS,
        ..SCL16
    },
    MethodInfo {
        name: "pgkm",
        guarantee: DESIGNED,
        status: "as published, with the standard exponential mechanism; papers/SCL16.md",
        summary: "a genetic search for centres with private selection (PrivGene)",
        options: &["iterations", "population", "picks", "mutation", "count-share"],
        ..SCL16
    },
    MethodInfo {
        name: "eugkm",
        guarantee: DESIGNED,
        summary: "k-means on the noisy counts of a grid; best for two or three columns, and it keeps a synopsis",
        options: &["iterations", "theta", "inits", "max-cells", "count-share"],
        synopsis: true,
        ..SCL16
    },
    MethodInfo {
        name: "hybrid",
        guarantee: DESIGNED,
        summary: "EUGkM, then one noisy Lloyd step with half of ε where that is expected to pay",
        options: &["iterations", "theta", "inits", "max-cells", "rho", "synopsis-share", "count-share"],
        synopsis: true,
        ..SCL16
    },
    MethodInfo {
        name: "kccm",
        summary: "DP-KCCM: n·k centres in steps of growing budget, then the nearest are merged until k remain",
        options: &["iterations", "shares", "n"],
        ..NQC21
    },
    MethodInfo {
        name: "allocation-nk",
        summary: "another name for kccm: n·k centres, growing budgets, merged",
        options: &["iterations", "shares", "n"],
        ..NQC21
    },
    MethodInfo {
        name: "average-nk",
        summary: "kccm with equal budgets: n·k centres, merged",
        options: &["iterations", "shares", "n"],
        ..NQC21
    },
    MethodInfo { name: "allocation-k", summary: "kccm without merging: k centres, growing budgets", ..NQC21 },
    MethodInfo {
        name: "average-k",
        summary: "NQC21's baseline: k centres, equal budgets, which is dplloyd-impr with 12 steps",
        ..NQC21
    },
];

/// The method with this name.
pub fn find_method(name: &str) -> Option<&'static MethodInfo> {
    METHODS.iter().find(|method| method.name == name)
}
