//! What is said about a clustering of codes, on the screen and in files.

use std::io::{BufWriter, Write};

use serde_json::{Value, json};
use shoal_consortium::codes_file::FilePart;
use shoal_consortium::{Flips, Promise};
use shoal_page::text::{csv_cell, plural};

use super::noise::{mostly_noise, unreached_text, warnings};
use super::promised;
use crate::arguments::Shown;
use crate::arguments::consortium::cluster::{ConsortiumClusterArgs, MetricArg};
use crate::pool::codes::Pool;
use crate::pool::found::{ClusterLook, Found};
use crate::show::output::Table;

/// Clusters shown on the screen.
const MOST_SHOWN: usize = 30;

/// What is said about a clustering.
pub struct Told<'a> {
    pub args: &'a ConsortiumClusterArgs,
    pub pool: &'a Pool,
    pub found: &'a Found,
    pub metric: MetricArg,
    /// It was chosen because the records are many.
    pub by_size: bool,
    pub unreached: Option<f64>,
}

impl Told<'_> {
    fn metric(&self) -> &'static str {
        match self.metric {
            MetricArg::HammingSum if self.pool.file.terms.dims() == 1 => "eq11",
            MetricArg::Eq19 => "eq19",
            MetricArg::HammingSum => "hamming-sum",
        }
    }

    fn metric_in_words(&self) -> &'static str {
        match self.metric {
            MetricArg::HammingSum if self.pool.file.terms.dims() == 1 => "distances of the one column (eq11)",
            MetricArg::Eq19 => "the root of squared distances (eq19)",
            MetricArg::HammingSum => "the sum of distances (hamming-sum)",
        }
    }

    pub fn text(&self, shown: &Shown) -> String {
        let Self { args, pool, found, .. } = self;
        let files = match pool.names.as_slice() {
            [one] => one.clone(),
            files => format!("{} files", files.len()),
        };
        let mut text = format!(
            "{} of {} in {files}, {}, method {} on {}\n\n",
            plural(found.clusters.len(), "cluster"),
            plural(pool.len(), "record"),
            promised::terms(&pool.file.terms),
            args.method.name(),
            self.metric_in_words()
        );
        let number = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.4}"));
        let mut table = Table::new(&["cluster", "size", "distance within", "to the next", "representative"]);
        for (i, cluster) in found.clusters.iter().enumerate().take(MOST_SHOWN) {
            let (file, row) = pool.place(cluster.representative);
            let id = pool.file.id(pool.row(cluster.representative)).map_or(String::new(), |id| format!(" ({id})"));
            table.row([
                (i + 1).to_string(),
                cluster.size.to_string(),
                number(cluster.within),
                number(cluster.next),
                format!("{file}, row {row}{id}"),
            ]);
        }
        text.push_str(&table.to_string());
        if found.clusters.len() > MOST_SHOWN {
            text.push_str(&format!("  … and {} more, in --out and --format json\n", found.clusters.len() - MOST_SHOWN));
        }
        if found.unclustered() > 0 {
            text.push_str(&format!("{} in no cluster.\n", plural(found.unclustered(), "record")));
        }
        if let Some((objective, converged)) = found.objective {
            text.push_str(&format!("\nObjective (eq. 17): {objective:.4}.\n"));
            if !converged && !shown.quiet {
                text.push_str("The best start had not come to rest; more --iterations may help.\n");
            }
        }
        if !shown.quiet {
            text.push_str(
                "Distances are decoded averages: with noise in the bits they can be far off, and below zero.\n",
            );
            if self.by_size {
                text.push_str(
                    "With so many records the metric is hamming-sum, which keeps no table of all pairs; --metric eq19 keeps one.\n",
                );
            }
        }
        text.extend(unreached_text(self.unreached));
        mostly_noise(&pool.file.terms).iter().for_each(|warning| text.push_str(&format!("{warning}\n")));
        text.push_str(&format!("\n{}\n", promised::sentence(&pool.file.promise)));
        if !shown.quiet {
            let parts = pool.file.parts.iter().zip(&pool.names);
            let said = parts.filter(|(part, _)| is_less(part, &pool.file.promise));
            for (name, claim) in said.take(4).filter_map(|(part, name)| Some((name, part.said.claim()?))) {
                text.push_str(&format!(
                    "That is the worst case over all anchors; the custodian of {name}, who knows them, says {}.\n",
                    claim.loss.symbols()
                ));
            }
            if *pool.file.terms.flips() != Flips::None && !pool.file.seeded {
                text.push_str("Spent: nothing; every bit was flipped before the codes were sent.\n");
            }
        }
        text
    }

    pub fn json(&self) -> Value {
        let Self { args, pool, found, .. } = self;
        let cluster = |(i, cluster): (usize, &ClusterLook)| {
            let (file, row) = pool.place(cluster.representative);
            json!({
                "cluster": i + 1,
                "size": cluster.size,
                "distance_within": cluster.within,
                "distance_to_next": cluster.next,
                "representative": {"file": file, "row": row, "id": pool.file.id(pool.row(cluster.representative))},
            })
        };
        json!({
            "method": args.method.name(),
            "metric": self.metric(),
            "records": pool.len(),
            "unclustered": found.unclustered(),
            "labels": found.labels.iter().map(|label| label.map(|label| label + 1)).collect::<Vec<_>>(),
            "clusters": found.clusters.iter().enumerate().map(cluster).collect::<Vec<_>>(),
            "objective": found.objective.map(|(objective, _)| objective),
            "converged": found.objective.map(|(_, converged)| converged),
            "files": pool.file.parts.iter().zip(&pool.names).map(|(part, name)| json!({
                "name": name, "rows": part.rows, "bridge": part.bridge, "said": part.said,
            })).collect::<Vec<_>>(),
            "terms": pool.file.terms,
            "fingerprint": pool.file.fingerprint,
            "promise": promised::json(&pool.file.promise, &pool.file.terms, None),
            "unreached_share": self.unreached,
            "warnings": warnings(pool),
            "seeded": pool.file.seeded,
            "shoal": env!("CARGO_PKG_VERSION"),
        })
    }

    /// A row for each record: file, row in it from 1, cluster from 1, and its name where there is one.
    pub fn labels(&self, out: &mut impl Write) -> std::io::Result<()> {
        let pool = self.pool;
        let named = pool.file.parts.iter().any(|part| part.ids.is_some());
        let mut out = BufWriter::new(out);
        writeln!(out, "file,row,cluster{}", if named { ",id" } else { "" })?;
        for (record, label) in self.found.labels.iter().enumerate() {
            let (file, row) = pool.place(record);
            let cluster = label.map_or(String::new(), |label| (label + 1).to_string());
            write!(out, "{},{row},{cluster}", csv_cell(file))?;
            if named {
                write!(out, ",{}", csv_cell(pool.file.id(pool.row(record)).unwrap_or("")))?;
            }
            writeln!(out)?;
        }
        out.flush()
    }
}

/// Whether a custodian says that less is given away than the worst anchors would.
fn is_less(part: &FilePart, promise: &Promise) -> bool {
    let said = part.said.claim().map(|claim| &claim.loss);
    said != promise.guarantee.claim().map(|claim| &claim.loss)
}
