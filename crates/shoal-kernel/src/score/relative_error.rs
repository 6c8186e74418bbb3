//! RE, the relative error of YTL22: Σ_i (1/|C_i|) · ‖Σ_{v ∈ C_i} v − Σ_{x ∈ Ĉ_i} x‖.
//!
//! C_i is a cluster of the true records v. What Ĉ_i is, the paper leaves open, and there are two readings:
//! - *same members* ([`SameMembers`]): the reports x of the people in C_i. This fits the printed Fig. 1b.
//! - *matched*: a cluster found on the reports, paired with C_i by a matching that the caller gives (by Hungarian
//!   assignment, say). [`relative_error_matched`] follows the formula to the letter, which subtracts sums over different
//!   numbers of people; [`centre_distance_matched`] takes means first, which is what the text says in words.
//!
//! Under the first reading both forms are the same.

use crate::score::error::{ScoreError, check_row};
use crate::score::means::ClusterSums;
use crate::score::sum::squared_distance;

/// RE with the reports of each true cluster's own members.
#[derive(Clone, Debug)]
pub struct SameMembers {
    differences: ClusterSums,
}

impl SameMembers {
    /// For true clusters 0 to `clusters − 1` of records `dims` wide.
    pub fn new(clusters: usize, dims: usize) -> Result<Self, ScoreError> {
        Ok(Self { differences: ClusterSums::new(clusters, dims)? })
    }

    /// Adds one person: the true record, its report, and the true cluster.
    pub fn add_row(&mut self, record: &[f64], report: &[f64], label: usize) -> Result<(), ScoreError> {
        let dims = self.differences.dims();
        check_row("a record", record, dims)?;
        check_row("a report", report, dims)?;
        let difference: Vec<f64> = record.iter().zip(report).map(|(v, x)| v - x).collect();
        self.differences.add_row(&difference, label)
    }

    /// Adds what another of the same shape has seen.
    ///
    /// # Panics
    /// When the shapes differ.
    pub fn merge(&mut self, other: &Self) {
        self.differences.merge(&other.differences);
    }

    /// The relative error. A true cluster without members adds nothing, as it has nobody to be wrong about.
    pub fn value(&self) -> Result<f64, ScoreError> {
        let counts = self.differences.counts();
        if counts.iter().all(|count| *count == 0) {
            return Err(ScoreError::NoRows);
        }
        let terms = (0..counts.len()).filter(|i| counts[*i] > 0).map(|i| {
            let origin = vec![0.0; self.differences.dims()];
            squared_distance(&self.differences.sum(i), &origin).sqrt() / counts[i] as f64
        });
        Ok(terms.sum())
    }
}

/// RE with report cluster `matching[i]` for true cluster i, to the letter: sums are subtracted.
pub fn relative_error_matched(
    records: &ClusterSums,
    reports: &ClusterSums,
    matching: &[usize],
) -> Result<f64, ScoreError> {
    check_matching(records, reports, matching)?;
    let mut total = 0.0;
    for (cluster, &partner) in matching.iter().enumerate() {
        total += squared_distance(&records.sum(cluster), &reports.sum(partner)).sqrt() / records.count(cluster)?;
    }
    Ok(total)
}

/// RE with report cluster `matching[i]` for true cluster i, in words: the distances between paired centres.
pub fn centre_distance_matched(
    records: &ClusterSums,
    reports: &ClusterSums,
    matching: &[usize],
) -> Result<f64, ScoreError> {
    check_matching(records, reports, matching)?;
    let (true_centres, found_centres) = (records.means()?, reports.means()?);
    let dims = records.dims();
    let distance = |(cluster, &partner): (usize, &usize)| {
        squared_distance(&true_centres[cluster * dims..][..dims], &found_centres[partner * dims..][..dims]).sqrt()
    };
    Ok(matching.iter().enumerate().map(distance).sum())
}

fn check_matching(records: &ClusterSums, reports: &ClusterSums, matching: &[usize]) -> Result<(), ScoreError> {
    let (clusters, found) = (records.clusters(), reports.dims());
    if found != records.dims() {
        return Err(ScoreError::Columns { what: "a report", found, expected: records.dims() });
    }
    let mut seen = vec![false; clusters];
    let fresh = |&partner: &usize| seen.get_mut(partner).is_some_and(|seen| !std::mem::replace(seen, true));
    if reports.clusters() == clusters && matching.len() == clusters && matching.iter().all(fresh) {
        Ok(())
    } else {
        Err(ScoreError::NotAMatching { clusters })
    }
}
