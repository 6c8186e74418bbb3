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
    /// What the number after ± is.
    pub plus_minus: &'static str,
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
    plus_minus: "two standard deviations of the privacy noise",
};

/// What the number after ± is for a model's method, also one from a synopsis (`eugkm/synopsis`).
pub fn plus_minus(method: &str) -> &'static str {
    let name = method.split('/').next().unwrap_or(method);
    find_method(name).map_or(SCL16.plus_minus, |method| method.plus_minus)
}

/// A method of SCL16 that is designed for a number of rows.
const DESIGNED: MethodInfo = MethodInfo {
    guarantee: "pure ε, add or remove one row, exact; needs public bounds; the row count is known from elsewhere (--rows) or bought within ε",
    status: "as published, for a public row count in place of the true one; papers/SCL16.md",
    ..SCL16
};

/// k-means in blocks.
const GKM: MethodInfo = MethodInfo {
    status: "a sound form of the published system, whose code does not keep its promise; papers/SCL16.md",
    options: &["iterations", "inits", "blocks", "matching", "range-share", "count-share"],
    plus_minus: "two standard deviations of the privacy noise; how far the blocks themselves are off is not in it",
    ..DESIGNED
};

/// k-means on noisy cells.
const GRID: MethodInfo = MethodInfo {
    synopsis: true,
    plus_minus: "two standard deviations of the error from privacy noise and from the width of the cells",
    ..DESIGNED
};

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
        summary: "k-means in rows^0.4 random blocks, noisy means of the blocks' centres (sample and aggregate, after GUPT)",
        ..GKM
    },
    MethodInfo { name: "gkm-3k", summary: "gkm with blocks of 3k rows: more blocks, less noise", ..GKM },
    MethodInfo {
        name: "pgkm",
        status: "as published, with the standard exponential mechanism and a public row count; papers/SCL16.md",
        summary: "a genetic search for centres with private selection (PrivGene)",
        options: &["iterations", "population", "picks", "mutation", "count-share"],
        plus_minus: "what the last private choice may cost, spread over all centres; what the search has not found is not in it",
        ..DESIGNED
    },
    MethodInfo {
        name: "eugkm",
        summary: "k-means on the noisy counts of a grid; best for two or three columns, and it keeps a synopsis",
        options: &["iterations", "theta", "inits", "max-cells", "count-share"],
        ..GRID
    },
    MethodInfo {
        name: "hybrid",
        summary: "EUGkM, then one noisy Lloyd step with half of ε where that is expected to pay",
        options: &["iterations", "theta", "inits", "max-cells", "rho", "synopsis-share", "count-share"],
        ..GRID
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
    MethodInfo {
        name: "tree",
        paper: "Shoal",
        published: "ε-DP for PrivTree (Zhang, Xiao, Xie 2016), on which it rests",
        status: "of Shoal, after PrivTree; docs/private-tree.md",
        summary: "k-means on the noisy counts of a tree of boxes that is finer where rows are many; it keeps a synopsis",
        options: &["iterations", "inits", "structure-share"],
        synopsis: true,
        plus_minus: "two standard deviations of the error from privacy noise and from the width of the boxes",
        ..SCL16
    },
];

/// The method with this name.
pub fn find_method(name: &str) -> Option<&'static MethodInfo> {
    METHODS.iter().find(|method| method.name == name)
}
