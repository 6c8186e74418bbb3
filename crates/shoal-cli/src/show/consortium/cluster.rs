//! A clustering of codes, on the screen and in files.

use std::io::{BufWriter, Write};

use serde_json::{Value, json};
use shoal::consortium::{ClusterOfRecords, Grouped, Grouping, Metric, Pooled};
use shoal_consortium::codes_file::FilePart;
use shoal_consortium::{Flips, Promise};
use shoal_page::text::{csv_cell, plural};

use super::noise::{mostly_noise, unreached_text, warnings};
use super::promised;
use crate::arguments::Shown;
use crate::show::output::Table;

/// Clusters shown on the screen.
const MOST_SHOWN: usize = 30;

/// A clustering and the codes that it is of.
pub struct ClusterText<'a> {
    pub method: Grouping,
    pub pooled: &'a Pooled,
    pub grouped: &'a Grouped,
}

impl ClusterText<'_> {
    fn metric_in_words(&self) -> &'static str {
        match self.grouped.metric {
            Metric::Eq11 => "distances of the one column (eq11)",
            Metric::Eq19 => "the root of squared distances (eq19)",
            Metric::Eq19Unbiased => "the root of squared distances without what noise adds (eq19-unbiased)",
            _ => "the sum of distances (hamming-sum)",
        }
    }

    pub fn text(&self, shown: &Shown) -> String {
        let Self { pooled, grouped, .. } = self;
        let files = match pooled.names() {
            [one] => one.clone(),
            files => format!("{} files", files.len()),
        };
        let mut text = format!(
            "{} of {} in {files}, {}, method {} on {}\n\n",
            plural(grouped.clusters.len(), "cluster"),
            plural(pooled.records(), "record"),
            promised::terms(pooled.terms()),
            self.method.name(),
            self.metric_in_words()
        );
        let number = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.4}"));
        let mut table = Table::new(&["cluster", "size", "distance within", "to the next", "representative"]);
        for (i, cluster) in grouped.clusters.iter().enumerate().take(MOST_SHOWN) {
            let (file, row) = pooled.place(cluster.representative);
            let id = pooled.id(cluster.representative).map_or(String::new(), |id| format!(" ({id})"));
            table.row([
                (i + 1).to_string(),
                cluster.size.to_string(),
                number(cluster.within),
                number(cluster.next),
                format!("{file}, row {row}{id}"),
            ]);
        }
        text.push_str(&table.to_string());
        let more = grouped.clusters.len().saturating_sub(MOST_SHOWN);
        if more > 0 {
            text.push_str(&format!("  … and {more} more, in --out and --format json\n"));
        }
        if grouped.unclustered() > 0 {
            text.push_str(&format!("{} in no cluster.\n", plural(grouped.unclustered(), "record")));
        }
        if let Some(objective) = grouped.objective {
            text.push_str(&format!("\nObjective (eq. 17): {objective:.4}.\n"));
            if grouped.converged == Some(false) && !shown.quiet {
                text.push_str("The best start had not converged; more --iterations may help.\n");
            }
        }
        if !shown.quiet {
            text.push_str(
                "Distances are decoded averages: with noise in the bits they can be far off, and below zero.\n",
            );
            if grouped.metric_by_size {
                text.push_str(
                    "With so many records the metric is hamming-sum, which keeps no table of all pairs; --metric eq19 keeps one.\n",
                );
            }
        }
        text.extend(unreached_text(grouped.unreached));
        mostly_noise(pooled).iter().for_each(|warning| text.push_str(&format!("{warning}\n")));
        text.push_str(&format!("\n{}\n", promised::sentence(pooled.promise())));
        if !shown.quiet {
            let parts = pooled.file().parts.iter().zip(pooled.names());
            let said = parts.filter(|(part, _)| is_less(part, pooled.promise()));
            for (name, claim) in said.take(4).filter_map(|(part, name)| Some((name, part.said.claim()?))) {
                text.push_str(&format!(
                    "That is the worst case over all anchors; the custodian of {name}, who knows them, says {}.\n",
                    claim.loss.symbols()
                ));
            }
            if *pooled.terms().flips() != Flips::None && !pooled.file().seeded {
                text.push_str("Spent: nothing; every bit was flipped before the codes were sent.\n");
            }
        }
        text
    }

    pub fn json(&self) -> Value {
        let Self { pooled, grouped, .. } = self;
        let cluster = |(i, cluster): (usize, &ClusterOfRecords)| {
            let (file, row) = pooled.place(cluster.representative);
            json!({
                "cluster": i + 1,
                "size": cluster.size,
                "distance_within": cluster.within,
                "distance_to_next": cluster.next,
                "representative": {"file": file, "row": row, "id": pooled.id(cluster.representative)},
            })
        };
        json!({
            "method": self.method.name(),
            "metric": grouped.metric.name(),
            "records": pooled.records(),
            "unclustered": grouped.unclustered(),
            "labels": grouped.labels.iter().map(|label| label.map(|label| label + 1)).collect::<Vec<_>>(),
            "clusters": grouped.clusters.iter().enumerate().map(cluster).collect::<Vec<_>>(),
            "objective": grouped.objective,
            "converged": grouped.converged,
            "files": pooled.file().parts.iter().zip(pooled.names()).map(|(part, name)| json!({
                "name": name, "rows": part.rows, "bridge": part.bridge, "said": part.said,
            })).collect::<Vec<_>>(),
            "terms": pooled.terms(),
            "fingerprint": pooled.file().fingerprint,
            "promise": promised::json(pooled.promise(), pooled.terms(), None),
            "unreached_share": grouped.unreached,
            "warnings": warnings(pooled),
            "seeded": pooled.file().seeded,
            "shoal": env!("CARGO_PKG_VERSION"),
        })
    }

    /// A row for each record: file, row in it from 1, cluster from 1, and its name where there is one.
    pub fn labels(&self, out: &mut impl Write) -> std::io::Result<()> {
        let pooled = self.pooled;
        let named = pooled.has_ids();
        let mut out = BufWriter::new(out);
        writeln!(out, "file,row,cluster{}", if named { ",id" } else { "" })?;
        for (record, label) in self.grouped.labels.iter().enumerate() {
            let (file, row) = pooled.place(record);
            let cluster = label.map_or(String::new(), |label| (label + 1).to_string());
            write!(out, "{},{row},{cluster}", csv_cell(file))?;
            if named {
                write!(out, ",{}", csv_cell(pooled.id(record).unwrap_or("")))?;
            }
            writeln!(out)?;
        }
        out.flush()
    }
}

/// Whether a custodian states that less is given away than the worst anchors would.
fn is_less(part: &FilePart, promise: &Promise) -> bool {
    let said = part.said.claim().map(|claim| &claim.loss);
    said != promise.guarantee.claim().map(|claim| &claim.loss)
}
