//! All measures of the crowd papers at once, for records beside the reports that were made of them.
//!
//! Labels are found on the reports: each belongs to the nearest of the given centres, or where the server says. The measures compare them with the
//! true clusters of the records (YTL22 Section IV-A.2, CLZ25 Section 6.1). Every attribute is scaled to a width of one.

use crate::assign_min_cost;
use crate::score::ari::adjusted_rand_index;
use crate::score::contingency::Contingency;
use crate::score::error::ScoreError;
use crate::score::means::ClusterSums;
use crate::score::nmi::{Normalizer, normalized_mutual_information};
use crate::score::relative_error::{SameMembers, centre_distance_matched, relative_error_matched};
use crate::score::sse::SseAccumulator;
use crate::score::sum::squared_distance;

/// The measures of the crowd papers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReportScores {
    /// Sum of squared distances of the true records from the mean of the reports of their report cluster.
    pub sse: f64,
    /// RE over the members of each true cluster.
    pub re_same_members: f64,
    /// RE over matched clusters, to the letter; nothing when a cluster is empty or the numbers of clusters differ.
    pub re_matched: Option<f64>,
    /// Distances between matched centres, in words; nothing as above.
    pub centre_distance: Option<f64>,
    /// Agreement of the labels found on reports with the true clusters.
    pub ari: f64,
    /// Shared information of the two.
    pub nmi: f64,
}

/// Scores `reports` of `records`, both row by row and `dims` wide, with the centres that were found in the reports and the
/// true cluster of each record, numbered from zero.
pub fn report_scores(
    dims: usize,
    records: &[f64],
    reports: &[f64],
    centres: &[f64],
    truth: &[usize],
) -> Result<ReportScores, ScoreError> {
    let nearest = |report: &[f64]| {
        let distances = centres.chunks_exact(dims).map(|centre| squared_distance(centre, report));
        distances.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(found, _)| found)
    };
    let labels: Vec<usize> = reports.chunks_exact(dims.max(1)).map(nearest).collect();
    labelled_report_scores(dims, records, reports, (&labels, centres.len() / dims.max(1)), truth)
}

/// [`report_scores`] with the label of each report, from zero and below `k`, instead of the nearest centre.
pub fn labelled_report_scores(
    dims: usize,
    records: &[f64],
    reports: &[f64],
    (labels, k): (&[usize], usize),
    truth: &[usize],
) -> Result<ReportScores, ScoreError> {
    let clusters = truth.iter().max().map_or(0, |most| most + 1);
    if truth.is_empty() {
        return Err(ScoreError::NoRows);
    }
    let (mut true_sums, mut found_sums) = (ClusterSums::new(clusters, dims)?, ClusterSums::new(k, dims)?);
    let mut same_members = SameMembers::new(clusters, dims)?;
    let mut groups = Contingency::default();
    let rows = records.chunks_exact(dims).zip(reports.chunks_exact(dims));
    for ((record, report), (&label, &found)) in rows.zip(truth.iter().zip(labels)) {
        true_sums.add_row(record, label)?;
        found_sums.add_row(report, found)?;
        same_members.add_row(record, report, label)?;
        groups.add(&found, &label);
    }
    let means: Vec<f64> = (0..k)
        .flat_map(|cluster| {
            let count = found_sums.counts()[cluster].max(1) as f64;
            found_sums.sum(cluster).into_iter().map(move |sum| sum / count)
        })
        .collect();
    let mut sse = SseAccumulator::new(&means, dims)?;
    for (record, &label) in records.chunks_exact(dims).zip(labels) {
        sse.add_row(record, label)?;
    }
    let matched = matching(&true_sums, &found_sums, dims);
    let with = |measure: fn(&ClusterSums, &ClusterSums, &[usize]) -> Result<f64, ScoreError>| {
        matched.as_ref().and_then(|matching| measure(&true_sums, &found_sums, matching).ok())
    };
    Ok(ReportScores {
        sse: sse.value()?,
        re_same_members: same_members.value()?,
        re_matched: with(relative_error_matched),
        centre_distance: with(centre_distance_matched),
        ari: adjusted_rand_index(&groups)?,
        nmi: normalized_mutual_information(&groups, Normalizer::Arithmetic)?,
    })
}

/// The report cluster for each true cluster, by the least sum of distances between their means; nothing when there are not
/// equally many, or one is empty.
fn matching(records: &ClusterSums, reports: &ClusterSums, dims: usize) -> Option<Vec<usize>> {
    let (truth, found) = (records.means().ok()?, reports.means().ok()?);
    let (rows, columns) = (records.clusters(), reports.clusters());
    if rows != columns {
        return None;
    }
    let costs: Vec<f64> = truth
        .chunks_exact(dims)
        .flat_map(|truth| found.chunks_exact(dims).map(move |found| squared_distance(truth, found).sqrt()))
        .collect();
    assign_min_cost(rows, columns, &costs).column_of.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two clusters of two people each on a line; worked out by hand.
    #[test]
    fn a_small_crowd() {
        let records = [0.0, 0.2, 0.8, 1.0];
        let reports = [0.1, 0.5, 0.4, 1.1];
        // Nearest centres of the reports: 0.1 → 0, 0.5 → 0, 0.4 → 0, 1.1 → 1.
        let scores = report_scores(1, &records, &reports, &[0.2, 1.0], &[0, 0, 1, 1]).unwrap();
        // Means of reports by label: 1/3 and 1.1.
        let third: f64 = 1.0 / 3.0;
        let sse = third.powi(2) + (0.2 - third).powi(2) + (0.8 - third).powi(2) + 0.01;
        assert!((scores.sse - sse).abs() < 1e-12);
        // Same members: |0.1 − 0.3| for the first cluster, |0.9 − 0.75| for the second.
        assert!((scores.re_same_members - 0.35).abs() < 1e-12);
        // Sums to the letter: |0.2 − 1.0|/2 + |1.8 − 1.1|/2; means: |0.1 − 1/3| + |0.9 − 1.1|.
        assert!((scores.re_matched.unwrap() - 0.75).abs() < 1e-12);
        assert!((scores.centre_distance.unwrap() - (third - 0.1 + 0.2)).abs() < 1e-12);
        assert!(scores.ari < 1.0 && scores.ari > -0.5);
    }

    #[test]
    fn perfect_reports_score_perfectly() {
        let records = [0.0, 0.1, 0.9, 1.0];
        let scores = report_scores(1, &records, &records, &[0.95, 0.05], &[0, 0, 1, 1]).unwrap();
        assert_eq!((scores.ari, scores.nmi), (1.0, 1.0));
        assert!(scores.re_same_members.abs() < 1e-12 && scores.re_matched.unwrap().abs() < 1e-12);
        assert!((scores.sse - 0.01).abs() < 1e-12);
        let other = report_scores(1, &records, &records, &[0.5], &[0, 0, 1, 1]).unwrap();
        assert_eq!(other.re_matched, None, "one cluster found, two true ones");
        assert!(report_scores(1, &[], &[], &[0.5], &[]).is_err());
    }
}
