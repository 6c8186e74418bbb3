//! What is said about a clustering of codes, on the screen and in files.

use std::io::{BufWriter, Write};

use serde_json::{Value, json};
use shoal::consortium::Terms;
use shoal::consortium::aggregator::Decoder;
use shoal::crowd::STEPS;

use super::super::summary::plural;
use super::codes::Pool;
use super::found::{ClusterLook, Found};
use super::promised;
use crate::arguments::Shown;
use crate::consortium_arguments::cluster::{ConsortiumClusterArgs, MetricArg};
use crate::output::Table;
use crate::table::short_name;

/// Clusters shown on the screen.
const MOST_SHOWN: usize = 30;

/// What is said about a clustering.
pub(super) struct Told<'a> {
    pub(super) args: &'a ConsortiumClusterArgs,
    pub(super) pool: &'a Pool,
    pub(super) found: &'a Found,
    pub(super) metric: MetricArg,
}

impl Told<'_> {
    fn metric(&self) -> &'static str {
        match self.metric {
            MetricArg::HammingSum if self.pool.file.terms.dims() == 1 => "eq11",
            MetricArg::Eq19 => "eq19",
            MetricArg::HammingSum => "hamming-sum",
        }
    }

    /// The file and the row in it, from 1.
    fn place(&self, record: usize) -> (String, usize) {
        let (part, row) = self.pool.file.place(self.pool.row(record));
        let name = self.pool.file.parts.get(part).map_or("", |part| &part.name);
        (short_name(name), row + 1)
    }

    pub(super) fn text(&self, shown: &Shown) -> String {
        let Self { args, pool, found, .. } = self;
        let files = match pool.file.parts.as_slice() {
            [one] => short_name(&one.name),
            files => format!("{} files", files.len()),
        };
        let mut text = format!(
            "{} of {} in {files}, {}, method {} on {}\n\n",
            plural(found.clusters.len(), "cluster"),
            plural(pool.len(), "record"),
            promised::terms(&pool.file.terms),
            args.method.name(),
            self.metric()
        );
        let number = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.4}"));
        let mut table = Table::new(&["cluster", "size", "distance within", "to the next", "representative"]);
        for (i, cluster) in found.clusters.iter().enumerate().take(MOST_SHOWN) {
            let (file, row) = self.place(cluster.representative);
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
            if let Some(times) = noise_in_ranges(&pool.file.terms).filter(|times| *times >= 1.0) {
                text.push_str(&format!(
                    "WARNING: the noise of a single decoded distance is {} times the whole range of its attribute, or more; clusters of so few bits, or so small an ε, are mostly noise.\n",
                    promised::short(times)
                ));
            }
        }
        text.push_str(&format!("\n{}\n", pool.file.promise.guarantee.sentence()));
        if !shown.quiet {
            let said = pool.file.parts.iter().filter(|part| part.said != pool.file.promise.guarantee);
            for part in said.take(4).filter_map(|part| Some((part, part.said.claim()?))) {
                text.push_str(&format!(
                    "Said by the custodian of {}, for the true anchors: {}.\n",
                    short_name(&part.0.name),
                    part.1.loss.symbols()
                ));
            }
            text.push_str("Spent: nothing; every bit was flipped before the codes were sent.\n");
        }
        text
    }

    pub(super) fn json(&self) -> Value {
        let Self { args, pool, found, .. } = self;
        let cluster = |(i, cluster): (usize, &ClusterLook)| {
            let (file, row) = self.place(cluster.representative);
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
            "clusters": found.clusters.iter().enumerate().map(cluster).collect::<Vec<_>>(),
            "objective": found.objective.map(|(objective, _)| objective),
            "converged": found.objective.map(|(_, converged)| converged),
            "files": pool.file.parts.iter().map(|part| json!({
                "name": part.name, "rows": part.rows, "bridge": part.bridge, "said": part.said,
            })).collect::<Vec<_>>(),
            "terms": pool.file.terms,
            "fingerprint": pool.file.fingerprint,
            "promise": promised::json(&pool.file.promise, &pool.file.terms, None),
            "seeded": pool.file.seeded,
            "shoal": env!("CARGO_PKG_VERSION"),
        })
    }

    /// A row for each record: file, row in it from 1, cluster from 1, and its name where there is one.
    pub(super) fn labels(&self, out: &mut impl Write) -> std::io::Result<()> {
        let pool = self.pool;
        let named = pool.file.parts.iter().any(|part| part.ids.is_some());
        let mut out = BufWriter::new(out);
        writeln!(out, "file,row,cluster{}", if named { ",id" } else { "" })?;
        for (record, label) in self.found.labels.iter().enumerate() {
            let (file, row) = self.place(record);
            let cluster = label.map_or(String::new(), |label| (label + 1).to_string());
            write!(out, "{},{row},{cluster}", cell(&file))?;
            if named {
                write!(out, ",{}", cell(pool.file.id(pool.row(record)).unwrap_or("")))?;
            }
            writeln!(out)?;
        }
        out.flush()
    }
}

/// The least standard deviation of an attribute's decoded distances, in ranges of the attribute.
fn noise_in_ranges(terms: &Terms) -> Option<f64> {
    let share = |i: usize| Decoder::of(terms, i).sd(0.0) / (terms.step(i) * STEPS as f64);
    (0..terms.dims()).map(share).min_by(f64::total_cmp)
}

/// A text as a cell of a CSV file.
fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into() }
}
