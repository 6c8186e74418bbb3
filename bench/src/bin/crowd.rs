//! How good the clusterings of reports are: mean NICV on the true records, over many runs.
//!
//! Arguments: a table or `gauss:ROWS,ATTRIBUTES`, k, ways, budgets, runs. A way is a server method and a mechanism,
//! `noise-aware@bpm`, with an optional radius, `kmeans@bpm:0.5`. Server methods: `noise-aware`, `noise-aware-points` (no
//! cluster width), `noise-aware-widths` (a width per cluster), `likelihood` (no prior), `tk-means`, `kmeans`. Every
//! mechanism keeps the same promise, ε per unit of Euclidean distance, but `laplace`, which keeps ε for any two records.
//!
//! The bounds are the table's own minima and maxima: right for measuring, wrong for releasing. A column called `label` is
//! left out. `gauss` draws new clusters in each run: k centres in [0.15, 0.85]^d, at least 0.2·√d apart, with records
//! scattered about them with standard deviation 0.04. Seeds are the numbers of the runs.
//!
//! Prints a line of CSV per way and budget: mean NICV in widths², its standard error, that of one centre at the mean of the
//! records, that of k-means on the records, and seconds per run on one thread.

use std::time::Instant;

use rayon::prelude::*;
use shoal_bench::{Failure, design, gauss, mean, read, squared};
use shoal_crowd::server::noise_aware::{Estimate, NoiseAware, Prior, Width};
use shoal_crowd::server::tk_means::TkMeans;
use shoal_crowd::server::{Clusters, ReportPoints, kmeans_on_reports};
use shoal_device::Client;
use shoal_kernel::Restarts;
use shoal_lattice::{Lattice, STEPS, UnitPosition};
use shoal_noise::{NoiseSource, SeededNoise};

/// Starts of k-means, on records and on reports.
const STARTS: usize = 10;

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [source, k, ways, budgets, runs] = args.as_slice() else {
        return Err("usage: crowd TABLE|gauss:ROWS,ATTRIBUTES K WAY,… EPSILON,… RUNS".into());
    };
    let (k, runs): (usize, u64) = (k.parse()?, runs.parse()?);
    let records = Records::from(source)?;
    println!("data,k,way,epsilon,runs,nicv,nicv_se,one_centre,kmeans_on_records,seconds");
    for epsilon in budgets.split(',') {
        for way in ways.split(',') {
            let scores: Result<Vec<Score>, Failure> =
                (0..runs).into_par_iter().map(|seed| run(&records, k, way, epsilon, seed)).collect();
            let scores = scores?;
            let (nicv, nicv_se) = mean(scores.iter().map(|s| s.nicv));
            let (one, _) = mean(scores.iter().map(|s| s.one_centre));
            let (best, _) = mean(scores.iter().map(|s| s.kmeans));
            let (seconds, _) = mean(scores.iter().map(|s| s.seconds));
            let name = source.rsplit('/').next().unwrap_or(source).replace(',', "x");
            println!("{name},{k},{way},{epsilon},{runs},{nicv:.5},{nicv_se:.5},{one:.5},{best:.5},{seconds:.2}");
        }
    }
    Ok(())
}

struct Score {
    nicv: f64,
    one_centre: f64,
    kmeans: f64,
    seconds: f64,
}

/// Where the records come from.
enum Records {
    Table { dims: usize, steps: Vec<i64> },
    Gauss { rows: usize, dims: usize },
}

impl Records {
    fn from(source: &str) -> Result<Self, Failure> {
        if let Some(shape) = source.strip_prefix("gauss:") {
            let (rows, dims) = shape.split_once(',').ok_or("give gauss:ROWS,ATTRIBUTES")?;
            return Ok(Self::Gauss { rows: rows.parse()?, dims: dims.parse()? });
        }
        let points = read(source)?;
        let dims = points.dims();
        let at = |i: usize| Lattice(points.get(i / dims, i % dims)).in_steps().0;
        Ok(Self::Table { dims, steps: (0..points.rows() * dims).map(at).collect() })
    }

    /// The records of a run in lattice steps, one after the other.
    fn of_run(&self, k: usize, random: &mut SeededNoise) -> (usize, Vec<i64>) {
        let (rows, dims) = match self {
            Self::Table { dims, steps } => return (*dims, steps.clone()),
            Self::Gauss { rows, dims } => (*rows, *dims),
        };
        (dims, gauss(rows, dims, k, random))
    }
}

fn run(records: &Records, k: usize, way: &str, epsilon: &str, seed: u64) -> Result<Score, Failure> {
    let mut random = SeededNoise::new(seed);
    let (dims, steps) = records.of_run(k, &mut random);
    let (method, mechanism) = way.split_once('@').ok_or("a way is METHOD@MECHANISM")?;
    let client = Client::new(&design(mechanism, epsilon, dims)?)?;
    let mut reports = vec![0; steps.len()];
    for (record, report) in steps.chunks_exact(dims).zip(reports.chunks_exact_mut(dims)) {
        client.report(record, &mut random, report);
    }
    let to_widths = |steps: &[i64]| steps.iter().map(|&x| x as f64 / STEPS as f64).collect::<Vec<f64>>();
    let points = ReportPoints::from_rows(dims, &to_widths(&reports));
    let start = Instant::now();
    let found = cluster(method, k, &points, &client, &mut random)?;
    let seconds = start.elapsed().as_secs_f64();
    let records = to_widths(&steps);
    let plain = ReportPoints::from_rows(dims, &records);
    let restarts = Restarts { clusters: k, restarts: STARTS, iterations: 100 };
    let kmeans = kmeans_on_reports(&plain, &restarts, &mut SeededNoise::new(0));
    let one =
        kmeans_on_reports(&plain, &Restarts { clusters: 1, restarts: 1, iterations: 2 }, &mut SeededNoise::new(0));
    let nicv = |clusters: &Clusters| nicv(&records, dims, &clusters.centres);
    Ok(Score { nicv: nicv(&found), one_centre: nicv(&one), kmeans: nicv(&kmeans), seconds })
}

fn cluster(
    method: &str,
    k: usize,
    points: &ReportPoints,
    client: &Client,
    random: &mut dyn NoiseSource,
) -> Result<Clusters, Failure> {
    let usual = NoiseAware::new(k);
    let how = match method {
        "kmeans" => {
            let restarts = Restarts { clusters: k, restarts: STARTS, iterations: 100 };
            return Ok(kmeans_on_reports(points, &restarts, random));
        }
        "tk-means" => return Ok(TkMeans::new(k).cluster(points, random)),
        "noise-aware" => usual,
        "mode" => NoiseAware { estimate: Estimate::Mode, ..usual },
        "pooled" => NoiseAware { estimate: Estimate::Pooled, ..usual },
        "one" => NoiseAware { k: 1, ..usual },
        "noise-aware-points" => NoiseAware { width: Width::None, ..usual },
        "noise-aware-widths" => NoiseAware { width: Width::PerCluster, ..usual },
        "likelihood" => NoiseAware { prior: Prior::NONE, ..usual },
        other => {
            // Trials of the prior: `prior/REPORTS/SPREAD/MIDDLE`.
            let numbers: Vec<f64> = other.split('/').skip(1).map(str::parse).collect::<Result<_, _>>()?;
            let [reports, spread, middle] = numbers[..] else {
                return Err(format!("there is no server method {other}").into());
            };
            NoiseAware { prior: Prior { reports, spread, middle }, ..usual }
        }
    };
    let law = client.noise_law().ok_or("these reports have no density")?;
    Ok(how.cluster(points, law, random))
}

fn nicv(records: &[f64], dims: usize, centres: &[Vec<UnitPosition>]) -> f64 {
    let centres: Vec<Vec<f64>> = centres.iter().map(|centre| UnitPosition::numbers(centre)).collect();
    let nearest = |x: &[f64]| centres.iter().map(|c| squared(c, x)).fold(f64::INFINITY, f64::min);
    records.chunks_exact(dims).map(nearest).sum::<f64>() / (records.len() / dims) as f64
}
