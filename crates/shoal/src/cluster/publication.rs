//! A model that the public sees while nobody but the collector sees the reports.

use shoal_crowd::report_file::Reports;
use shoal_device::Promises;
use shoal_privacy::{Assumption, Claim, Delta};

use crate::model::Model;

/// δ of what is claimed towards the public where nobody asks for another one: one in a billion, well below one in the number
/// of people who report.
pub const PUBLIC_DELTA: &str = "1e-9";

/// Batches of reports: those of a batch are in exactly the same published models.
///
/// A collection grows, and a model of all its reports is published again and again. Whoever compares two versions learns
/// something about those reports that are in one and not in the other. So a report hides among the reports of its own batch
/// only: those that are in exactly the same versions.
///
/// Batches have no report in common, and every version is computed from whole batches, each of them a set. Where one person's
/// record is replaced, one batch changes. All versions together are computed from the set of that batch's reports and from
/// batches that do not change. So the claim about one batch, amplified by shuffling, holds for all versions together, those
/// that are yet to come included, and losses do not add up from one version to the next. It is the claim of the smallest batch.
///
/// What divides a batch later on must count from the beginning: if old reports are deleted, and further models are made from
/// the others, those that are deleted together are a batch of their own.
///
/// ```
/// use shoal::Batches;
///
/// // 5,000 reports in the first version, 1,200 more in the second, none in the third, which was made anew.
/// assert_eq!(Batches::of([5_000]).and([1_200]).and([]).smallest(), Some(1_200));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Batches {
    smallest: Option<u64>,
}

impl Batches {
    /// Batches of these sizes. Empty ones are none.
    pub fn of(sizes: impl IntoIterator<Item = u64>) -> Self {
        Self { smallest: sizes.into_iter().filter(|size| *size > 0).min() }
    }

    /// These and further ones.
    #[must_use]
    pub fn and(self, sizes: impl IntoIterator<Item = u64>) -> Self {
        Self::of(self.smallest.into_iter().chain(sizes))
    }

    /// The size of the smallest; `None` where there is none.
    pub fn smallest(&self) -> Option<u64> {
        self.smallest
    }

    /// What the public can learn of one report with these promises, at [`PUBLIC_DELTA`]. `None` where there is no batch, or
    /// where a report promises nothing.
    pub fn claim(&self, promises: &Promises) -> Option<Claim> {
        // Unwrap safety: the constant is a number below 1; a test goes through here.
        promises.towards_the_public(self.smallest?, &PUBLIC_DELTA.parse().unwrap())
    }
}

impl Model {
    /// What everybody who sees this model, those published before it and nothing else can learn from one report. `None` where
    /// the model was not made to be published ([`Cluster::published`](crate::Cluster::published)).
    pub fn towards_the_public(&self) -> Option<&Claim> {
        self.also.iter().find(|claim| claim.assumes.contains(&Assumption::OnlyResultsPublished))
    }
}

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
