//! Clustering of reports under their noise, timed for `em_peers.py`.
//!
//! Arguments: a folder, the mechanism, rows, attributes, clusters, runs per timing, and how records are spread (`shared`,
//! `per-attribute`, `per-cluster` or `none`; `shared` if left out). Writes the reports (`reports.f64`, in
//! widths, one after the other) and the centres that iterations start from (`start.f64`) to the folder, and prints JSON: at
//! one thread and two, the best time of an iteration, with the widths and without, and the seconds and phases of a whole
//! fit with its peak memory. With `fits` in place of a folder it times whole fits only, each on new records.

use std::time::Instant;

use rayon::prelude::*;
use shoal_bench::{Failure, design, gauss};
use shoal_crowd::server::ReportPoints;
use shoal_crowd::server::noise_aware::{NoiseAware, Width, measure};
use shoal_device::{Client, NoiseLaw};
use shoal_lattice::STEPS;
use shoal_noise::{SeededNoise, uniform};

/// Budget per width.
const EPSILON: &str = "8";

/// Rows that one seed makes reports of, whatever the number of threads.
const BATCH: usize = 10_000;

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (args, width) = match args.as_slice() {
        [args @ .., width] if args.len() == 6 => (args, width.as_str()),
        args => (args, "shared"),
    };
    let [folder, mechanism, rows, dims, k, runs] = args else {
        return Err("usage: em FOLDER|fits MECHANISM ROWS ATTRIBUTES K RUNS [WIDTH]".into());
    };
    let width = match width {
        "none" => Width::None,
        "shared" => Width::Shared,
        "per-attribute" => Width::PerAttribute,
        "per-cluster" => Width::PerCluster,
        other => return Err(format!("there is no width {other}").into()),
    };
    let (rows, dims, k, runs): (usize, usize, usize, usize) = (rows.parse()?, dims.parse()?, k.parse()?, runs.parse()?);
    if folder == "fits" {
        return fits(mechanism, rows, dims, NoiseAware { width, ..NoiseAware::new(k) }, runs);
    }
    let (columns, law) = reports(mechanism, rows, dims, k, 0)?;
    let (convert, points) = timed(|| ReportPoints::from_steps(&columns));
    let mut random = SeededNoise::new(1);
    let start: Vec<f64> = (0..k * dims).map(|_| 0.2 + 0.6 * uniform::unit_f64(&mut random)).collect();
    write(folder, "start.f64", start.iter().copied())?;
    let value = |i: usize| columns[i % dims][i / dims] as f64 / STEPS as f64;
    write(folder, "reports.f64", (0..rows * dims).map(value))?;
    drop(columns);
    // Forgets the peak of what made the reports; where that is not possible, the figure includes it.
    let _ = std::fs::write("/proc/self/clear_refs", "5");

    let how = NoiseAware { width, ..NoiseAware::new(k) };
    let mut timings = Vec::new();
    let mut found = Vec::new();
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let (mut plain, mut widths) = (f64::INFINITY, f64::INFINITY);
        for (best, per_width) in [(&mut plain, 0), (&mut widths, 1)] {
            let objectives = pool.install(|| {
                measure::rounds(&how, &points, law, &start, (runs, per_width), &mut |round| {
                    *best = best.min(timed(round).0);
                })
            });
            found.push(objectives);
        }
        let (fit, phases) = pool.install(|| fit(&how, &points, law, 7));
        timings.push(format!(
            r#""{threads}":{{"iteration":{plain},"with_widths":{widths},"fit":{fit},"phases":{{{phases}}}}}"#
        ));
    }
    if found[..2] != found[2..] {
        return Err("the likelihood depends on the number of threads".into());
    }
    let peak = peak_memory();
    println!(
        r#"{{"convert":{convert},"threads":{{{}}},"points_bytes":{},"peak_bytes":{peak}}}"#,
        timings.join(","),
        rows * dims * 4
    );
    Ok(())
}

/// Whole fits on one thread, each on records of its own.
fn fits(mechanism: &str, rows: usize, dims: usize, how: NoiseAware, runs: usize) -> Result<(), Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut seconds = Vec::new();
    for seed in 0..runs {
        let (columns, law) = reports(mechanism, rows, dims, how.k, seed as u64 * 1_000)?;
        let points = ReportPoints::from_steps(&columns);
        let (fit, phases) = pool.install(|| fit(&how, &points, law, 7));
        seconds.push(fit);
        println!("{fit:.3} s: {phases}");
    }
    println!("mean {:.3} s", seconds.iter().sum::<f64>() / runs as f64);
    Ok(())
}

/// Seconds of a whole fit, and of its phases as fields of JSON.
fn fit(how: &NoiseAware, points: &ReportPoints, law: NoiseLaw, seed: u64) -> (f64, String) {
    let mut phases = Vec::new();
    let mut last = Instant::now();
    let mut ended = |phase: &'static str| {
        phases.push(format!(r#""{phase}":{:.4}"#, last.elapsed().as_secs_f64()));
        last = Instant::now();
    };
    let mut random = SeededNoise::new(seed);
    let (seconds, clusters) = timed(|| measure::cluster(how, points, law, &mut random, &mut ended));
    phases.push(format!(r#""rounds":{}"#, clusters.objectives.len()));
    phases.push(format!(r#""objective":{}"#, clusters.objectives.last().copied().unwrap_or(f64::NAN)));
    (seconds, phases.join(","))
}

/// Reports of made-up records in lattice steps, one column per attribute.
fn reports(
    mechanism: &str,
    rows: usize,
    dims: usize,
    k: usize,
    seed: u64,
) -> Result<(Vec<Vec<i64>>, NoiseLaw), Failure> {
    let client = Client::new(&design(mechanism, EPSILON, dims)?)?;
    let records = gauss(rows, dims, k, &mut SeededNoise::new(seed));
    let mut reports = vec![0; records.len()];
    reports.par_chunks_mut(BATCH * dims).zip(records.par_chunks(BATCH * dims)).enumerate().for_each(
        |(batch, (reports, records))| {
            let mut random = SeededNoise::new(seed + 1 + batch as u64);
            for (record, report) in records.chunks_exact(dims).zip(reports.chunks_exact_mut(dims)) {
                client.report(record, &mut random, report);
            }
        },
    );
    let column = |i: usize| reports.iter().skip(i).step_by(dims).copied().collect();
    let law = client.noise_law().ok_or("these reports have no density")?;
    Ok(((0..dims).map(column).collect(), law))
}

fn write(folder: &str, name: &str, values: impl Iterator<Item = f64>) -> Result<(), Failure> {
    use std::io::Write;
    let mut file = std::io::BufWriter::new(std::fs::File::create(std::path::Path::new(folder).join(name))?);
    for value in values {
        file.write_all(&value.to_le_bytes())?;
    }
    Ok(file.flush()?)
}

fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed().as_secs_f64(), result)
}

/// The most memory this program has had, in bytes; zero where the system does not report it.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
}
