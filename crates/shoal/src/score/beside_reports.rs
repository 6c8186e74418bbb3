//! Reports measured beside the records they were made of: the measures of the crowd papers.

use std::collections::BTreeMap;

use serde::Serialize;
use shoal_crowd::report_file::Reports;
use shoal_crowd::server::{ReportPoints, kmeans_on_reports};
use shoal_kernel::Restarts;
use shoal_kernel::score::labelled_report_scores;
use shoal_lattice::{BoxPosition, Steps, UnitPosition};
use shoal_noise::SeededNoise;

use crate::model::Model;
use crate::{ClusterError, Error};

/// Restarts of the k-means that finds the true clusters where no column names them.
const STARTS: usize = 30;

/// The measures of the crowd papers, every column scaled to [0, 1].
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ReportMeasures {
    /// Records from the mean of their cluster's reports, squared and summed.
    pub sse: f64,
    /// Relative error of the means of the same members.
    pub re_same_members: f64,
    /// Relative error of matched clusters, sums as printed in the paper; nothing where a cluster is empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub re_matched: Option<f64>,
    /// The same with means in place of sums.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub re_matched_centers: Option<f64>,
    /// Agreement of the labels found on reports with the true clusters.
    pub ari: f64,
    /// Information that the two share.
    pub nmi: f64,
    /// Where the true clusters come from.
    pub truth: &'static str,
}

/// Reports, and the records as they are read.
pub(super) struct Beside<'a> {
    reports: &'a Reports,
    records: Vec<f64>,
    truth: Vec<usize>,
    numbers: BTreeMap<String, usize>,
}

impl<'a> Beside<'a> {
    /// Refuses reports that are not about the model's columns, or not those that the model was found in.
    pub(super) fn check(reports: &Reports, model: &Model) -> Result<(), Error> {
        let design = &reports.design;
        let others = model.from_reports.as_ref().is_some_and(|from| {
            (&from.mechanism, &from.epsilon, from.sampler) != (design.mechanism(), design.epsilon(), design.sampler())
                || from.reports != reports.rows() as u64
        });
        if others {
            return Err(ClusterError::OtherReports {
                why: "these are other reports than the model was found in (another mechanism, ε or number)",
            }
            .into());
        }
        if !design.categories().is_empty() {
            let why = "the reports hold words, and the measures of the papers are about numbers";
            return Err(ClusterError::OtherReports { why }.into());
        }
        let bounds = design.bounds();
        if bounds.columns() != model.columns || bounds.intervals() != model.bounds || model.stretched_map().is_some() {
            return Err(
                ClusterError::OtherReports { why: "the reports and the model have other columns or bounds" }.into()
            );
        }
        Ok(())
    }

    pub(super) fn new(reports: &'a Reports) -> Self {
        Self { reports, records: Vec::new(), truth: Vec::new(), numbers: BTreeMap::new() }
    }

    /// Adds a record, with its true group where that is known.
    pub(super) fn add(&mut self, row: impl Iterator<Item = BoxPosition>, group: Option<&String>) {
        self.records.extend(row.map(|x| x.in_unit().0));
        if let Some(group) = group {
            let next = self.numbers.len();
            self.truth.push(*self.numbers.entry(group.clone()).or_insert(next));
        }
    }

    /// The measures of all records seen.
    pub(super) fn measures(self, model: &Model) -> Result<ReportMeasures, Error> {
        let dims = model.columns.len();
        let (rows, reports) = (self.records.len() / dims, self.reports.rows());
        if rows != reports {
            return Err(ClusterError::ReportsOfOtherRows { reports, rows }.into());
        }
        let (truth, source) = if self.truth.len() == rows {
            (self.truth, "the given groups")
        } else {
            (clusters_of_records(&self.records, dims, model.k()), "k-means on the records")
        };
        let columns = &self.reports.columns;
        let reported: Vec<f64> = (0..rows * dims).map(|at| Steps(columns[at % dims][at / dims]).in_unit().0).collect();
        // Under the known noise where the server models it, else by the nearest centre.
        let labels: Vec<usize> = model.label_reports(self.reports)?.iter().map(|found| found.label).collect();
        let scores = labelled_report_scores(dims, &self.records, &reported, (&labels, model.k()), &truth)?;
        Ok(ReportMeasures {
            sse: scores.sse,
            re_same_members: scores.re_same_members,
            re_matched: scores.re_matched,
            re_matched_centers: scores.centre_distance,
            ari: scores.ari,
            nmi: scores.nmi,
            truth: source,
        })
    }
}

/// The clusters that k-means finds in the records, the same every time.
fn clusters_of_records(records: &[f64], dims: usize, k: usize) -> Vec<usize> {
    let restarts = Restarts { clusters: k, restarts: STARTS, iterations: 100 };
    let points = ReportPoints::from_rows(dims, records);
    let found = kmeans_on_reports(&points, &restarts, &mut SeededNoise::new(0));
    let squared =
        |centre: &Vec<UnitPosition>, x: &[f64]| centre.iter().zip(x).map(|(m, x)| (m.0 - x).powi(2)).sum::<f64>();
    let nearest = |x: &[f64]| {
        let distances = found.centres.iter().map(|centre| squared(centre, x)).enumerate();
        distances.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(label, _)| label)
    };
    records.chunks_exact(dims).map(nearest).collect()
}
