//! `shoal consortium distances`: what codes tell about how far records are from each other.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use shoal::consortium::aggregator::{Decoder, HammingSum, Horizontal};
use shoal::consortium::codes_file::FilePart;
use shoal::consortium::write_distances;
use shoal::crowd::report_file::Form;

use super::super::fit::start_threads;
use super::super::summary::plural;
use super::codes::{Combined, Pool, size};
use super::noise::{mostly_noise, unreached_text, warnings};
use super::promised;
use crate::arguments::{Format, Shown};
use crate::consortium_arguments::distances::{DecodingArg, DistancesArgs};
use crate::failure::Failure;
use crate::output::{self, ClaimedPlace, Table};
use crate::progress::Waiting;

/// Attributes whose error is shown on the screen.
const MOST_SHOWN: usize = 8;

/// How sure Theorem 6 is asked to be.
const BETA: f64 = 0.05;

/// Decodes distances.
pub fn run(args: &DistancesArgs, shown: &Shown) -> Result<(), Failure> {
    let asked = args.pairs.as_deref().map(parse_pairs).transpose()?;
    let form = args.out.as_deref().map(form).transpose()?;
    let pool = Pool::read(&args.codes, shown)?;
    let combined = match (args.method, pool.file.terms.dims()) {
        (Some(DecodingArg::Eq11), dims) if dims > 1 => {
            return Err(Failure::usage(format!(
                "eq11 is for one attribute, and these codes have {dims}; use eq19 or hamming-sum"
            )));
        }
        (Some(DecodingArg::Eq19), _) => Combined::Root,
        (Some(_), _) => Combined::Sum,
        // What the aggregator's own attributes add is added as squares.
        (None, 1) if pool.is_plain() => Combined::Sum,
        (None, _) => Combined::Root,
    };
    let inputs: Vec<_> = pool.inputs.iter().map(PathBuf::as_path).collect();
    let place = args.out.as_deref().map(|path| ClaimedPlace::new(path, &inputs)).transpose()?;
    start_threads(shown)?;
    let waiting = Waiting::new("decoding", shown);
    let found: Vec<(usize, usize, f64)> = match &asked {
        Some(pairs) => some(&pool, combined, pairs)?,
        None => {
            let instead = if pool.is_plain() { "ask for some of them with --pairs" } else { "give fewer records" };
            let all = pool.distances(combined, instead)?;
            let n = pool.len();
            let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
            pairs.zip(all.into_vec()).map(|((i, j), d)| (pool.row(i) + 1, pool.row(j) + 1, d)).collect()
        }
    };
    waiting.finish();
    let told = Told { pool: &pool, combined, summary: Summary::of(&found), unreached: pool.unreached()? };
    if shown.format == Format::Json {
        output::json(&told.json())?;
    } else {
        output::print(&output::wrapped(&told.text(shown)))?;
    }
    if let (Some(place), Some(form)) = (place, form) {
        let path = place.write_with(|out| write_distances(out, form, found.into_iter()).map(|_| ()))?;
        if !shown.quiet {
            eprintln!("written: {}", path.display());
        }
    }
    Ok(())
}

/// Text or Parquet, by the ending of a file's name.
fn form(path: &Path) -> Result<Form, Failure> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        _ if path == Path::new("-") => Err(Failure::usage(
            "distances go to a file: give --out distances.csv or --out distances.parquet; without it a summary is printed",
        )),
        Some("csv" | "parquet") => Ok(Form::of(path)),
        _ => Err(Failure::usage(format!(
            "distances are written as text to a name that ends in .csv, and as Parquet to one that ends in .parquet; {} ends in neither",
            path.display()
        ))),
    }
}

/// `1,2;1,3` as pairs.
fn parse_pairs(text: &str) -> Result<Vec<(usize, usize)>, Failure> {
    let pair = |part: &str| {
        let (i, j) = part.split_once(',')?;
        Some((i.trim().parse().ok()?, j.trim().parse().ok()?))
    };
    let parts = text.split(';').map(str::trim).filter(|part| !part.is_empty());
    let pairs: Option<Vec<_>> = parts.map(pair).collect();
    pairs.filter(|pairs| !pairs.is_empty()).ok_or_else(|| {
        Failure::usage("--pairs takes rows as numbers from 1, two for each pair, for example --pairs '1,2;1,3'")
    })
}

/// The distances of the pairs asked for, by their rows.
fn some(pool: &Pool, combined: Combined, pairs: &[(usize, usize)]) -> Result<Vec<(usize, usize, f64)>, Failure> {
    let records: std::collections::HashMap<usize, usize> = (0..pool.len()).map(|i| (pool.row(i) + 1, i)).collect();
    let record = |row: usize| {
        records.get(&row).copied().ok_or_else(|| {
            Failure::usage(format!("there is no record in row {row}; rows count from 1 over all files: {}", rows(pool)))
        })
    };
    let terms = &pool.file.terms;
    let plain = match (pool.is_plain(), combined) {
        (true, Combined::Root) => Some(Ok(Horizontal::new(terms, pool.codes())?)),
        (true, Combined::Sum) => Some(Err(HammingSum::new(terms, pool.codes())?)),
        (false, _) => None,
    };
    let all = if plain.is_none() { Some(pool.distances(combined, "give fewer records")?) } else { None };
    let mut found = Vec::new();
    for &(i, j) in pairs {
        let (a, b) = (record(i)?, record(j)?);
        if a == b {
            return Err(Failure::usage(format!(
                "the distance of row {i} to itself is not asked of codes; name two rows"
            )));
        }
        let distance = match (&plain, &all) {
            (Some(Ok(root)), _) => root.pair(a, b),
            (Some(Err(sum)), _) => sum.pair(a, b),
            (None, Some(all)) => all.get(a, b),
            // One of both is always there.
            (None, None) => f64::NAN,
        };
        found.push((i, j, distance));
    }
    Ok(found)
}

/// Some numbers about many.
struct Summary {
    count: usize,
    least: f64,
    median: f64,
    most: f64,
}

impl Summary {
    fn of(found: &[(usize, usize, f64)]) -> Option<Self> {
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
fn rows(pool: &Pool) -> String {
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
struct Told<'a> {
    pool: &'a Pool,
    combined: Combined,
    summary: Option<Summary>,
    unreached: Option<f64>,
}

impl Told<'_> {
    fn text(&self, shown: &Shown) -> String {
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

    fn json(&self) -> Value {
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
            "promise": promised::json(&pool.file.promise, None),
            "warnings": warnings(pool),
            "seeded": pool.file.seeded,
            "shoal": env!("CARGO_PKG_VERSION"),
        })
    }
}
