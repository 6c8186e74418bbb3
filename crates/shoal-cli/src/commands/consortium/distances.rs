//! `shoal consortium distances`: distances between records, decoded from their codes.

use std::path::Path;

use shoal::consortium::Decode;
use shoal_consortium::write_distances;
use shoal_files::Form;

use super::codes::Given;
use crate::arguments::consortium::distances::DistancesArgs;
use crate::arguments::{Format, Shown};
use crate::failure::Failure;
use crate::library::failed;
use crate::show::bars::Bars;
use crate::show::consortium::distances::DistancesText;
use crate::show::output;

/// Decodes distances.
pub fn run(args: &DistancesArgs, shown: &Shown) -> Result<(), Failure> {
    let pairs = args.pairs.as_deref().map(parse_pairs).transpose()?;
    let form = args.out.as_deref().map(form).transpose()?;
    let given = Given::new(&args.codes, shown);
    let place = given.claim(args.out.as_deref())?;
    let mut job = Decode::new().watch(Bars::new(shown));
    if let Some(metric) = args.method {
        job = job.metric(metric);
    }
    if let Some(pairs) = pairs {
        job = job.pairs(pairs);
    }
    if let Some(threads) = shown.threads {
        job = job.threads(threads.get());
    }
    let pooled = given.read(&args.codes, shown)?;
    let decoded = job.run(&pooled).map_err(failed)?;
    let text = DistancesText::new(&pooled, &decoded);
    if shown.format == Format::Json {
        output::json(&text.json())?;
    } else {
        output::print(&output::wrapped(&text.text(shown)))?;
    }
    if let (Some(place), Some(form)) = (place, form) {
        let path = place.write_with(|out| write_distances(out, form, decoded.distances.into_iter()).map(|_| ()))?;
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
