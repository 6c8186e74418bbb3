//! The cluster of each report, by a model that was found in reports.

use std::io::{self, Write};

use shoal_crowd::report_file::Reports;
use shoal_crowd::server::{Clusters, ReportLabel, ReportPoints, WordLaw, labels, nearest_labels, write_labels};
use shoal_device::{Client, NoiseLaw};
use shoal_files::Form;
use shoal_lattice::{UnitPosition, Widths};

use super::ServerMethod;
use crate::model::Model;
use crate::{ClusterError, Error};

/// Clusters of reports, with the cluster of each report.
///
/// A label is computed from reports, so it has the guarantee of the reports and no other: a person's label reveals no more than
/// that person's report, and no less.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Labelled {
    /// The clusters.
    pub model: Model,
    /// The cluster of each report, in the order of the reports. Labels count the model's clusters from zero.
    pub labels: Vec<ReportLabel>,
}

impl Labelled {
    /// Writes `report,label,probability` rows as CSV or Parquet, with the numbers that the model shows of its clusters, and
    /// with the guarantee of the reports.
    pub fn write<W: Write + Send>(&self, out: W, form: Form) -> io::Result<()> {
        let about = serde_json::json!({
            "version": 1,
            "about": "The likeliest cluster of each report. Labels have the guarantee of the reports and no other.",
            "guarantee": self.model.guarantee.sentence(),
            "model": self.model.method,
        });
        write_labels(out, form, &self.labels, |j| self.model.number(j), &about.to_string())
    }
}

impl Model {
    /// The cluster of each report, for reports of the columns and the mechanism that the model was found with.
    ///
    /// By the probability under the known noise where the method models it, else by the nearest centre. Labels have the
    /// guarantee of the reports and no other.
    pub fn label_reports(&self, reports: &Reports) -> Result<Vec<ReportLabel>, Error> {
        let coordinates = reports.design.coordinates();
        if self.columns != coordinates.columns()
            || self.bounds != coordinates.intervals()
            || self.categories != coordinates.categories()
            || (self.categories.is_empty() && self.stretched_map().is_some())
        {
            return Err(
                ClusterError::OtherReports { why: "the reports and the model have other columns or bounds" }.into()
            );
        }
        let law = Client::accepting_unsound(&reports.design)?.noise_law();
        let points = ReportPoints::of_reports(reports.columns.clone(), &WordLaw::of_design(&reports.design));
        Ok(self.label_points(&points, law))
    }

    pub(crate) fn label_points(&self, points: &ReportPoints, law: Option<NoiseLaw>) -> Vec<ReportLabel> {
        let clusters = self.clusters_in_widths();
        // Centres of a curator's table have no shares under this noise: the nearest one is all there is.
        let aware = self.from_reports.is_some() && self.method.starts_with(ServerMethod::NoiseAware.name());
        match law.filter(|_| aware) {
            Some(law) => labels(points, law, &clusters),
            None => nearest_labels(points, &clusters.centres),
        }
    }

    /// The clusters as the server has them.
    fn clusters_in_widths(&self) -> Clusters {
        let total: f64 = self.sizes.iter().sum();
        let in_widths = |values: &Vec<f64>| -> Vec<UnitPosition> {
            let numbers = values[..self.numbers()].iter();
            numbers.zip(&self.bounds).map(|(&x, interval)| UnitPosition::of_user(x, interval)).collect()
        };
        let spread = |values: &Vec<f64>| -> Vec<Widths> {
            let numbers = values[..self.numbers()].iter();
            numbers.zip(&self.bounds).map(|(&x, interval)| Widths::of_user(x, interval)).collect()
        };
        // What the levels of a category leave of the whole is the share of *other*.
        let levels = |centre: &Vec<f64>| -> Vec<f64> {
            let of = |(_, range): (_, std::ops::Range<usize>)| {
                let shares = &centre[range];
                let other = (1.0 - shares.iter().sum::<f64>()).max(0.0);
                shares.iter().copied().chain([other]).collect::<Vec<f64>>()
            };
            self.places_of_categories().flat_map(of).collect()
        };
        Clusters {
            levels: self.centres.iter().map(levels).collect(),
            centres: self.centres.iter().map(in_widths).collect(),
            shares: self.sizes.iter().map(|size| size / total).collect(),
            widths: self.from_reports.as_ref().map_or(Vec::new(), |from| from.cluster_sd.iter().map(spread).collect()),
            ..Clusters::default()
        }
    }
}
