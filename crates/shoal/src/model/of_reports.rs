//! The model of clusters that were found in reports.

use serde::{Deserialize, Serialize};
use shoal_privacy::Epsilon;

use crate::model::{Certainty, HowRead, Kind, Model, VERSION};
use shoal_crowd::report_file::Collected;
use shoal_crowd::server::noise_aware::NEEDED;
use shoal_crowd::server::{Certainty as InWidths, Clusters};
use shoal_curator::certainty::{Certainty as InBox, Evidence, GapOfK, Range};
use shoal_curator::{ExpectedError, Explained};
use shoal_device::{Mechanism, Sampler};
use shoal_lattice::{BoxPosition, LatticeMap, UnitPosition, Widths};

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
    /// Degrees of freedom of the t distributions, where clusters are those.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degrees_of_freedom: Option<f64>,
    /// Logarithm of the likelihood, up to a constant that depends on the reports alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ln_likelihood: Option<f64>,
    /// The Bayesian information criterion for 1, 2, … clusters, lower being better, when their number was chosen.
    #[serde(rename = "bic_by_k", default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<f64>,
    /// Logarithm of the evidence for 1, 2, … clusters, compared with one and higher being better, when their number was
    /// chosen.
    #[serde(rename = "ln_evidence_by_k", default, skip_serializing_if = "Vec::is_empty")]
    pub ln_evidence: Vec<f64>,
    /// Draws from the posterior distribution that the centres were pooled from; nothing where they are the most likely ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pooled_from: Option<u64>,
    /// The error of the centres is as large as the distances between them.
    pub drowned: bool,
}

impl Model {
    /// The model of clusters found in reports by a server method, with a coordinate for each level of a category
    /// ([`Clusters::with_indicators`]). Computing it is free: the guarantee is that of the reports.
    pub fn of_reports(reports: &Collected, found: &Clusters, method: &str, certainty: &InWidths) -> Self {
        let bounds = &reports.design.coordinates();
        let map = LatticeMap::new(bounds);
        let to_user = |c: &Vec<UnitPosition>| c.iter().enumerate().map(|(i, x)| map.to_user(i, x.in_box())).collect();
        // Columns of low weight take up a part of the box.
        let whole = |i: usize, sd: &Widths| Widths(sd.0 / map.part(i).0).in_user(&bounds.intervals()[i]);
        let in_user = |sd: &Vec<Widths>| sd.iter().enumerate().map(|(i, sd)| whole(i, sd)).collect();
        let places: Vec<Vec<BoxPosition>> =
            found.centres.iter().map(|centre| centre.iter().map(|x| x.in_box()).collect()).collect();
        let rows = reports.rows as f64;
        let sizes: Vec<f64> = found.shares.iter().map(|share| share * rows).collect();
        // A given number of clusters is compared with one only; a chosen one, with all up to it and beyond.
        let chosen = if certainty.tried.windows(2).all(|pair| pair[1].k == pair[0].k + 1) && certainty.tried.len() > 2 {
            &certainty.tried[..]
        } else {
            &[]
        };
        let from = FromReports {
            reports: reports.rows as u64,
            mechanism: reports.design.mechanism().clone(),
            epsilon: reports.design.epsilon().clone(),
            sampler: reports.design.sampler(),
            cluster_sd: found.widths.iter().map(in_user).collect(),
            degrees_of_freedom: found.degrees_of_freedom,
            ln_likelihood: found.ln_likelihood,
            criteria: chosen.iter().map(|tried| tried.bic).collect(),
            ln_evidence: chosen.iter().map(|tried| tried.ln_evidence - chosen[0].ln_evidence).collect(),
            pooled_from: found.pooled_from.map(|draws| draws as u64),
            drowned: found.drowned(),
        };
        Self {
            version: VERSION,
            kind: Kind::Crowd,
            method: format!("{method}/{}", from.mechanism.name()),
            columns: bounds.columns().to_vec(),
            bounds: bounds.intervals().to_vec(),
            scales: Vec::new(),
            weights: if bounds.is_plain() { Vec::new() } else { bounds.weights().to_vec() },
            categories: bounds.categories().to_vec(),
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
            certainty: Some(Certainty::of(&in_box(certainty, rows), bounds, &places)),
            k_asked: None,
            numbering: None,
            decisions: Vec::new(),
            reading: HowRead::default(),
            seeded: reports.seeded,
            shoal: env!("CARGO_PKG_VERSION").into(),
            merged_from: None,
            split: None,
            from_reports: Some(from),
            sizes,
        }
        .in_order()
    }
}

/// The same in the units in which certainty is stated for all models.
fn in_box(certainty: &InWidths, rows: f64) -> InBox {
    let range = |[low, high]: &[UnitPosition; 2]| Range { low: low.in_box(), high: high.in_box() };
    let lengths = |row: &Vec<Widths>| row.iter().map(|width| width.in_box()).collect();
    InBox {
        centres: certainty.centres.iter().map(|row| row.iter().map(range).collect()).collect(),
        rerun: certainty.rerun.iter().map(lengths).collect(),
        sizes: certainty.shares.iter().map(|[low, high]| Range { low: rows * low, high: rows * high }).collect(),
        stability: certainty.stability.clone(),
        spread: certainty.spread.iter().map(lengths).collect(),
        explained: certainty.explained.map(|x| Explained { share: x.share, low: x.low, high: x.high }),
        at_least: certainty.at_least,
        evidence: evidence(certainty),
    }
}

/// Whether the reports show clusters at all: the gap is the logarithm of the evidence, compared with one cluster.
fn evidence(certainty: &InWidths) -> Option<Evidence> {
    let first = certainty.tried.first()?.ln_evidence;
    let line = |tried: &shoal_crowd::server::TriedK| GapOfK {
        k: tried.k,
        gap: tried.ln_evidence - first,
        error: 0.0,
        explained: tried.explained,
    };
    let tried: Vec<GapOfK> = certainty.tried.iter().map(line).collect();
    let highest = tried.iter().map(|tried| tried.gap).fold(0.0, f64::max);
    let supported = tried.iter().find(|tried| tried.gap >= highest - NEEDED).map_or(1, |tried| tried.k);
    Some(Evidence { tried, needed: NEEDED, supported, undecided: Vec::new() })
}
