//! Scores of reports beside the records they were made of: the measures of the crowd papers.

use std::collections::BTreeMap;

use serde::Serialize;
use shoal::model::Model;
use shoal_crowd::report_file::Reports;
use shoal_crowd::server::{ReportPoints, kmeans_on_reports};
use shoal_device::Design;
use shoal_kernel::Restarts;
use shoal_kernel::score::report_scores;
use shoal_lattice::STEPS;
use shoal_noise::SeededNoise;

use crate::arguments::Shown;
use crate::failure::Failure;
use crate::table;

/// Starts of the k-means that finds the true clusters when no column tells them.
const STARTS: usize = 30;

/// The measures, every column scaled to [0, 1].
#[derive(Serialize)]
pub struct OfReports {
    sse: f64,
    re_same_members: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    re_matched: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    re_matched_centers: Option<f64>,
    ari: f64,
    nmi: f64,
    /// Where the true clusters come from.
    truth: &'static str,
}

/// Reports, and the records as they are read.
pub struct Beside {
    reports: Reports,
    name: String,
    records: Vec<f64>,
    truth: Vec<usize>,
    numbers: BTreeMap<String, usize>,
}

impl Beside {
    /// Reads the reports and checks that they are about the model's columns.
    pub fn read(file: &str, model: &Model, shown: &Shown) -> Result<Self, Failure> {
        let reports = Reports::read(vec![table::source(file, shown)])?;
        let Design { bounds, mechanism, epsilon, sampler } = &reports.design;
        let others = model.from_reports.as_ref().is_some_and(|from| {
            (&from.mechanism, &from.epsilon, &from.sampler) != (mechanism, epsilon, sampler)
                || from.reports != reports.rows() as u64
        });
        if others {
            return Err(Failure::refused(
                "these are other reports than the model was found in (another mechanism, ε or number); give those",
            ));
        }
        if bounds.columns() != model.columns || bounds.intervals() != model.bounds {
            return Err(Failure::refused(
                "the reports and the model have other columns or bounds; give the reports that the model was found in",
            ));
        }
        let name = table::short_name(file);
        Ok(Self { reports, name, records: Vec::new(), truth: Vec::new(), numbers: BTreeMap::new() })
    }

    /// Adds a record in box units, with its true group where that is known.
    pub fn add(&mut self, row: &[f64], group: Option<&String>) {
        self.records.extend(row.iter().map(|x| 0.5 * (x + 1.0)));
        if let Some(group) = group {
            let next = self.numbers.len();
            self.truth.push(*self.numbers.entry(group.clone()).or_insert(next));
        }
    }

    /// The measures of all records seen.
    pub fn scores(self, model: &Model) -> Result<OfReports, Failure> {
        let dims = model.columns.len();
        let (rows, reports) = (self.records.len() / dims, self.reports.rows());
        if rows != reports {
            return Err(Failure::refused(format!(
                "{} has {reports} reports, and the table {rows} rows; give the reports that were made of these very rows, in their order",
                self.name
            )));
        }
        let (truth, source) = if self.truth.len() == rows {
            (self.truth, "the given groups")
        } else {
            (clusters_of_records(&self.records, dims, model.k()), "k-means on the records")
        };
        let columns = &self.reports.columns;
        let reported: Vec<f64> =
            (0..rows * dims).map(|at| columns[at % dims][at / dims] as f64 / STEPS as f64).collect();
        let in_widths = |centre: &Vec<f64>| {
            let scaled = centre.iter().zip(&model.bounds).map(|(x, bounds)| (x - bounds.lo()) / bounds.width());
            scaled.collect::<Vec<f64>>()
        };
        let centres: Vec<f64> = model.centres.iter().flat_map(in_widths).collect();
        let scores = report_scores(dims, &self.records, &reported, &centres, &truth)?;
        Ok(OfReports {
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
    let squared = |centre: &Vec<f64>, x: &[f64]| centre.iter().zip(x).map(|(m, x)| (m - x).powi(2)).sum::<f64>();
    let nearest = |x: &[f64]| {
        let distances = found.centres.iter().map(|centre| squared(centre, x)).enumerate();
        distances.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(label, _)| label)
    };
    records.chunks_exact(dims).map(nearest).collect()
}

impl OfReports {
    /// A line of the table for each measure.
    pub fn lines(&self, line: &mut impl FnMut(&str, f64, &str)) {
        let truth = self.truth;
        line("SSE of reports", self.sse, "records from the mean of their cluster's reports, columns scaled to [0, 1]");
        line(
            "RE, same members",
            self.re_same_members,
            &format!("true cluster means against their members' reports ({truth})"),
        );
        if let (Some(letter), Some(words)) = (self.re_matched, self.re_matched_centers) {
            line("RE, matched", letter, "true clusters against matched clusters of reports, sums as printed");
            line("RE, matched means", words, "the same with means in place of sums");
        }
        line("ARI of reports", self.ari, &format!("labels found on reports against {truth}"));
        line("NMI of reports", self.nmi, &format!("labels found on reports against {truth}"));
    }
}
