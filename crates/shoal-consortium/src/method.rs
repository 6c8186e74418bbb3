//! Every encoding and method of a consortium by name, for `shoal methods`.

use shoal_privacy::MethodInfo;

/// An encoding that custodians run.
const ENCODING: MethodInfo = MethodInfo {
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
    MethodInfo {
        name: "bv",
        published: "anonymous",
        guarantee: "NONE: nothing is random but the anchors, which all custodians know; needs --accept-unsound",
        status: "as published, for research only; papers/SZY19.md",
        summary: "bits that say which windows a value is in, none flipped",
        options: &["no-flips", "accept-unsound"],
        ..ENCODING
    },
    MethodInfo {
        name: "dpbv",
        summary: "bits that say which windows a value is in, each flipped with probability 1/(1+e^ε)",
        options: &["bits", "epsilon", "window", "t"],
        ..ENCODING
    },
    MethodInfo {
        name: "dpbv-pairs",
        guarantee: "ε for each bit that can differ in the codes of all pairs that a record is in, exact; the published promise does not hold",
        summary: "two scalars for each pair of records, coded as by dpbv, for vertical partitions",
        options: &["pairs"],
        ..ENCODING
    },
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
