//! The model of clusters that were found in reports.

use serde::{Deserialize, Serialize};
use shoal_privacy::Epsilon;

use crate::model::{Kind, Model, VERSION};
use shoal_crowd::report_file::Collected;
use shoal_crowd::server::Clusters;
use shoal_curator::ExpectedError;
use shoal_device::{Mechanism, Sampler};
use shoal_lattice::{LatticeMap, UnitPosition, Widths};

/// What a model says of the reports it was found in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FromReports {
    /// Number of reports.
    pub reports: u64,
    /// How they were made.
    pub mechanism: Mechanism,
    /// The budget of each.
    pub epsilon: Epsilon,
    /// How their noise was drawn.
    pub sampler: Sampler,
    /// Standard deviation of the records of each cluster in each attribute, in the user's units; empty when not fitted.
    #[serde(rename = "cluster_sd", default, skip_serializing_if = "Vec::is_empty")]
    pub cluster_sd: Vec<Vec<f64>>,
    /// Degrees of freedom of the t laws, where clusters are those.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degrees_of_freedom: Option<f64>,
    /// Logarithm of the likelihood, up to a constant that depends on the reports alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ln_likelihood: Option<f64>,
    /// The Bayesian information criterion for 1, 2, … clusters, lower being better, when their number was chosen by it.
    #[serde(rename = "bic_by_k", default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<f64>,
    /// The error of the centres is as large as the distances between them.
    pub drowned: bool,
}

impl Model {
    /// The model of clusters found in reports by a server method. Computing it is free: the promise is that of the reports.
    pub fn of_reports(reports: &Collected, found: &Clusters, method: &str, criteria: Vec<f64>) -> Self {
        let bounds = reports.design.bounds();
        let map = LatticeMap::new(bounds);
        let to_user = |c: &Vec<UnitPosition>| c.iter().enumerate().map(|(i, x)| map.to_user(i, x.in_box())).collect();
        let in_user = |sd: &Vec<Widths>| sd.iter().zip(bounds.intervals()).map(|(sd, i)| sd.in_user(i)).collect();
        let rows = reports.rows as f64;
        let sizes: Vec<f64> = found.shares.iter().map(|share| share * rows).collect();
        let from = FromReports {
            reports: reports.rows as u64,
            mechanism: reports.design.mechanism().clone(),
            epsilon: reports.design.epsilon().clone(),
            sampler: reports.design.sampler(),
            cluster_sd: found.widths.iter().map(|sd| in_user(&vec![*sd; bounds.dims()])).collect(),
            degrees_of_freedom: found.degrees_of_freedom,
            ln_likelihood: found.ln_likelihood,
            criteria,
            drowned: found.drowned(),
        };
        Self {
            version: VERSION,
            kind: Kind::Crowd,
            method: format!("{method}/{}", from.mechanism.name()),
            columns: bounds.columns().to_vec(),
            bounds: bounds.intervals().to_vec(),
            centres: found.centres.iter().map(to_user).collect(),
            size_sd: found.share_errors.iter().map(|error| error * rows).collect(),
            centre_sd: found.centre_errors.iter().map(in_user).collect(),
            guarantee: reports.promises.guarantee.clone(),
            also: reports.promises.also.clone(),
            published: reports.promises.published.clone(),
            spent: None,
            paid_before: None,
            expected_error: ExpectedError::of(&found.centre_errors, &sizes),
            nicv_estimate: None,
            k_asked: None,
            decisions: Vec::new(),
            seeded: reports.seeded,
            shoal: env!("CARGO_PKG_VERSION").into(),
            from_reports: Some(from),
            sizes,
        }
    }
}
