//! What distinguishes a cluster: "higher age, much lower income than average".
//!
//! The average is that of the centres, weighted by size. A column is mentioned only if the centre's interval does not
//! contain the average, and if the difference matters: at least a quarter of the standard deviation of that column over
//! all rows (within and between clusters, or between them alone where the spread is not known).

use super::{ClusterFacts, Margin, Reliance};
use crate::model::Model;

/// Columns that are mentioned at most.
const MOST: usize = 3;
/// Standard deviations from which on a difference is mentioned.
const WORTH_MENTIONING: f64 = 0.25;
/// Standard deviations from which on it is called large.
const MUCH: f64 = 1.2;
/// A centre is close to the average if its intervals end within this many standard deviations of it.
const CLOSE: f64 = 0.5;

/// The clusters with their descriptions.
pub(super) fn described(model: &Model, mut clusters: Vec<ClusterFacts>) -> Vec<ClusterFacts> {
    if clusters.len() < 2 {
        return clusters;
    }
    let columns: Vec<Column> = (0..model.columns.len()).map(|i| Column::of(&clusters, i)).collect();
    for cluster in &mut clusters {
        cluster.description = description(cluster, &columns, &model.columns);
    }
    clusters
}

/// A column over all rows.
struct Column {
    mean: f64,
    sd: f64,
}

impl Column {
    fn of(clusters: &[ClusterFacts], i: usize) -> Self {
        // Clusters that are mostly noise have hardly any rows, and their place says nothing.
        let counts = |cluster: &&ClusterFacts| cluster.reliance != Reliance::MostlyNoise;
        let of = |cluster: &ClusterFacts| {
            let weight = cluster.share.unwrap_or(1.0);
            let within = cluster.spread.as_ref().map_or(0.0, |spread| spread[i] * spread[i]);
            (weight, cluster.values[i].value, within)
        };
        let parts: Vec<(f64, f64, f64)> = clusters.iter().filter(counts).map(of).collect();
        let total: f64 = parts.iter().map(|(weight, ..)| weight).sum();
        let mean = parts.iter().map(|(weight, value, _)| weight * value).sum::<f64>() / total;
        let variance = parts.iter().map(|(weight, value, within)| weight * ((value - mean).powi(2) + within));
        Self { mean, sd: (variance.sum::<f64>() / total).sqrt() }
    }
}

fn description(cluster: &ClusterFacts, columns: &[Column], names: &[String]) -> String {
    if !matches!(cluster.reliance, Reliance::Stable | Reliance::Unknown | Reliance::Unstable) {
        return String::new();
    }
    let (mut known, mut close) = (false, true);
    let mut differences: Vec<(f64, &str)> = Vec::new();
    for ((measured, column), name) in cluster.values.iter().zip(columns).zip(names) {
        let Some([low, high]) = measured.interval() else { continue };
        known = true;
        let difference = (measured.value - column.mean) / column.sd;
        let beyond = column.mean < low || column.mean > high;
        close &= low >= column.mean - CLOSE * column.sd && high <= column.mean + CLOSE * column.sd;
        if beyond && difference.is_finite() && difference.abs() >= WORTH_MENTIONING {
            differences.push((difference, name));
        }
    }
    differences.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
    let words = |(difference, name): &(f64, &str)| {
        let much = if difference.abs() >= MUCH { "much " } else { "" };
        format!("{much}{} {name}", if *difference > 0.0 { "higher" } else { "lower" })
    };
    match differences.as_slice() {
        [] if known && names.len() <= 8 && !matches!(cluster.values[0].margin, Margin::LastStep(_)) => {
            // A wide interval that contains the average is no sign of being near it.
            if close { "close to the average" } else { "no clear difference from the average" }.into()
        }
        [] => String::new(),
        found => {
            let found: Vec<String> = found.iter().take(MOST).map(words).collect();
            format!("{} than average", found.join(", "))
        }
    }
}
