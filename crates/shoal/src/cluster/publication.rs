//! A model that the public sees while nobody but the collector sees the reports.

use shoal_crowd::report_file::Reports;
use shoal_privacy::{Claim, Delta};

/// How a model is published.
#[derive(Clone, Debug)]
pub(super) struct Publication {
    pub delta: Delta,
    /// The fewest reports between two published models.
    pub smallest_batch: Option<u64>,
}

impl Publication {
    /// The reports in an order that depends on nothing but their values, and what the public can learn of one of them.
    /// Nothing is claimed about reports whose noise came from a seed.
    pub fn prepared(&self, reports: Reports) -> (Reports, Option<Claim>) {
        let reports = reports.in_canonical_order();
        let hiding = self.smallest_batch.unwrap_or(u64::MAX).min(reports.rows() as u64);
        let claim = (!reports.seeded).then(|| reports.promises.towards_the_public(hiding, &self.delta)).flatten();
        (reports, claim)
    }
}
