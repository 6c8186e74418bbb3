//! `shoal consortium cluster`: clusters of codes, told by their members.

use std::path::{Path, PathBuf};

use shoal_consortium::aggregator::{HammingSum, Horizontal};
use shoal_kernel::{Dbscan, Dendrogram, Distances, KCluster, Linkage, OwnRecord, ToClusters, WithOwn};
use shoal_noise::{NoiseSource, OsNoise, SeededNoise};
use shoal_page::text::plural;

use crate::arguments::consortium::cluster::{ConsortiumClusterArgs, GroupingArg, MetricArg};
use crate::arguments::{Format, Shown};
use crate::failure::Failure;
use crate::place::ClaimedPlace;
use crate::pool::codes::{Combined, Pool};
use crate::pool::found::Found;
use crate::show::consortium::cluster::Told;
use crate::show::output;
use crate::show::progress::Bar;

/// Above so many records the table of all pairs is left to those who ask for it.
const MANY: usize = 5000;

/// Clusters codes.
pub fn run(args: &ConsortiumClusterArgs, shown: &Shown) -> Result<(), Failure> {
    check_options(args)?;
    check_out(args.out.as_deref())?;
    let pool = Pool::read(&args.codes, shown)?;
    if let Some(k) = args.k.filter(|k| *k > pool.len()) {
        return Err(Failure::refused(format!(
            "{} cannot be made of {}; ask for fewer",
            plural(k, "cluster"),
            plural(pool.len(), "record")
        )));
    }
    let many = pool.is_plain() && pool.len() > MANY && args.method != GroupingArg::Hierarchical;
    let metric = match args.metric {
        Some(metric) => metric,
        // With one attribute there is nothing to combine: decoded distances are averaged (eq. 16) and compared with a
        // radius (eq. 12) as they are, also below zero.
        None if pool.is_plain() && pool.file.terms.dims() == 1 => MetricArg::HammingSum,
        None if many => MetricArg::HammingSum,
        None => MetricArg::Eq19,
    };
    let by_size = args.metric.is_none() && many && pool.file.terms.dims() > 1;
    let inputs: Vec<_> = pool.inputs.iter().map(PathBuf::as_path).collect();
    let place = args.out.as_deref().map(|path| ClaimedPlace::new(path, &inputs)).transpose()?;
    crate::threads::start(shown)?;
    // Only starts are drawn: no promise rests on them, so a seed takes none away.
    let mut random: Box<dyn NoiseSource> = match args.seed {
        Some(seed) => Box::new(SeededNoise::new(seed)),
        None => Box::new(OsNoise::new()?),
    };
    let waiting = Bar::waiting("clustering", shown);
    let found = if pool.is_plain() && metric == MetricArg::HammingSum && args.method != GroupingArg::Hierarchical {
        // Sums to clusters come from counts of bits: no table of all pairs.
        group(&HammingSum::new(&pool.file.terms, pool.codes())?, args, &mut *random)?
    } else {
        let combined = if metric == MetricArg::Eq19 { Combined::Root } else { Combined::Sum };
        let instead = if pool.is_plain() && args.method != GroupingArg::Hierarchical {
            "cluster with --metric hamming-sum, which keeps no such table"
        } else {
            "give fewer records"
        };
        let distances = pool.distances(combined, instead)?;
        let own = match (pool.is_plain(), metric) {
            (true, MetricArg::Eq19) => Horizontal::new(&pool.file.terms, pool.codes())?.own_distance(),
            (true, MetricArg::HammingSum) => HammingSum::new(&pool.file.terms, pool.codes())?.own_distance(),
            (false, _) => 0.0,
        };
        if args.method == GroupingArg::Hierarchical {
            let labels = tree(distances.clone(), args)?;
            Found::of(&WithOwn { distances: &distances, own }, labels, None)
        } else {
            let with_own = WithOwn { distances: &distances, own };
            match args.method {
                GroupingArg::Dbscan => Found::of(&with_own, dense(&distances, args)?, None),
                _ => kcluster(&with_own, args, &mut *random)?,
            }
        }
    };
    waiting.finish();
    let told = Told { args, pool: &pool, found: &found, metric, by_size, unreached: pool.unreached()? };
    if shown.format == Format::Json {
        output::json(&told.json())?;
    } else {
        output::print(&output::wrapped(&told.text(shown)))?;
    }
    if let Some(place) = place {
        let path = place.write_with(|out| told.labels(out))?;
        if !shown.quiet {
            eprintln!("written: {}", path.display());
        }
    }
    Ok(())
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

/// Options that the chosen method does not have are refused rather than ignored.
fn check_options(args: &ConsortiumClusterArgs) -> Result<(), Failure> {
    let own: &[&str] = match args.method {
        GroupingArg::Kcluster => &["own-record", "starts", "iterations"],
        GroupingArg::Dbscan => &["radius", "min-points"],
        GroupingArg::Hierarchical => &["linkage", "height"],
    };
    let name = args.method.name();
    if let Some(option) = args.knobs.given().into_iter().find(|option| !own.contains(option)) {
        return Err(Failure::usage(format!(
            "--{option} is no option of {name}; leave it out, or choose another --method"
        )));
    }
    match (args.method, args.k, args.knobs.radius, args.knobs.height) {
        (GroupingArg::Kcluster, None, _, _) => {
            Err(Failure::usage("the number of clusters is needed: give -k, for example -k 5"))
        }
        (GroupingArg::Hierarchical, None, _, None) => {
            Err(Failure::usage("where to cut the tree is needed: give -k, or --height, a distance"))
        }
        (GroupingArg::Dbscan, Some(_), _, _) => {
            Err(Failure::usage("dbscan finds the number of clusters itself; leave -k out"))
        }
        (GroupingArg::Dbscan, _, None, _) => {
            Err(Failure::usage("dbscan needs --radius, a distance; `shoal consortium distances` tells which there are"))
        }
        _ if args.codes.consistency != crate::arguments::consortium::codes::ConsistencyArg::None
            && args.knobs.own_record == Some(OwnRecord::AsPrinted) =>
        {
            Err(Failure::usage("--own-record as-printed is for distances as decoded; leave --consistency out"))
        }
        _ if args.codes.own.is_some() && args.knobs.own_record == Some(OwnRecord::AsPrinted) => {
            Err(Failure::usage("--own-record as-printed is for codes alone; leave it out beside --own"))
        }
        _ => Ok(()),
    }
}

fn group(
    codes: &(impl ToClusters + Distances),
    args: &ConsortiumClusterArgs,
    random: &mut dyn NoiseSource,
) -> Result<Found, Failure> {
    match args.method {
        GroupingArg::Dbscan => Ok(Found::of(codes, dense(codes, args)?, None)),
        _ => kcluster(codes, args, random),
    }
}

fn kcluster(
    records: &impl ToClusters,
    args: &ConsortiumClusterArgs,
    random: &mut dyn NoiseSource,
) -> Result<Found, Failure> {
    let own = args.knobs.own_record.unwrap_or(OwnRecord::LeftOut);
    let how = KCluster {
        k: args.k.unwrap_or(1),
        own,
        iterations: args.knobs.iterations.unwrap_or(100) as usize,
        starts: args.knobs.starts.unwrap_or(20) as usize,
    };
    let found = how.run(records, random)?;
    let labels = found.labels.iter().copied().map(Some).collect();
    Ok(Found::of(records, labels, Some((found.objective, found.converged))))
}

fn dense(distances: &impl Distances, args: &ConsortiumClusterArgs) -> Result<Vec<Option<u32>>, Failure> {
    let how =
        Dbscan { epsilon: args.knobs.radius.unwrap_or(0.0), min_points: args.knobs.min_points.unwrap_or(5) as usize };
    Ok(how.run(distances).map_err(Failure::usage)?.labels)
}

fn tree(distances: shoal_kernel::Condensed, args: &ConsortiumClusterArgs) -> Result<Vec<Option<u32>>, Failure> {
    let linkage = args.knobs.linkage.unwrap_or(Linkage::Average);
    let tree = Dendrogram::of(distances, linkage)?;
    let labels = match (args.k, args.knobs.height) {
        (Some(k), _) => tree.cut_into(k)?,
        (None, height) => tree.cut_at(height.unwrap_or(0.0)),
    };
    Ok(labels.into_iter().map(Some).collect())
}
