//! What distinguishes a cluster: "higher age, much lower income than average".
//!
//! The average is that of the centres, weighted by size. A column is mentioned only if the centre's interval does not
//! contain the average, and if the difference matters: at least a quarter of the standard deviation of that column over
//! all rows (within and between clusters, or between them alone where the spread is not known). A stretched column is measured
//! after stretching, as its clusters were found.

use shoal_lattice::LatticeMap;

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
    let stretch = Stretch::of(model);
    let columns: Vec<Column> = (0..model.columns.len()).map(|i| Column::of(&clusters, i, &stretch)).collect();
    for cluster in &mut clusters {
        cluster.description = description(cluster, &columns, model, &stretch);
    }
    clusters
}

/// The scale on which columns are compared: their own, or the box where some are stretched.
struct Stretch(Option<LatticeMap>);

impl Stretch {
    fn of(model: &Model) -> Self {
        Self(model.stretched_map())
    }

    fn place(&self, column: usize, value: f64) -> f64 {
        self.0.as_ref().map_or(value, |map| map.to_box(column, value).0)
    }

    /// A short length around a value.
    fn length(&self, column: usize, around: f64, length: f64) -> f64 {
        let in_box = |map: &LatticeMap| map.length_in_box(column, map.to_box(column, around), length).0;
        self.0.as_ref().map_or(length, in_box)
    }
}

/// A column over all rows.
struct Column {
    mean: f64,
    sd: f64,
}

impl Column {
    fn of(clusters: &[ClusterFacts], i: usize, stretch: &Stretch) -> Self {
        // Clusters that are mostly noise have almost no rows, and their place says nothing.
        let counts = |cluster: &&ClusterFacts| cluster.reliance != Reliance::MostlyNoise;
        let of = |cluster: &ClusterFacts| {
            let weight = cluster.share.unwrap_or(1.0);
            let value = cluster.values[i].value;
            let sd = cluster.spread.as_ref().map_or(0.0, |spread| stretch.length(i, value, spread[i]));
            (weight, stretch.place(i, value), sd * sd)
        };
        let parts: Vec<(f64, f64, f64)> = clusters.iter().filter(counts).map(of).collect();
        let total: f64 = parts.iter().map(|(weight, ..)| weight).sum();
        let mean = parts.iter().map(|(weight, value, _)| weight * value).sum::<f64>() / total;
        let variance = parts.iter().map(|(weight, value, within)| weight * ((value - mean).powi(2) + within));
        Self { mean, sd: (variance.sum::<f64>() / total).sqrt() }
    }
}

fn description(cluster: &ClusterFacts, columns: &[Column], model: &Model, stretch: &Stretch) -> String {
    let names = &model.columns;
    if !matches!(cluster.reliance, Reliance::Stable | Reliance::Unknown | Reliance::Unstable) {
        return String::new();
    }
    let (mut known, mut close) = (false, true);
    let mut differences: Vec<(f64, usize)> = Vec::new();
    for (i, (measured, column)) in cluster.values.iter().zip(columns).enumerate() {
        let Some(ends) = measured.interval() else { continue };
        let [low, high] = ends.map(|end| stretch.place(i, end));
        known = true;
        let difference = (stretch.place(i, measured.value) - column.mean) / column.sd;
        let beyond = column.mean < low || column.mean > high;
        close &= low >= column.mean - CLOSE * column.sd && high <= column.mean + CLOSE * column.sd;
        if beyond && difference.is_finite() && difference.abs() >= WORTH_MENTIONING {
            differences.push((difference, i));
        }
    }
    differences.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
    let words = |(difference, column): &(f64, usize)| {
        let much = if difference.abs() >= MUCH { "much " } else { "" };
        // Of a level there are more rows or fewer.
        let [more, less] = if *column < model.numbers() { ["higher", "lower"] } else { ["more", "less"] };
        format!("{much}{} {}", if *difference > 0.0 { more } else { less }, names[*column])
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
