//! What may be published.

use serde::Serialize;
use shoal_privacy::Guarantee;

use crate::model::Kind;

/// What may be published of a run, and what may not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Publish {
    /// What may be.
    pub may: Vec<&'static str>,
    /// What may not.
    pub keep: Vec<&'static str>,
}

impl Publish {
    /// For a run with this guarantee. `merged` is true for what was merged from releases of several custodians.
    pub fn of(guarantee: &Guarantee, kind: Kind, merged: bool) -> Self {
        if guarantee.claim().is_none() {
            return Self { may: Vec::new(), keep: vec!["everything that this run wrote or printed"] };
        }
        if merged {
            let keep = vec!["labels", "scores", "the tables", "the ledgers"];
            return Self { may: vec!["the model", "the report"], keep };
        }
        let may = match kind {
            Kind::Curator => vec!["the model", "the report", "the synopsis"],
            // A label of a report follows from the report, whose own guarantee it has.
            Kind::Crowd => vec!["the model", "the report", "labels of reports"],
        };
        let keep = match kind {
            Kind::Curator => vec!["labels", "scores", "the table", "the ledger"],
            Kind::Crowd => vec!["labels of records", "scores", "the records", "the ledger"],
        };
        Self { may, keep }
    }

    /// In a sentence or two.
    pub fn sentence(&self) -> String {
        match (self.may.as_slice(), self.keep.as_slice()) {
            ([], _) => "Publish nothing of this run: it has no privacy guarantee.".into(),
            (may, keep) => format!(
                "You may publish {}, as far as you accept this guarantee. Keep to yourself: {}.",
                listed(may, "and"),
                listed(keep, "and")
            ),
        }
    }
}

/// `a, b and c`.
pub(super) fn listed(items: &[&str], and: &str) -> String {
    match items.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} {and} {last}", rest.join(", ")),
        Some((last, _)) => (*last).into(),
        None => String::new(),
    }
}
