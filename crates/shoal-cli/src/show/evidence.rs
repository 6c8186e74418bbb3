//! How many clusters show, as a table for a terminal.

use shoal::model::Kind;
use shoal_curator::Evidence;
use shoal_report::quality::{evidence_headings, evidence_rows, evidence_sentence};

use super::output::Table;

/// The sentence and the table.
pub fn evidence_text(evidence: &Evidence, kind: Kind) -> String {
    let mut table = Table::new(&evidence_headings(kind));
    evidence_rows(evidence).into_iter().for_each(|row| table.row(row));
    format!("{}\n{table}", evidence_sentence(evidence, kind))
}
