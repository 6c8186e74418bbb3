//! What is said about decoded distances.

use serde_json::{Value, json};
use shoal_consortium::aggregator::Decoder;
use shoal_consortium::codes_file::FilePart;
use shoal_page::text::plural;

use super::noise::{mostly_noise, unreached_text, warnings};
use super::promised;
use crate::arguments::Shown;
use crate::pool::codes::{Combined, Pool, size};
use crate::show::output::Table;

/// Attributes whose error is shown on the screen.
const MOST_SHOWN: usize = 8;

/// How sure Theorem 6 is asked to be.
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

fn name(pool: &Pool, combined: Combined) -> &'static str {
    match (combined, pool.file.terms.dims()) {
        (Combined::Root, _) => "eq19",
        (Combined::Sum, 1) => "eq11",
        (Combined::Sum, _) => "hamming-sum",
    }
}

/// Which rows are whose, counted from 1 over all files.
pub fn rows(pool: &Pool) -> String {
    let told = row_ranges(pool).into_iter().map(|(name, first, last, bridge)| {
        let made_up = match bridge {
            0 => String::new(),
            bridge => format!(" (the last {bridge} of them made up)"),
        };
        format!("{name} has {first} to {last}{made_up}")
    });
    told.collect::<Vec<_>>().join(", ")
}

/// For each file its name, its first and last row from 1 over all files, and how many of the last ones are made up.
fn row_ranges<'a>(pool: &'a Pool) -> Vec<(&'a str, usize, usize, usize)> {
    let mut before = 0;
    let range = |(part, name): (&FilePart, &'a String)| {
        let rows = part.paired_records.map_or(part.rows, |records| records as usize);
        before += rows;
        (name.as_str(), before - rows + 1, before, part.bridge)
    };
    pool.file.parts.iter().zip(&pool.names).map(range).collect()
}

/// What is said about decoded distances.
pub struct Told<'a> {
    pub pool: &'a Pool,
    pub combined: Combined,
    pub summary: Option<Summary>,
    pub unreached: Option<f64>,
}

impl Told<'_> {
    pub fn text(&self, shown: &Shown) -> String {
        let pool = self.pool;
        let terms = &pool.file.terms;
        let files = match pool.file.parts.len() {
            1 => String::new(),
            files => format!(" in {files} files"),
        };
        let mut text = format!("{}{files}: {}\n", plural(pool.len(), "record"), promised::terms(terms));
        match &self.summary {
            Some(Summary { count, least, median, most }) => text.push_str(&format!(
                "{} ({}): least {least:.4}, median {median:.4}, largest {most:.4}\n",
                plural(*count, "distance"),
                name(pool, self.combined)
            )),
            None => text.push_str("One record has no distance to another.\n"),
        }
        text.extend(unreached_text(self.unreached));
        if !shown.quiet {
            text.push_str(&format!("Rows are counted from 1 over all files: {}.\n", rows(pool)));
            text.push_str(&format!("A table of all of them takes {} of memory.\n\n", size(pool.bytes_of_all())));
            let heading = ["attribute", "told up to", "sd at 0", "sd at the most", "error in 95 % (Thm 6)"];
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
        mostly_noise(terms).iter().for_each(|warning| text.push_str(&format!("{warning}\n")));
        text.push_str(&format!("\n{}\n", promised::sentence(&pool.file.promise)));
        text
    }

    pub fn json(&self) -> Value {
        let pool = self.pool;
        let terms = &pool.file.terms;
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
            "records": pool.len(),
            "files": row_ranges(pool).into_iter().map(|(name, first, last, bridge)| json!({
                "name": name, "first_row": first, "last_row": last, "bridge": bridge,
            })).collect::<Vec<_>>(),
            "method": name(pool, self.combined),
            "distances": self.summary.as_ref().map(|s| json!({
                "count": s.count, "least": s.least, "median": s.median, "largest": s.most,
            })),
            "unreached_share": self.unreached,
            "bytes_of_all": pool.bytes_of_all(),
            "errors": (0..terms.dims()).map(decoder).collect::<Vec<_>>(),
            "promise": promised::json(&pool.file.promise, &pool.file.terms, None),
            "warnings": warnings(pool),
            "seeded": pool.file.seeded,
            "shoal": env!("CARGO_PKG_VERSION"),
        })
    }
}
