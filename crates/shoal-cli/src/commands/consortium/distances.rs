//! `shoal consortium distances`: what codes tell about how far records are from each other.

use std::path::{Path, PathBuf};

use shoal_consortium::aggregator::{HammingSum, Horizontal};
use shoal_consortium::write_distances;
use shoal_crowd::report_file::Form;

use crate::arguments::consortium::distances::{DecodingArg, DistancesArgs};
use crate::arguments::{Format, Shown};
use crate::failure::Failure;
use crate::place::ClaimedPlace;
use crate::pool::codes::{Combined, Pool};
use crate::show::consortium::distances::{Summary, Told, rows};
use crate::show::output;
use crate::show::progress::Bar;

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
    crate::threads::start(shown)?;
    let waiting = Bar::waiting("decoding", shown);
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
