//! Decoded distances, on the screen and for programs.

use serde_json::{Value, json};
use shoal::consortium::{Bytes, Decoded, FileRows, Pooled};
use shoal_consortium::aggregator::Decoder;
use shoal_page::text::plural;

use super::noise::{mostly_noise, unreached_text, warnings};
use super::promised;
use crate::arguments::Shown;
use crate::show::output::Table;

/// Attributes whose error is shown on the screen.
const MOST_SHOWN: usize = 8;

/// The probability with which Theorem 6 may fail.
const BETA: f64 = 0.05;

/// Some numbers about many.
pub struct Summary {
    count: usize,
    least: f64,
    median: f64,
    most: f64,
}

impl Summary {
    pub fn of(found: &[(usize, usize, f64)]) -> Option<Self> {
        let mut values: Vec<f64> = found.iter().map(|(_, _, distance)| *distance).collect();
        let count = values.len();
        if count == 0 {
            return None;
        }
        let (_, median, _) = values.select_nth_unstable_by(count / 2, f64::total_cmp);
        let median = *median;
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Some(Self { count, least, median, most })
    }
}

/// Decoded distances and the codes that they are of.
pub struct DistancesText<'a> {
    pooled: &'a Pooled,
    decoded: &'a Decoded,
    summary: Option<Summary>,
}

impl<'a> DistancesText<'a> {
    pub fn new(pooled: &'a Pooled, decoded: &'a Decoded) -> Self {
        Self { pooled, decoded, summary: Summary::of(&decoded.distances) }
    }

    pub fn text(&self, shown: &Shown) -> String {
        let Self { pooled, decoded, .. } = self;
        let terms = pooled.terms();
        let files = match pooled.names().len() {
            1 => String::new(),
            files => format!(" in {files} files"),
        };
        let mut text = format!("{}{files}: {}\n", plural(pooled.records(), "record"), promised::terms(terms));
        match &self.summary {
            Some(Summary { count, least, median, most }) => text.push_str(&format!(
                "{} ({}): least {least:.4}, median {median:.4}, largest {most:.4}\n",
                plural(*count, "distance"),
                decoded.metric.name()
            )),
            None => text.push_str("One record has no distance to another.\n"),
        }
        text.extend(unreached_text(decoded.unreached));
        if !shown.quiet {
            let rows: Vec<String> = pooled.rows_of_files().iter().map(ToString::to_string).collect();
            text.push_str(&format!("Rows are counted from 1 over all files: {}.\n", rows.join(", ")));
            let bytes = Bytes(pooled.bytes_of_all());
            text.push_str(&format!("A table of all of them takes {bytes} of memory.\n\n"));
            let heading = ["attribute", "visible up to", "sd at 0", "sd at the most", "error in 95 % (Thm 6)"];
            let mut table = Table::new(&heading);
            for i in 0..terms.dims().min(MOST_SHOWN) {
                let decoder = Decoder::of(terms, i);
                let most = decoder.saturation();
                let numbers = [decoder.sd(0.0), decoder.sd(most), decoder.bound(BETA)];
                let cells = numbers.iter().map(|x| promised::short(*x));
                let first = [terms.attributes()[i].name.clone(), promised::short_down(most)];
                table.row(first.into_iter().chain(cells));
            }
            text.push_str(&table.to_string());
            if terms.dims() > MOST_SHOWN {
                text.push_str(&format!("  … and {} more attributes\n", terms.dims() - MOST_SHOWN));
            }
        }
        mostly_noise(pooled).iter().for_each(|warning| text.push_str(&format!("{warning}\n")));
        text.push_str(&format!("\n{}\n", promised::sentence(pooled.promise())));
        text
    }

    pub fn json(&self) -> Value {
        let Self { pooled, decoded, .. } = self;
        let terms = pooled.terms();
        let file = |rows: &FileRows| json!({ "name": rows.name, "first_row": rows.first, "last_row": rows.last, "bridge": rows.bridge });
        let decoder = |i: usize| {
            let decoder = Decoder::of(terms, i);
            json!({
                "attribute": terms.attributes()[i].name,
                "told_up_to": decoder.saturation(),
                "sd_at_0": decoder.sd(0.0),
                "sd_at_most": decoder.sd(decoder.saturation()),
                "theorem_6_at_95_percent": decoder.bound(BETA),
            })
        };
        json!({
            "records": pooled.records(),
            "files": pooled.rows_of_files().iter().map(file).collect::<Vec<_>>(),
            "method": decoded.metric.name(),
            "distances": self.summary.as_ref().map(|s| json!({
                "count": s.count, "least": s.least, "median": s.median, "largest": s.most,
            })),
            "unreached_share": decoded.unreached,
            "bytes_of_all": pooled.bytes_of_all(),
            "errors": (0..terms.dims()).map(decoder).collect::<Vec<_>>(),
            "promise": promised::json(pooled.promise(), terms, None),
            "warnings": warnings(pooled),
            "seeded": pooled.file().seeded,
            "shoal": env!("CARGO_PKG_VERSION"),
        })
    }
}
