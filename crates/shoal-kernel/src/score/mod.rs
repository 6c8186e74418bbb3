//! How good a clustering is, measured on raw records.
//!
//! None of these figures is private: whoever prints one wraps it in `shoal_privacy::NonPrivate` first. They take plain
//! doubles, points and centres row by row in one slice, and labels as anything that can be ordered. All but the last
//! step streams: rows are added one by one or in batches, and parts that were added up apart can be merged.
//!
//! | measure | file | best | from |
//! |---|---|---|---|
//! | NICV, squared or not | [`NicvAccumulator`] | 0 | SCL16 eq. 1, NQC21 |
//! | SSE | [`SseAccumulator`] | 0 | YTL22 |
//! | RE, two readings | [`SameMembers`], [`relative_error_matched`] | 0 | YTL22 |
//! | ARI | [`adjusted_rand_index`] | 1 | Hubert and Arabie 1985 |
//! | NMI | [`normalized_mutual_information`] | 1 | as in scikit-learn |
//!
//! [`report_scores`] gives all of them for records beside their reports.
//!
//! No rows at all is an error ([`ScoreError::NoRows`]) in every measure: a mean over nothing has no value, and the
//! perfect score that some libraries give to two empty labellings hides that something went wrong before.

mod ari;
mod contingency;
mod error;
mod means;
mod nicv;
mod nmi;
mod of_reports;
mod relative_error;
mod sse;
mod sum;

pub use ari::adjusted_rand_index;
pub use contingency::Contingency;
pub use error::ScoreError;
pub use means::ClusterSums;
pub use nicv::NicvAccumulator;
pub use nmi::{Normalizer, normalized_mutual_information};
pub use of_reports::{ReportScores, labelled_report_scores, report_scores};
pub use relative_error::{SameMembers, centre_distance_matched, relative_error_matched};
pub use sse::SseAccumulator;
