//! Every mechanism and server method by name, in order. A server method's row is in the file of the method; the rows of
//! the mechanisms are here, since a device needs no catalogue.

use shoal_privacy::MethodInfo;

use crate::server::{kmeans, noise_aware, tk_means};

/// A mechanism that devices run.
const MECHANISM: MethodInfo = MethodInfo {
    name: "",
    trust: "crowd, device",
    paper: "YTL22",
    published: "ε·d_E-privacy",
    guarantee: "ε per unit of Euclidean distance between two records, exact; needs public bounds",
    status: "as published; papers/YTL22.md",
    summary: "",
    options: &[],
    synopsis: false,
    chooses_k: false,
    delta: false,
    plus_minus: "",
};

/// A method that servers run on reports.
pub(crate) const SERVER: MethodInfo = MethodInfo {
    trust: "crowd, server",
    published: "as the reports",
    guarantee: "that of the reports, which it only computes with",
    ..MECHANISM
};

/// All of them, in the order in which they are listed.
pub const METHODS: &[MethodInfo] = &[
    MethodInfo {
        name: "bpm",
        guarantee: "ε per unit of Euclidean distance between two records, and ε·min(√d, L) for any two, exact (for ideal real numbers with the sampler `doubles`); needs public bounds",
        summary: "noise that falls off with distance up to a radius L, even beyond it",
        options: &["radius", "radius-rule", "sampler"],
        ..MECHANISM
    },
    MethodInfo {
        name: "laplace",
        published: "ε-LDP",
        guarantee: "ε for any two records, and ε/√d per unit of Euclidean distance, exact; needs public bounds",
        summary: "Laplace noise on each column, ε/d each",
        ..MECHANISM
    },
    MethodInfo {
        name: "laplace-metric",
        status: "our reading of a supplement; papers/YTL22.md",
        summary: "Laplace noise of scale √d/ε on each column",
        ..MECHANISM
    },
    MethodInfo {
        name: "nd-laplace",
        paper: "CLZ25",
        guarantee: "ε per unit of Euclidean distance between two records, exact (for ideal real numbers with the sampler `doubles`); needs public bounds",
        status: "the comparator of CLZ25; papers/CLZ25.md",
        summary: "noise that falls off with distance without bound; raw, clamped, or moved to a grid",
        options: &["ending", "grid-cells", "sampler"],
        ..MECHANISM
    },
    MethodInfo {
        name: "bpgm",
        paper: "CLZ25",
        published: "ε·d_χ-privacy, unbiased",
        guarantee: "NONE: the published promise does not hold, and no other takes its place; needs accept-unsound",
        status: "as published, for research only; papers/CLZ25.md",
        summary: "a random start pulled to an exponential distance from the record",
        options: &["noise-bound", "bpgm-form"],
        ..MECHANISM
    },
    noise_aware::METHOD,
    tk_means::METHOD,
    kmeans::METHOD,
];

/// The mechanism or server method with this name.
pub fn find_method(name: &str) -> Option<&'static MethodInfo> {
    METHODS.iter().find(|method| method.name == name)
}
