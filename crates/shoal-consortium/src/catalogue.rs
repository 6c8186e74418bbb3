//! Every encoding and method of a consortium by name, in order. An encoding's row is in its file; the rows of what comes
//! from elsewhere, clustering by distances and two comparators, stand here.

use shoal_privacy::MethodInfo;

use crate::custodian::{bv, dpbv, pairs};

/// An encoding that custodians run.
pub(crate) const ENCODING: MethodInfo = MethodInfo {
    name: "",
    trust: "consortium, custodian",
    paper: "SZY19",
    published: "(ε, δ)-LDP with δ falling in the number of bits",
    guarantee: "ε for each bit in which the codes of two records can differ, all attributes together, exact; the published promise does not hold",
    status: "as published; papers/SZY19.md",
    summary: "",
    options: &[],
    synopsis: false,
    chooses_k: false,
    delta: false,
    plus_minus: "",
};

/// A method that aggregators run on codes.
const AGGREGATOR: MethodInfo = MethodInfo {
    trust: "consortium, aggregator",
    published: "as the codes",
    guarantee: "that of the codes, which it only computes with",
    ..ENCODING
};

/// All of them, in the order in which they are listed.
pub const METHODS: &[MethodInfo] = &[
    bv::METHOD,
    dpbv::METHOD,
    pairs::METHOD,
    MethodInfo {
        name: "kcluster",
        status: "as published, with a record left out of its own average; papers/SZY19.md",
        summary: "every record to the cluster that it is nearest to on average, from distances alone",
        options: &["own-record", "starts", "iterations", "metric", "consistency"],
        ..AGGREGATOR
    },
    MethodInfo {
        name: "dbscan",
        status: "on decoded distances; papers/SZY19.md",
        summary: "dense neighbourhoods, from distances alone",
        options: &["radius", "min-points", "metric", "consistency"],
        ..AGGREGATOR
    },
    MethodInfo {
        name: "hierarchical",
        status: "on decoded distances; papers/SZY19.md",
        summary: "a tree of clusters by single, complete or average linkage",
        options: &["linkage", "height", "metric", "consistency"],
        ..AGGREGATOR
    },
    MethodInfo {
        name: "adp",
        published: "none",
        guarantee: "NONE: Gaussian noise that is calibrated to no promise; a comparator",
        status: "a comparator of SZY19; papers/SZY19.md",
        summary: "Gaussian noise on every value, then k-means",
        ..ENCODING
    },
    MethodInfo {
        name: "rsp",
        published: "none",
        guarantee: "NONE: a projection that the custodians know; a comparator",
        status: "a comparator of SZY19; papers/SZY19.md",
        summary: "a random projection to fewer dimensions, then k-means",
        ..ENCODING
    },
];

/// The encoding or method with this name.
pub fn find_method(name: &str) -> Option<&'static MethodInfo> {
    METHODS.iter().find(|method| method.name == name)
}
