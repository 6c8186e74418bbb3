//! How good the clusterings are: mean NICV of curator methods on a table, over many runs.
//!
//! Arguments: a table, k, methods (`baseline` is k-means without privacy, the best of 30 starts), budgets, runs. The
//! bounds are the table's own minima and maxima, and the design size is its number of rows, as in the papers: right
//! for measuring, wrong for releasing. A column called `label` is left out.
//!
//! Prints a line of CSV per method and budget: mean squared NICV, its standard error, the mean of NQC21's unsquared NICV,
//! its standard error, and seconds per run on one thread.

use std::time::Instant;

use rayon::prelude::*;
use shoal::curator::{DesignSize, Knobs, Settings, find_method, sphere_packing};
use shoal::data::{HALF_WIDTH, LatticePoints, PointStore};
use shoal::plain::{LatticeCentres, kmeans_from};
use shoal::scan::LocalScan;
use shoal::score::NicvAccumulator;
use shoal_bench::{Failure, mean, read};
use shoal_noise::SeededNoise;
use shoal_privacy::{Allowance, Delta};

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [path, k, methods, budgets, runs] = args.as_slice() else {
        return Err("usage: utility TABLE K METHOD,… EPSILON,… RUNS".into());
    };
    let (k, runs): (usize, u64) = (k.parse()?, runs.parse()?);
    let points = read(path)?;
    let name = std::path::Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
    println!("data,rows,dims,k,method,epsilon,runs,nicv,nicv_se,unsquared,unsquared_se,seconds");
    let line = |method: &str, epsilon: &str, scores: &[Score]| {
        let (squared, squared_se) = mean(scores.iter().map(|s| s.squared));
        let (unsquared, unsquared_se) = mean(scores.iter().map(|s| s.unsquared));
        let (seconds, _) = mean(scores.iter().map(|s| s.seconds));
        println!(
            "{name},{},{},{k},{method},{epsilon},{},{squared:.6},{squared_se:.6},{unsquared:.6},{unsquared_se:.6},{seconds:.3}",
            points.rows(),
            points.dims(),
            scores.len()
        );
    };
    for method in methods.split(',') {
        if method == "baseline" {
            line(method, "", &[baseline(&points, k)?]);
            continue;
        }
        for epsilon in budgets.split(',') {
            let scores: Result<Vec<Score>, Failure> =
                (0..runs).into_par_iter().map(|seed| run(&points, method, k, epsilon, seed)).collect();
            line(method, epsilon, &scores?);
        }
    }
    Ok(())
}

struct Score {
    squared: f64,
    unsquared: f64,
    seconds: f64,
}

fn run(points: &LatticePoints, method: &str, k: usize, epsilon: &str, seed: u64) -> Result<Score, Failure> {
    let info = find_method(method).ok_or_else(|| format!("there is no method {method}"))?;
    let size = DesignSize::Public(points.rows() as u64);
    let epsilon = epsilon.parse().map_err(|error| format!("{epsilon}: {error}"))?;
    let system =
        info.build(&Settings { k, epsilon, delta: Delta::ZERO, size, knobs: Knobs::default() }, points.dims())?;
    let scan = LocalScan::new(PointStore::InMemory(copy(points)));
    let start = Instant::now();
    let outcome = system.run(&scan, Allowance::without_ledger(system.claim()), &mut SeededNoise::new(seed))?;
    score(points, &outcome.centres.concat(), start.elapsed().as_secs_f64())
}

/// Rows cannot be cloned by accident; here it is no accident.
fn copy(points: &LatticePoints) -> LatticePoints {
    let mut copy = LatticePoints::with_capacity(points.dims(), points.rows());
    let mut row = vec![0; points.dims()];
    for r in 0..points.rows() {
        points.copy_row(r, &mut row);
        copy.push_row(&row);
    }
    copy
}

/// SCL16's baseline: the best of 30 starts of k-means.
fn baseline(points: &LatticePoints, k: usize) -> Result<Score, Failure> {
    let mut noise = SeededNoise::new(0);
    let dims = points.dims();
    let starts: Vec<_> =
        (0..30).map(|_| LatticeCentres::from_unit(dims, &sphere_packing(k, dims, &mut noise))).collect();
    let start = Instant::now();
    let runs = kmeans_from(points, None, &starts, 300);
    let best = runs.into_iter().min_by(|a, b| a.cost.total_cmp(&b.cost)).ok_or("there is no start")?;
    score(points, &best.centres, start.elapsed().as_secs_f64())
}

fn score(points: &LatticePoints, centres: &[f64], seconds: f64) -> Result<Score, Failure> {
    let mut nicv = NicvAccumulator::new(centres, points.dims())?;
    let mut lattice = vec![0; points.dims()];
    for r in 0..points.rows() {
        points.copy_row(r, &mut lattice);
        let row: Vec<f64> = lattice.iter().map(|&x| f64::from(x) / f64::from(HALF_WIDTH)).collect();
        nicv.add_row(&row)?;
    }
    Ok(Score { squared: nicv.squared()?, unsquared: nicv.unsquared()?, seconds })
}
