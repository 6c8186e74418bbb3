//! Every method by name: paper, trust model, published claim, guarantee, status, options.

use shoal_privacy::{Amount, Delta, MethodInfo};

use crate::FitError;

/// From here on, δ is no small chance: a mechanism that lets one row in a hundred out entirely keeps such a promise.
const LARGEST_DELTA: (u64, u64) = (1, 100);

/// What only a method of this crate can do.
pub trait CuratorMethod {
    /// Refuses a δ that promises next to nothing, and one that the method has no use for.
    fn check_delta(&self, delta: &Delta) -> Result<(), FitError>;
}

impl CuratorMethod for MethodInfo {
    fn check_delta(&self, delta: &Delta) -> Result<(), FitError> {
        let refused = |wanted: String| FitError::Parameter { what: "δ", given: delta.to_string(), wanted };
        if delta.amount().is_zero() {
            Ok(())
        } else if *delta.amount() > Amount::ratio(LARGEST_DELTA.0, LARGEST_DELTA.1) {
            Err(refused(
                "a δ well below 1 / number of rows, such as 1e-6: δ = 0.01 may let one row in a hundred out".into(),
            ))
        } else if !self.delta {
            let names: Vec<_> = METHODS.iter().filter(|method| method.delta).map(|method| method.name).collect();
            let names = names.join(", ");
            Err(refused(format!(
                "0 with {}, which keeps a pure ε, or choose a method that uses one ({names})",
                self.name
            )))
        } else {
            Ok(())
        }
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
    chooses_k: false,
    delta: false,
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

/// `auto` and its routes.
const AUTO: MethodInfo = MethodInfo {
    paper: "Shoal",
    published: "nothing yet; docs/auto.md describes it",
    guarantee: "pure ε, or (ε, δ) by zCDP where --delta allows it and noise gets less; add or remove one row, exact; needs public bounds; the row count is known from elsewhere (--rows) or bought within ε",
    status: "of Shoal; docs/auto.md",
    options: &["inits", "iterations", "score-share", "count-share"],
    delta: true,
    plus_minus: "two standard deviations of the error from privacy noise, and with a grid from the width of the cells",
    ..SCL16
};

/// All methods, in the order in which they are listed.
pub const METHODS: &[MethodInfo] = &[
    MethodInfo {
        name: "auto",
        summary: "the best of the four routes below, chosen from rows, columns, k and ε, and told why",
        synopsis: true,
        chooses_k: true,
        ..AUTO
    },
    MethodInfo {
        name: "refined-tree",
        summary: "k-means on a private tree of boxes cut where the data vary, then rounds that move the centres to their rows",
        synopsis: true,
        chooses_k: true,
        ..AUTO
    },
    MethodInfo {
        name: "grid",
        summary: "k-means on a grid with cells chosen for k-means and counts cleaned of noise; few columns, few rows",
        synopsis: true,
        chooses_k: true,
        ..AUTO
    },
    MethodInfo {
        name: "directions",
        summary: "a noisy mean and one round in random directions from it, cleaned of noise; few rows, many columns",
        ..AUTO
    },
    MethodInfo {
        name: "mean",
        summary: "one noisy mean, pulled to the middle: when nothing finer can be told",
        ..AUTO
    },
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
    MethodInfo {
        name: "knorm-lloyd",
        paper: "HT10",
        published: "ε-DP of the K-norm mechanism",
        guarantee: "pure ε, or (ε, δ) by zCDP with --delta; add or remove one row, exact; needs public bounds",
        status: "own; the noise is that of the paper, in the maximum norm, on a lattice",
        summary: "dplloyd-impr with noise in the shape of a cube: about half as much for the same ε; Gaussian with --delta",
        options: &["iterations"],
        delta: true,
        ..SCL16
    },
];

/// The method with this name.
pub fn find_method(name: &str) -> Option<&'static MethodInfo> {
    METHODS.iter().find(|method| method.name == name)
}
