//! `shoal consortium cluster`: clusters of codes, as lists of their members.

use std::path::Path;

use shoal::Error;
use shoal::consortium::{ConsortiumError, Group};

use super::codes::Given;
use crate::arguments::consortium::cluster::ConsortiumClusterArgs;
use crate::arguments::{Format, Shown};
use crate::failure::Failure;
use crate::library::failed;
use crate::show::bars::Bars;
use crate::show::consortium::cluster::ClusterText;
use crate::show::output;

/// Clusters codes.
pub fn run(args: &ConsortiumClusterArgs, shown: &Shown) -> Result<(), Failure> {
    let job = set_up(args, shown);
    job.check().map_err(refused)?;
    check_out(args.out.as_deref())?;
    let given = Given::new(&args.codes, shown);
    let place = given.claim(args.out.as_deref())?;
    let pooled = given.read(&args.codes, shown)?;
    let grouped = job.run(&pooled).map_err(refused)?;
    let text = ClusterText { method: job.method(), pooled: &pooled, grouped: &grouped };
    if shown.format == Format::Json {
        output::json(&text.json())?;
    } else {
        output::print(&output::wrapped(&text.text(shown)))?;
    }
    if let Some(place) = place {
        let path = place.write_with(|out| text.labels(out))?;
        if !shown.quiet {
            eprintln!("written: {}", path.display());
        }
    }
    Ok(())
}

/// The clustering that the command line asks for.
fn set_up(args: &ConsortiumClusterArgs, shown: &Shown) -> Group {
    let mut job = Group::new(args.method.unwrap_or_default()).watch(Bars::new(shown));
    if let Some(k) = args.k {
        job = job.k(k);
    }
    if let Some(metric) = args.metric {
        job = job.metric(metric);
    }
    if let Some(own) = args.knobs.own_record {
        job = job.own_record(own);
    }
    if let Some(starts) = args.knobs.starts {
        job = job.starts(starts as usize);
    }
    if let Some(iterations) = args.knobs.iterations {
        job = job.iterations(iterations as usize);
    }
    if let Some(radius) = args.knobs.radius {
        job = job.radius(radius);
    }
    if let Some(min_points) = args.knobs.min_points {
        job = job.min_points(min_points as usize);
    }
    if let Some(linkage) = args.knobs.linkage {
        job = job.linkage(linkage);
    }
    if let Some(height) = args.knobs.height {
        job = job.height(height);
    }
    if let Some(seed) = args.seed {
        job = job.seed(seed);
    }
    if let Some(threads) = shown.threads {
        job = job.threads(threads.get());
    }
    job
}

/// A refusal that names the command which helps.
fn refused(error: Error) -> Failure {
    match error {
        Error::Consortium(ConsortiumError::RadiusNeeded) => {
            let code = error.code();
            let text = "dbscan needs --radius, a distance; `shoal consortium distances` shows which there are";
            Failure::usage(text).with_code(code)
        }
        error => failed(error),
    }
}

/// Labels are text, in a file of their own.
fn check_out(out: Option<&Path>) -> Result<(), Failure> {
    let Some(out) = out else { return Ok(()) };
    if out == Path::new("-") {
        return Err(Failure::usage(
            "labels go to a file: give --out labels.csv; without it the clusters are printed, with --format json the labels as well",
        ));
    }
    match out.extension() {
        Some(ending) if ending.eq_ignore_ascii_case("parquet") || ending.eq_ignore_ascii_case("gz") => {
            Err(Failure::usage("labels are written as CSV: give --out labels.csv"))
        }
        _ => Ok(()),
    }
}
